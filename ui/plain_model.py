"""/model in line mode: what is loaded, which others there are, and another from now on."""

import asyncio
from collections.abc import Awaitable, Callable
from typing import TYPE_CHECKING

from assistant.policies.cleaning import clean_line
from ui.errors import UiError
from ui.plain_words import model_words
from ui.shelf import Offered, look, words_for

if TYPE_CHECKING:
    from ui.plain import PlainChat

_LONGEST = 300


async def model(chat: "PlainChat", argument: str) -> None:
    """/model alone says what is loaded; "list" numbers the others; a number, a name, a path or an address is used from
    now on. Raises UiError, CatalogueWrong, ConfigError."""
    wanted = argument.strip()
    if not wanted:
        chat.line(model_words(chat.desk.model.status))
        chat.line("/model list numbers the others; /model NUMBER, NAME, PATH or ADDRESS takes one from now on.")
        return
    offered = await _offered(chat)
    if wanted.lower() == "list":
        for number, item in enumerate(offered, start=1):
            chat.line(f"{number}. {_words(item)}, name {clean_line(item.name, 200)}")
        chat.line("/model NUMBER takes one from now on; one that is not here: steward models pull NAME, in a shell.")
        return
    chosen = _named(offered, wanted)
    if chosen is not None and not chosen.here:
        name = clean_line(chosen.name, 100)
        hint = f"In a shell, also while this runs: steward models pull {name}; then /model {name}."
        raise UiError(f"{chosen.title} is not on this machine yet.", hint)
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


COMMANDS: tuple[tuple[str, str, str, Callable[["PlainChat", str], Awaitable[None]]], ...] = (
    (
        "model",
        "[list|NUMBER|NAME]",
        "the model and where it runs; list: the others; with one: use it from now on",
        model,
    ),
)
