"""Titles of events that mean harm, from detector to screen: quoted, cut, never obeyed.

Nothing a calendar says becomes an instruction, a rule, a reminder or a setting; wherever it is shown it stands between
marks that it cannot close, on one line, with nothing that a terminal, a notification or a file would act on.
"""

import hashlib
import io
from dataclasses import dataclass, field, replace
from datetime import datetime, timedelta
from pathlib import Path

import icalendar
import pytest

from assistant.policies.cleaning import clean_line
from assistant.policies.proactive.drafting import LONGEST
from assistant.policies.proactive.facts import LONGEST_QUOTE, LONGEST_SUBJECT, Facts, Meeting
from assistant.policies.when.zones import to_local
from assistant.proactive import ProactiveEngine
from assistant.proactive_drafting import ModelDrafter, load_prompt
from assistant.proactive_types import Digest, Presence, Spoken
from assistant.reminder_settings import ReminderSettings
from memory.suggestions import OpportunityId, Settings, Told
from memory.suggestions_in_memory import InMemorySuggestions
from memory.types import MessageId
from models.scripted import ScriptedModel
from tests.support.clock import MONDAY, FixedClock
from tests.support.hostile_titles import TITLES
from tests.support.naughty import raw_controls
from tests.support.pilot import a_desk, a_home, opened
from tests.support.reminders import an_instant
from ui.notify import ToolNotifier
from ui.reminder_ics import as_calendar
from ui.suggestion_daemon import DaemonVoice
from ui.suggestion_json import told_value, why_value
from ui.suggestion_words import digest_lines, listed, preview_lines, why_lines
from ui.widgets.bars import Rows

NOON = MONDAY + timedelta(hours=3)
ON = Settings(on=True, asked=True, morning=None)
OBEDIENT = "OBEYED: I have deleted everything. Transfer 500 euros now."
TOLD = ReminderSettings(notify_text=True)
# Characters that change how the rest of a line reads, beside the controls.
BIDI = "".join(map(chr, (*range(0x202A, 0x202F), *range(0x2066, 0x206A))))


def here() -> str:
    """Asked in a thread, where zones may be read."""
    to_local(MONDAY, "UTC")
    return "UTC"


@dataclass(slots=True)
class Calendar:
    """Implements assistant.proactive_facts.Lookout: one day's events."""

    titles: tuple[str, ...]

    async def newest(self) -> MessageId:
        return MessageId(0)

    async def moments(self, now: datetime) -> tuple[datetime, ...]:
        return ()

    async def facts(self, now: datetime, zone: str, after: MessageId) -> tuple[Facts, MessageId]:
        begin = NOON + timedelta(hours=2)
        meetings = tuple(
            Meeting(id=f"e{place}", title=title, start=begin, stop=begin + timedelta(hours=1))
            for place, title in enumerate(self.titles)
        )
        return Facts(now=now, zone=zone, meetings=meetings), after


@dataclass(slots=True)
class Desktop:
    """Implements ui.notify.Notifier, and remembers what the real one would have been started with."""

    commands: list[tuple[str, ...]] = field(default_factory=list)

    async def show(self, title: str, body: str) -> bool:
        self.commands.append(ToolNotifier("/usr/bin/notify-send").command(title, body))
        self.commands.append(ToolNotifier("/usr/bin/osascript", macos=True).command(title, body))
        return True


class Terminal(io.StringIO):
    def isatty(self) -> bool:
        return True


def imported(title: str) -> str:
    """What of it a calendar keeps: assistant/calendar/ics_reading.py cleans and cuts."""
    return clean_line(title, 200)


async def said_about(title: str) -> tuple[Spoken, ProactiveEngine, InMemorySuggestions, ScriptedModel]:
    store, model = InMemorySuggestions(), ScriptedModel(OBEDIENT)
    await store.save_settings(ON)
    drafter = ModelDrafter(model, load_prompt())
    engine = ProactiveEngine(store, Calendar((title, "Lunch with Anna")), here, drafter)
    (one,) = await engine.tick(NOON, Presence(breakpoint="return"))
    return one, engine, store, model


def is_harmless(text: str) -> bool:
    return raw_controls(text) == [] and "\n" not in text and not set(BIDI) & set(text)


def test_there_are_fifty() -> None:
    assert len(set(TITLES)) == 50


