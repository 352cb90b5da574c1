"""The proactive engine over a real store with an injected clock: what it says, when, why, and what it never does."""

from collections.abc import AsyncIterator
from dataclasses import dataclass, replace
from datetime import UTC, datetime, time, timedelta
from pathlib import Path

import pytest

from assistant.proactive import ProactiveEngine
from assistant.proactive_drafting import ModelDrafter
from assistant.proactive_facts import StoreLookout
from assistant.proactive_types import HoursQuestion, NotARule, Presence, Proposed, Spoken
from memory.data_dir import Home
from memory.database import Database
from memory.errors import NotFound
from memory.sqlite_suggestions import SqliteSuggestions
from memory.sqlite_transcript import SqliteTranscript
from memory.sqlite_typed_messages import SqliteTypedMessages
from memory.suggestions import Hours, Posteriors, Settings, SuggestionId
from models.scripted import ScriptedModel

MONDAY = datetime(2026, 3, 2, 9, 0, tzinfo=UTC)
TEN_MINUTES = timedelta(minutes=10)
DAY = timedelta(days=1)
WINDOWS = (Hours(start=time(10), stop=time(12)), Hours(start=time(15), stop=time(18)))
ON = Settings(on=True, asked=True, windows=WINDOWS, morning=None)


@dataclass(slots=True)
class House:
    """A home with a conversation, and the engine over it."""

    database: Database
    transcript: SqliteTranscript
    store: SqliteSuggestions
    engine: ProactiveEngine
    zone: str = "UTC"

    def anew(self, model: ScriptedModel | None = None) -> ProactiveEngine:
        """As after a restart."""
        drafter = None if model is None else ModelDrafter(model, "{facts}")
        lookout = StoreLookout(SqliteTypedMessages(self.database))
        self.engine = ProactiveEngine(self.store, lookout, lambda: self.zone, drafter)
        return self.engine

    async def say(self, text: str, at: datetime) -> None:
        session = await self.transcript.create_session(at=at)
        await self.transcript.add_user_message(session.id, None, text, at=at)

    async def pass_time(self, start: datetime, stop: datetime) -> list[tuple[datetime, Spoken]]:
        """Ticks every forty minutes, showing what comes."""
        said, at = [], start
        while at < stop:
            for one in await self.engine.tick(at):
                said.append((at, one))
                await self.engine.mark_shown((one.suggestion.id,))
            at += 4 * TEN_MINUTES
        return said


@pytest.fixture
def home(tmp_path: Path) -> Home:
    made = Home.resolve(str(tmp_path), {})
    made.make()
    return made


@pytest.fixture
async def house(home: Home) -> AsyncIterator[House]:
    async with await Database.open(home.database) as database:
        store = SqliteSuggestions(database)
        made = House(database, SqliteTranscript(database), store, None)  # type: ignore[arg-type]  # made next
        made.anew()
        await store.save_settings(ON)
        yield made


async def test_a_week_with_a_passport(house: House) -> None:
    await house.say("I must renew my passport by Friday", MONDAY)
    said = await house.pass_time(MONDAY, MONDAY + 5 * DAY)
    assert len(said) == 1
    at, one = said[0]
    assert at.weekday() == 2
    assert any(hours.start <= at.time() < hours.stop for hours in WINDOWS)
    assert one.opportunity.evidence[0].quote == "I must renew my passport by Friday"
    assert "renew my passport" in one.suggestion.text
    why = await house.engine.why(one.suggestion.id)
    assert why.window in WINDOWS
    assert why.told.decision.factors is not None
    assert why.told.decision.factors.spoken_today == 0
    assert why.counterfactual in ("time", "topic", "need", "")


async def test_after_a_bad_time_the_same_is_not_said_and_the_moment_is_believed_less(house: House) -> None:
    await house.say("I must renew my passport by Friday. I have to call the dentist by Thursday.", MONDAY)
    (_, first), *_ = await house.pass_time(MONDAY, MONDAY + 3 * DAY)
    learned = await house.engine.rate(first.suggestion.id, "not", "time", at=MONDAY + 3 * DAY)
    assert learned.time_after < learned.time_before
    assert learned.topic_after == learned.topic_before
    again = await house.engine.rate(first.suggestion.id, "useful", at=MONDAY + 3 * DAY)
    assert again.time_after > learned.time_before
    assert again.topic_after > again.topic_before


