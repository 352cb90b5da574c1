"""Keys and clicks that were not meant for a card: what came too soon after it appeared, or in the middle of typing.

Times are seconds of the same monotonic clock that stamps key events. Pure but for its own few fields.
"""

from dataclasses import dataclass

NEW_SECONDS = 0.7  # a new card takes no key for as long
TYPING_SECONDS = 1.0  # nor so soon after a key that was typed elsewhere


@dataclass(slots=True)
class KeyGuard:
    shown_at: float = 0.0
    typed_at: float = -1e9
    just_back: bool = False  # the window has the focus again, and nothing was pressed or clicked since

    def shown(self, now: float) -> None:
        self.shown_at = now

    def typed(self, now: float) -> None:
        """A key for something else than the card."""
        self.typed_at = now
        self.just_back = False

    def takes(self, now: float) -> bool:
        """Whether a key pressed now is meant for the card."""
        return now - self.shown_at >= NEW_SECONDS and now - self.typed_at >= TYPING_SECONDS

    def back(self) -> None:
        """The window has the focus again: the click that brought it is not meant for the card."""
        self.just_back = True

    def swallows_click(self) -> bool:
        """Whether this click is the one that brought the window back; said once."""
        was, self.just_back = self.just_back, False
        return was
