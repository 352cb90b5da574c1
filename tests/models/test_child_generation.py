"""Replies through the real process and the real llama.cpp."""

from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from models.protocol import Done, Failed, Piece, Reading
from tests.support.child_driver import ChildDriver, Reply
from tests.support.tiny_model import CHATML_TOKENS, END, write_chain, write_recurrent, write_tiny

LETTERS = "abcdefghijklmnopqrstuvwxyz"
LONG = ("user", "x" * 1_500)


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("models")


def opened(folder: Path, path: Path, **changes: Any) -> Iterator[ChildDriver]:
    with ChildDriver(folder / "engine.log") as driver:
        driver.load(path, **changes)
        yield driver


@pytest.fixture(scope="module")
def tiny(folder: Path) -> Iterator[ChildDriver]:
    """Random, 4,096 tokens of context."""
    path = write_tiny(folder / "tiny.gguf", context=4096, controls=CHATML_TOKENS, template="<|im_start|>")
    yield from opened(folder, path, context_length=4096)


@pytest.fixture(scope="module")
def mamba(folder: Path) -> Iterator[ChildDriver]:
    yield from opened(folder, write_recurrent(folder / "mamba.gguf"))


@pytest.fixture(scope="module")
def spare(folder: Path) -> Iterator[ChildDriver]:
    """Takes one model after another."""
    with ChildDriver(folder / "engine.log") as driver:
        yield driver


@pytest.fixture
def says(spare: ChildDriver, tmp_path: Path) -> Callable[..., Reply]:
    """What a model answers whose tokens after the opening of the reply are dictated."""

    def answer(*chain: str, **options: Any) -> Reply:
        spare.load(write_chain(tmp_path / "chain.gguf", ("<0x0A>", *chain), **options))
        return spare.ask(("user", "?"), max_tokens=600)

    return answer


# --- text


def test_characters_are_never_cut(says: Callable[..., Reply]) -> None:
    reply = says("<0xC3>", "<0xA9>", "h", "<0xF0>", "<0x9F>", "<0x98>", "<0x80>", END)
    assert [frame.text for frame in reply.frames if isinstance(frame, Piece)] == ["é", "h", "😀"]
    assert reply.done.reason == "stop"


def test_an_unfinished_character_at_the_end_is_no_text(says: Callable[..., Reply]) -> None:
    assert says("h", "<0xF0>", "<0x9F>", END).text == "h"


def test_bytes_that_are_no_text_are_marked(says: Callable[..., Reply]) -> None:
    assert says("h", "<0xFF>", "i", END).text == "h\ufffdi"


def test_control_tokens_never_become_text(says: Callable[..., Reply]) -> None:
    reply = says("h", "<|im_start|>", "<s>", "i", "<|im_end|>")
    assert reply.text == "hi"
    assert reply.done.reason == "stop"


def test_thoughts_are_told_apart(says: Callable[..., Reply]) -> None:
    reply = says(*"<think>pla", "</think>", *"YES", END, plain=("</think>",))
    assert (reply.thoughts, reply.text) == ("pla", "YES")


def test_thinking_tags_may_be_control_tokens(says: Callable[..., Reply]) -> None:
    reply = says("<think>", *"plan", "</think>", *"YES", END, controls=(*CHATML_TOKENS, "<think>", "</think>"))
    assert (reply.thoughts, reply.text) == ("plan", "YES")


def test_thoughts_without_end_are_no_answer(says: Callable[..., Reply]) -> None:
    reply = says(*"<think>pla", END)
    assert (reply.thoughts, reply.text) == ("pla", "")


ALWAYS_THINKS = "{{ '<|im_start|>assistant\\n<think>\\n' }}"


def test_the_tag_may_stand_in_the_prompt(spare: ChildDriver, folder: Path) -> None:
    path = write_chain(
        folder / "chain.gguf", ("<0x0A>", *"plan", "</think>", *"YES", END), template=ALWAYS_THINKS, plain=("</think>",)
    )
    spare.load(path)
    thinks = spare.ask(("user", "?"), think=True)
    assert (thinks.thoughts, thinks.text) == ("plan", "YES")
    assert spare.ask(("user", "?")).thoughts == ""


def test_a_family_without_end_tokens_stops_at_its_headings(says: Callable[..., Reply]) -> None:
    said = ("h", "i", "###", "\u2581", *"User:", "x", END)
    reply = says(*said, template="{{ broken", controls=(), plain=("###",))
    assert reply.text == "hi"
    assert reply.done.reason == "stop"