async def test_not_before_eleven_becomes_a_rule_that_holds_and_can_be_undone(house: House) -> None:
    proposed = await house.engine.propose_rule("not before eleven", at=MONDAY)
    assert isinstance(proposed, Proposed)
    assert not proposed.already
    assert await house.store.rules() == ()  # proposing keeps nothing
    kept = await house.engine.confirm_rule(proposed.rule)
    again = await house.engine.propose_rule("Not before 11", at=MONDAY)
    assert isinstance(again, Proposed)
    assert again.already
    await house.say("I must renew my passport by Friday", MONDAY)
    ((at, _),) = await house.pass_time(MONDAY, MONDAY + 5 * DAY)
    assert at.hour >= 11
    preview = await house.engine.preview(datetime(2026, 3, 4, 10, 30, tzinfo=UTC))
    assert [held.by for held in preview.decision.held] == ["rule"]
    await house.engine.undo_rule(kept.id)
    nothing = await house.engine.propose_rule("nice weather", at=MONDAY)
    assert nothing == NotARule(because="no_rule")


async def test_off_says_nothing_and_looks_at_nothing(house: House) -> None:
    await house.engine.save_settings(replace(ON, on=False))
    await house.say("I must renew my passport by Friday", MONDAY)
    assert await house.pass_time(MONDAY, MONDAY + 5 * DAY) == []
    assert await house.store.open() == ()


async def test_nothing_is_said_while_typing_or_generating(house: House) -> None:
    await house.say("I must renew my passport by Tuesday", MONDAY)
    at = MONDAY + DAY + timedelta(hours=2)
    assert await house.engine.tick(at, Presence(typing=True, breakpoint="return")) == ()
    assert await house.engine.tick(at, Presence(generating=True, breakpoint="return")) == ()
    assert len(await house.engine.tick(at, Presence(breakpoint="return"))) == 1


async def test_the_budget_and_the_gap_hold(house: House) -> None:
    things = (
        "paint the fence",
        "call the plumber",
        "send the parcel",
        "wash the car",
        "sort the photos",
        "fix the lamp",
    )
    for thing in things:
        await house.say(f"I must {thing} by tomorrow", MONDAY)
    await house.engine.save_settings(replace(ON, most_a_day=2, gap=timedelta(hours=1)))
    said = await house.pass_time(MONDAY, MONDAY + 2 * DAY)
    days = [at.date() for at, _ in said]
    assert said
    assert max(days.count(day) for day in days) <= 2
    times = [at for at, _ in said]
    assert all(later - earlier >= timedelta(hours=1) for earlier, later in zip(times, times[1:], strict=False))
    assert len({one.opportunity.id for _, one in said}) == len(said)


async def test_what_was_claimed_by_one_that_died_is_said_by_the_next(house: House) -> None:
    await house.say("I must renew my passport by Tuesday", MONDAY)
    at = MONDAY + DAY + timedelta(hours=2)
    (first,) = await house.engine.tick(at, Presence(breakpoint="return"))
    (again,) = await house.anew().tick(at + TEN_MINUTES)
    assert (again.again, again.suggestion.id) == (True, first.suggestion.id)
    await house.engine.mark_shown((again.suggestion.id,))
    assert await house.anew().tick(at + 2 * TEN_MINUTES) == ()


async def test_what_was_done_meanwhile_is_not_said(house: House) -> None:
    await house.say("I must renew my passport by Friday", MONDAY)
    await house.engine.tick(MONDAY)
    assert len(await house.store.open()) == 1
    await house.say("I renewed my passport today, finally", MONDAY + DAY)
    assert await house.pass_time(MONDAY + DAY, MONDAY + 5 * DAY) == []


async def test_no_model_is_asked_for_silence_and_its_words_are_checked(house: House) -> None:
    model = ScriptedModel("You still have to renew your passport by Friday.")
    house.anew(model)
    await house.say("I must renew my passport by Friday", MONDAY)
    ((_, one),) = await house.pass_time(MONDAY, MONDAY + 5 * DAY)
    assert len(model.requests) == 1
    assert (one.suggestion.text, one.suggestion.made_by) == (
        "You still have to renew your passport by Friday.",
        "model",
    )


@pytest.mark.parametrize(
    "lie",
    ["Call Anna about your passport.", "Renew your passport, it costs 80 euros.", "Passport. Now. Go. Quick.", ""],
)
async def test_a_draft_that_makes_something_up_is_replaced(house: House, lie: str) -> None:
    house.anew(ScriptedModel(lie or [""]))
    await house.say("I must renew my passport by Friday", MONDAY)
    ((_, one),) = await house.pass_time(MONDAY, MONDAY + 5 * DAY)
    assert one.suggestion.made_by == "template"
    assert "renew my passport" in one.suggestion.text


async def test_a_mute_is_a_rule_that_can_be_seen(house: House) -> None:
    await house.say("I must renew my passport by Friday", MONDAY)
    ((at, one),) = await house.pass_time(MONDAY, MONDAY + 5 * DAY)
    learned = await house.engine.rate(one.suggestion.id, "mute", at=at)
    assert learned.rule is not None
    assert [(rule.kind, rule.topic) for rule in await house.store.rules()] == [("mute_topic", "travel")]
    assert learned.topic_after == learned.topic_before
    await house.say("I must renew my visa by 20 March", at)
    assert await house.pass_time(at, at + 20 * DAY) == []


