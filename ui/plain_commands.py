"""Slash commands of line mode. Every feature of the full screen has its command here or in the shell."""

import asyncio
import os
from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING

from assistant.policies.cleaning import clean_line
from memory.types import BY_RULE, Message, MessageId
from ui.errors import UiError
from ui.export import export_conversation
from ui.memory_lines import counted
from ui.plain_data import COMMANDS as DATA_COMMANDS
from ui.plain_decisions import COMMANDS as DECISION_COMMANDS
from ui.plain_help import help_lines
from ui.plain_history import COMMANDS as HISTORY_COMMANDS
from ui.plain_items import COMMANDS as ITEM_COMMANDS
from ui.plain_memory import COMMANDS as MEMORY_COMMANDS
from ui.plain_memory import say_shaped
from ui.plain_model import COMMANDS as MODEL_COMMANDS
from ui.plain_plans import COMMANDS as PLAN_COMMANDS
from ui.plain_profile import COMMANDS as PROFILE_COMMANDS
from ui.plain_reminders import COMMANDS as REMINDER_COMMANDS
from ui.plain_sessions import COMMANDS as SESSION_COMMANDS
from ui.plain_suggestions import COMMANDS as SUGGESTION_COMMANDS
from ui.plain_tools import COMMANDS as TOOL_COMMANDS
from ui.plain_words import (
    ENDED,
    alternative,
    answer,
    branch_argument,
    number_in,
    own_message,
    pick,
    who,
)

if TYPE_CHECKING:
    from ui.plain import PlainChat
    from ui.rendering import Link

Run = Callable[["PlainChat", str], Awaitable[None]]


@dataclass(frozen=True, slots=True, kw_only=True)
class PlainCommand:
    takes: str  # "" nothing; [..] may be left out
    does: str
    run: Run

    @property
    def acts(self) -> bool:
        """Whether it takes words of its own, so that "help" after it asks for them; /memory says more itself."""
        return ("ACT" in self.takes or "|" in self.takes) and "/memory help" not in self.does


async def run_command(chat: "PlainChat", name: str, argument: str) -> None:
    """Raises UiError, StoreError, AssistantError for what cannot be done."""
    command = COMMANDS[name]
    if argument.strip().lower() in ("help", "?") and command.acts:
        for line in help_lines(_uses(), name):
            chat.line(line)
        return
    await command.run(chat, argument)


async def _help(chat: "PlainChat", wanted: str) -> None:
    lines = help_lines(_uses(), wanted)
    if not lines:
        raise UiError(f"No command is about {clean_line(wanted, 40)!r}.", "/help lists them.")
    for line in lines:
        chat.line(line)


def _uses() -> dict[str, str]:
    return {
        name: f"/{name}{f' {command.takes}' if command.takes else ''}: {command.does}"
        for name, command in COMMANDS.items()
    }


async def _incognito(chat: "PlainChat", _: str) -> None:
    chat.desk.begin(incognito=True)
    chat.status("new conversation, incognito: nothing of it is kept. /new goes back.")


async def _show(chat: "PlainChat", which: str) -> None:
    messages = await chat.desk.conversation.session.messages()
    if which:
        number, message = pick(messages, which)
        chat.line(f"{number}. {who(message)}: {message.content}")
        _say_ending(chat, message)
        return
    for number, message in enumerate(messages, start=1):
        chat.line(f"{number}. {who(message)}: {clean_line(message.content, 300)}")
        _say_ending(chat, message)
    if not messages:
        chat.status("nothing was said yet")


async def _edit(chat: "PlainChat", argument: str) -> None:
    messages = await chat.desk.conversation.session.messages()
    which, text = "", argument
    if argument.startswith("#"):
        which, _, text = argument[1:].partition(" ")
    message = own_message(messages, which)
    if not text.strip():
        chat.line(f"Now: {clean_line(message.content, 2_000)}")
        text = await chat.read("instead: ") or ""
    if not text.strip():
        chat.status("left as it is")
        return
    await chat.say(text, replaces=message.id)


