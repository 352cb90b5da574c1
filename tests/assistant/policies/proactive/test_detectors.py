"""From facts to opportunities: what is found, when it opens and closes, and what is left alone."""

from dataclasses import replace
from datetime import UTC, date, datetime, timedelta

import pytest
from hypothesis import given
from hypothesis import strategies as st

from assistant.policies.proactive.detectors import detect, moot
from assistant.policies.proactive.facts import Facts, Meeting, Said
from assistant.policies.proactive.intentions import settled
from memory.items import ItemId, Task
from memory.preferences import Preference, PreferenceId
from memory.suggestions import Opportunity

MONDAY = datetime(2026, 3, 2, 9, 0, tzinfo=UTC)
HOUR, DAY = timedelta(hours=1), timedelta(days=1)


def found(text: str, **fields: object) -> tuple[Opportunity, ...]:
    facts = Facts(now=MONDAY, zone="Europe/Berlin", said=(Said(id="7", text=text, at=MONDAY),), **fields)  # type: ignore[arg-type]
    return detect(facts)


@pytest.mark.parametrize(
    ("text", "kind", "subject", "opens", "closes"),
    [
        ("I must renew my passport by Friday", "deadline", "renew my passport", "Tue 23:00", "Fri 23:00"),
        ("I'll call mum tomorrow", "open_loop", "call mum", "Mon 23:00", "Wed 23:00"),
        ("I have to pay the rent before the 5th", "deadline", "pay the rent", "Mon 13:00", "Wed 23:00"),
        ("I should really fix the bike", "open_loop", "fix the bike", "Tue 09:00", "Mon 09:00"),
        ("I have a job interview on Thursday at 3pm", "follow_up", "job interview", "Thu 16:00", "Sun 16:00"),
        (
            "I promised to send Tom the slides by noon tomorrow",
            "deadline",
            "send Tom the slides",
            "Mon 11:00",
            "Tue 11:00",
        ),
    ],
)
def test_what_the_user_said_becomes_dated(text: str, kind: str, subject: str, opens: str, closes: str) -> None:
    (one,) = found(text)
    assert (one.kind, one.subject) == (kind, subject)
    assert (one.opens_at.strftime("%a %H:%M"), one.closes_at.strftime("%a %H:%M")) == (opens, closes)
    assert (one.evidence[0].source, one.evidence[0].ref, one.evidence[0].quote) == ("message", "7", text)


@pytest.mark.parametrize(
    "text",
    [
        "I don't have to pay", "If I have to move, what should I do?", "Do I have to renew my passport by Friday?",
        "My boss has to finish the report by Friday", "I need to know how tall Everest is", "I will be happy",
        "I have to go now", "I want to know why the sky is blue", 'he said "I must renew my passport by Friday"',
        "> I must renew my passport by Friday", "I need help", "I want you to write a poem",
        "I have to translate this: hallo", "Maybe I should call mum tomorrow", "```\nI must pay by Friday\n```",
    ],
)  # fmt: skip
def test_what_is_no_intention_of_the_user_is_left_alone(text: str) -> None:
    assert found(text) == ()


def test_what_a_task_says_already_is_not_said_twice() -> None:
    task = Task(id=ItemId("t1"), title="Renew passport", created_at=MONDAY - DAY)
    assert [one.kind for one in found("I must renew my passport by Friday", tasks=(task,))] == []


def test_what_is_done_settles_it() -> None:
    (one,) = found("I must renew my passport by Friday")
    later = MONDAY + HOUR
    assert settled((Said(id="8", text="I renewed my passport today", at=later),), (one,)) == (one.id,)
    assert settled((Said(id="8", text="I sent the mail", at=later),), (one,)) == ()
    assert settled((Said(id="6", text="I renewed my passport today", at=MONDAY - HOUR),), (one,)) == ()


def test_tasks_meetings_and_memories() -> None:
    task = Task(id=ItemId("t1"), title="Sort the photos", created_at=MONDAY - 10 * DAY)
    due = Task(id=ItemId("t2"), title="Tax return", created_at=MONDAY - 10 * DAY, due=date(2026, 3, 4))
    meetings = (
        Meeting(id="e1", title="Standup", start=MONDAY + HOUR, stop=MONDAY + 2 * HOUR),
        Meeting(id="e2", title="Dentist", start=MONDAY + 1.5 * HOUR, stop=MONDAY + 2 * HOUR),
        Meeting(id="e3", title="Review", start=MONDAY + 4 * HOUR, stop=MONDAY + 5 * HOUR),
        Meeting(id="e4", title="Job interview", start=MONDAY - 3 * HOUR, stop=MONDAY - 2 * HOUR),
    )
    habit = Preference(
        id=PreferenceId("p1"), kind="habit", statement="I run every Monday at 6am", domain="fitness",
        slot="fitness.habit", object="run", polarity=1, source="explicit", status="active",
        recorded_at=MONDAY - 20 * DAY,
    )  # fmt: skip
    old = replace(
        habit, id=PreferenceId("p2"), kind="preference", statement="I like tea", domain="food", object="tea",
        recorded_at=MONDAY - 400 * DAY,
    )  # fmt: skip
    facts = Facts(now=MONDAY, zone="UTC", tasks=(task, due), meetings=meetings, preferences=(habit, old))
    kinds = sorted((one.kind, one.subject) for one in detect(facts))
    assert kinds == [
        ("conflict", "Standup / Dentist"),
        ("deadline", "Tax return"),
        ("follow_up", "Dentist"),
        ("follow_up", "Job interview"),
        ("gap", "Sort the photos"),
        ("routine", "run"),
        ("stale_memory", "I like tea"),
        ("unfinished_task", "Sort the photos"),
    ]
    assert all(one.evidence for one in detect(facts))
    heard = replace(facts, heard=(Said(id="1", text="went for my Monday run at 6", at=MONDAY),))
    assert "routine" not in {one.kind for one in detect(heard)}
    done = replace(facts, tasks=(replace(task, done_at=MONDAY), due))
    gone = {one.subject for one in detect(facts) if one.id in moot(done, detect(facts))}
    assert gone == {"Sort the photos"}


@given(st.text(max_size=300))
def test_any_message_gives_only_opportunities_with_evidence_that_are_still_open(text: str) -> None:
    for one in found(text):
        assert one.evidence
        assert one.closes_at > max(MONDAY, one.opens_at)
        assert "\n" not in one.subject
