"""What leads to each screen of the terminal UI, with something on it, in the words of a user: for the test that walks
all of them, and for the pictures in the documentation."""

import asyncio
from collections.abc import Awaitable, Callable, Mapping
from dataclasses import dataclass, replace
from datetime import time, timedelta
from functools import partial

from assistant.policies.proactive.prior import MEAN
from memory.backups import Backups
from memory.decisions import DecisionOption, NewDecision, OptionAttribute
from memory.sqlite_transcript import SqliteTranscript
from memory.suggestions import Evidence, Hours, Settings
from tests.support.builders import kept_talk
from tests.support.clock import MONDAY
from tests.support.decisions import a_mail, a_question
from tests.support.known_user import get_to_know
from tests.support.pilot import Driver
from tests.support.reminders import added, an_instant
from tests.support.suggestions import an_opportunity, spoken
from ui.item_commands import hands_of
from ui.keys import Place
from ui.screens.reminders import RemindersScreen
from ui.screens.suggestions import SuggestionsScreen
from ui.widgets.decision_card import DecisionCard

Play = Callable[[Driver], Awaitable[None]]
LONG = "誕生日の夕食を八人分つくる 🍞 " + "x" * 120 + " and a letter to the landlord about the heating, رسالة"


@dataclass(frozen=True, slots=True, kw_only=True)
class Shown:
    """`place`: whose keys work there, as in ui/keys.py. `anew`: most of them use up what they work on."""

    play: Play
    place: Place | None = None
    anew: bool = False


def flights() -> NewDecision:
    """Three options side by side, one recommended, all of it undoable."""
    said = (
        ("TAP 533", "EUR 189", "Fri 07:10", "none"),
        ("Lufthansa 1172", "EUR 214", "Fri 09:45", "one, in Frankfurt"),
        ("easyJet 2711", "EUR 96", "Fri 23:05", "none"),
    )
    known = a_question().options[0]
    options = tuple(
        DecisionOption(
            key=str(number),
            label=label,
            attributes=tuple(
                OptionAttribute(name=name, value=value)
                for name, value in zip(("price", "leaves", "changes"), values, strict=True)
            ),
            arguments=known.arguments,
            undo="undo",
        )
        for number, (label, *values) in enumerate(said, start=1)
    )
    return replace(a_question(), question="Which flight to Lisbon on Friday?", options=options)


async def _decide(driver: Driver, *asked: NewDecision) -> None:
    for one in asked:
        await driver.app.desk.services.decisions.raise_decision(one, at=MONDAY)
    driver.app.refresh_decisions()
    await driver.until(lambda: bool(driver.chat.query(DecisionCard)) and driver.app.guard.shown_at != float("inf"))
    driver.app.guard.shown_at -= 60  # long ago: no key is taken for one of somebody who typed meanwhile
    driver.app.guard.typed_at -= 60


async def card(driver: Driver) -> None:
    await _decide(driver, flights())
    await driver.press("f11")
    await driver.until(lambda: isinstance(driver.app.focused, DecisionCard) and "Enter answers" in driver.screen_text())
    driver.app.guard.shown_at -= 60
    driver.app.guard.typed_at -= 60


async def card_in_peace(driver: Driver) -> None:
    await _decide(driver, a_mail())
    await driver.until(lambda: "what you type is a message" in driver.screen_text())


async def decisions(driver: Driver) -> None:
    await _decide(driver, a_mail(), flights())
    await driver.send_command("/decisions")
    await driver.until(lambda: "Waiting for you" in driver.screen_text() and "Why now" in driver.screen_text())


async def plans(driver: Driver) -> None:
    for words in (
        "plan buy a cake, water the plants",
        "plan dentist on Friday, buy a present, call mum tomorrow at 6pm",
    ):
        await driver.send_command(f"/{words}")
        await driver.until(lambda: not driver.chat.view.busy and not driver.chat.desk.conversation.session.busy)
    await driver.until(lambda: "waits for you" in " ".join(driver.screen_text().split()))
    await driver.press("alt+p")
    await driver.until(lambda: "of 3: " in driver.screen_text())


async def _suggest(driver: Driver) -> None:
    store = driver.app.desk.services.suggestions
    hours = (Hours(start=time(8), stop=time(20)),)
    await store.save_settings(Settings(on=True, asked=True, windows=hours, morning=None))
    before = len(await store.list(("claimed", "shown", "answered", "withdrawn")))
    for number, subject in enumerate(("call the dentist about the new time", "renew my passport"), start=before):
        because = Evidence(source="message", ref="1", quote=f"I must {subject} by Friday", at=MONDAY)
        one = an_opportunity(f"play{number}", subject=subject, evidence=(because,))
        await store.keep([one])
        (told,) = await store.claim(
            [spoken(one, features=(1.0,) + (0.0,) * (len(MEAN) - 1))], channel="spoken", at=MONDAY
        )
        await store.word(told.suggestion.id, f"You meant to {subject}.", "template")
        await store.mark_shown([told.suggestion.id])


