"""Everything that might be worth saying, from facts to opportunities with evidence. Pure; no evidence, no opportunity.

Each detector is a function of `Facts`; `detect` runs them all. What a model would have to guess is not looked for.
"""

from collections.abc import Callable, Iterable, Iterator
from datetime import datetime, timedelta
from typing import Final

from assistant.policies.proactive.facts import (
    DAY,
    HOUR,
    MOST_READ,
    Facts,
    Meeting,
    is_same_thing,
    opportunity,
)
from assistant.policies.proactive.intentions import intentions
from assistant.policies.when.parse import parse
from assistant.policies.when.recurrence import next_occurrences
from assistant.policies.when.types import Recurrence, Understood
from memory.items import Task
from memory.preferences import Preference
from memory.suggestions import Evidence, Opportunity, OpportunityId

_STALE: Final = 180 * DAY  # since a memory was last confirmed or used as evidence
_IDLE_TASK: Final = 4 * DAY
_FITS: Final = timedelta(minutes=45)
_MOST_PAIRS: Final = 200
_ASKED_AFTER: Final = frozenset(
    ("interview", "exam", "test", "appointment", "presentation", "talk", "concert", "wedding", "trip", "flight",
     "surgery", "date", "race", "marathon", "match", "conference", "workshop", "audition", "hearing", "dentist",
     "doctor")
)  # fmt: skip


def detect(facts: Facts) -> tuple[Opportunity, ...]:
    """Each thing once."""
    found: dict[str, Opportunity] = {}
    for detector in DETECTORS:
        for one in detector(facts):
            found.setdefault(one.key, one)
    return tuple(found.values())


def task_deadlines(facts: Facts) -> Iterator[Opportunity]:
    """Tasks with a day that comes near."""
    for task in facts.tasks:
        if task.due is None or task.done_at is not None:
            continue
        end = facts.midnight(task.due + DAY)
        one = opportunity(
            facts,
            "deadline",
            f"task {task.id} {task.due}",
            topic=facts.topic_of(task.title),
            subject=task.title,
            evidence=(_of_task(task),),
            value=3.0,
            need=0.85,
            opens_at=max(task.created_at + HOUR, end - 3 * DAY),
            closes_at=end,
            deadline=end,
        )
        if one is not None:
            yield one


def unfinished_tasks(facts: Facts) -> Iterator[Opportunity]:
    """Tasks without a day that nobody touched for some days: asked about once a fortnight."""
    for task in facts.tasks:
        age = facts.now - task.created_at
        if task.due is not None or task.done_at is not None or age < _IDLE_TASK:
            continue
        turn = int(age / (14 * DAY))
        begin = task.created_at + (_IDLE_TASK if turn == 0 else turn * 14 * DAY)
        one = opportunity(
            facts,
            "unfinished_task",
            f"{task.id} {turn}",
            topic=facts.topic_of(task.title),
            subject=task.title,
            evidence=(_of_task(task),),
            value=1.5,
            need=0.4,
            opens_at=begin,
            closes_at=task.created_at + (turn + 1) * 14 * DAY,
        )
        if one is not None:
            yield one


def missing_routines(facts: Facts) -> Iterator[Opportunity]:
    """A habit whose hour came today without a word about it, and a recurring reminder that was left open."""
    for preference in facts.preferences:
        if preference.kind != "habit" or preference.polarity < 0 or not preference.holds_at(facts.now):
            continue
        due, named = _due_today(facts, preference), preference.object or preference.statement
        if due is None or any(is_same_thing(named, said.text) for said in facts.heard):
            continue
        one = opportunity(
            facts,
            "routine",
            f"{preference.id} {facts.today}",
            topic=preference.domain,
            subject=named,
            evidence=(_of_memory(preference),),
            value=1.8,
            need=0.45,
            opens_at=due + 2 * HOUR,
            closes_at=facts.midnight(facts.today + DAY),
        )
        if one is not None:
            yield one
    for left in facts.open_notices:
        if not left.reminder.rule or facts.now - left.notice.due_at < 3 * HOUR:
            continue
        text, notice = left.reminder.text, left.notice
        evidence = Evidence(source="reminder", ref=left.reminder.id, quote=text, at=left.reminder.created_at)
        one = opportunity(
            facts,
            "routine",
            f"{left.reminder.id} {notice.occurrence}",
            topic=facts.topic_of(text),
            subject=text,
            evidence=(evidence,),
            value=2.0,
            need=0.5,
            opens_at=notice.due_at + 3 * HOUR,
            closes_at=notice.due_at + 20 * HOUR,
        )
        if one is not None:
            yield one


def _due_today(facts: Facts, preference: Preference) -> datetime | None:
    """When a habit such as "I run every Tuesday at 7" is due today, if it is."""
    outcome = parse(preference.statement, facts.options_at(preference.recorded_at))
    if not isinstance(outcome, Understood) or not isinstance(outcome.reading.value, Recurrence):
        return None
    begin = facts.midnight(facts.today)
    coming = next_occurrences(outcome.reading.value, begin - timedelta(seconds=1), 1)
    return next((at for at in coming if begin <= at < begin + DAY), None)


def follow_ups(facts: Facts) -> Iterator[Opportunity]:
    """Events worth asking about that are over."""
    for meeting in facts.meetings:
        if not _ASKED_AFTER & {word.strip(".,:!?") for word in meeting.title.lower().split()}:
            continue
        one = opportunity(
            facts,
            "follow_up",
            f"event {meeting.id} {meeting.start:%Y-%m-%d}",
            topic=facts.topic_of(meeting.title),
            subject=meeting.title,
            evidence=(_of_meeting(meeting),),
            value=1.6,
            need=0.4,
            opens_at=meeting.stop + HOUR,
            closes_at=meeting.stop + 2 * DAY,
        )
        if one is not None:
            yield one


