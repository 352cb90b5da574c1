"""The profile in line mode: export, import with its diff, and undo, as slash commands."""

import asyncio
from pathlib import Path
from typing import TYPE_CHECKING

from assistant.policies.cleaning import clean_line
from ui.errors import UiError

if TYPE_CHECKING:
    from ui.plain import PlainChat
    from ui.profile_acts import ProfileActs

_HELP = "/profile export [json|pam|markdown] [sensitive] [encrypted] [FILE], /profile import [FILE], /profile undo"


def _acts(chat: "PlainChat") -> "ProfileActs":
    from ui.profile_wiring import acts_of

    acts = acts_of(chat.desk.services)
    return acts if not chat.desk.conversation.incognito else acts.forgetful(chat.desk.conversation.preferences)


async def profile(chat: "PlainChat", argument: str) -> None:
    """/profile export, import or undo."""
    what, _, rest = argument.strip().partition(" ")
    match what.lower():
        case "export":
            await _export(chat, rest.strip())
        case "import":
            await _import(chat, rest.strip())
        case "undo":
            await _undo(chat)
        case "":
            chat.line(_HELP)
        case _:
            raise UiError(f"A profile has no {clean_line(what, 40)!r}.", _HELP)


async def _undo(chat: "PlainChat") -> None:
    from ui.profile_words import undone_line

    chat.status(undone_line(await _acts(chat).undo()))


async def _export(chat: "PlainChat", argument: str) -> None:
    from ui.profile_acts import FileThere, default_name
    from ui.profile_words import ASK_EVERYTHING, export_lines, export_wish, written_line

    wish = export_wish(argument)
    acts, everything = _acts(chat), wish.everything
    export = await acts.export(wish.format or "json", everything=everything)
    chat.say_all(line for line in export_lines(export) if not line.startswith("--"))
    if everything and (await chat.read(f"{ASK_EVERYTHING}: ") or "").strip().lower() != "yes":
        chat.status("nothing was written")
        return
    if not everything and any(reach != "secret" for reach, _ in export.shared.staying):
        chat.line("/profile export sensitive puts them in, after a question.")
    path = Path(wish.file or default_name(export.format, encrypted=wish.encrypted))
    sealed = await _sealed(chat, export.text) if wish.encrypted else None
    try:
        await acts.save(export, path, overwrite=False, sealed=sealed)
    except FileThere:
        if await chat.choose("The file is there already. Replace it?", ("No, leave it", "Yes, replace it")) != 1:
            chat.status("nothing was written")
            return
        await acts.save(export, path, overwrite=True, sealed=sealed)
    where = await asyncio.to_thread(path.absolute)
    chat.status(f"{written_line(export, str(where))}{' Encrypted.' if wish.encrypted else ''}")


async def _sealed(chat: "PlainChat", text: str) -> bytes:
    from memory.sealed import seal
    from ui.plain_data import new_passphrase

    return await asyncio.to_thread(seal, text.encode(), await new_passphrase(chat))


async def _opened(chat: "PlainChat", content: bytes) -> bytes:
    from memory.sealed import is_sealed, unseal

    if not is_sealed(content):
        return content
    return await asyncio.to_thread(unseal, content, await chat.read_hidden("passphrase of this file: ") or "")


async def _import(chat: "PlainChat", name: str) -> None:
    from ui.profile_acts import read_file
    from ui.profile_words import plan_lines, taken_line

    if chat.desk.conversation.incognito:
        raise UiError("Nothing is kept in an incognito conversation.", "/new begins one that is.")
    content = await asyncio.to_thread(read_file, Path(name)) if name else await _pasted(chat)
    acts = _acts(chat)
    plan = await acts.look(await _opened(chat, content))
    chat.say_all(plan_lines(plan))
    if plan.empty:
        chat.status("nothing to take in")
        return
    if await chat.choose("Take this in?", ("No", "Yes, take it in")) != 1:
        chat.status("nothing was taken in")
        return
    chat.status(f"{taken_line(await acts.take_in(plan))} (/profile undo takes it back)")


async def _pasted(chat: "PlainChat") -> bytes:
    chat.line("Paste it: every line until one with only a full stop.")
    lines: list[str] = []
    while (line := await chat.read("")) is not None and line.strip() != ".":
        lines.append(line)
    return "\n".join(lines).encode("utf-8", "replace")


COMMANDS = (("profile", "[export|import|undo]", "take what is known about you out or in; alone it says how", profile),)