async def suggestion_line(driver: Driver) -> None:
    await _suggest(driver)
    await driver.app.refresh_suggestion()
    await driver.until(lambda: "Alt+Y useful" in driver.screen_text())


async def suggestions(driver: Driver) -> None:
    await _suggest(driver)
    await driver.press("alt+s")
    await driver.until(lambda: isinstance(driver.app.screen, SuggestionsScreen) and "passport" in driver.screen_text())


async def suggestion_why(driver: Driver) -> None:
    await suggestions(driver)
    await driver.press("w")
    await driver.until(lambda: "Because" in driver.screen_text())


async def suggestion_settings(driver: Driver) -> None:
    await suggestions(driver)
    await driver.press("o")
    await driver.until(lambda: "What you say" in driver.screen_text())


async def what_was_wrong(driver: Driver) -> None:
    await suggestion_line(driver)
    await driver.press("alt+n")
    await driver.until(lambda: "What was wrong" in driver.screen_text())


def _noticed(driver: Driver, words: str) -> bool:
    return any(words in notice for notice in driver.notices())


async def agenda(driver: Driver) -> None:
    hands = hands_of(driver.app.desk.services, "UTC")
    for words in ("dentist today at 11am for an hour", "lunch with Ann on Friday at 12:30 for an hour"):
        await hands.add_event(await hands.read_event(words))
    await hands.tasks.add("renew the passport", due=hands.tasks.today)
    await hands.tasks.add("learn the piano")
    for words, seen in (("call mum at 6pm", "call mum"), ("water the plants every day at 7am", "water the plants")):
        await driver.send_command(f"/remind {words}")
        await driver.until(partial(_noticed, driver, seen))
    driver.app.clear_notifications()
    await driver.press("f10")
    await driver.until(lambda: "call mum" in driver.screen_text())
    screen = driver.app.screen
    assert isinstance(screen, RemindersScreen)
    rows = screen._rows
    screen._list.highlighted = next(at for at, row in enumerate(rows) if row is not None and row.reminder is not None)
    await driver.pilot.pause()


async def data(driver: Driver) -> None:
    home = driver.app.desk.home
    await asyncio.to_thread(home.make)
    transcript = await SqliteTranscript.open(home.database)
    await kept_talk(transcript, ["I fly on Tuesday", "Have a good flight"])
    await transcript.close()
    await asyncio.to_thread(Backups(home).make, "by-hand", MONDAY - timedelta(days=2))
    await driver.press("f12")
    await driver.until(lambda: "Where it is" in driver.screen_text() and "history" in driver.screen_text())


async def restore(driver: Driver) -> None:
    await data(driver)
    await driver.press("end", "enter")
    await driver.until(lambda: "The backup holds" in driver.screen_text())


async def erase(driver: Driver) -> None:
    await data(driver)
    await driver.press("x")
    await driver.until(lambda: "Delete everything?" in driver.screen_text())


async def erase_words(driver: Driver) -> None:
    await erase(driver)
    await driver.press("2")
    await driver.until(lambda: "There is no undo" in driver.screen_text())


async def encryption(driver: Driver) -> None:
    await data(driver)
    await driver.press("c")
    await driver.until(lambda: "Encrypt what is kept?" in driver.screen_text())


async def learning(driver: Driver) -> None:
    await data(driver)
    await driver.press("l")
    await driver.until(lambda: "Go on learning" in driver.screen_text())


async def memory(driver: Driver) -> None:
    conversation = driver.app.desk.conversation
    await get_to_know(conversation.preferences, conversation.transcript)
    await driver.press("f7")
    await driver.until(lambda: "14 in all" in driver.screen_text())
    await driver.until(lambda: driver.app.screen.query_one("#memory-why").virtual_size.height > 1)


async def forgetting(driver: Driver) -> None:
    await memory(driver)
    await driver.press("ctrl+d")
    await driver.until(lambda: "Forget this for good?" in driver.screen_text())


async def review(driver: Driver) -> None:
    await memory(driver)
    await driver.press("ctrl+r")
    await driver.until(lambda: "Later" in driver.screen_text())


async def narrowing(driver: Driver) -> None:
    await memory(driver)
    await driver.press("ctrl+f")
    await driver.until(lambda: "Show what?" in driver.screen_text())