async def test_a_snooze_comes_back(house: House) -> None:
    await house.say("I must renew my passport by Friday", MONDAY)
    ((at, one),) = await house.pass_time(MONDAY, MONDAY + 3 * DAY)
    await house.engine.rate(one.suggestion.id, "snooze", at=at, until=at + DAY)
    said = await house.pass_time(at + TEN_MINUTES, MONDAY + 5 * DAY)
    assert [each.opportunity.id for _, each in said] == [one.opportunity.id]
    assert said[0][0] >= at + DAY


async def test_the_morning_digest_comes_once_and_takes_nothing_from_the_budget(house: House) -> None:
    await house.engine.save_settings(replace(ON, windows=(), morning=time(9)))
    for thing in ("paint the fence", "call the plumber", "sort the photos"):
        await house.say(f"I should {thing}", MONDAY - 2 * DAY)
    await house.engine.tick(MONDAY.replace(hour=7))
    assert await house.engine.digest(MONDAY.replace(hour=7)) is None
    digest = await house.engine.digest(MONDAY)
    assert digest is not None
    assert (digest.which, len(digest.items), digest.more) == ("morning", 3, 0)
    assert all(told.suggestion.text for told in digest.items)
    assert await house.engine.digest(MONDAY + TEN_MINUTES) is None
    assert await house.store.spoken_since(MONDAY - DAY) == ()
    assert len(await house.engine.inbox()) == 3
    away = await house.engine.away(MONDAY - DAY, MONDAY + DAY)
    assert away is not None
    assert len(away.items) == 3


async def test_preview_keeps_nothing(house: House) -> None:
    await house.say("I must renew my passport by Friday", MONDAY)
    preview = await house.engine.preview(datetime(2026, 3, 4, 16, 0, tzinfo=UTC))
    assert [one.subject for one in preview.would_say] == ["renew my passport"]
    assert "renew my passport" in preview.drafts[0]
    assert await house.store.open() == ()
    quiet = await house.engine.preview(datetime(2026, 3, 4, 23, 0, tzinfo=UTC))
    assert [held.by for held in quiet.decision.held] == ["quiet_hours"]


async def test_reset_forgets_what_was_learned_and_keeps_what_was_stated(house: House) -> None:
    await house.say("I must renew my passport by Friday", MONDAY)
    ((at, one),) = await house.pass_time(MONDAY, MONDAY + 5 * DAY)
    await house.engine.rate(one.suggestion.id, "useful", at=at)
    assert (await house.engine.state(at)).posteriors.rated == 1
    await house.engine.reset(at + TEN_MINUTES)
    state = await house.engine.state(at + TEN_MINUTES)
    assert (state.posteriors.rated, state.settings) == (0, ON)
    assert len(state.hours) == 24
    with pytest.raises(NotFound):
        await house.engine.rate(SuggestionId(99), "useful", at=at)


async def _bad_times(house: House, start: datetime, most: int = 3) -> list[HoursQuestion | None]:
    """Something said and answered with "bad time" so often."""
    found: list[HoursQuestion | None] = []
    for number in range(most):
        at = start + number * 7 * DAY
        await house.say(f"I must renew my {('passport', 'licence', 'visa', 'ticket')[number]} by Friday", at)
        (_, one), *_ = await house.pass_time(at, at + 5 * DAY)
        learned = await house.engine.rate(one.suggestion.id, "not", "time", at=at + 5 * DAY)
        found.append(learned.asks)
    return found


async def test_three_bad_times_ask_once_whether_the_hours_fit_and_change_nothing(house: House) -> None:
    first, second, third = await _bad_times(house, MONDAY)
    later = MONDAY + 21 * DAY
    assert (first, second) == (None, None)
    assert third is not None
    assert (third.windows, third.bad) == (WINDOWS, 3)
    assert (await house.store.settings()).windows == WINDOWS
    assert await house.anew().hours_question(later) is not None  # open until it is answered, also after a restart
    assert (await house.engine.state(later)).asks is not None
    await house.engine.hours_fit(later)
    assert await house.engine.hours_question(later) is None
    assert await _bad_times(house, later) == [None, None, None]


async def test_where_no_hours_are_stated_those_when_the_user_writes_are_better(house: House) -> None:
    await house.store.save_settings(replace(ON, windows=()))
    for day in range(12):
        await house.say("good", MONDAY - (12 - day) * DAY + timedelta(hours=7))
    state = await house.engine.state(MONDAY)
    await house.store.save_posteriors(Posteriors(since=MONDAY))
    forgotten = await house.anew().state(MONDAY)
    assert state.hours[16] > forgotten.hours[16]
    assert state.hours[10] < forgotten.hours[10]
