"""Speaking first in line mode: a labelled line, and every act as a command."""

import io
from collections.abc import AsyncIterator
from datetime import time, timedelta
from pathlib import Path

import pytest

from assistant.policies.proactive.prior import MEAN
from memory.suggestions import Hours, Settings
from tests.support.clock import MONDAY, FixedClock
from tests.support.pilot import a_desk, a_home
from tests.support.suggestions import an_opportunity, spoken
from tests.ui.test_plain_reminders import Typist
from ui.desk import Desk
from ui.plain import PlainChat

HOUR = timedelta(hours=1)
ON = Settings(on=True, asked=True, windows=(Hours(start=time(8), stop=time(20)),), morning=None)
FEATURES = (1.0,) + (0.0,) * (len(MEAN) - 1)


@pytest.fixture(autouse=True)
def in_utc(monkeypatch: pytest.MonkeyPatch) -> None:
    """The zone of whoever runs the tests says nothing."""
    monkeypatch.setenv("TZ", "UTC")


@pytest.fixture
def desk(tmp_path: Path) -> Desk:
    return a_desk(a_home(tmp_path), "An answer.", clock=FixedClock(MONDAY + HOUR))


@pytest.fixture
async def closing(desk: Desk) -> AsyncIterator[None]:
    yield
    await desk.model.close()


pytestmark = pytest.mark.usefixtures("closing")


async def said(desk: Desk, *subjects: str) -> None:
    """Spoken by the daemon an hour ago, and not answered."""
    store = desk.services.suggestions
    await store.save_settings(ON)
    for number, subject in enumerate(subjects):
        one = an_opportunity(f"op{number}", subject=subject)
        await store.keep([one])
        (told,) = await store.claim([spoken(one, features=FEATURES)], channel="spoken", at=MONDAY)
        await store.word(told.suggestion.id, f"You meant to {subject}.", "template")
        await store.mark_shown([told.suggestion.id])


async def talk(desk: Desk, *lines: str | tuple[str, str]) -> str:
    out = io.StringIO()
    typed = [(line, "") if isinstance(line, str) else line for line in lines]
    chat = PlainChat(desk, Typist(out, typed), out)
    async with chat.suggestions.running():
        assert await chat.run() == 0
    return out.getvalue()


async def test_it_comes_as_a_line_of_its_own_with_its_commands(desk: Desk) -> None:
    store = desk.services.suggestions
    await store.save_settings(ON)
    await store.keep([an_opportunity(need=0.95)])
    text = await talk(desk, ("/suggestions y", "suggestion: On Monday you wrote"), "/suggestions")
    assert "(/suggestions y 1, n 1, why 1)" in text
    assert "Noted as useful" in text
    assert "status: nothing waits." in text
    assert (await store.told((await store.list(["answered"]))[0].suggestion.id)).suggestion.answer == "useful"


@pytest.mark.parametrize(
    ("command", "words"),
    [
        ("/suggestions", "1. You meant to renew my passport."),
        ("/suggestions all", "2. You meant to call the dentist."),
        ("/suggestions why 1", "Because: you wrote “I must renew my passport by Friday”"),
        ("/suggestions why", "You meant to call the dentist."),
        ("/suggestions preview", "On Monday 2 March 2026 at 10:00, as things are now:"),
        ("/suggestions preview tomorrow at 23:00", "quiet hours"),
        ("/suggestions settings", "At most, 3 a day"),
        ("/suggestions settings", "In the last 28 days: 2 said, 0 useful, 0 not useful."),
        ("/suggestions set most 2", "Kept: most is 2."),
        ("/suggestions off", "Steward stays silent unless you write."),
        ("/suggestions on", "Steward may speak first."),
        (
            "/suggestions rule not before ten",
            "Rule 1: nothing is said before 10:00. /suggestions unrule 1 takes it back.",
        ),
        ("/suggestions rules", "No rules."),
        ("/suggestions reset", "What was learned from your answers is forgotten"),
        ("/suggestions y 1", "Noted as useful"),
        ("/suggestions n 1", "Noted"),
        ("/suggestions n 1 time", "Noted: bad time"),
        ("/suggestions n 1 because topic", "Noted: not relevant"),
        ("/suggestions n 1 often", "Noted: too often"),
        ("/suggestions n 1 style", "Noted: style; it changes neither when nor what about"),
        ("/suggestions t 1", "Noted: bad time"),
        ("/suggestions z 1", "It comes again later"),
        ("/suggestions m 1", "Nothing more about travel; rules take it back"),
        ("/suggestions d 1", "Noted"),
        ("/suggestions y 99", "error: There is no suggestion 99."),
        ("/suggestions y one", "error: 'one' is no number of a suggestion."),
        ("/suggestions n 1 rain", "error: 'rain' is no reason."),
        ("/suggestions rule nice weather", "error: No rule could be read in that."),
        ("/suggestions unrule 7", "error: There is no rule 7."),
        ("/suggestions set most many", "error:"),
        ("/suggestions dance", "error: /suggestions knows no 'dance'."),
    ],
)
async def test_every_act_is_a_command(desk: Desk, command: str, words: str) -> None:
    await said(desk, "renew my passport", "call the dentist")
    assert words in await talk(desk, command)


async def test_a_rule_is_listed_in_the_words_it_was_said_in_and_taken_back(desk: Desk) -> None:
    await said(desk)
    text = await talk(desk, "/suggestions rule no weekends", "/suggestions rules", "/suggestions unrule 1")
    assert "1. nothing on Saturday, Sunday: you said “no weekends”" in text
    assert "Taken back: nothing on Saturday, Sunday." in text


async def test_the_set_up_asks_five_things_and_says_what_is_wrong_with_an_answer(desk: Desk) -> None:
    text = await talk(desk, "/suggestions setup", "2", "9-12", "many", "2", "", "work", "21-8")
    assert "May Steward speak first" in text
    assert "error:" in text
    settings = await desk.services.suggestions.settings()
    assert (settings.on, settings.most_a_day, settings.topics) == (True, 2, ("work",))
    assert settings.windows == (Hours(start=time(9), stop=time(12)),)
    assert settings.quiet == Hours(start=time(21), stop=time(8))
    assert "status: Steward may speak first; /suggestions settings shows when" in text


async def test_a_no_is_kept_and_not_asked_again(desk: Desk) -> None:
    text = await talk(desk, "/suggestions", "3", "/suggestions")
    assert text.count("May Steward speak first") == 1
    settings = await desk.services.suggestions.settings()
    assert (settings.on, settings.asked) == (False, True)


async def test_a_rule_said_in_the_conversation_is_proposed(desk: Desk) -> None:
    await said(desk)
    text = await talk(desk, "No suggestions before ten please", "1", "/suggestions rules")
    assert "A rule: nothing is said before 10:00. Shall it hold for what I say first?" in text
    assert "1. nothing is said before 10:00" in text


async def test_what_came_while_nobody_looked_is_said_once(desk: Desk) -> None:
    await desk.services.suggestions.note("seen", (MONDAY - HOUR).isoformat())
    await said(desk, "renew my passport")
    first = await talk(desk)
    assert "suggestion: While you were away: 1 thing" in first
    assert "1. You meant to renew my passport." in first
    assert "While you were away" not in await talk(desk)
