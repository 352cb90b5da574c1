"""What the user said they would do or have to do, and what they said is done: sentences to opportunities. Pure.

"I must renew my passport by Friday" is a deadline; "I'll call mum tomorrow" an open loop with a day; "I should fix the
bike" one without. "I have an interview on Thursday" is asked about afterwards. A condition, a question, a negation and
somebody else's duty are none of these.
"""

import re
from collections.abc import Iterable, Iterator, Sequence
from datetime import datetime, timedelta
from functools import partial
from typing import Final

from assistant.policies.proactive.facts import (
    DAY,
    HOUR,
    Facts,
    Said,
    is_same_thing,
    opportunity,
    quoted,
    sentences,
    stems,
)
from assistant.policies.when.parse import parse
from assistant.policies.when.types import Ambiguous, DateOnly, Reading, Recurrence, Understood, WallTime
from assistant.policies.when.zones import to_local
from memory.suggestions import Opportunity, OpportunityId

_ASIDE: Final = (
    r"(?:(?:and|but|so|also|ok|okay|oh|ah|well|hm|btw|by the way|damn|hey|right|yes|no|actually|honestly),? )*"
)
_WILL: Final = re.compile(
    rf"^{_ASIDE}(?:today |tomorrow |this week |next week |tonight |before i forget:? ?,?)?"
    r"(?:(?:i|we) (?:really |still |also |just |definitely |absolutely )?"
    r"(?P<must>must|have to|need to|have got to|gotta|got to|should|ought to|am supposed to|mustn't forget to"
    r"|can't forget to|cannot forget to|must not forget to|still have to|forgot to|keep forgetting to|promised to"
    r"|'ve got to|am required to)"
    r"|(?:i|we) (?:really |still |also |just |definitely )?"
    r"(?P<will>will|'ll|am going to|'m going to|are going to|'re going to|plan to|am planning to"
    r"|'m planning to|intend to"
    r"|want to|would like to|'d like to|hope to|mean to|meant to|am meaning to|'ve been meaning to"
    r"|have been meaning to)"
    r"|(?P<open>todo:?|to do:|to-do:|don't let me forget to|note to self:?|remember to))"
    r" (?:really |also |still |just |finally |probably )*(?P<what>[a-z].{2,})$",
    re.IGNORECASE,
)
_CONTRACTED: Final = re.compile(r"\b(i|we)(?='(?:ll|m|ve|d|re)\b)", re.IGNORECASE)
_NO_INTENTION: Final = re.compile(
    r"\?|\b(?:if|unless|suppose|imagine|would have|maybe|perhaps|might|whether|wonder(?:ing)?"
    r"|don't have to|do not have to"
    r"|don't need to|never|no longer|as if|pretend|used to|kidding)\b",
    re.IGNORECASE,
)
_NOT_TO_DO: Final = re.compile(
    r"^(?:not\b|n't|be (?:honest|fair|clear|able|happy|fine|ok)|know\b|understand\b|ask\b|say\b|see\b"
    r"|hear\b|admit\b|think\b"
    r"|have been\b|be\b|have\b(?! (?:a|the|my)\b)|like\b|love\b|guess\b|believe\b|wait and see|go now"
    r"|stop here|find out how"
    r"|you to\b|you\b|\w+ (?:this|these|the following)\b)",
    re.IGNORECASE,
)
_EVENT: Final = re.compile(
    rf"^{_ASIDE}(?:(?:i|we)(?: have|'ve got|'ve| have got| am having|'m having| got)? (?:an?|my|the|our"
    rf"|this) |(?:my|our|the) "
    r"|there is (?:an?|my|the) |there's (?:an?|my|the) )"
    r"(?P<what>(?:[\w'-]+ ){0,3}?(?:interview|exam|test|appointment|meeting|presentation|talk|concert"
    r"|wedding|party|trip"
    r"|flight|surgery|operation|check-?up|date|race|marathon|match|game|deadline|dinner|visit|birthday|call|conference"
    r"|workshop|course|lesson|audition|hearing|move|holiday|vacation)(?: with [A-Z][\w]+)?)\b",
    re.IGNORECASE,
)
_BY: Final = re.compile(r"\b(?:by|before|until|till|no later than|due|at the latest)\b", re.IGNORECASE)
_DONE: Final = re.compile(
    r"\b(?:done|did|finished|completed|sent|paid|renewed|called|booked|bought|submitted|handed in|fixed"
    r"|cancel+ed|made it"
    r"|taken care|no longer (?:need|have)|don't (?:need|have) to|already|got|went|wrote|i've|have \w+ed|\w+ed)\b",
    re.IGNORECASE,
)
_MOST_FROM_ONE: Final = 3
_TRAILING: Final = re.compile(
    r"[\s.,;:!-]+$|\b(?:by|before|until|till|on|at|in|due|and|then|soon|later|some day)\s*$", re.I
)


def intentions(facts: Facts) -> Iterator[Opportunity]:
    """From what was typed since the last look."""
    for said in facts.said:
        found = (one for sentence in sentences(said.text) for one in _from_sentence(facts, said, sentence))
        for number, one in enumerate(found):
            if number < _MOST_FROM_ONE:
                yield one


def _from_sentence(facts: Facts, said: Said, sentence: str) -> Iterator[Opportunity]:
    plain = _CONTRACTED.sub(r"\1 ", sentence.replace("’", "'").strip())
    if _NO_INTENTION.search(plain):
        return
    match = _WILL.match(plain)
    if match is not None and not _NOT_TO_DO.match(match["what"]):
        one = _intended(facts, said, sentence, match)
        if one is not None and not _is_covered(facts, one.subject):
            yield one
        return
    event = _EVENT.match(plain)
    if event is not None:
        one = _dated_event(facts, said, sentence, event["what"])
        if one is not None:
            yield one


