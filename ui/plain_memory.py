"""Memory in line mode: the acts of `steward memory` as slash commands, receipts, and the questions they lead to."""

from collections.abc import Awaitable, Callable
from typing import TYPE_CHECKING

from assistant.events import ForgetOffer, MemoryAsked, Remembered
from assistant.policies.cleaning import clean_line
from memory.preferences import Filter, ForgetMessages, Item
from memory.types import MessageId
from ui.errors import UiError
from ui.memory_acts import MemoryActs, Receipt
from ui.memory_lines import backups_of, forgotten_lines, history_lines, preview_lines, show_lines
from ui.memory_receipts import offer_words, remembered_lines, shaped_by, shaped_lines
from ui.memory_review import review as go_through
from ui.memory_review import waiting
from ui.memory_typed import parse_scope
from ui.memory_words import STATUS, statement

if TYPE_CHECKING:
    from ui.plain import PlainChat

PAGE = 20
_SHOWN = Filter(statuses=("active", "candidate", "disputed"))
_KEPT_WORDS: tuple[ForgetMessages, ...] = ("keep", "sources", "mentions")


def acts_of(chat: "PlainChat") -> MemoryActs:
    return MemoryActs(chat.desk.conversation.preferences, chat.desk.clock)


def say_receipt(chat: "PlainChat", receipt: Receipt) -> None:
    undo = f" (/undo {receipt.entry} takes it back)" if receipt.entry is not None else ""
    if len(receipt.entries) > 1:
        undo = f" (/undo {' and /undo '.join(map(str, receipt.entries))} take them back)"
    chat.status(f"{receipt.words}{undo}")


# --- after a turn --------------------------------------------------------------------------------------------


def say_remembered(chat: "PlainChat", event: Remembered) -> None:
    for line in remembered_lines(event):
        chat.status(line)
    if event.receipts:
        chat.status(f"/undo {event.receipts[-1].entry} takes it back")


async def ask_after_turn(chat: "PlainChat", forget: ForgetOffer | None, asked: MemoryAsked | None) -> None:
    """The questions that a turn left, at its quiet end."""
    acts = acts_of(chat)
    if forget is not None:
        items = list((await acts.store.preview_forget(forget.ids)).items)
        if await chat.choose(offer_words(forget), ("Erase for good", _left(forget))) == 0:
            await _forget_items(chat, items)
    if asked is not None:
        new, old = (f"“{clean_line(text, 80)}”" for text in (asked.new_statement, asked.old_statement))
        which = await chat.choose("Which one holds?", (new, old, "Later"))
        if which in (0, 1):
            item = await acts.store.item(asked.new)
            say_receipt(chat, await (acts.confirm(item) if which == 0 else acts.deny(item)))


def _left(offer: ForgetOffer) -> str:
    return "Keep them" if offer.in_use else "Leave it out of use"


async def say_shaped(chat: "PlainChat", message_id: MessageId) -> None:
    conversation = chat.desk.conversation
    shaped = await shaped_by(conversation.preferences, message_id, conversation.session.explanation(message_id))
    for line in shaped_lines(shaped):
        chat.line(f"Remembered: {line}")
    if not shaped:
        chat.line("Nothing that is remembered about you shaped it.")


# --- commands ------------------------------------------------------------------------------------------------


async def memory(chat: "PlainChat", argument: str) -> None:
    """/memory alone lists; its first word may be one of SUBCOMMANDS; anything else is searched for."""
    first, _, rest = argument.partition(" ")
    run = SUBCOMMANDS.get(first.lower())
    if run is not None:
        await run(chat, rest.strip())
    elif first and not rest and (first.isdecimal() or first in chat.remembered):
        await _show(chat, first)
    else:
        await _list(chat, argument)


async def _list(chat: "PlainChat", words: str) -> None:
    acts = acts_of(chat)
    found = (
        tuple(item.preference for item in await acts.matching(words))
        if words
        else await acts.store.list(_SHOWN, limit=PAGE)
    )
    chat.remembered = tuple(one.id for one in found)
    for number, one in enumerate(found, start=1):
        state = "" if one.status == "active" else f", {STATUS[one.status]}"
        pin = ", pinned" if one.pinned else ""
        chat.line(f"{number}. {statement(one, 200)} ({one.domain}{state}{pin}, id {one.id})")
    if not found:
        chat.status("nothing fits" if words else "nothing is remembered yet; /remember TEXT keeps something")
        return
    there_are = await acts.store.count(_SHOWN)
    if not words and there_are > PAGE:
        chat.line(f"The newest {PAGE} of {there_are:,}; /memory WORDS looks for others.")
    chat.line("/memory NUMBER says why; /memory help lists what can be done with one.")
    queue = await acts.store.review(at=chat.desk.clock.now())
    if waiting(queue):
        chat.status(f"{len(waiting(queue))} wait for you: /review")


async def _show(chat: "PlainChat", which: str) -> None:
    acts = acts_of(chat)
    item = await _item(chat, which)
    history, uses = await acts.store.history(item.id), await acts.store.uses(item.id)
    chat.say_all(show_lines(item, history, uses, {}, None))
    if any(evidence.session_id is not None for evidence in item.evidence):
        chat.line("/open ID opens the conversation it was said in.")


async def _item(chat: "PlainChat", which: str) -> Item:
    """By its number in the last list, its id, or the beginning of its id."""
    acts = acts_of(chat)
    if which.isdecimal() and 1 <= int(which) <= len(chat.remembered):
        return await acts.store.item(chat.remembered[int(which) - 1])
    if not which:
        raise UiError("Which memory?", "/memory numbers them; /memory 1 shows the first.")
    return await acts.find(which)


