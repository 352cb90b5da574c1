"""Decisions in a profile: what was asked, between what, what was chosen and when; read in another home, never done."""

from dataclasses import replace
from datetime import timedelta

import pytest
from hypothesis import given
from hypothesis import strategies as st

from assistant.policies.cleaning import clean
from assistant.policies.sharing import Sharing
from memory.decisions import FROM_PROFILE
from memory.decisions_in_memory import InMemoryDecisions
from memory.portable.decision_section import DecisionHistory
from memory.portable.sections import Json, SectionRefused
from tests.support.clock import MONDAY
from tests.support.decisions import a_mail, a_question, decided
from tests.support.english import english

RECORD = {
    "asked_at": "2026-03-02T09:00:00.000000Z",
    "question": "Which notebook?",
    "kind": "clarify",
    "options": ["home", "work"],
    "chosen": "work",
    "state": "done",
    "answered_at": None,
    "result": "",
}


def section_of(store: InMemoryDecisions) -> DecisionHistory:
    return DecisionHistory(store, clean)


async def some(store: InMemoryDecisions) -> None:
    """One answered, one in the user's own words, one nobody answered, one that waits, one of a server."""
    await decided(store, "Which notebook?", "2")
    await decided(store, "Which colour?", "a warm grey", at=MONDAY + timedelta(hours=1))
    expired = await store.raise_decision(a_question(), at=MONDAY)
    await store.close_decision(expired.id, "expired", at=MONDAY)
    await store.raise_decision(a_mail(), at=MONDAY)
    server = await store.raise_decision(replace(a_question(), kind="server"), at=MONDAY)
    await store.close_decision(server.id, "declined", at=MONDAY)


async def test_it_goes_round_and_comes_once() -> None:
    here, there = InMemoryDecisions(), InMemoryDecisions()
    await some(here)
    value = await section_of(here).dump()
    assert isinstance(value, list)
    assert len(value) == 3
    labels = [option.label for option in a_question().options]
    assert [(one["chosen"], one["state"]) for one in value if isinstance(one, dict)] == [
        ("", "expired"),
        (labels[1], "done"),
        ("a warm grey", "done"),
    ]
    section = section_of(there)
    await section.load(await section.merged(section.check(value)), at=MONDAY)
    assert await section.dump() == value
    assert await section.merged(section.check(value)) == value


async def test_what_was_decided_here_stays_and_undo_leaves_it() -> None:
    here, there = InMemoryDecisions(), InMemoryDecisions()
    await some(here)
    own = await decided(there, "Which shop?", "1")
    waits = await there.raise_decision(a_mail(), at=MONDAY)
    section = section_of(there)
    before = await section.dump()
    then = await section.merged(section.check(await section_of(here).dump()))
    await section.load(then, at=MONDAY)
    assert await section.dump() == then
    assert len(section.lines(then)) == 4
    assert await there.decisions(["open"]) == (waits,)
    await section.load(before, at=MONDAY)
    assert await section.dump() == before
    assert await there.decisions(["done"]) == (own,)


async def test_what_comes_from_elsewhere_can_only_be_read() -> None:
    store = InMemoryDecisions()
    section = section_of(store)
    await section.load(section.check([RECORD]), at=MONDAY)
    (past,) = await store.decisions(["done"])
    assert (past.asked.call, past.undo_token, past.answered_from) == (None, "", FROM_PROFILE)
    assert all(option.arguments == "" for option in past.asked.options)


@pytest.mark.parametrize(
    "wrong",
    [
        {"state": "open"},
        {"state": "answered"},
        {"kind": "server"},
        {"question": ""},
        {"asked_at": "2026-03-02T09:00:00"},
        {"options": "home"},
    ],
)
def test_what_is_no_decision_that_is_over_is_refused(wrong: dict[str, Json]) -> None:
    with pytest.raises(SectionRefused):
        section_of(InMemoryDecisions()).check([{**RECORD, **wrong}])


def test_a_record_that_stands_there_twice_or_hides_something_is_read_once_and_seen() -> None:
    hidden = {**RECORD, "options": ["home\x1b[2J", "work"], "chosen": "2"}
    checked = section_of(InMemoryDecisions()).check([hidden, RECORD])
    assert checked == [{**RECORD, "options": ["home\ufffd[2J", "work"]}]


async def test_one_with_something_sensitive_in_it_stays_whole() -> None:
    store = InMemoryDecisions()
    await decided(store, "Which notebook?", "2")
    await decided(store, "Which notebook?", "the one about my therapy", at=MONDAY + timedelta(hours=1))
    value = await section_of(store).dump()
    assert isinstance(value, list)
    assert Sharing(language=english()).value(value) == value[:1]
    assert Sharing(language=english(), everything=True).value(value) == value


@given(
    st.lists(
        st.fixed_dictionaries(
            {
                "asked_at": st.sampled_from(
                    ["2026-03-02T09:00:00Z", "2026-03-02T11:00:00+02:00", "2026-03-03T09:00:00Z"]
                ),
                "question": st.text(min_size=1, max_size=8),
                "kind": st.sampled_from(["clarify", "choose", "confirm"]),
                "options": st.lists(st.sampled_from(["home", "work", "1", "2", ""]), max_size=3),
                "chosen": st.sampled_from(["home", "1", "2", "", "own words"]),
                "state": st.sampled_from(["done", "declined", "expired"]),
            }
        ),
        max_size=5,
    )
)
async def test_any_of_them_goes_round(records: list[Json]) -> None:
    section = section_of(InMemoryDecisions())
    value = section.check(records)
    assert section.check(value) == value
    await section.load(value, at=MONDAY)
    assert await section.dump() == value