# --- how it ends


def test_length(tiny: ChildDriver) -> None:
    reply = tiny.ask(("user", "hi"), max_tokens=5)
    assert (reply.done.reason, reply.done.usage.tokens_out) == ("length", 5)


def test_the_end_of_the_context_is_length(spare: ChildDriver, folder: Path) -> None:
    path = write_chain(
        folder / "abc.gguf", ("<0x0A>", *LETTERS, *LETTERS.upper()), then={"Z": "1", "1": "2"}, context=256
    )
    spare.load(path)
    reply = spare.ask(("user", "x" * 190), max_tokens=1_000)
    assert reply.done.reason == "length"
    assert reply.done.usage.tokens_in + reply.done.usage.tokens_out == 256
    assert spare.ask(("user", "again"), max_tokens=3).text == "abc"


def test_a_prompt_that_does_not_fit_is_refused_with_numbers(tiny: ChildDriver) -> None:
    failed = tiny.ask(("user", "x" * 5_000)).failed
    assert failed.kind == "context_full"
    assert "4096" in failed.message


def test_endless_repetition_ends(says: Callable[..., Reply]) -> None:
    reply = says(*"abc", then={"c": "a"})
    assert reply.done.reason == "repeating"
    assert reply.text.startswith("abcabc")
    assert reply.done.usage.tokens_out < 200


def test_a_long_answer_that_does_not_repeat_goes_on(says: Callable[..., Reply]) -> None:
    letters = [chr(code) for code in range(33, 127)]
    assert says(*letters, END).done.reason == "stop"


def test_no_messages_at_all(tiny: ChildDriver) -> None:
    assert tiny.ask().done.usage.tokens_out


def test_usage_adds_up(tiny: ChildDriver) -> None:
    usage = tiny.ask(("user", "usage"), max_tokens=9).done.usage
    assert usage.context_total == 4096
    assert usage.context_used == usage.tokens_in + usage.tokens_out - 1
    assert 0 < usage.seconds_to_first_token < 10
    assert usage.seconds_generating > 0


# --- sampling


def test_greedy_repeats_itself_and_a_seed_repeats_the_draws(tiny: ChildDriver) -> None:
    def said(**options: Any) -> str:
        return tiny.ask(("user", "tell"), **options).text

    assert said() == said(seed=99)
    assert said(temperature=1.5, seed=1) == said(temperature=1.5, seed=1)
    assert said(temperature=1.5, seed=1) != said(temperature=1.5, seed=2)
    assert said(repeat_penalty=1.8) != said()


# --- what is read and what is reused


def test_a_growing_conversation_reads_only_what_is_new(tiny: ChildDriver) -> None:
    talk = [("system", "Be brief, please."), ("user", "first question")]
    for number in range(4):
        reply = tiny.ask(*talk, temperature=1.0, seed=number, max_tokens=20)
        usage = reply.done.usage
        if number:
            assert usage.tokens_in - usage.tokens_cached < 60
        talk += [("assistant", reply.text), ("user", f"question {number}")]


def test_a_reply_is_reused_as_it_was_sampled(spare: ChildDriver, folder: Path) -> None:
    """The tokenizer would write "ab" as one token; the model said "a", "b"."""
    path = write_chain(folder / "ab.gguf", ("<0x0A>", "a", "b", "<|im_end|>"), plain=("ab",))
    spare.load(path)
    first = spare.ask(("user", "Q"))
    assert first.text == "ab"
    again = spare.ask(("user", "Q"), ("assistant", "ab"), ("user", "R"))
    assert again.done.usage.tokens_cached == first.done.usage.context_used


def test_a_reply_with_control_tokens_is_not_reused(spare: ChildDriver, folder: Path) -> None:
    path = write_chain(folder / "bad.gguf", ("<0x0A>", "a", "<|im_start|>", "b", "<|im_end|>"))
    spare.load(path)
    first = spare.ask(("user", "Q")).done.usage
    again = spare.ask(("user", "Q"), ("assistant", "ab"), ("user", "R")).done.usage
    assert again.tokens_cached == first.tokens_in + 1  # "a" and no further


