"""Closed answers, read from the scores of a model whose next token is dictated."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from models.protocol import CancelFrame, Choose, Chosen, Done, Failed, QuestionFrame
from tests.support.child_driver import ChildDriver, messages
from tests.support.tiny_model import CHATML_TEMPLATE, CHATML_TOKENS, write_chain, write_recurrent, write_tiny

SYSTEM = ("system", "You judge.")


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("models")


@pytest.fixture(scope="module")
def tiny(folder: Path) -> Iterator[ChildDriver]:
    path = write_tiny(folder / "tiny.gguf", context=1024, controls=CHATML_TOKENS, template=CHATML_TEMPLATE)
    with ChildDriver(folder / "engine.log") as driver:
        driver.load(path)
        yield driver


@pytest.fixture(scope="module")
def spare(folder: Path) -> Iterator[ChildDriver]:
    """Takes one model after another."""
    with ChildDriver(folder / "engine.log") as driver:
        yield driver


def of_chain(spare: ChildDriver, folder: Path, chain: tuple[str, ...], *options: str) -> list[float]:
    """What a model chooses that says `chain`."""
    spare.load(write_chain(folder / "chain.gguf", ("<0x0A>", *chain)))
    chosen = spare.choose(SYSTEM, questions=[("Which?", options)])
    assert isinstance(chosen, Chosen), chosen
    return list(chosen.probabilities[0])


def test_the_first_token_decides(spare: ChildDriver, folder: Path) -> None:
    assert of_chain(spare, folder, ("n", "o", "<|im_end|>"), "yes", "no", "maybe") == pytest.approx([0, 1, 0], abs=0.01)


def test_the_whole_text_decides_where_beginnings_agree(spare: ChildDriver, folder: Path) -> None:
    chain = ("n", "o", "t", "\u2581", "h", "e", "r", "<|im_end|>")
    assert of_chain(spare, folder, chain, "not now", "not her", "no") == pytest.approx([0, 1, 0], abs=0.01)


def test_an_option_that_begins_like_another_may_win(spare: ChildDriver, folder: Path) -> None:
    assert of_chain(spare, folder, ("n", "o", "<|im_end|>"), "not now", "no", "yes") == pytest.approx(
        [0, 1, 0], abs=0.01
    )


def test_capitals_do_not_matter(spare: ChildDriver, folder: Path) -> None:
    assert of_chain(spare, folder, ("Y", "e", "s"), "yes", "no") == pytest.approx([1, 0], abs=0.01)
    assert of_chain(spare, folder, ("A",), "A", "a") == pytest.approx(
        [1, 0], abs=0.01
    )  # unless they tell options apart


def test_probabilities_sum_to_one(tiny: ChildDriver) -> None:
    questions = [
        ("One?", ("yes", "no")),
        ("Two?", ("red", "green", "blue")),
        ("Three?", ("very good", "very bad", "fine")),
    ]
    for calibrate in (False, True):
        chosen = tiny.choose(SYSTEM, ("user", "text"), questions=questions, calibrate=calibrate)
        assert [len(row) for row in chosen.probabilities] == [2, 3, 3]
        for row in chosen.probabilities:
            assert sum(row) == pytest.approx(1)
            assert all(0 < value < 1 for value in row)


def test_together_or_one_by_one_is_the_same(tiny: ChildDriver) -> None:
    questions = [(f"Question {number}?", ("yes", "no", "not yet")) for number in range(40)]  # more than sequences
    together = tiny.choose(SYSTEM, questions=questions).probabilities
    for question, row in list(zip(questions, together, strict=True))[::13]:
        alone = tiny.choose(SYSTEM, questions=[question]).probabilities[0]
        assert alone == pytest.approx(row, abs=1e-3)


def test_the_shared_messages_are_read_once(tiny: ChildDriver) -> None:
    lead = (("system", "s" * 200), ("user", "u" * 100))
    first = tiny.choose(*lead, questions=[("A?", ("yes", "no"))])
    second = tiny.choose(*lead, questions=[("B?", ("yes", "no"))])
    assert first.tokens_read > 300
    assert second.tokens_read < 60


def test_calibration_takes_the_habit_away(tiny: ChildDriver) -> None:
    """Asked about nothing, the answer is even; a second time the habit is known already."""
    options = ("yes", "no", "perhaps")
    even = tiny.choose(SYSTEM, ("user", "N/A"), questions=[("Is it?", options)], calibrate=True)
    assert even.probabilities[0] == pytest.approx([1 / 3] * 3, abs=0.02)
    plain = tiny.choose(SYSTEM, ("user", "N/A"), questions=[("Is it?", options)])
    assert plain.probabilities[0] != pytest.approx([1 / 3] * 3, abs=0.02)
    alone = tiny.choose(SYSTEM, questions=[("N/A", options)], calibrate=True)
    assert alone.probabilities[0] == pytest.approx([1 / 3] * 3, abs=0.02)


def test_a_conversation_goes_on_where_it_was(tiny: ChildDriver) -> None:
    talk = (("system", "t" * 200), ("user", "hello"))
    first = tiny.ask(*talk)
    tiny.choose(("system", "j" * 200), questions=[("A?", ("yes", "no"))])
    again = tiny.ask(*talk)
    assert again.text == first.text
    assert again.done.usage.tokens_cached == first.done.usage.tokens_in - 1


def test_models_that_cannot_forget_a_part_choose_the_same(folder: Path) -> None:
    questions = [("A?", ("yes", "no")), ("B?", ("very good", "very bad"))]
    with ChildDriver(folder / "engine.log") as child:
        child.load(write_recurrent(folder / "mamba.gguf"))
        together = child.choose(SYSTEM, questions=questions).probabilities
        alone = [child.choose(SYSTEM, questions=[one]).probabilities[0] for one in questions]
        assert [list(row) for row in together] == [pytest.approx(row, abs=1e-3) for row in alone]


def test_cancel(tiny: ChildDriver) -> None:
    questions = tuple(QuestionFrame(prompt=f"{number}?", options=("yes", "no")) for number in range(300))
    tiny.send(Choose(id=901, messages=messages(SYSTEM), questions=questions), CancelFrame(id=901))
    ended = tiny.until(Done, Chosen, Failed).done
    assert (ended.id, ended.reason) == (901, "cancelled")
    assert isinstance(tiny.choose(SYSTEM, questions=[("A?", ("yes", "no"))]), Chosen)


def test_too_long_is_refused(tiny: ChildDriver) -> None:
    failed = tiny.choose(("system", "x" * 2_000), questions=[("A?", ("yes", "no"))])
    assert isinstance(failed, Failed)
    assert failed.kind == "context_full"


def test_no_messages_and_no_questions(tiny: ChildDriver) -> None:
    assert tiny.choose(questions=[]).probabilities == ()
    assert sum(tiny.choose(questions=[("A?", ("yes", "no"))]).probabilities[0]) == pytest.approx(1)
