"""What else a profile may hold beside memories: one named section for each part that learns or is told something.

A part of Steward joins the profile by one object of this shape, given to `ui.profile_sections.sections_of`. Its value
is plain JSON: objects, arrays, texts, finite numbers, true, false, null. Equal state gives an equal value, so no
moments of export and no order of a set. An import puts what `merged` gives in its place, and undo loads the value that
was there.
"""

from collections.abc import Mapping, Sequence
from datetime import datetime
from typing import Protocol, TypeAlias

Json: TypeAlias = "Mapping[str, Json] | Sequence[Json] | str | int | float | bool | None"


class SectionRefused(ValueError):
    """A value that is no such section; the message says where and why, in one line."""


class ProfileSection(Protocol):
    @property
    def name(self) -> str:
        """Its key in the document: lower-case letters and underscores."""
        ...

    @property
    def title(self) -> str:
        """What people call it: "Rules for suggestions"."""
        ...

    @property
    def private(self) -> bool:
        """Whether it leaves the home only when everything is asked for."""
        ...

    async def dump(self) -> Json:
        """What is stored; None when there is nothing."""
        ...

    def check(self, value: Json) -> Json:
        """The value as it would be loaded, or SectionRefused. Nothing in it is believed before."""
        ...

    def lines(self, value: Json) -> tuple[str, ...]:
        """What a checked value says, a line a point, for the diff and for Markdown."""
        ...

    async def merged(self, value: Json) -> Json:
        """What is here once a checked value has come in: that value, where one takes the place of the other."""
        ...

    async def load(self, value: Json, *, at: datetime) -> None:
        """Put a checked value in the place of what is there, all or nothing; None empties it. Raises StoreError."""
        ...
