"""Measures whole questions, as a user asks them: `python -m tests.benchmarks.asking --model PATH`.

`steward ask --json` as a process of its own against a bare llama-cpp-python loop with the same model, threads
and length of context, and against itself while a busy loop takes one core. Runs alternate, the best counts.
One JSON line a measure: name, value, bar, passed. Takes about three minutes with a 0.5B model on two cores.
"""

import argparse
import json
import os
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from memory.data_dir import Home
from models.launching import default_threads
from ui.configuration import set_value

TOKENS = 64
ROUNDS = 4
QUESTION = "Tell me a long story about a lighthouse keeper."
BUSY_LOOP = "while True: pass"
# The loop anybody would write. Each line of input is the length of the context to write behind.
BARE_LOOP = """
import sys, time
from llama_cpp import Llama
path, threads, tokens = sys.argv[1], int(sys.argv[2]), int(sys.argv[3])
model = Llama(path, n_ctx=4096, n_threads=threads, n_threads_batch=threads, flash_attn=True, verbose=False)
story = model.tokenize(b"Tell me a long story about a lighthouse keeper. " * 200)
for line in sys.stdin:
    times = []
    for _ in model.generate(story[:int(line)], temp=0.7):
        times.append(time.perf_counter())
        if len(times) == tokens:
            break
    print((len(times) - 1) / (times[-1] - times[0]), flush=True)
"""


def report(name: str, value: float, bar: str, passed: bool, **more: float) -> bool:
    line: dict[str, Any] = {"name": name, "value": round(value, 3), "bar": bar, "passed": passed}
    further = {key: round(number, 2) for key, number in more.items()}
    print(json.dumps(line | further), flush=True)  # noqa: T201 - this is the script's result
    return passed


class Steward:
    """A home of its own whose answers are TOKENS long."""

    def __init__(self, place: Path, model: Path, threads: int) -> None:
        self._place = place
        home = Home.resolve(str(place), {})
        home.make()
        for key, value in (
            ("model.name", str(model)),
            ("model.threads", str(threads)),
            ("assistant.reply_tokens", str(TOKENS)),
            ("assistant.seed", "1"),
        ):
            set_value(home.config_file, key, value)

    def ask(self) -> dict[str, Any]:
        """The last event of a new conversation."""
        done = subprocess.run(
            [sys.executable, "-m", "ui", "--home", str(self._place), "ask", "--new", "--json", QUESTION],
            capture_output=True,
            text=True,
            check=True,
        )
        ended: dict[str, Any] = json.loads(done.stdout.splitlines()[-1])
        return ended


class Bare:
    """The bare loop in a process of its own, loaded once."""

    def __init__(self, model: Path, threads: int) -> None:
        command = [sys.executable, "-c", BARE_LOOP, str(model), str(threads), str(TOKENS)]
        self._process = subprocess.Popen(
            command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True
        )

    def speed(self, context: int) -> float:
        """Tokens a second behind `context` tokens."""
        assert self._process.stdin is not None
        assert self._process.stdout is not None
        self._process.stdin.write(f"{context}\n")
        self._process.stdin.flush()
        return float(self._process.stdout.readline())

    def close(self) -> None:
        assert self._process.stdin is not None
        self._process.stdin.close()
        self._process.wait()


@contextmanager
def busy_core() -> Iterator[None]:
    process = subprocess.Popen([sys.executable, "-c", BUSY_LOOP])
    try:
        yield
    finally:
        process.kill()
        process.wait()


def against_bare(steward: Steward, model: Path, threads: int) -> bool:
    bare, own, reference, waits = Bare(model, threads), [], [], []
    for _ in range(ROUNDS):
        ended = steward.ask()
        reference.append(bare.speed(int(ended["tokens_in"])))
        own.append(float(ended["tokens_per_second"]))
        waits.append(float(ended["time_to_first_token"]))
    bare.close()
    ratio = max(own) / max(reference)
    return report(
        "ask_decode_ratio_to_bare_loop",
        ratio,
        ">= 0.95",
        ratio >= 0.95,
        tokens_per_second=max(own),
        bare=max(reference),
        seconds_to_first_token=min(waits),
    )


def beside_a_busy_core(steward: Steward, name: str) -> bool:
    quiet, busy = [], []
    for _ in range(ROUNDS):
        quiet.append(float(steward.ask()["tokens_per_second"]))
        with busy_core():
            busy.append(float(steward.ask()["tokens_per_second"]))
    ratio = max(busy) / max(quiet)
    return report(name, ratio, ">= 0.4", ratio >= 0.4, quiet=max(quiet), busy=max(busy))


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--model", type=Path, required=True)
    model = parser.parse_args().model.absolute()
    threads, every = default_threads(), os.cpu_count() or 1
    with tempfile.TemporaryDirectory(prefix="steward-benchmark-") as folder:
        usual = Steward(Path(folder) / "usual", model, threads)
        passed = [
            against_bare(usual, model, threads),
            beside_a_busy_core(usual, "decode_beside_a_busy_core_ratio"),
            beside_a_busy_core(
                Steward(Path(folder) / "every", model, every), "decode_beside_a_busy_core_ratio_all_cores"
            ),
        ]
    return 0 if all(passed) else 1


if __name__ == "__main__":
    sys.exit(main())
