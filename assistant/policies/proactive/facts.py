"""What detectors look at: sentences, reminders, memories, events and tasks, as they are at one moment. Pure."""

import hashlib
import re
from collections.abc import Callable
from dataclasses import dataclass, replace
from datetime import date, datetime, time, timedelta

from assistant.policies.proactive.topics import topic_of_text
from assistant.policies.when.types import Options
from assistant.policies.when.zones import resolve, to_local
from memory.items import Task
from memory.preferences import Preference
from memory.reminders import Due, Reminder
from memory.suggestions import Evidence, Opportunity, OpportunityId, OpportunityKind
from memory.words import stem, words_of

LONGEST_QUOTE = 200
MOST_READ = 2_000  # of tasks, and of memories
LONGEST_SUBJECT = 80


@dataclass(frozen=True, slots=True, kw_only=True)
class Said:
    """A message that the user typed."""

    id: str
    text: str
    at: datetime


@dataclass(frozen=True, slots=True, kw_only=True)
class Meeting:
    """One occurrence of an event; `start` and `stop` are aware."""

    id: str
    title: str
    start: datetime
    stop: datetime
    all_day: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class Facts:
    """`said`: new typed messages, oldest first. `heard`: typed messages of the last two days. `open_notices`: reminders
    that came and were not done. `meetings`: of the last two days and the next eight."""

    now: datetime
    zone: str
    said: tuple[Said, ...] = ()
    heard: tuple[Said, ...] = ()
    reminders: tuple[Reminder, ...] = ()
    open_notices: tuple[Due, ...] = ()
    preferences: tuple[Preference, ...] = ()
    meetings: tuple[Meeting, ...] = ()
    tasks: tuple[Task, ...] = ()
    options: Options | None = None  # how the user reads dates; None: the usual way
    topic_of: Callable[[str], str] = topic_of_text  # names the topic of a few words

    def options_at(self, at: datetime) -> Options:
        usual = self.options or Options(now=at, zone=self.zone, next_weekday="coming")
        return replace(usual, now=at, zone=self.zone, next_weekday=usual.next_weekday or "coming")

    @property
    def today(self) -> date:
        return to_local(self.now, self.zone).date()

    def midnight(self, day: date) -> datetime:
        return resolve(datetime.combine(day, time(0)), self.zone)

    def day_of(self, at: datetime) -> date:
        return to_local(at, self.zone).date()


def opportunity(
    facts: Facts,
    kind: OpportunityKind,
    key: str,
    *,
    topic: str,
    subject: str,
    evidence: tuple[Evidence, ...],
    value: float,
    need: float,
    opens_at: datetime,
    closes_at: datetime,
    deadline: datetime | None = None,
) -> Opportunity | None:
    """None where its time is over or it rests on nothing."""
    if closes_at <= max(facts.now, opens_at) or not evidence or not subject:
        return None
    return Opportunity(
        id=OpportunityId(hashlib.sha256(f"{kind} {key}".encode()).hexdigest()[:10]),
        kind=kind,
        topic=topic,
        subject=cut(subject, LONGEST_SUBJECT),
        evidence=evidence,
        value=value,
        need=need,
        opens_at=opens_at,
        closes_at=closes_at,
        key=f"{kind} {key}",
        found_at=facts.now,
        deadline=deadline,
        effort="low" if kind == "ask_ahead" else "",
    )


def quoted(said: Said, sentence: str = "") -> Evidence:
    return Evidence(source="message", ref=said.id, quote=cut(sentence or said.text, LONGEST_QUOTE), at=said.at)


def cut(text: str, longest: int) -> str:
    """One line, at most so long."""
    line = " ".join(text.split())
    return line if len(line) <= longest else line[: longest - 1].rstrip() + "…"


def stems(text: str) -> frozenset[str]:
    """The words that carry the meaning, without endings."""
    return frozenset(stem(word) for word in words_of(text))


def is_same_thing(first: str, second: str) -> bool:
    """Whether two subjects share more than half of the words of the shorter one."""
    left, right = stems(first), stems(second)
    shorter = min(len(left), len(right))
    return shorter > 0 and len(left & right) * 2 > shorter


def sentences(text: str) -> tuple[str, ...]:
    """Of a typed message; what is quoted or in a code block is not the user's."""
    own = re.sub(r"```.*?(?:```|$)", " ", text[:4_000], flags=re.DOTALL)
    lines = (line for line in own.splitlines() if not line.lstrip().startswith((">", "|")))
    parts = (part for line in lines for part in re.split(r"(?<=[.!?;])\s+", line.strip()))
    return tuple(part for part in parts if part and not re.search(r"[\"“”«»].{12,}[\"“”«»]", part))


HOUR = timedelta(hours=1)
DAY = timedelta(days=1)
