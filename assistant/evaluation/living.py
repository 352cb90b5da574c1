"""A user who comes back, session after session, and has to say less and less how they want answers.

After MultiSessionCollab (Mehri et al. 2026), offline: its user simulator is replaced by rules (`demands`). In each
session the user asks some questions; when an answer breaks a demand they say so, in a fixed sentence, and the answer
is given again. What counts is how often that happens, with memory and without.
"""

from collections.abc import Awaitable, Callable, Sequence
from contextlib import AbstractAsyncContextManager
from dataclasses import dataclass

from assistant.evaluation.demands import Demand
from assistant.evaluation.results import Measure, Suite
from assistant.evaluation.scoring import mean

RATIO_BAR = 0.40
MOST_CORRECTIONS = 3  # of one answer; then the user gives up and goes on

Say = Callable[[str], Awaitable[str]]  # one turn of a conversation: what the user says, what comes back
Begin = Callable[[], Awaitable[Say]]  # a new conversation of the same user
Life = Callable[[bool], AbstractAsyncContextManager[Begin]]  # a user from the beginning; whether there is memory

QUESTIONS = (
    "How do plants make sugar from light?",
    "What is a good way to learn touch typing?",
    "Why is the sky red in the evening?",
    "How can I keep bread fresh for longer?",
    "What does a heat pump do?",
    "How do I remove a red wine stain?",
    "What is compound interest?",
    "How does a bicycle stay upright?",
    "What is the point of a leap year?",
    "How do vaccines work?",
    "What makes bread rise?",
    "How do I pack for a week by train?",
)


@dataclass(frozen=True, slots=True, kw_only=True)
class Lived:
    """How often the user had to correct, in each session; `broken` first answers that broke a demand."""

    corrections: tuple[int, ...]
    broken: tuple[int, ...]


async def live(life: Life, demands: Sequence[Demand], *, memory: bool, sessions: int, questions: int) -> Lived:
    corrections, broken = [], []
    async with life(memory) as begin:
        for session in range(sessions):
            say = await begin()
            said, first = 0, 0
            for number in range(questions):
                answer = await say(QUESTIONS[(session * questions + number) % len(QUESTIONS)])
                unmet = _unmet(answer, demands)
                first += bool(unmet)
                for _ in range(MOST_CORRECTIONS):
                    if not unmet:
                        break
                    said += 1
                    answer = await say(unmet[0].words)
                    unmet = _unmet(answer, demands)
            corrections.append(said)
            broken.append(first)
    return Lived(corrections=tuple(corrections), broken=tuple(broken))


def _unmet(answer: str, demands: Sequence[Demand]) -> list[Demand]:
    return [demand for demand in demands if not demand.holds(answer)]


def living(with_memory: Sequence[Lived], without: Sequence[Lived]) -> Suite:
    """Sessions 4 to the last against the first, and against the same user without memory."""
    first = mean(lived.corrections[0] for lived in with_memory)
    later = _later(with_memory)
    blank = _later(without)
    of = len(with_memory)
    measures = [
        Measure(name="corrections in session 1, memory", value=first, of=of),
        Measure(name="corrections in sessions 4 on, memory", value=later, of=of),
        Measure(name="corrections in sessions 4 on, no memory", value=blank, of=len(without)),
        Measure(name="later against first", value=later / first if first else 0.0, of=of, bar=RATIO_BAR, better="less"),
    ]
    if without:
        measures.append(
            Measure(name="more than without memory", value=max(later - blank, 0.0), of=of, bar=0.0, better="less")
        )
    curve = [_curve("memory", with_memory), _curve("no memory", without)]
    return Suite(
        name="living",
        about="how often a user who comes back has to say how they want answers",
        measures=tuple(measures),
        misses=tuple(curve),
    )


def _later(lives: Sequence[Lived]) -> float:
    return mean(number for lived in lives for number in lived.corrections[3:])


def _curve(name: str, lives: Sequence[Lived]) -> str:
    sessions = range(len(lives[0].corrections) if lives else 0)
    points = [f"{mean(lived.corrections[at] for lived in lives):.2f}" for at in sessions]
    return f"corrections a session, {name}: {' '.join(points)}"
