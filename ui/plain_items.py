"""/calendar, /tasks, /notes and /documents in line mode."""

import asyncio
from collections.abc import Awaitable, Callable
from typing import TYPE_CHECKING

from assistant.documents.types import Progress
from ui.errors import UiError
from ui.item_commands import hands_of
from ui.item_typed import USES, ItemCommands
from ui.item_wiring import library_of
from ui.local_zone import local_zone
from ui.plain_speech import said_here
from ui.reminder_acts import Question

if TYPE_CHECKING:
    from ui.plain import PlainChat

_EVERY = 20  # files between two words about how far it is


class PlainItems:
    """Remembers what was last listed."""

    def __init__(self, chat: "PlainChat") -> None:
        self._chat = chat
        self._listed: dict[str, tuple[str, ...]] = {}

    async def run(self, name: str, argument: str) -> None:
        chat = self._chat
        if chat.desk.conversation.incognito:
            raise UiError("Nothing is read or kept in an incognito conversation.", "/new begins one that is.")
        services = chat.desk.services
        here = await asyncio.to_thread(local_zone)
        commands = ItemCommands(
            hands_of(services, here), library_of(services), self._asked, self._listed, self._say_progress
        )
        said = await commands.run(name, argument)
        if said.receipt:
            chat.status(" ".join(said.lines) + ("" if " undo" in argument else f" (/{name} undo takes it back)"))
            return
        chat.say_all(map(said_here, said.lines))

    async def _asked(self, question: Question) -> int:
        number = await self._chat.choose(question.text, question.words)
        if number is None:
            raise UiError("Nothing was changed.", "Say it in other words.")
        return number + 1

    def _say_progress(self, progress: Progress) -> None:
        if progress.done and progress.done % _EVERY == 0:
            self._chat.status(f"{progress.stage} {progress.done} of {progress.total}")


def _command(name: str) -> "Callable[[PlainChat, str], Awaitable[None]]":
    async def run(chat: "PlainChat", argument: str) -> None:
        await chat.items.run(name, argument)

    return run


COMMANDS: tuple[tuple[str, str, str, "Callable[[PlainChat, str], Awaitable[None]]"], ...] = (
    ("calendar", "[DAY|ACT]", f"what takes place; it takes {USES['calendar']}", _command("calendar")),
    ("tasks", "[ACT]", f"what you have to do; it takes {USES['tasks']}", _command("tasks")),
    ("notes", "[ACT]", f"your notes; it takes {USES['notes']}", _command("notes")),
    ("documents", "[ACT]", f"your documents; it takes {USES['documents']}", _command("documents")),
)