def conflicts(facts: Facts) -> Iterator[Opportunity]:
    """Two events at one time, in the days to come."""
    coming = sorted(_timed(facts), key=lambda one: (one.start, one.id))
    pairs = 0
    for place, first in enumerate(coming):
        for second in coming[place + 1 :]:
            if second.start >= first.stop or pairs >= _MOST_PAIRS:
                break
            pairs += 1
            one = opportunity(
                facts,
                "conflict",
                f"{first.id} {second.id} {first.start.isoformat()}",
                topic="schedule",
                subject=f"{first.title} / {second.title}",
                evidence=(_of_meeting(first), _of_meeting(second)),
                value=3.0,
                need=0.85,
                opens_at=first.start - 2 * DAY,
                closes_at=second.start,
                deadline=second.start,
            )
            if one is not None:
                yield one


def gaps(facts: Facts) -> Iterator[Opportunity]:
    """Free time between two of today's events, for the task that has waited longest."""
    waiting = sorted((task for task in facts.tasks if task.done_at is None), key=lambda task: task.created_at)
    today = sorted(
        (one for one in _timed(facts) if facts.day_of(one.start) == facts.today), key=lambda one: (one.start, one.id)
    )
    if not waiting or len(today) < 2:
        return
    for before, after in zip(today, today[1:], strict=False):
        free = after.start - before.stop
        if not _FITS <= free <= 4 * HOUR:
            continue
        one = opportunity(
            facts,
            "gap",
            f"{before.id} {after.id} {facts.today}",
            topic=facts.topic_of(waiting[0].title),
            subject=waiting[0].title,
            evidence=(_of_task(waiting[0]), _of_meeting(before), _of_meeting(after)),
            value=1.4,
            need=0.35,
            opens_at=before.stop,
            closes_at=after.start - _FITS / 2,
            deadline=after.start,
        )
        if one is not None:
            yield one


def stale_memories(facts: Facts) -> Iterator[Opportunity]:
    """What is believed for long without being said again; and what was marked for a second look."""
    for one in facts.preferences:
        if not one.holds_at(facts.now) or one.protected or one.sensitivity != "normal" or one.scope.type != "global":
            continue
        last = one.last_reinforced_at or one.recorded_at
        due = one.review_after or (last + _STALE if one.kind in ("preference", "goal", "habit") else None)
        if due is None or due > facts.now:
            continue
        found = opportunity(
            facts,
            "stale_memory",
            f"{one.id} {one.revision}",
            topic=one.domain,
            subject=one.statement,
            evidence=(_of_memory(one),),
            value=1.0,
            need=0.35,
            opens_at=due,
            closes_at=facts.now + 7 * DAY,
        )
        if found is not None:
            yield found


def goals_without_a_day(facts: Facts) -> Iterator[Opportunity]:
    """A goal nobody gave a day: worth asking by when, once, some days after it was said."""
    for one in facts.preferences:
        if one.kind != "goal" or not one.holds_at(facts.now) or one.valid_to is not None:
            continue
        if any(is_same_thing(one.statement, task.title) for task in facts.tasks):
            continue
        found = opportunity(
            facts,
            "ask_ahead",
            f"goal {one.id}",
            topic=one.domain,
            subject=one.object or one.statement,
            evidence=(_of_memory(one),),
            value=1.5,
            need=0.4,
            opens_at=one.recorded_at + 3 * DAY,
            closes_at=one.recorded_at + 30 * DAY,
        )
        if found is not None:
            yield found


def moot(facts: Facts, opportunities: Iterable[Opportunity]) -> tuple[OpportunityId, ...]:
    """Those that rest on a task that is done or gone, or on a memory that is not in force any more."""
    if max(len(facts.tasks), len(facts.preferences)) >= MOST_READ:
        return ()  # not all of them were read
    tasks: set[str] = {task.id for task in facts.tasks if task.done_at is None}
    memories: set[str] = {one.id for one in facts.preferences if one.holds_at(facts.now)}
    gone: list[OpportunityId] = []
    for one in opportunities:
        for evidence in one.evidence:
            known = {"task": tasks, "preference": memories}.get(evidence.source)
            if known is not None and evidence.ref not in known:
                gone.append(one.id)
    return tuple(dict.fromkeys(gone))


def _timed(facts: Facts) -> Iterator[Meeting]:
    horizon = facts.now + 8 * DAY
    return (one for one in facts.meetings if not one.all_day and facts.now < one.stop and one.start < horizon)


def _of_task(task: Task) -> Evidence:
    return Evidence(source="task", ref=task.id, quote=task.title, at=task.created_at)


def _of_meeting(meeting: Meeting) -> Evidence:
    return Evidence(source="event", ref=meeting.id, quote=meeting.title, at=meeting.start)


def _of_memory(one: Preference) -> Evidence:
    return Evidence(source="preference", ref=one.id, quote=one.statement, at=one.recorded_at)


DETECTORS: Final[tuple[Callable[[Facts], Iterator[Opportunity]], ...]] = (
    intentions,
    task_deadlines,
    unfinished_tasks,
    missing_routines,
    follow_ups,
    conflicts,
    gaps,
    stale_memories,
    goals_without_a_day,
)