async def sessions(driver: Driver) -> None:
    transcript = driver.app.desk.conversation.transcript
    for number in range(8):
        at = MONDAY - timedelta(hours=30 * number + 1)
        session = await transcript.create_session(at=at, title=LONG if number % 2 else "Renew the passport")
        await transcript.add_user_message(session.id, None, "Please help me.", at=at)
    await driver.press("f2")
    await driver.until(lambda: "passport" in driver.screen_text())


async def deleting(driver: Driver) -> None:
    await sessions(driver)
    await driver.press("down", "ctrl+d")
    await driver.until(lambda: "Delete this conversation?" in driver.screen_text())


async def chat(driver: Driver) -> None:
    await driver.send(f"How do I find large files? {LONG}")


async def on_a_message(driver: Driver) -> None:
    await chat(driver)
    await driver.press("tab")
    await driver.until(lambda: driver.app.focused is driver.chat.transcript)


async def why(driver: Driver) -> None:
    await on_a_message(driver)
    await driver.press("w")
    await driver.until(lambda: "Left out" in driver.screen_text() or "esc" in driver.screen_text().lower())


async def alerted(driver: Driver) -> None:
    await chat(driver)
    driver.chat.show_alert(f"The history could not be read: {LONG}", "`steward doctor` says what is wrong.")
    await driver.pilot.pause()


async def everything(driver: Driver) -> None:
    """Lines of a reminder and of a suggestion, card, alert and a long draft at once."""
    await driver.app.desk.services.reminders.apply(added(an_instant(at=MONDAY)), at=MONDAY - timedelta(hours=1))
    driver.app.wake_reminders()
    await driver.until(lambda: "Alt+D done" in driver.screen_text())
    await suggestion_line(driver)
    await _decide(driver, flights())
    await driver.write("one line of a draft\n" * 12)
    await driver.pilot.pause()


def after(key: str, seen: str) -> Play:
    async def play(driver: Driver) -> None:
        await driver.press(key)
        await driver.until(lambda: seen in driver.screen_text())

    return play


def typed(command: str, seen: str) -> Play:
    async def play(driver: Driver) -> None:
        await driver.send_command(command)
        await driver.until(lambda: seen in driver.screen_text())

    return play


async def nothing(driver: Driver) -> None:
    await driver.until(lambda: "waiting for you" in driver.status())


SCREENS: Mapping[str, Shown] = {
    "empty": Shown(play=nothing),
    "chat": Shown(play=chat),
    "on a message": Shown(play=on_a_message, place="messages"),
    "why": Shown(play=why, place="text"),
    "alert": Shown(play=alerted),
    "everything at once": Shown(play=everything),
    "help": Shown(play=after("f1", "Everywhere"), place="text"),
    "palette": Shown(play=after("ctrl+p", "New conversation")),
    "context": Shown(play=after("f3", "Esc closes"), place="text"),
    "models": Shown(play=after("f5", "Look around first")),
    "sessions": Shown(play=sessions, place="sessions"),
    "deleting a conversation": Shown(play=deleting),
    "memory": Shown(play=memory, place="memory"),
    "forgetting": Shown(play=forgetting),
    "review": Shown(play=review),
    "narrowing": Shown(play=narrowing),
    "card": Shown(play=card, place="decision"),
    "card in peace": Shown(play=card_in_peace),
    "decisions": Shown(play=decisions, place="decisions"),
    "no decisions": Shown(play=after("f11", "No decision yet")),
    "plans": Shown(play=plans, place="plans"),
    "no plans": Shown(play=after("alt+p", "No plan yet")),
    "suggestion": Shown(play=suggestion_line),
    "suggestions": Shown(play=suggestions, place="suggestions", anew=True),
    "suggestion why": Shown(play=suggestion_why),
    "suggestion settings": Shown(play=suggestion_settings, place="suggestion settings"),
    "what was wrong": Shown(play=what_was_wrong),
    "may it speak first": Shown(play=after("alt+s", "May Steward speak first?")),
    "agenda": Shown(play=agenda, place="reminders", anew=True),
    "no agenda": Shown(play=after("f10", "Nothing comes")),
    "data": Shown(play=data, place="data"),
    "restore": Shown(play=restore),
    "erase": Shown(play=erase),
    "erase, typed words": Shown(play=erase_words),
    "encryption": Shown(play=encryption),
    "learning": Shown(play=learning),
    "tasks": Shown(play=typed("/tasks", "No tasks")),
    "calendar": Shown(play=typed("/calendar", "Esc closes")),
    "notes": Shown(play=typed("/notes", "Esc closes")),
    "documents": Shown(play=typed("/documents", "Esc closes")),
    "tools": Shown(play=typed("/tools", "Esc closes")),
}
