"""Which part of a conversation fits into the window. Pure arithmetic over token counts.

The system text and the question always stay. Older exchanges leave in blocks: nothing moves until the window is full,
then the oldest go until only `keep` of the space is used. Between two cuts the start of the prompt stays the same from
turn to turn, so what the model has read stays read; dropping one exchange a turn would make it read everything again
on every turn. The cut is found by walking the conversation from its beginning, so it depends on what is stored and on
nothing else: the same after a restart.
"""

from collections.abc import Sequence
from dataclasses import dataclass


@dataclass(frozen=True, slots=True, kw_only=True)
class Cost:
    """Tokens of one exchange; `answer` 0 when there is none."""

    question: int
    answer: int = 0

    @property
    def total(self) -> int:
        return self.question + self.answer


@dataclass(frozen=True, slots=True, kw_only=True)
class Window:
    """All in tokens. `margin` covers what the template adds around the messages."""

    total: int
    system: int
    reserve: int  # kept free for the answer
    margin: int
    keep: float  # share of the space that older exchanges may fill right after a cut

    @property
    def space(self) -> int:
        """For the conversation, its question included; may be negative in a tiny window."""
        return self.total - self.system - self.reserve - self.margin


@dataclass(frozen=True, slots=True, kw_only=True)
class Fit:
    """`kept` are indexes of exchanges, oldest first, the question's last; empty when the question alone is too long."""

    kept: tuple[int, ...]
    dropped: tuple[int, ...]  # did not fit any more
    skipped: tuple[int, ...]  # a single message longer than the space: it was refused when it was said
    tokens: int  # system, kept exchanges and margin


def reserve_for(reply_tokens: int, total: int) -> int:
    """Tokens kept free for the answer: the whole wish in a large window, a quarter of a small one."""
    return min(reply_tokens, max(total // 4, 1))


def fit(costs: Sequence[Cost], window: Window) -> Fit:
    """The exchanges to send; the last of `costs` is the question. Raises ValueError when `costs` is empty."""
    if not costs:
        raise ValueError("a prompt needs a question")
    start, held = 0, 0
    skipped: list[int] = []
    for index, cost in enumerate(costs):
        if cost.question > window.space:
            skipped.append(index)
            continue
        if held + cost.question > window.space:
            start, held = _cut(costs, skipped, start, held, index, window)
        held += cost.total if index < len(costs) - 1 else cost.question
    last = len(costs) - 1
    outside = window.system + window.margin
    if last in skipped:
        return Fit(kept=(), dropped=(), skipped=tuple(skipped), tokens=outside + costs[last].question)
    kept = tuple(index for index in range(start, last + 1) if index not in skipped)
    dropped = tuple(index for index in range(start) if index not in skipped)
    return Fit(kept=kept, dropped=dropped, skipped=tuple(skipped), tokens=outside + held)


def _cut(
    costs: Sequence[Cost], skipped: Sequence[int], start: int, held: int, index: int, window: Window
) -> tuple[int, int]:
    """Moves the start so far that a good part of the space is free again. The exchange right before the question
    stays whenever it fits at all: "make it shorter" is about that one."""
    asked = costs[index].question
    low = int(window.space * window.keep)
    previous = next((before for before in range(index - 1, start - 1, -1) if before not in skipped), None)
    while start < index and held + asked > low:
        if start == previous and held + asked <= window.space:
            break
        if start not in skipped:
            held -= costs[start].total
        start += 1
    return start, held
