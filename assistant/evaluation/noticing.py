"""What a model makes, in the background, of sentences that no rule understood: are its candidates right?"""

from collections.abc import Awaitable, Callable, Sequence
from datetime import UTC, datetime

from assistant.evaluation.fixtures import Noticed
from assistant.evaluation.results import Measure, Suite
from assistant.policies.language import Language
from assistant.policies.notice import Opinion, candidate_from, sentences_to_read
from assistant.policies.recognise import recognise
from memory.preferences import Candidate
from memory.types import Message, MessageId, SessionId

PRECISION_BAR = 0.80
AT = datetime(2026, 3, 2, 9, 0, tzinfo=UTC)

Ask = Callable[[str], Awaitable[Opinion]]


async def noticing(cases: Sequence[Noticed], ask: Ask, language: Language, *, name: str) -> Suite:
    """Right is a candidate from a sentence that says something lasting, not in the opposite direction."""
    right, wrong, unread = 0, [], 0
    missed: list[str] = []
    open_cases = [one for one in cases if not recognise(one.text, language).said]
    for one in open_cases:
        candidate, read = await _noticed(one.text, ask, language)
        unread += not read
        if candidate is None:
            missed += [f"not noticed: {one.text}"] if one.sign != "n" else []
        elif one.sign == "n" or {"+": -1, "-": 1}.get(one.sign) == candidate.polarity:
            wrong.append(f"noticed as {candidate.polarity:+d}: {one.text}")
        else:
            right += 1
    told = sum(1 for one in open_cases if one.sign != "n")
    candidates = right + len(wrong)
    return Suite(
        name=name,
        about="sentences without a pattern, read by the model: candidates for your yes",
        measures=(
            Measure(name="candidates right", value=right / max(candidates, 1), of=candidates, bar=PRECISION_BAR),
            Measure(name="noticed", value=right / max(told, 1), of=told),
            Measure(name="not shown to the model", value=float(unread), of=len(open_cases)),
            Measure(name="understood by a rule", value=float(len(cases) - len(open_cases)), of=len(cases)),
        ),
        misses=(*wrong, *missed),
    )


async def _noticed(text: str, ask: Ask, language: Language) -> tuple[Candidate | None, bool]:
    message = Message(
        id=MessageId(1), session_id=SessionId("evaluation"), parent_id=None, role="user", content=text, created_at=AT
    )
    sentences = sentences_to_read(message, language)
    if not sentences:
        return None, False
    return candidate_from(sentences[0], await ask(sentences[0].text), language), True