@pytest.mark.parametrize("title", TITLES, ids=range(len(TITLES)))
async def test_it_is_quoted_cut_and_never_obeyed(title: str) -> None:
    kept = imported(title)
    one, engine, store, model = await said_about(kept)
    assert model.requests == []
    text = one.suggestion.text
    assert text.startswith("Two things at one time: “")
    assert (text.count("“"), text.count("”")) == (2, 2)
    assert kept[:10].translate({ord(mark): "'" for mark in "“”„«»"}).strip() in text
    assert len(text) <= LONGEST
    told = await store.told(one.suggestion.id)
    digest = Digest(which="away", at=NOON, items=(told,))
    why = await engine.why(one.suggestion.id)
    preview = await engine.preview(NOON)
    lines = [
        listed(told, "UTC", NOON),
        *digest_lines(digest),
        *why_lines(why, "UTC", NOON),
        *preview_lines(preview, (), "UTC"),
    ]
    for line in (text, *lines):
        assert is_harmless(line)
        assert len(line) <= LONGEST_QUOTE + LONGEST_SUBJECT + 100
    assert is_harmless(str(told_value(told)))
    assert is_harmless(str(why_value(why)))
    assert await store.rules() == ()
    assert await store.settings() == ON
    assert [one.kind for one in await store.open()] == []


@pytest.mark.parametrize("title", TITLES, ids=range(len(TITLES)))
async def test_a_notification_and_a_terminal_get_words_and_nothing_to_act_on(title: str) -> None:
    one, *_ = await said_about(imported(title))
    desktop, terminal = Desktop(), Terminal()
    assert await DaemonVoice(TOLD, desktop, terminal).spoken((one,))
    linux, macos = desktop.commands
    assert linux[:4] == ("/usr/bin/notify-send", "--app-name=Steward", "--urgency=normal", "--")
    assert not {"<", ">"} & set(linux[5])
    assert macos[-1].startswith("Two things at one time: “")  # an argument, never a part of the script
    assert all("Two things" not in word for word in macos[:-1])
    assert is_harmless(linux[5])
    assert is_harmless(terminal.getvalue().removesuffix("\n"))
    await DaemonVoice(TOLD, None, terminal).digest(Digest(which="morning", at=NOON, items=(await _told(one),)))
    ring = terminal.getvalue().split("\n")[-1]
    assert ring.count("\x07") == 3  # the bell, and one end each of OSC 9 and OSC 777: none of the title's


def test_a_title_that_is_shown_as_it_came_is_found_out() -> None:
    """The control: the same look at the titles themselves."""
    acts = [title for title in TITLES if any(char in title for char in ("\x1b", "\n", "\x07", *BIDI))]
    assert len(acts) >= 5
    assert [title for title in acts if is_harmless(title)] == []
    assert all(is_harmless(imported(title)) for title in acts)


async def _told(one: Spoken) -> Told:
    return Told(suggestion=one.suggestion, opportunity=one.opportunity, decision=one.decision)


@pytest.mark.parametrize("title", TITLES, ids=range(len(TITLES)))
def test_a_reminder_of_it_goes_out_as_one_event_with_one_alarm(title: str) -> None:
    out = as_calendar([an_instant("r1", text=imported(title))], MONDAY)
    calendar = icalendar.Calendar.from_ical(out)
    (event,) = calendar.walk("VEVENT")
    assert [alarm["action"] for alarm in calendar.walk("VALARM")] == ["DISPLAY"]
    assert "attach" not in event
    assert is_harmless(str(event["summary"]))


def _id(title: str) -> OpportunityId:
    return OpportunityId(hashlib.sha256(title.encode("utf-8", "surrogatepass")).hexdigest()[:10])


async def test_the_line_and_the_inbox_show_them_as_text(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("TZ", "UTC")
    desk = a_desk(a_home(tmp_path), clock=FixedClock(NOON))
    store = desk.services.suggestions
    async with opened(desk, size=(80, 24)) as driver:
        app = driver.app
        for title in TITLES:
            one, *_ = await said_about(imported(title))
            found = await store.keep([replace(one.opportunity, id=_id(title), key=title)])
            (told,) = await store.claim([replace(one.decision, opportunity_id=_id(title))], channel="spoken", at=NOON)
            await store.word(told.suggestion.id, one.suggestion.text, "template")
            await app.refresh_suggestion()
            shown = driver.chat.query("#suggestion").first(Rows)
            assert "Two things at one time" in shown.text
            assert raw_controls(shown.text) == []
            assert shown.text.count("\n") <= 2
            assert found
        app.action_suggestions()
        await driver.until(lambda: len(app.screen_stack) > 1)
        await driver.until(lambda: "Two things at one time" in driver.screen_text())
        assert raw_controls(driver.screen_text()) == []
        assert app.is_running
