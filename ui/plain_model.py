"""/model in line mode: what is loaded, which others there are, and another from now on."""

import asyncio
import re
from collections.abc import Awaitable, Callable
from typing import TYPE_CHECKING

from assistant.policies.cleaning import clean_line
from ui.errors import UiError
from ui.plain_words import model_words
from ui.shelf import Offered, look, words_for

if TYPE_CHECKING:
    from models.catalog import Entry
    from ui.plain import PlainChat

_LONGEST = 300
_USE = re.compile(r"^use\s+", re.IGNORECASE)  # as it is said in the shell: steward models use PATH


async def model(chat: "PlainChat", argument: str) -> None:
    """/model alone says what is loaded; "list" numbers the others; a number, a name, a path or an address is used from
    now on; "fetch" fetches one, "stop" pauses that. Raises UiError, CatalogueWrong, ConfigError."""
    wanted = _USE.sub("", argument.strip())
    if not wanted:
        chat.line(model_words(chat.desk.model.status))
        chat.line("/model list numbers the others; /model NUMBER, NAME, PATH or ADDRESS takes one from now on.")
        return
    offered = await _offered(chat)
    if wanted.lower() == "list":
        for number, item in enumerate(offered, start=1):
            chat.line(f"{number}. {_words(item)}, name {clean_line(item.name, 200)}")
        chat.line("/model NUMBER takes one from now on; /model fetch NUMBER fetches one that is not here.")
        return
    act, _, rest = wanted.partition(" ")
    if act.lower() == "stop" and not rest:
        chat.fetching.stop()
        return
    if act.lower() == "fetch":
        chat.fetching.start(await _to_fetch(chat, offered, rest.strip()))
        return
    chosen = _named(offered, wanted)
    if chosen is not None and not chosen.here:
        name = clean_line(chosen.name, 100)
        raise UiError(f"{chosen.title} is not on this machine yet.", f"/model fetch {name} fetches it.")
    if chat.desk.conversation.session.busy:
        raise UiError("An answer is being written.", "Ctrl+C stops it.")
    await chat.desk.use_model(wanted if chosen is None else chosen.name)
    chat.status(model_words(chat.desk.model.status))


async def _offered(chat: "PlainChat") -> tuple[Offered, ...]:
    desk = chat.desk
    return (await asyncio.to_thread(look, desk.home, desk.configuration.model)).offered


def _words(item: Offered) -> str:
    return words_for(item, _LONGEST).replace("★ ", "recommended: ").replace(" · ", ", ")


def _named(offered: tuple[Offered, ...], wanted: str) -> Offered | None:
    if wanted.isdecimal():
        number = int(wanted[:9])
        if not 1 <= number <= len(offered):
            raise UiError(f"There is no model {clean_line(wanted, 20)} in the list.", "/model list numbers them.")
        return offered[number - 1]
    return next((item for item in offered if item.name.lower() == wanted.lower()), None)


async def _to_fetch(chat: "PlainChat", offered: tuple[Offered, ...], wanted: str) -> "Entry":
    """The recommended one where none is named; by its name any of the catalogue. Raises UiError, CatalogueWrong."""
    from models.catalog import load_catalogue

    found = _named(offered, wanted) if wanted else next((item for item in offered if item.recommended), None)
    if found is not None and found.entry is not None:
        return found.entry
    catalogue = await asyncio.to_thread(load_catalogue, chat.desk.home.config / "models.toml")
    entry = catalogue.find(wanted)
    if entry is None:
        raise UiError(f"There is no model {clean_line(wanted, 40)!r} to fetch.", "/model list numbers those that fit.")
    return entry


COMMANDS: tuple[tuple[str, str, str, Callable[["PlainChat", str], Awaitable[None]]], ...] = (
    (
        "model",
        "[list|NUMBER|NAME|fetch [NUMBER]|stop]",
        "the model and where it runs; list: the others; with one: use it from now on; fetch: get one, stop: pause that",
        model,
    ),
)