async def _again(chat: "PlainChat", which: str) -> None:
    session = chat.desk.conversation.session
    await chat.show(session.regenerate(own_message(await session.messages(), which).id))


async def _branch(chat: "PlainChat", argument: str) -> None:
    conversation = chat.desk.conversation
    messages = await conversation.session.messages()
    which, step = branch_argument(argument)
    message = pick(messages, which)[1] if which else await _branching(chat, messages)
    others = await conversation.transcript.siblings(message.id)
    if len(others) < 2:
        raise UiError("That message has no alternative.", "/edit and /again make them.")
    here = [other.id for other in others].index(message.id)
    if step == 0:
        chosen = await chat.choose("Alternatives:", tuple(alternative(other, message.id) for other in others))
        if chosen is None:
            return
        step = chosen - here
    await conversation.session.select_branch(message.id, step)
    shown = min(max(here + step, 0), len(others) - 1)
    chat.status(f"alternative {shown + 1} of {len(others)}: {clean_line(others[shown].content, 200) or 'empty'}")


async def _why(chat: "PlainChat", which: str) -> None:
    session = chat.desk.conversation.session
    message = answer(await session.messages(), which)
    if message.finish_reason == BY_RULE:
        chat.line("Answered by Steward itself, without the model.")
        return
    chat.line(f"Model: {message.model or 'unknown'}. Ended: {message.finish_reason or message.status}.")
    chat.line(f"{message.tokens_in:,} tokens read, {message.tokens_out:,} written, in {message.seconds:.1f} s.")
    await say_shaped(chat, message.id)
    _say_context(chat, message.id)


async def _context(chat: "PlainChat", which: str) -> None:
    _say_context(chat, answer(await chat.desk.conversation.session.messages(), which).id)


async def _thoughts(chat: "PlainChat", which: str) -> None:
    message = answer(await chat.desk.conversation.session.messages(), which)
    chat.line(f"thought: {message.thought}" if message.thought else "status: there are none")


async def _links(chat: "PlainChat", which: str) -> None:
    message = answer(await chat.desk.conversation.session.messages(), which)
    found = await asyncio.to_thread(_links_of, message.content)
    for number, link in enumerate(found, start=1):
        warning = f" Careful: {' '.join(link.warnings)}" if link.warnings else ""
        chat.line(f"{number}. {clean_line(link.address, 2_000)}{warning}")
    if not found:
        chat.status("no links")


async def _copy(chat: "PlainChat", which: str) -> None:
    await _to_clipboard(chat, answer(await chat.desk.conversation.session.messages(), which).content)


async def _code(chat: "PlainChat", which: str) -> None:
    message = answer(await chat.desk.conversation.session.messages(), "")
    blocks = await asyncio.to_thread(_code_of, message.content)
    if not blocks:
        raise UiError(
            "The last answer has no code block.", "/show reads the messages; /copy NUMBER copies a whole one."
        )
    if not which and len(blocks) > 1:
        chosen = await chat.choose("Which?", tuple(clean_line(block, 100) for block in blocks))
        if chosen is None:
            return
        which = str(chosen + 1)
    await _to_clipboard(chat, blocks[number_in(which or "1", len(blocks)) - 1])


async def _export(chat: "PlainChat", name: str) -> None:
    path = await export_conversation(chat.desk.conversation.session, name, demo=chat.desk.options.demo)
    chat.status(f"written to {clean_line(str(path), 1_000)}")


async def _paste(chat: "PlainChat", _: str) -> None:
    chat.line("Every line until one with only a full stop is one message.")
    lines: list[str] = []
    while (line := await chat.read("")) is not None and line.strip() != ".":
        lines.append(line)
    text = "\n".join(lines)
    if text.strip():
        await chat.say(text, "pasted")


async def _where(chat: "PlainChat", _: str) -> None:
    home = chat.desk.home
    for name, path in (("settings", home.config), ("data", home.data), ("cache", home.cache), ("logs", home.state)):
        chat.line(f"{name}: {clean_line(str(path), 1_000)}")


async def _quit(chat: "PlainChat", _: str) -> None:
    chat.over = True


