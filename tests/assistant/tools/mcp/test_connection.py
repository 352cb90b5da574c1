"""One server: what it does wrong costs one line, and nothing of it runs afterwards.

STEWARD_FAULT_REPEATS sets how often each is tried (a night: 4; before a release: 16).
"""

import asyncio
import json
import os
import signal
import subprocess
import sys
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from assistant.tools.mcp.connection import Connection
from assistant.tools.mcp.errors import ServerFailed
from assistant.tools.mcp.types import Dismissed, Elicitation, Elicited, Filled, Refused, Stdio
from tests.support.mcp import QUICK, SDK_SERVER, Folder
from tests.support.waiting import eventually

MESSAGE = {"to": "ann@example.org", "body": "hello"}
REPEATS = int(os.environ.get("STEWARD_FAULT_REPEATS", "1"))


@pytest.fixture
def folder(tmp_path: Path) -> Folder:
    return Folder(tmp_path / "server")


async def test_a_good_server_is_listed_and_called(folder: Folder) -> None:
    connection = Connection("mail", folder.reach("good"), QUICK)
    listed = await connection.open()
    assert [tool.name for tool in listed] == ["delete_file", "pay_invoice", "search_flights", "send_message"]
    assert listed[2].claims == ("only reads",)
    result = await connection.call("send_message", MESSAGE, "key-1")
    assert result.texts == ("send_message done",)
    assert [json.loads(line)["arguments"] for line in folder.lines("called")] == [MESSAGE]
    await connection.close()
    assert folder.lines("ended") == ["by itself"]
    assert folder.running() == []


@pytest.mark.parametrize(
    ("kind", "limits", "says"),
    [
        ("hangs_at_start", {"start_s": 0.5}, "did not answer within 0.5 s"),
        ("exits", {}, "ended, saying “no licence”"),
        ("garbage", {}, "prints text that is no MCP message"),
        ("many", {}, "lists 60 tools"),
    ],
)
@pytest.mark.parametrize("repeat", range(REPEATS))
async def test_a_server_that_does_not_start_well(
    folder: Folder, kind: str, limits: dict[str, Any], says: str, repeat: int
) -> None:
    connection = Connection("mail", folder.reach(kind), replace(QUICK, **limits))
    with pytest.raises(ServerFailed, match=says):
        await connection.open()
    assert not connection.alive
    assert folder.running() == []


@pytest.mark.parametrize(
    ("kind", "limits", "says"),
    [
        ("hangs_at_call", {"call_s": 0.5}, "did not answer within 0.5 s"),
        ("floods_at_call", {}, "sent more than 1,000 messages at once"),
        ("floods_errors", {}, "sent more than 4,000,000 bytes at once"),
        ("huge", {}, "sent a message of more than 1,000,000 bytes"),
        ("no_newline", {}, "sent a message of more than 1,000,000 bytes"),
        ("dies_at_call", {}, "ended, saying “\ufffd.31mout of luck”"),
    ],
)
@pytest.mark.parametrize("repeat", range(REPEATS))
async def test_a_server_that_misbehaves_when_called(
    folder: Folder, kind: str, limits: dict[str, Any], says: str, repeat: int
) -> None:
    connection = Connection("mail", folder.reach(kind), replace(QUICK, **limits))
    await connection.open()
    with pytest.raises(ServerFailed, match=says):
        await connection.call("send_message", MESSAGE, "key")
    await connection.close()
    assert folder.running() == []
    with pytest.raises(ServerFailed):
        await connection.call("send_message", MESSAGE, "other")


async def test_the_loop_goes_on_while_a_server_floods(folder: Folder) -> None:
    connection = Connection("mail", folder.reach("floods_at_call"), QUICK)
    await connection.open()
    turns = 0

    async def count() -> None:
        nonlocal turns
        while True:
            turns += 1
            await asyncio.sleep(0)

    counting = asyncio.create_task(count())
    with pytest.raises(ServerFailed):
        await connection.call("send_message", MESSAGE, "key")
    counting.cancel()
    assert turns > 1_000  # one between any two messages
    await connection.close()


async def test_the_result_counts_also_when_the_server_never_ends(folder: Folder) -> None:
    connection = Connection("mail", folder.reach("ignores_the_end"), QUICK)
    await connection.open()
    assert (await connection.call("send_message", MESSAGE, "key")).texts == ("send_message done",)
    await connection.close()
    assert folder.lines("ended") == ["input closed"]
    assert folder.running() == []


async def test_what_a_server_started_ends_with_it(folder: Folder) -> None:
    connection = Connection("mail", folder.reach("forks"), QUICK)
    await connection.open()
    assert len(folder.running()) == 3
    await connection.close()
    assert folder.running() == []


async def test_a_server_gets_no_terminal(folder: Folder) -> None:
    connection = Connection("mail", folder.reach("reads_the_terminal"), QUICK)
    await connection.open()
    await connection.close()
    assert folder.lines("terminal") == ["no"]