async def _edit(chat: "PlainChat", argument: str) -> None:
    which, _, text = argument.partition(" ")
    item = await _item(chat, which)
    if not text.strip():
        chat.line(f"Now: {statement(item.preference, 1_000)}")
        text = await chat.read("instead: ") or ""
    if not text.strip():
        chat.status("left as it is")
        return
    say_receipt(chat, await acts_of(chat).edit(item, text))


async def _scope(chat: "PlainChat", argument: str) -> None:
    which, _, scope = argument.partition(" ")
    wanted, until = parse_scope(scope, chat.desk.clock.now())
    say_receipt(chat, await acts_of(chat).rescope(await _item(chat, which), wanted, until))


async def _merge(chat: "PlainChat", argument: str) -> None:
    items = [await _item(chat, which) for which in argument.split()]
    if len(items) < 2:
        raise UiError("It takes two memories to merge.", "/memory merge KEPT OTHER, with their numbers or ids")
    say_receipt(chat, await acts_of(chat).merge(items[0], items[1:]))


async def _history(chat: "PlainChat", which: str) -> None:
    id = (await _item(chat, which)).id if which else None
    entries = await acts_of(chat).store.history(id, limit=PAGE)
    chat.say_all(history_lines(entries, None, None))
    if not entries:
        chat.status("nothing has changed yet")


async def _help(chat: "PlainChat", _: str) -> None:
    chat.line(
        "/memory: what is remembered. /memory WORDS: look for some. /memory NUMBER: why, and what happened to it."
    )
    chat.line("/memory edit|confirm|deny|pin|unpin NUMBER; /memory scope NUMBER SCOPE; /memory merge NUMBER NUMBER.")
    chat.line("/memory history [NUMBER]; /undo [CHANGE]; /forget NUMBER|WORDS; /review: what waits for you.")


def _act(act: Callable[[MemoryActs, Item], Awaitable[Receipt]]) -> Callable[["PlainChat", str], Awaitable[None]]:
    async def run(chat: "PlainChat", which: str) -> None:
        say_receipt(chat, await act(acts_of(chat), await _item(chat, which)))

    return run


SUBCOMMANDS: dict[str, Callable[["PlainChat", str], Awaitable[None]]] = {
    "list": _list,
    "search": _list,
    "show": _show,
    "edit": _edit,
    "scope": _scope,
    "merge": _merge,
    "history": _history,
    "help": _help,
    "confirm": _act(MemoryActs.confirm),
    "deny": _act(MemoryActs.deny),
    "pin": _act(lambda acts, item: acts.pin(item, True)),
    "unpin": _act(lambda acts, item: acts.pin(item, False)),
}


async def remember(chat: "PlainChat", text: str) -> None:
    if chat.desk.conversation.incognito:
        raise UiError("Nothing is kept in an incognito conversation.", "/new begins one that is.")
    say_receipt(chat, await acts_of(chat).add(text))


async def forget(chat: "PlainChat", wanted: str) -> None:
    if not wanted:
        raise UiError("Forget what?", "/forget WORDS, or /forget NUMBER after /memory")
    acts = acts_of(chat)
    if wanted.isdecimal() and 1 <= int(wanted) <= len(chat.remembered):
        items: tuple[Item, ...] = (await _item(chat, wanted),)
    else:
        items = await acts.meant(wanted)
    if len(items) > 1:
        which = await chat.choose("Which one?", tuple(statement(item.preference, 160) for item in items))
        if which is None:
            return
        items = (items[which],)
    await _forget_items(chat, list(items))


async def _forget_items(chat: "PlainChat", items: list[Item]) -> None:
    acts = acts_of(chat)
    seen = await acts.store.preview_forget([item.id for item in items])
    chat.say_all(preview_lines(seen, "keep"))
    offers = ["No, keep it", "Forget it; leave the conversation as it is"]
    if seen.sources:
        offers.append("Forget it, and the words in the messages it came from")
    if seen.mentions:
        offers.append("Forget it, and every message with these words")
    which = await chat.choose("For good?", tuple(offers))
    if not which:
        chat.status("kept")
        return
    kinds = [kind for kind in _KEPT_WORDS if kind != "sources" or seen.sources]
    done = await acts.forget(items, kinds[which - 1])
    from asyncio import to_thread

    backups = await to_thread(backups_of, chat.desk.home.data)
    for line in forgotten_lines(done, () if chat.desk.conversation.incognito else backups):
        chat.status(line)


async def undo(chat: "PlainChat", argument: str) -> None:
    """A change of memory by its number, or whichever was last: a memory or a deed."""
    from ui.undoing import undo_change, undo_last

    if argument:
        chat.status(await undo_change(acts_of(chat), argument))
        return
    chat.status(await undo_last(acts_of(chat), chat.desk.deciding))


async def review(chat: "PlainChat", _: str) -> None:
    acts = acts_of(chat)
    queue = await acts.store.review(at=chat.desk.clock.now())
    if not waiting(queue):
        chat.status("nothing waits for you")
        return
    left = await go_through(acts, queue, chat)
    chat.status(f"{left} left for later" if left else "nothing waits for you any more")


async def nolearn(chat: "PlainChat", _: str) -> None:
    chat.desk.begin(incognito=False, no_learn=True)
    chat.status("new conversation; nothing is learned from it. /new goes back.")


COMMANDS = (
    ("memory", "[NUMBER|WORDS]", "what is remembered about you; /memory help says what can be done", memory),
    ("remember", "TEXT", "keep something about you, in your own words", remember),
    ("forget", "NUMBER|WORDS", "erase a memory for good, after showing what goes", forget),
    ("undo", "[CHANGE]", "take back what was last done or remembered, or the change with that number", undo),
    ("review", "", "decide about what was noticed, contradictory or old", review),
    ("nolearn", "", "new conversation that nothing is learned from", nolearn),
)