async def _to_clipboard(chat: "PlainChat", text: str) -> None:
    from ui.clipboard import copy, find_tool

    tool = find_tool(os.environ)
    if tool is None:
        raise UiError("There is no clipboard here.", "/show NUMBER prints the whole message; /export writes a file.")
    if not await copy(text, tool):
        raise UiError("The clipboard did not take it.", "/show NUMBER prints the whole message.")
    chat.status(f"copied {len(text):,} characters")


def _links_of(text: str) -> "tuple[Link, ...]":
    """In a thread: the Markdown parser is loaded when it is first needed."""
    from ui.drawing.code_blocks import links
    from ui.rendering import look_at

    return tuple(map(look_at, links(text)))


def _code_of(text: str) -> tuple[str, ...]:
    """In a thread, as above."""
    from ui.drawing.code_blocks import code_blocks

    return tuple(block.code for block in code_blocks(text))


def _say_context(chat: "PlainChat", message_id: MessageId) -> None:
    why = chat.desk.conversation.session.explanation(message_id)
    if why is None:
        chat.status("the prompt of that answer is not known: it was made in an earlier run")
        return
    context = why.context
    of = counted(context.messages_included, "message")
    chat.line(
        f"{context.tokens_planned:,} of {context.context_total:,} tokens for {of} "
        f"and the fixed text; {context.tokens_reserved:,} were free for the answer."
    )
    for part in context.left_out:
        chat.line(f"Left out: {part.what}, {part.tokens:,} tokens: {part.reason}.")
    if not context.left_out:
        chat.line("Nothing was left out.")
    if context.told_in_short:
        chat.line(f"Steward's own answers, told to the model in short: {len(context.told_in_short):,}.")


async def _branching(chat: "PlainChat", messages: tuple[Message, ...]) -> Message:
    """The latest message that has alternatives."""
    for message in reversed(messages):
        if len(await chat.desk.conversation.transcript.siblings(message.id)) > 1:
            return message
    raise UiError("Nothing here has an alternative.", "/edit and /again make them.")


def _say_ending(chat: "PlainChat", message: Message) -> None:
    if message.status in ENDED:
        chat.status(ENDED[message.status])


COMMANDS: dict[str, PlainCommand] = {
    name: PlainCommand(takes=takes, does=does, run=run)
    for name, takes, does, run in (
        ("help", "[NAME|WORD|all]", "the commands by what they are for; with a name: what it takes", _help),
        *SESSION_COMMANDS,
        ("show", "[NUMBER]", "the messages of this conversation, or one of them whole", _show),
        ("edit", "[#NUMBER] [TEXT]", "say your last message, or that one, differently: another branch", _edit),
        ("again", "[NUMBER]", "another answer to your last message, or to that one", _again),
        ("branch", "[NUMBER] [next|previous]", "show another alternative of a message", _branch),
        ("why", "[NUMBER]", "why an answer is as it is: model, speed, context", _why),
        ("context", "[NUMBER]", "what the model had in front of it, and what was left out", _context),
        ("thoughts", "[NUMBER]", "what a thinking model thought", _thoughts),
        ("links", "[NUMBER]", "the links of an answer with their true targets", _links),
        ("copy", "[NUMBER]", "copy an answer to the clipboard", _copy),
        ("code", "[NUMBER]", "copy a code block of the last answer", _code),
        ("export", "[FILE]", "write this conversation as Markdown", _export),
        ("paste", "", "take several lines as one message", _paste),
        ("incognito", "", "new conversation that is not kept", _incognito),
        *MODEL_COMMANDS,
        ("where", "", "where Steward keeps its files", _where),
        *HISTORY_COMMANDS,
        *MEMORY_COMMANDS,
        *REMINDER_COMMANDS,
        *SUGGESTION_COMMANDS,
        *DECISION_COMMANDS,
        *PLAN_COMMANDS,
        *ITEM_COMMANDS,
        *TOOL_COMMANDS,
        *DATA_COMMANDS,
        *PROFILE_COMMANDS,
        ("quit", "", "end; everything is kept", _quit),
    )
}