async def test_a_server_gets_the_named_variables_and_no_others(folder: Folder, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("MAIL_KEY", "canary-1")
    monkeypatch.setenv("OTHER_KEY", "canary-2")
    connection = Connection("mail", folder.reach("environment", environment=("MAIL_KEY",)), QUICK)
    await connection.open()
    await connection.close()
    (given,) = map(json.loads, folder.lines("environment"))
    assert given["MAIL_KEY"] == "canary-1"
    assert set(given) <= {"MAIL_KEY", "PATH", "HOME", "LANG", "LC_ALL", "TMPDIR", "LC_CTYPE"}


async def test_a_variable_that_is_not_set_is_named(folder: Folder) -> None:
    with pytest.raises(ServerFailed, match="needs the variable NOT_SET"):
        await Connection("mail", folder.reach("good", environment=("NOT_SET",)), QUICK).open()


async def test_a_command_that_does_not_exist(folder: Folder) -> None:
    connection = Connection("mail", Stdio(command=("/no/such/program",)), QUICK)
    with pytest.raises(ServerFailed, match="its command cannot be started .No such file or directory"):
        await connection.open()


async def test_closing_while_it_starts(folder: Folder) -> None:
    connection = Connection("mail", folder.reach("hangs_at_start"), QUICK)
    opening = asyncio.create_task(connection.open())
    await eventually(folder.running)
    await connection.close()
    with pytest.raises(ServerFailed):
        await opening
    assert folder.running() == []


async def test_a_cancelled_call_leaves_the_server_usable(folder: Folder) -> None:
    connection = Connection("mail", folder.reach("asks"), QUICK, never_answers)
    await connection.open()
    calling = asyncio.create_task(connection.call("send_message", MESSAGE, "key"))
    await eventually(lambda: folder.lines("called"))
    calling.cancel()
    with pytest.raises(asyncio.CancelledError):
        await calling
    await connection.close()
    assert folder.running() == []


async def never_answers(asked: Elicitation) -> Elicited:
    await asyncio.Event().wait()
    return Dismissed()


@pytest.mark.parametrize(
    ("answer", "action"),
    [
        (Filled(values={"calendar": "Home"}), {"action": "accept", "content": {"calendar": "home"}}),
        (Refused(), {"action": "decline"}),
        (Dismissed(), {"action": "cancel"}),
    ],
)
async def test_a_question_of_the_server_reaches_the_user(
    folder: Folder, answer: Elicited, action: dict[str, object]
) -> None:
    asked: list[Elicitation] = []

    async def elicit(question: Elicitation) -> Elicited:
        asked.append(question)
        await asyncio.sleep(0.6)  # longer than a call may take: the clock stands still
        return answer

    connection = Connection("mail", folder.reach("asks"), replace(QUICK, call_s=0.5), elicit)
    await connection.open()
    result = await connection.call("send_message", MESSAGE, "key")
    assert json.loads(result.texts[0]) == action
    assert len(result.texts) == (1 if action["action"] == "accept" else 2)
    assert asked[0].message == "Which calendar?"
    assert asked[0].fields[0].choices == ("work", "home")
    await connection.close()


async def test_a_form_for_a_password_is_refused_unseen(folder: Folder) -> None:
    asked: list[Elicitation] = []

    async def elicit(question: Elicitation) -> Elicited:
        asked.append(question)
        return Filled(values={"password": "hunter2"})

    connection = Connection("mail", folder.reach("asks_a_secret"), QUICK, elicit)
    await connection.open()
    result = await connection.call("send_message", MESSAGE, "key")
    assert json.loads(result.texts[0]) == {"action": "decline"}
    assert asked == []
    await connection.close()


async def test_without_anybody_to_ask_a_server_is_told_so(folder: Folder) -> None:
    connection = Connection("mail", folder.reach("asks"), QUICK)
    await connection.open()
    result = await connection.call("send_message", MESSAGE, "key")
    assert json.loads(result.texts[0]) == {"action": "cancel"}
    assert result.texts[1] == "(mail asked “Which calendar? (work or home)” in the middle of it, and nobody was asked.)"
    await connection.close()


OWNER = """
import asyncio, sys
from assistant.tools.mcp.connection import Connection
from assistant.tools.mcp.types import Limits, Stdio

async def main():
    connection = Connection("mail", Stdio(command=tuple(sys.argv[1:])), Limits(start_s=60))
    await connection.open()
    print("open", flush=True)
    await asyncio.Event().wait()

asyncio.run(main())
"""


@pytest.mark.parametrize("kind", ["ignores_the_end", "forks"])
def test_no_server_outlives_a_steward_that_is_killed(folder: Folder, kind: str) -> None:
    root = Path(__file__).parents[4]
    owner = subprocess.Popen(
        [sys.executable, "-c", OWNER, *folder.reach(kind).command],
        stdout=subprocess.PIPE,
        env={**os.environ, "PYTHONPATH": str(root)},
    )
    assert owner.stdout is not None
    assert owner.stdout.readline() == b"open\n"
    assert folder.running()
    owner.send_signal(signal.SIGKILL)
    owner.wait()
    owner.stdout.close()
    asyncio.run(eventually(lambda: not folder.running()))


async def test_a_server_of_the_newest_revision_asks_by_having_the_call_repeated() -> None:
    async def elicit(question: Elicitation) -> Elicited:
        return Filled(values={question.fields[0].name: "yes"})

    connection = Connection("sdk", Stdio(command=(sys.executable, str(SDK_SERVER))), replace(QUICK, start_s=60), elicit)
    assert [tool.name for tool in await connection.open()] == ["book", "flights"]
    assert (await connection.call("book", {"city": "Rome"}, "key")).texts == ("Rome, window: True",)
    await connection.close()
