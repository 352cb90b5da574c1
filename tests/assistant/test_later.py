from concurrent.futures import ThreadPoolExecutor
from threading import Barrier

import pytest

from assistant.later import later


class Kept:
    def __init__(self) -> None:
        self.words = "kept"

    def said(self, more: str) -> str:
        return f"{self.words} {more}"


def test_nothing_is_made_before_it_is_used() -> None:
    made: list[Kept] = []

    def make() -> Kept:
        made.append(Kept())
        return made[-1]

    kept = later(make)
    assert made == []
    assert (kept.said("once"), kept.words) == ("kept once", "kept")
    assert len(made) == 1


def test_two_threads_use_the_same_one() -> None:
    made: list[Kept] = []
    begun = Barrier(4)

    def make() -> Kept:
        made.append(Kept())
        return made[-1]

    kept = later(make)

    def use(_: int) -> str:
        begun.wait(30)
        return kept.said("here")

    with ThreadPoolExecutor(4) as threads:
        assert set(threads.map(use, range(4))) == {"kept here"}
    assert len(made) == 1


def test_what_cannot_be_made_is_said_where_it_is_used_and_tried_again() -> None:
    tries = iter([ValueError("not yet"), None])

    def make() -> Kept:
        if (error := next(tries)) is not None:
            raise error
        return Kept()

    kept = later(make)
    with pytest.raises(ValueError, match="not yet"):
        kept.said("a")
    assert kept.said("b") == "kept b"
