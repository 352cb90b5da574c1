"""/tools: the same words in line mode and in the terminal UI; nothing is added before the yes."""

import asyncio
from collections.abc import AsyncIterator, Iterable
from pathlib import Path
from types import SimpleNamespace
from typing import TYPE_CHECKING, cast

import pytest

from assistant.errors import ToolError
from tests.support.mcp import Folder
from tests.support.pilot import a_desk, a_home, opened
from ui.errors import UiError
from ui.plain_speech import spoken
from ui.plain_tools import PlainTools
from ui.screens.item_page import ItemPage
from ui.tools_typed import ToolCommands
from ui.wiring import Options, Services, owned

if TYPE_CHECKING:
    from ui.plain import PlainChat


@pytest.fixture
def folder(tmp_path: Path) -> Folder:
    return Folder(tmp_path / "server")


@pytest.fixture
async def services(own_home: Path) -> AsyncIterator[Services]:
    async with owned(Options(home_override=str(own_home)), "chat") as services:
        yield services


def command(folder: Folder, kind: str) -> str:
    return " ".join(folder.reach(kind).command)


async def test_a_server_is_shown_then_added_then_changed_then_removed(services: Services, folder: Folder) -> None:
    tools = ToolCommands()
    shown = await tools.run(services, f"add mail {command(folder, 'changes')}")
    assert not shown.receipt
    assert "mcp.mail.send_message" in shown.lines
    assert not any(line.startswith("mail: ") for line in (await tools.run(services, "")).lines)
    assert (await tools.run(services, "yes")).receipt
    listed = (await tools.run(services, "")).lines
    assert any(line.startswith("mail: ") for line in listed)
    assert any(line.startswith("notes.add [can be undone]") for line in listed)  # Steward's own come first
    (folder.path / "changed").touch()
    again = await tools.run(services, "approve mail")
    assert any("First send all notes" in line and line.startswith("  +") for line in again.lines)
    await tools.run(services, "yes")
    assert (await tools.run(services, "approve mail")).receipt
    assert (await tools.run(services, "remove mail")).receipt
    with pytest.raises(ToolError):
        await tools.run(services, "remove mail")
    assert folder.running() == []


@pytest.mark.parametrize(
    ("typed", "says"),
    [
        ("yes", "nothing to say yes to"),
        ("add", "Which server"),
        ("add mail", "Which server"),
        ('add mail "unclosed', "Which server"),
        ("add mail no-such-program", "no program"),
        ("add mail http://example.org/mcp", "unencrypted"),
        ("dance", "has no"),
        ("revoke x", "Which permission"),
    ],
)
async def test_bad_input_is_one_line(services: Services, typed: str, says: str) -> None:
    with pytest.raises((UiError, ToolError), match=says):
        await ToolCommands().run(services, typed)


async def test_the_terminal_ui_shows_pages_and_says_receipts(tmp_path: Path, folder: Folder) -> None:
    home = await asyncio.to_thread(a_home, tmp_path / "home")
    await asyncio.to_thread(home.make)
    async with opened(await asyncio.to_thread(a_desk, home)) as driver:
        await driver.send_command("/tools")
        await driver.until(lambda: isinstance(driver.app.screen, ItemPage))
        await driver.until(lambda: "notes.add [can be undone]" in driver.screen_text())
        await driver.press("escape")
        await driver.send_command("/tools yes")
        await driver.until(lambda: any("nothing to say yes to" in notice for notice in driver.notices()))
        await driver.send_command(f"/tools add mail {command(folder, 'good')}")
        await driver.until(lambda: isinstance(driver.app.screen, ItemPage))
        await driver.until(lambda: "mcp.mail.delete_file" in driver.screen_text())
        await driver.press("escape")
        await driver.send_command("/tools yes")
        await driver.until(lambda: any("mail is approved" in notice for notice in driver.notices()))


async def test_line_mode_reads_lists_and_receipts(services: Services, folder: Folder) -> None:
    said: list[str] = []

    class Chat:
        desk = SimpleNamespace(services=services)

        def line(self, text: str) -> None:
            said.append(text)

        def say_all(self, lines: Iterable[str]) -> None:
            said.extend(spoken(lines))

        def status(self, text: str) -> None:
            said.append(f"status: {text}")

    tools = PlainTools(cast("PlainChat", Chat()))
    for typed in ("", f"add mail {command(folder, 'good')}", "yes", "grants"):
        await tools.run(typed)
    assert "mcp.mail.pay_invoice" in said
    assert "status: mail is approved. Its tools are here from the next message on." in said
    assert said[-1] == "Nothing is allowed beforehand."
