"""What every store of suggestions keeps: one suite for the reference and for the one in SQLite."""

import json
from collections.abc import AsyncIterator
from dataclasses import replace
from datetime import time, timedelta

import pytest

from memory.data_dir import Home
from memory.errors import ChangeRefused, NotFound
from memory.suggestion_rows import decision_from, decision_text
from memory.suggestion_store import SuggestionStore
from memory.suggestions import (
    Answer,
    Decision,
    Feedback,
    Held,
    Hours,
    OpportunityId,
    Posteriors,
    Rule,
    RuleId,
    Settings,
    SuggestionId,
    TopicPosterior,
)
from memory.suggestions_in_memory import InMemorySuggestions
from memory.text import moment_text
from tests.support.clock import MONDAY
from tests.support.suggestions import DAY, an_opportunity, some_factors, spoken, sqlite_suggestions

LATER = MONDAY + timedelta(hours=2)


@pytest.fixture(params=["in_memory", "sqlite"])
async def store(request: pytest.FixtureRequest, home: Home) -> AsyncIterator[SuggestionStore]:
    if request.param == "in_memory":
        yield InMemorySuggestions()
        return
    async with sqlite_suggestions(home.database) as (made, _):
        yield made


async def test_settings_rules_and_what_was_learned_come_back_whole(store: SuggestionStore) -> None:
    assert await store.settings() == Settings()
    settings = Settings(
        on=True, asked=True, windows=(Hours(start=time(9), stop=time(11, 30)),), quiet=None, most_a_day=2,
        gap=timedelta(minutes=90), topics=("food",), muted=("money",), morning=None, evening=time(20),
    )  # fmt: skip
    await store.save_settings(settings)
    assert await store.settings() == settings
    learned = Posteriors(
        mean=(0.5, 1.0), covariance=((1.0, 0.0), (0.0, 2.0)), rated=3, gap_factor=1.15, fewer_by=1,
        topics=(TopicPosterior(topic="food", alpha=2.0, beta=1.5, good=1, rated=2, last_told=MONDAY),),
        fewer_until=LATER, tallies=((1.0, 0.5, 1.0),), drifted_at=MONDAY, since=MONDAY,
    )  # fmt: skip
    await store.save_posteriors(learned)
    assert await store.posteriors() == learned
    rule = Rule(
        kind="not_between", said="not between 12 and 2", at=MONDAY, start=time(12), stop=time(14), number=2,
        span=timedelta(hours=1), topic="work", days=(5, 6), until=LATER,
    )  # fmt: skip
    kept = await store.add_rule(rule)
    assert kept == replace(rule, id=kept.id)
    assert await store.rules() == (kept,)
    assert (await store.undo_rule(kept.id)).state == "undone"
    assert await store.rules() == ()
    assert len(await store.rules(undone=True)) == 1
    with pytest.raises(ChangeRefused):
        await store.undo_rule(kept.id)
    with pytest.raises(NotFound):
        await store.undo_rule(RuleId(99))


async def test_what_was_found_is_kept_once_and_brought_up_to_date(store: SuggestionStore) -> None:
    one = an_opportunity("one")
    assert await store.keep([one]) == (one,)
    version = await store.version()
    assert await store.keep([one]) == ()
    assert await store.version() == version
    moved = replace(one, closes_at=one.closes_at + DAY, deadline=None, value=1.0, found_at=LATER)
    assert await store.keep([moved]) == ()
    assert await store.open() == (replace(moved, found_at=MONDAY),)
    assert await store.version() > version
    sooner = an_opportunity("two", closes_at=MONDAY + DAY)
    await store.keep([sooner])
    assert [each.id for each in await store.open()] == ["two", "one"]
    assert [each.id for each in await store.open(limit=1)] == ["two"]
    assert await store.opportunity(sooner.id) == sooner
    with pytest.raises(NotFound):
        await store.opportunity(OpportunityId("nobody"))


async def test_one_thing_is_spoken_once(store: SuggestionStore) -> None:
    one = an_opportunity()
    await store.keep([one])
    decision = spoken(one, held=(Held(by="gap", opportunity_id=one.id, rule_id=RuleId(3), until=LATER),))
    (told,) = await store.claim([decision], channel="spoken", at=LATER)
    assert told.suggestion.claimed_at == LATER
    assert told.opportunity == replace(one, state="told")
    assert told.decision == replace(decision, id=told.decision.id)
    assert await store.claim([decision], channel="spoken", at=LATER) == ()
    assert await store.keep([one]) == ()
    assert await store.open() == ()
    assert await store.claim([spoken(an_opportunity())], channel="spoken", at=LATER) == ()
    assert [each.id for each in await store.spoken_since(MONDAY)] == [told.suggestion.id]
    assert await store.spoken_since(LATER + DAY) == ()


async def test_what_was_claimed_and_never_shown_says_again(store: SuggestionStore) -> None:
    one = an_opportunity()
    await store.keep([one])
    (told,) = await store.claim([spoken(one)], channel="spoken", at=LATER)
    assert await store.unshown() == (replace(told, again=True),)
    await store.word(told.suggestion.id, "Your passport.", "model")
    await store.mark_shown([told.suggestion.id, SuggestionId(99)])
    assert await store.unshown() == ()
    kept = (await store.told(told.suggestion.id)).suggestion
    assert (kept.text, kept.made_by, kept.state) == ("Your passport.", "model", "shown")
    with pytest.raises(NotFound):
        await store.word(SuggestionId(99), "x", "model")
    with pytest.raises(NotFound):
        await store.told(SuggestionId(99))


