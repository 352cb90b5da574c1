"""Six simulated users. Each knows what it wants and answers only what it is asked, in its own way and no longer than
its patience lasts. A yes to a call is only given to the call that is wanted."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

Manner = Literal["cooperative", "partial", "vague", "contradictory", "impatient", "deferring"]
MANNERS: tuple[Manner, ...] = ("cooperative", "partial", "vague", "contradictory", "impatient", "deferring")
PATIENCE: dict[Manner, int] = {
    "cooperative": 3,
    "partial": 1,
    "vague": 3,
    "contradictory": 3,
    "impatient": 1,
    "deferring": 3,
}

VAGUE = "something suitable"


@dataclass(slots=True, kw_only=True)
class User:
    """`answered`: questions it was given so far. Mutable: a user has a memory of the task."""

    manner: Manner
    asked: int = 0
    gone: bool = False

    def answer(self, wanted: Sequence[str], options: Sequence[str]) -> str | None:
        """To a card about `wanted`, one or several things; None when it does not answer any more."""
        if self.gone or self.asked >= PATIENCE[self.manner]:
            return None
        self.asked += 1
        first = wanted[0] if wanted else "yes"
        said = str(options.index(first) + 1) if len(wanted) == 1 and first in options else ", ".join(wanted) or "yes"
        match self.manner:
            case "vague" if self.asked == 1:
                return VAGUE
            case "contradictory":
                other = next((one for one in options if one not in wanted), "the other one")
                return f"{other}, no wait, {', '.join(wanted) or 'yes'}"
            case "deferring":
                return "you decide"
            case "partial":
                return first if len(wanted) > 1 else said
            case "impatient":
                self.gone = True  # answers once, and looks away
                return first if len(wanted) > 1 else said
            case _:
                return said

    @property
    def tries_again(self) -> bool:
        """Once its answer was no answer. Who leaves everything to the assistant also leaves what it cannot decide."""
        return self.manner != "deferring"

    def confirm(self, *, right: bool) -> bool | None:
        """Yes or no to a call that it is shown; None when it does not answer any more."""
        if self.gone and self.asked > 1:
            return None
        return right
