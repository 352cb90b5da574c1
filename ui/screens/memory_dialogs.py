"""What the memory screen asks: other words, where it holds, which other is the same, what is to be forgotten."""

import asyncio
from collections.abc import Sequence
from datetime import datetime
from typing import TYPE_CHECKING

from memory.errors import StoreError
from memory.preferences import DOMAINS, EVERYWHERE, Filter, ForgetMessages, Item, Scope, Source, Status
from ui.desk import Desk
from ui.errors import UiError
from ui.memory_acts import MemoryActs
from ui.memory_lines import backups_of, forgotten_lines, preview_lines
from ui.memory_review import Waiting, choices, reasons, settle, waiting
from ui.memory_typed import parse_scope
from ui.memory_words import SOURCE, STATUS, question, statement
from ui.screens.dialog import Choice, Offer, OneLine

if TYPE_CHECKING:
    from ui.app import StewardApp

LIVE_FILTER = Filter(statuses=("active", "candidate", "disputed"))
_LATER = Offer(name="3", words="Later")
_STATUSES: tuple[Status, ...] = ("active", "candidate", "disputed", "superseded", "retracted", "expired")
_SOURCES: tuple[Source, ...] = ("explicit", "corrected", "confirmed", "imported", "inferred")


async def ask_words(app: "StewardApp", item: Item) -> str | None:
    return await app.push_screen_wait(OneLine("In your words", statement(item.preference, 1_000)))


async def ask_scope(app: "StewardApp", item: Item, now: datetime) -> tuple[Scope, datetime | None] | None:
    """Raises UiError for what is no scope."""
    domain = item.preference.domain
    offers = [
        Offer(name="keep", words="Leave it as it is"),
        Offer(name="global", words="Everywhere"),
        Offer(name=f"domain:{domain}", words=f"Only when it is about {domain.replace('_', ' ')}"),
        Offer(name="project:", words="Only in a project"),
        Offer(name="person:", words="Only with a person"),
        Offer(name="until:", words="Only until a day"),
    ]
    answer = await app.push_screen_wait(Choice("Where does it hold?", (statement(item.preference),), offers))
    if answer is None or answer == "keep":
        return None
    if answer.endswith(":"):
        value = await app.push_screen_wait(OneLine(_ASKED[answer]))
        if not value or not value.strip():
            return None
        answer += value.strip()
    return (EVERYWHERE, None) if answer == "global" else parse_scope(answer, now)


_ASKED = {"project:": "Name of the project", "person:": "Name of the person", "until:": "Last day, as YYYY-MM-DD"}


async def ask_other(app: "StewardApp", acts: MemoryActs, item: Item) -> Item | None:
    """Another one of the same domain that means the same."""
    same = await acts.store.list(Filter(statuses=LIVE_FILTER.statuses, domains=(item.preference.domain,)), limit=30)
    others = [one for one in same if one.id != item.id]
    if not others:
        await app.push_screen_wait(Choice("There is no other one of this kind.", (), [Offer(name="", words="Close")]))
        return None
    offers = [Offer(name="", words="None"), *(Offer(name=one.id, words=statement(one, 160)) for one in others)]
    title, text = "Which one says the same?", f"“{statement(item.preference)}” keeps its words and takes its evidence."
    answer = await app.push_screen_wait(Choice(title, (text,), offers))
    return await acts.find(answer) if answer else None


async def ask_forget(app: "StewardApp", acts: MemoryActs, items: Sequence[Item], desk: Desk) -> str:
    """Shows exactly what would go, asks, and forgets; what was done, or "" """
    try:
        seen = await acts.store.preview_forget([item.id for item in items])
        offers = [Offer(name="no", words="Keep it"), Offer(name="keep", words="Forget it; the conversation stays")]
        if seen.sources:
            offers.append(Offer(name="sources", words="Forget it, and the words in the messages it came from"))
        if seen.mentions:
            offers.append(Offer(name="mentions", words="Forget it, and every message with these words"))
        answer = await app.push_screen_wait(Choice("Forget this for good?", tuple(preview_lines(seen, "keep")), offers))
        kinds: dict[str, ForgetMessages] = {"keep": "keep", "sources": "sources", "mentions": "mentions"}
        if answer not in kinds:
            return ""
        done = await acts.forget(items, kinds[answer])
    except StoreError as error:
        return f"{error.message} {error.hint}"
    backups = () if desk.conversation.incognito else await asyncio.to_thread(backups_of, desk.home.data)
    app.refresh_memory()
    return " ".join(forgotten_lines(done, backups))


async def ask_one(app: "StewardApp", acts: MemoryActs, one: Waiting, place: str) -> str | None:
    """The question about one thing that waits; what was done, "" for later, None to stop."""
    keep, no, edit, _ = choices(one)
    offers = [_LATER, *(Offer(name=str(number), words=words) for number, words in enumerate((keep, no, edit)))]
    text = (question(one.wait, one.item, one.against), *reasons(one))
    answer = await app.push_screen_wait(Choice(place, text, offers))
    if answer is None:
        return None
    if answer == "3":
        return ""

    async def read(prompt: str) -> str | None:
        return await app.push_screen_wait(OneLine("In your words", statement(one.item.preference, 1_000)))

    try:
        return (await settle(acts, one, int(answer), read)).words
    except (UiError, StoreError) as error:
        return f"{error.message} {error.hint}".rstrip()


async def ask_review(app: "StewardApp", acts: MemoryActs, now: datetime) -> str:
    """Everything that waits, one after another; Esc stops. What came of it."""
    things = waiting(await acts.store.review(at=now))
    if not things:
        return "Nothing waits for you."
    said = ""
    for number, one in enumerate(things, start=1):
        answer = await ask_one(app, acts, one, f"{number} of {len(things)}")
        if answer is None:
            break
        said = answer or said
    left = len(waiting(await acts.store.review(at=now)))
    return f"{said} {f'{left} left for later.' if left else 'Nothing waits any more.'}".strip()


async def ask_what(app: "StewardApp", acts: MemoryActs) -> Filter | None:
    """One status, source or domain to narrow the list to, of those there are."""
    every = await acts.store.list(limit=5_000)
    statuses = [one for one in _STATUSES if any(each.status == one for each in every)]
    sources = [one for one in _SOURCES if any(each.source == one for each in every)]
    domains = [one for one in DOMAINS if any(each.domain == one for each in every)]
    offers = [
        Offer(name="live", words="Everything that counts"),
        Offer(name="all", words="Also what has ended"),
        *(Offer(name=f"status {one}", words=f"Only {STATUS[one]}") for one in statuses),
        *(Offer(name=f"source {one}", words=f"Only what {_source(one)}") for one in sources),
        *(Offer(name=f"domain {one}", words=f"Only {one.replace('_', ' ')}") for one in domains),
    ]
    answer = await app.push_screen_wait(Choice("Show what?", (), offers))
    if answer is None:
        return None
    kind, _, name = answer.partition(" ")
    return Filter(
        statuses=tuple(one for one in _STATUSES if one == name) or (() if kind == "all" else LIVE_FILTER.statuses),
        sources=tuple(one for one in _SOURCES if one == name),
        domains=tuple(one for one in DOMAINS if one == name),
    )


def _source(source: Source) -> str:
    return {"imported": "was imported", "inferred": "was noticed"}.get(source, SOURCE[source])