def test_another_conversation_in_between_costs_nothing(tiny: ChildDriver) -> None:
    first = tiny.ask(("system", "one " * 60), ("user", "hello there"))
    tiny.ask(("system", "two " * 90), ("user", "quite another matter"))
    back = tiny.ask(("system", "one " * 60), ("user", "hello there"))
    assert back.text == first.text
    assert back.done.usage.tokens_cached >= first.done.usage.tokens_in - 1


def test_a_changed_beginning_is_read_again_and_the_answer_is_right(tiny: ChildDriver, folder: Path) -> None:
    tiny.ask(("system", "alpha"), ("user", "same question"))
    reused = tiny.ask(("system", "alphb"), ("user", "same question"))
    assert 0 < reused.done.usage.tokens_cached < reused.done.usage.tokens_in - 10
    with ChildDriver(folder / "engine.log") as child:
        child.load(folder / "tiny.gguf", context_length=4096)
        assert child.ask(("system", "alphb"), ("user", "same question")).text == reused.text


def test_a_model_that_cannot_forget_a_part_reads_again(mamba: ChildDriver) -> None:
    first = mamba.ask(("user", "hello"))
    again = mamba.ask(("user", "hello"))
    assert again.text == first.text
    assert again.done.usage.tokens_cached == 0
    longer = mamba.ask(("user", "hello"), ("assistant", again.text), ("user", "more"))
    assert longer.done.usage.tokens_cached == again.done.usage.context_used


def test_reading_is_counted(tiny: ChildDriver) -> None:
    reply = tiny.ask(("user", "count " * 60), max_tokens=1)
    reading = [frame for frame in reply.frames if isinstance(frame, Reading)]
    assert [frame.done for frame in reading] == sorted(frame.done for frame in reading)
    assert {frame.total for frame in reading} == {reply.done.usage.tokens_in}
    assert reading[-1].done == reply.done.usage.tokens_in
    assert len(reading) > 4  # 64 tokens a step


# --- cancel


def test_cancel_while_reading_leaves_a_sound_cache(folder: Path, spare: ChildDriver) -> None:
    """The model is wide, so that it reads for more than a second: a busy machine cancels in time, too."""
    wide = write_tiny(folder / "wide.gguf", width=512, heads=8, hidden=1024, layers=2, context=4096)
    system = ("system", "s" * 300)
    after = (system, ("user", "and now?"))
    with ChildDriver(folder / "engine.log") as child:
        child.load(wide, context_length=4096)
        expected = child.ask(*after, max_tokens=32).text
    spare.load(wide, context_length=4096)
    for _ in range(3):
        number = spare.start(system, ("user", "x" * 3_000))
        spare.until(Reading)
        spare.cancel(number)
        ended = spare.until(Done, Failed).done
        assert (ended.id, ended.reason) == (number, "cancelled")
        assert ended.usage.tokens_out == 0
        assert spare.ask(*after, max_tokens=32).text == expected


def test_cancel_while_speaking_keeps_what_was_said(spare: ChildDriver, folder: Path) -> None:
    letters = [chr(code) for code in range(33, 127)]
    long = {letters[-1]: "<0xC3>", "<0xC3>": "<0xA9>"} | {f"<0x{n:02X}>": f"<0x{n + 1:02X}>" for n in range(0xA9, 0xBF)}
    path = write_chain(folder / "long.gguf", ("<0x0A>", *letters), then=long | {"<0xBF>": "!"})
    spare.load(path)
    number = spare.start(("user", "go"), max_tokens=3_900)
    spare.until(Piece)
    spare.cancel(number)
    reply = spare.finish()
    assert reply.done.reason in ("cancelled", "repeating")
    assert spare.ask(("user", "go"), max_tokens=4).text == '!"#$'


def test_a_cancel_that_comes_late_does_not_hit_the_next_request(tiny: ChildDriver) -> None:
    done = tiny.ask(("user", "one"), max_tokens=2).done
    tiny.cancel(done.id)
    assert tiny.ask(("user", "two"), max_tokens=2).done.reason == "length"


# --- counting


def test_counts_add_up_to_the_prompt(tiny: ChildDriver) -> None:
    talk = (("system", "You are brief."), ("user", "Hello there"), ("assistant", "Hm."), ("user", "Well?"))
    counts = tiny.count(*talk)
    assert len(counts) == 4
    assert sum(counts) == pytest.approx(tiny.ask(*talk, max_tokens=1).done.usage.tokens_in, abs=4)
    assert tiny.count(talk[3]) == counts[3:]  # whatever stands around it