def _intended(facts: Facts, said: Said, sentence: str, match: re.Match[str]) -> Opportunity | None:
    what, must = match["what"], bool(match["must"] or match["open"])
    outcome = parse(what, facts.options_at(said.at))
    reading = _one_reading(outcome)
    subject = _subject(outcome.title if isinstance(outcome, Understood | Ambiguous) else what)
    if reading is not None and isinstance(reading.value, Recurrence):
        return None  # a routine: memory keeps it as a habit
    key = f"{said.id} {' '.join(sorted(stems(subject)))}"
    topic, evidence = facts.topic_of(subject), (quoted(said, sentence),)
    made = partial(opportunity, facts, key=key, topic=topic, subject=subject, evidence=evidence)
    if isinstance(outcome, Ambiguous) and reading is None and len(outcome.readings) > 1:
        return made(
            "ask_ahead",
            value=1.5,
            need=0.6,
            opens_at=said.at + HOUR,
            closes_at=min(one.due for one in outcome.readings),
        )
    if reading is None:
        need = 0.5 if must else 0.35
        return made("open_loop", value=1.8, need=need, opens_at=said.at + DAY, closes_at=said.at + 14 * DAY)
    begin = facts.midnight(facts.day_of(reading.due))
    if (by := _BY.search(what)) or must and match["must"] not in ("should", "ought to"):
        deadline = _end_of(facts, reading, before=by is not None and by[0].lower() == "before")
        opens = _opens(facts, said.at, deadline) if by else max(begin - 12 * HOUR, said.at + HOUR)
        return made(
            "deadline", value=3.0, need=0.9, opens_at=min(opens, deadline - HOUR), closes_at=deadline, deadline=deadline
        )
    return made(
        "open_loop",
        value=2.2,
        need=0.7,
        opens_at=max(begin, said.at + HOUR),
        closes_at=begin + 2 * DAY,
        deadline=reading.due,
    )


def _one_reading(outcome: object) -> Reading | None:
    """The reading, or the one there is where only a word such as "before" was left over."""
    if isinstance(outcome, Understood):
        return outcome.reading
    if isinstance(outcome, Ambiguous) and outcome.readings:
        days = {to_local(one.due, one.zone).date() for one in outcome.readings}
        if len(outcome.readings) == 1 or len(days) == 1:
            return outcome.readings[0]
    return None


def _end_of(facts: Facts, reading: Reading, *, before: bool) -> datetime:
    """The last moment: of a day without a time its end; "before Friday" is the end of Thursday."""
    if isinstance(reading.value, DateOnly):
        return facts.midnight(reading.value.on + (timedelta(0) if before else DAY))
    return reading.due


def _opens(facts: Facts, said_at: datetime, deadline: datetime) -> datetime:
    """Two days before the last day for what is some days off, sooner for what is close; not right after it was said."""
    ahead = deadline - said_at
    if ahead <= 36 * HOUR:
        return said_at + min(2 * HOUR, ahead / 3)
    days = 2 if ahead < 10 * DAY else 4
    last_day = facts.day_of(deadline - timedelta(seconds=1))
    return max(facts.midnight(last_day - days * DAY), said_at + 4 * HOUR)


def _dated_event(facts: Facts, said: Said, sentence: str, what: str) -> Opportunity | None:
    reading = _one_reading(parse(sentence, facts.options_at(said.at)))
    if reading is None or isinstance(reading.value, Recurrence) or reading.due > said.at + 60 * DAY:
        return None
    over = facts.midnight(facts.day_of(reading.due) + DAY)
    if isinstance(reading.value, WallTime):
        over = min(over, reading.due + 2 * HOUR)
    return opportunity(
        facts,
        "follow_up",
        f"{said.id} {what.lower()}",
        topic=facts.topic_of(what),
        subject=_subject(what),
        evidence=(quoted(said, sentence),),
        value=1.8,
        need=0.5,
        opens_at=over,
        closes_at=over + 3 * DAY,
        deadline=reading.due,
    )


def _subject(text: str) -> str:
    before, subject = "", text.strip()
    while before != subject:
        before, subject = subject, _TRAILING.sub("", subject).strip()
    return subject


def _is_covered(facts: Facts, subject: str) -> bool:
    """Whether a reminder or a task says the same already."""
    named = (*(one.text for one in facts.reminders), *(one.title for one in facts.tasks))
    return any(is_same_thing(subject, name) for name in named)


def settled(said: Sequence[Said], opportunities: Iterable[Opportunity]) -> tuple[OpportunityId, ...]:
    """What later words say is done or given up."""
    doing = [
        (one.at, sentence)
        for one in said
        for sentence in sentences(one.text)
        if _DONE.search(sentence) and not sentence.rstrip().endswith("?")
    ]
    return tuple(
        one.id
        for one in opportunities
        if one.kind in ("deadline", "open_loop", "ask_ahead")
        and any(at > one.evidence[0].at and _says(sentence, one.subject) for at, sentence in doing)
    )


def _says(sentence: str, subject: str) -> bool:
    words, wanted = stems(sentence), stems(subject)
    objects = wanted - {next(iter(_first_stem(subject)), "")} if len(wanted) > 1 else wanted
    return bool(objects) and len(objects & words) * 2 > len(objects)


def _first_stem(subject: str) -> frozenset[str]:
    return stems(subject.split(" ", 1)[0])
