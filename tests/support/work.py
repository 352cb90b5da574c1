"""Counts work where a test would otherwise take the time: a count is the same on a busy machine."""

import sys
from types import FrameType
from typing import Self


class Calls:
    """Counts calls and returns in this thread, of Python's functions and of C's, while the context lasts.

    What happens within one call of C (a search through a text, a sort) counts as one.
    """

    def __init__(self) -> None:
        self.count = 0

    def __enter__(self) -> Self:
        self._before = sys.getprofile()
        sys.setprofile(self._note)
        return self

    def __exit__(self, *_: object) -> None:
        sys.setprofile(self._before)

    def lap(self) -> int:
        """How many since the last lap."""
        count, self.count = self.count, 0
        return count

    def _note(self, _frame: FrameType, _event: str, _argument: object) -> None:
        self.count += 1
