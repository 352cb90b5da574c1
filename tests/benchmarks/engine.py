"""Measures the engine through its own frames: `python -m tests.benchmarks.engine --model PATH`.

One JSON line a measure: name, value, bar, passed. Speeds that are compared alternate, and the best of each side
counts, so that a busy neighbour weighs little. Takes a few minutes with a 0.5B model on two cores.
"""

import argparse
import json
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path

from models.launching import default_threads
from models.protocol import Done, Failed, Piece, Reading
from tests.support.child_driver import ChildDriver, Reply

CONTEXT = 4096
TOKENS = 48
ROUNDS = 8
NOTES = "You are Steward, a warm and brief assistant. " + " ".join(
    f"Note {number}: the user did thing number {number} and felt fine about it." for number in range(1, 42)
)  # about 750 tokens
STORY = ("user", "Tell me a long story about a lighthouse keeper.")
SCHEMA = {
    "type": "object",
    "properties": {
        "people": {
            "type": "array",
            "items": {
                "type": "object",
                "properties": {"name": {"type": "string"}, "job": {"type": "string"}, "age": {"type": "integer"}},
                "required": ["name", "job", "age"],
            },
            "minItems": 4,
            "maxItems": 4,
        }
    },
    "required": ["people"],
}
BARE_LOOP = """
import sys, time
from llama_cpp import Llama
path, threads, tokens = sys.argv[1], int(sys.argv[2]), int(sys.argv[3])
model = Llama(path, n_ctx=4096, n_threads=threads, n_threads_batch=threads, flash_attn=True, verbose=False)
prompt = model.tokenize(b"Tell me a long story about a lighthouse keeper.")
for line in sys.stdin:
    times = []
    for _ in model.generate(prompt, temp=float(line)):
        times.append(time.perf_counter())
        if len(times) == tokens:
            break
    print((len(times) - 1) / (times[-1] - times[0]), flush=True)
"""