async def test_the_inbox_comes_before_speaking_and_gives_way_to_it(store: SuggestionStore) -> None:
    one = an_opportunity()
    await store.keep([one])
    (quiet,) = await store.claim([spoken(one, action="inbox")], channel="inbox", at=LATER)
    assert await store.claim([spoken(one, action="inbox")], channel="digest", at=LATER) == ()
    assert [each.state for each in await store.open()] == ["inbox"]
    assert await store.unshown() == ()
    (loud,) = await store.claim([spoken(one)], channel="spoken", at=LATER)
    assert [each.suggestion.id for each in await store.list()] == [loud.suggestion.id]
    assert [each.suggestion.id for each in await store.list(["withdrawn"])] == [quiet.suggestion.id]
    assert await store.list(channels=["inbox"]) == ()


@pytest.mark.parametrize("answer", ["useful", "not", "acted", "dismissed", "mute"])
async def test_an_answer_closes_the_thing_and_is_kept_with_what_it_taught(
    store: SuggestionStore, answer: Answer
) -> None:
    one = an_opportunity()
    await store.keep([one])
    (told,) = await store.claim([spoken(one)], channel="spoken", at=LATER)
    rule = Rule(kind="mute_topic", said="mute", at=LATER, topic="travel") if answer == "mute" else None
    feedback = Feedback(suggestion_id=told.suggestion.id, answer=answer, at=LATER, reason="time")
    kept = await store.rate(feedback, Posteriors(rated=1), rule)
    assert (kept.state, kept.answer, kept.reason, kept.answered_at) == ("answered", answer, "time", LATER)
    assert (await store.posteriors()).rated == 1
    assert len(await store.rules()) == (answer == "mute")
    assert (await store.opportunity(one.id)).state == "closed"
    assert await store.rated() == ((kept, told.decision),)
    assert await store.rated(LATER + DAY) == ()
    changed = await store.rate(replace(feedback, answer="useful", reason=""), Posteriors(rated=2))
    assert (changed.answer, changed.reason) == ("useful", "")
    with pytest.raises(NotFound):
        await store.rate(replace(feedback, suggestion_id=SuggestionId(99)), Posteriors())


async def test_a_snooze_opens_the_thing_again_and_being_ignored_does_not(store: SuggestionStore) -> None:
    one = an_opportunity()
    await store.keep([one])
    (told,) = await store.claim([spoken(one)], channel="spoken", at=LATER)
    ignored = Feedback(suggestion_id=told.suggestion.id, answer="ignored", at=LATER)
    await store.rate(ignored, Posteriors())
    assert (await store.opportunity(one.id)).state == "told"
    snooze = Feedback(suggestion_id=told.suggestion.id, answer="snooze", at=LATER, until=LATER + DAY)
    await store.rate(snooze, Posteriors())
    assert await store.open() == (replace(one, snoozed_until=LATER + DAY),)
    (again,) = await store.claim([spoken(one)], channel="spoken", at=LATER + DAY)
    assert again.suggestion.id != told.suggestion.id


async def test_closing_a_thing_withdraws_what_waits(store: SuggestionStore) -> None:
    one = an_opportunity()
    await store.keep([one])
    await store.claim([spoken(one, action="inbox")], channel="inbox", at=LATER)
    await store.set_state([one.id, OpportunityId("gone")], "closed")
    assert await store.list() == ()
    assert await store.open() == ()


async def test_decisions_and_notes_are_kept(store: SuggestionStore) -> None:
    first = await store.record(Decision(at=MONDAY, breakpoint="start", action="silent", held=(Held(by="budget"),)))
    second = await store.record(replace(spoken(an_opportunity(), action="wait"), at=LATER))
    assert await store.decisions() == (second, first)
    assert await store.decisions(since=LATER) == (second,)
    assert second.factors == some_factors()
    assert await store.noted("read") == ""
    await store.note("read", "12")
    await store.note("read", "13")
    assert await store.noted("read") == "13"


async def test_what_is_over_for_long_is_dropped_but_not_that_it_was_said(store: SuggestionStore) -> None:
    one, open_one = an_opportunity(), an_opportunity(closes_at=MONDAY + DAY)
    await store.keep([one, open_one])
    (told,) = await store.claim([spoken(one)], channel="spoken", at=LATER)
    feedback = Feedback(suggestion_id=told.suggestion.id, answer="useful", at=LATER)
    await store.rate(feedback, Posteriors())
    assert await store.purge(MONDAY + 90 * DAY) == 1
    assert await store.list(["answered", "shown", "claimed"]) == ()
    assert [(each.text, each.opportunity_id) for each in await store.spoken_since(MONDAY)] == [("", "")]
    assert len(await store.rated()) == 1
    assert [each.id for each in await store.open()] == [open_one.id]


def test_a_decision_from_when_there_was_a_price_for_the_slot_is_read() -> None:
    made = spoken(an_opportunity(), factors=some_factors())
    body = json.loads(decision_text(made))
    body["factors"]["price"] = 0.2
    row = (made.id, moment_text(made.at), made.breakpoint, made.action, made.opportunity_id, json.dumps(body))
    assert decision_from(row) == made
