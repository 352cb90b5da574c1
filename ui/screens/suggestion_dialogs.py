"""Small questions about suggestions: what was wrong with one, and the set-up, which takes a minute and may be left at
any step."""

from typing import TYPE_CHECKING, Any

from textual.app import App

from memory.suggestions import Told
from ui.screens.dialog import Choice, Offer, OneLine
from ui.suggestion_settings import HINTS, PARTS_OF_DAY, changed
from ui.suggestion_words import settings_rows, text_of

if TYPE_CHECKING:
    from ui.suggestion_acts import SuggestionActs

_OWN = "own"
_STEPS = (
    ("windows", "When is a good time?", (*PARTS_OF_DAY, ("Any time outside the quiet hours", "any"))),
    ("most", "How many a day at most?", (("3 a day", "3"), ("1 a day", "1"), ("2 a day", "2"), ("5 a day", "5"))),
    ("gap", "How long between two?", (("3 hours", "3 h"), ("1 hour", "1 h"), ("6 hours", "6 h"))),
    ("topics", "What about?", (("Whatever it finds", "any"),)),
    ("quiet", "When is it quiet, whatever else is allowed?", (("22 to 8", "22-8"), ("20 to 9", "20-9"))),
)


def what_was_wrong(told: Told) -> Choice:
    """Answers with a key of ui/suggestion_acts.py: KEYS."""
    offers = (
        Offer(name="n", words="Just not useful"),
        Offer(name="t", words="A bad time"),
        Offer(name="r", words="Not relevant"),
        Offer(name="f", words="Too often"),
        Offer(name="s", words="I do not like how it is said"),
        Offer(name="z", words="Again later"),
        Offer(name="m", words=f"Nothing more about {told.opportunity.topic}"),
        Offer(name="d", words="It is done"),
    )
    return Choice("What was wrong with it?", (text_of(told),), offers)


async def set_up(app: "App[Any]", acts: "SuggestionActs") -> str:
    """Questions with a usual answer each; Esc leaves the rest as it is. What to say at the end."""
    first = (
        Offer(name="later", words="Not now"),
        Offer(name="yes", words="Yes, and ask me when (a minute)"),
        Offer(name="usual", words="Yes, as usual: 3 a day at most, 3 hours between two, quiet 22 to 8"),
        Offer(name="no", words="No, never speak first"),
    )
    text = (
        "Rarely, and only about what you said, your reminders, calendar and tasks. Nothing of it leaves this machine.",
        "Each one says why it comes, and one key says whether it was useful.",
    )
    answer = await app.push_screen_wait(Choice("May Steward speak first?", text, first))
    if answer not in ("yes", "usual", "no"):
        return "Steward stays silent until you say yes: /suggestions asks again."
    settings = changed(await acts.engine.settings(), "on", "no" if answer == "no" else "yes")
    if answer == "yes":
        for name, title, offers in _STEPS:
            words = await _asked(app, name, title, offers)
            if words is None:
                break
            settings = changed(settings, name, words)
    await acts.engine.save_settings(settings)
    if answer == "no":
        return "Steward stays silent unless you write. /suggestions changes that."
    rows = dict(settings_rows(settings))
    return f"Steward may speak first: {rows['windows']}, {rows['most']}, {rows['gap']} between two. Alt+S changes it."


async def ask_hours(app: "App[Any]") -> str | None:
    """Good hours in words; None where they stay as they are."""
    name, title, offers = _STEPS[0]
    return await _asked(app, name, title, offers)


async def _asked(app: "App[Any]", name: str, title: str, offers: tuple[tuple[str, str], ...]) -> str | None:
    """Words for a setting; None where the rest is left as it is."""
    shown = [Offer(name=value, words=words) for words, value in offers]
    shown.append(Offer(name=_OWN, words="Something else"))
    answer = await app.push_screen_wait(Choice(title, (), shown))
    while answer == _OWN:
        typed = await app.push_screen_wait(OneLine(title, "", f"It takes {HINTS[name]}. Esc goes back."))
        if typed is None:
            return await _asked(app, name, title, offers)
        if _is_read(name, typed):
            return typed
    return answer


def _is_read(name: str, typed: str) -> bool:
    from memory.suggestions import Settings
    from ui.errors import UiError

    try:
        changed(Settings(), name, typed)
    except UiError:
        return False
    return True