class Bench:
    def __init__(self, model: Path, threads: int, folder: Path) -> None:
        self._model = model
        self._threads = threads
        self._folder = folder
        self.passed = True

    def report(self, name: str, value: float, bar: str, passed: bool) -> None:
        self.passed = self.passed and passed
        line = {"name": name, "value": round(value, 4), "bar": bar, "passed": passed, "model": self._model.name}
        print(json.dumps(line), flush=True)  # noqa: T201 - this is the script's result

    def child(self) -> ChildDriver:
        return ChildDriver(self._folder / "engine.log")

    def load(self, child: ChildDriver, *, states: bool = False) -> None:
        child.load(
            self._model,
            context_length=CONTEXT,
            threads=self._threads,
            gpu_layers=-1,
            state_dir=str(self._folder / "kv") if states else "",
        )

    def speed(self) -> None:
        """Decode speed against llama-cpp-python's own loop in a process of its own."""
        bare = subprocess.Popen(
            (sys.executable, "-c", BARE_LOOP, str(self._model), str(self._threads), str(TOKENS)),
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
        )
        assert bare.stdin
        assert bare.stdout
        with self.child() as child:
            self.load(child)
            for label, temperature in (("greedy", 0.0), ("sampled", 0.7)):
                reference, own = [], []
                for turn in range(ROUNDS):
                    bare.stdin.write(f"{temperature}\n")
                    bare.stdin.flush()
                    reference.append(float(bare.stdout.readline()))
                    own.append(_speed(child.ask(STORY, max_tokens=TOKENS, temperature=temperature, seed=turn)))
                self.report(f"decode_tokens_per_second_{label}", max(own), "-", True)
                ratio = max(own) / max(reference)
                self.report(f"decode_ratio_to_bare_loop_{label}", ratio, ">= 0.95", ratio >= 0.95)
        bare.stdin.close()
        bare.stdout.close()
        bare.wait()

    def grammar(self) -> None:
        """Time a token with a JSON schema against time a token without."""
        question = ("user", "Invent four people. Answer in JSON.")
        with self.child() as child:
            self.load(child)
            free, bound = [], []
            for _ in range(ROUNDS):
                free.append(_speed(child.ask(question, max_tokens=TOKENS)))
                bound.append(_speed(child.ask(question, max_tokens=TOKENS, json_schema=SCHEMA)))
            ratio = max(free) / max(bound)
            self.report("grammar_time_per_token_ratio", ratio, "<= 1.05", ratio <= 1.05)

    def conversation(self) -> None:
        """Time to first token at turn 10 against turn 2 of a conversation that only grows; the best of three."""
        second, tenth, read = [], [], (0, 0)
        with self.child() as child:
            self.load(child)
            for talk in range(3):
                turns = [("system", NOTES)]
                replies = []
                for number in range(10):
                    turns.append(("user", f"Question {talk}.{number}: what did I do, and was it fine? One sentence."))
                    replies.append(child.ask(*turns, max_tokens=30, repeat_penalty=1.05))
                    turns.append(("assistant", replies[-1].text))
                second.append(replies[1].done.usage.seconds_to_first_token)
                tenth.append(replies[9].done.usage.seconds_to_first_token)
                read = (_read(replies[1]), _read(replies[9]))
        self.report("first_token_seconds_turn_2", min(second), "-", True)
        self.report("first_token_seconds_turn_10", min(tenth), "-", True)
        self.report("tokens_read_turn_10", read[1], f"<= {read[0]} (turn 2) + 5", read[1] <= read[0] + 5)
        ratio = min(tenth) / min(second)
        self.report("first_token_turn_10_to_turn_2", ratio, "<= 1.5", ratio <= 1.5)

    def start(self) -> None:
        """From exec to the first token, the system prompt read anew against restored from disk."""
        cold, warm = [], []
        for _ in range(3):
            cold.append(self._start_to_first_token(states=False))
            self._start_to_first_token(states=True)
            warm.append(self._start_to_first_token(states=True))
        cold_time, warm_time = statistics.median(cold), statistics.median(warm)
        self.report("start_to_first_token_seconds_reading", cold_time, "-", True)
        self.report("start_to_first_token_seconds_restored", warm_time, "-", True)
        ratio = cold_time / warm_time
        self.report("start_ratio", ratio, ">= 8", ratio >= 8)

    def _start_to_first_token(self, *, states: bool) -> float:
        with self.child() as child:
            self.load(child, states=states)
            child.start(("system", NOTES), ("user", "Hi there"), max_tokens=1, stable_messages=1)
            child.until(Piece, Done, Failed)
            return time.monotonic() - child.started

    def cancel(self) -> None:
        """From the cancel to Done while 2,000 tokens are being read; afterwards the answer must be the same."""
        long = ("user", " ".join(f"Line {number} of the log says nothing of interest." for number in range(182)))
        waits = []
        with self.child() as child:
            self.load(child)
            for tokens in (64, 320, 512):
                number = child.start(("system", f"Try {tokens}."), long, max_tokens=1)
                _wait_for_reading(child, tokens)
                time.sleep(0.03)  # into the middle of the next chunk
                began = time.monotonic()
                child.cancel(number)
                reply = child.finish()
                waits.append(time.monotonic() - began)
                assert reply.done.reason == "cancelled"
            after = child.ask(("system", "Try 64."), ("user", "Count to nine."), max_tokens=24).text
        with self.child() as child:
            self.load(child)
            fresh = child.ask(("system", "Try 64."), ("user", "Count to nine."), max_tokens=24).text
        self.report("cancel_while_reading_ms", max(waits) * 1000, "<= 100", max(waits) <= 0.1)
        self.report("same_answer_after_cancel", float(after == fresh), "1", after == fresh)

    def choose(self) -> None:
        """Milliseconds a closed question takes on a prompt that is in the cache."""
        lead = ("system", NOTES)
        question = ("Did the user do thing number 7? Answer Yes or No.", ("Yes", "No"))
        with self.child() as child:
            self.load(child)
            child.choose(lead, questions=[question])
            began = time.monotonic()
            child.choose(lead, questions=[question])
            one = time.monotonic() - began
            began = time.monotonic()
            child.choose(lead, questions=[(f"{number}. {question[0]}", question[1]) for number in range(6)])
            six = (time.monotonic() - began) / 6
        self.report("choose_one_question_ms", one * 1000, "-", True)
        self.report("choose_each_of_six_ms", six * 1000, "-", True)


def _speed(reply: Reply) -> float:
    usage = reply.done.usage
    return (usage.tokens_out - 1) / usage.seconds_generating


def _read(reply: Reply) -> int:
    """Prompt tokens that were not in the cache."""
    return reply.done.usage.tokens_in - reply.done.usage.tokens_cached


def _wait_for_reading(child: ChildDriver, tokens: int) -> None:
    for frame in child.frames():
        if isinstance(frame, Reading) and frame.done >= tokens:
            return


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--model", type=Path, required=True)
    parser.add_argument("--threads", type=int, default=default_threads())
    parser.add_argument("--only", help="names of measures, comma separated")
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        bench = Bench(options.model, options.threads, Path(folder))
        measures: dict[str, Callable[[], None]] = {
            "speed": bench.speed,
            "grammar": bench.grammar,
            "conversation": bench.conversation,
            "start": bench.start,
            "cancel": bench.cancel,
            "choose": bench.choose,
        }
        for name, measure in measures.items():
            if not options.only or name in options.only.split(","):
                measure()
        return 0 if bench.passed else 1


if __name__ == "__main__":
    sys.exit(main())
