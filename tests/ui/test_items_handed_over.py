"""Calendar, tasks and notes from a second terminal, while another Steward owns the home and takes what it is handed."""

import asyncio
import json
import threading
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path

import pytest

from memory.data_dir import Home
from memory.effects import QuestionPrice
from memory.item_mailbox import ItemMailbox
from memory.items import Event, ItemChange, ItemId, ItemOperation, Note, Task
from tests.support.clock import MONDAY
from tests.support.command_line import Run
from ui import reminder_mail
from ui.acting_wiring import without_model
from ui.commands.decisions import _reset
from ui.deciding import Deciding
from ui.deciding_begins import watching
from ui.reminding import mail_of
from ui.wiring import Options, owned


@pytest.fixture(autouse=True)
def in_utc(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("TZ", "UTC")


@contextmanager
def another_steward(*, takes_mail: bool = True) -> Iterator[None]:
    """Owns the home meanwhile, and takes all that is handed over, as the screen and the daemon do."""
    stop, ready = threading.Event(), threading.Event()

    async def own() -> None:
        async with owned(Options(), "chat") as services:
            mail = mail_of(services)
            assert mail is not None
            ready.set()
            while not stop.is_set():
                if takes_mail:
                    await mail.drain()
                await asyncio.sleep(0.01)

    thread = threading.Thread(target=lambda: asyncio.run(own()))
    thread.start()
    assert ready.wait(60)
    try:
        with pytest.MonkeyPatch.context() as patch:
            patch.setattr(reminder_mail, "WAIT_SECONDS", 60.0 if takes_mail else 0.2)
            yield
    finally:
        stop.set()
        thread.join()


def listed(run: Run, *command: str) -> list[str]:
    code, out, err = run(*command, "--json")
    assert code == 0, err
    return [str(one["title"]) for one in json.loads(out)]


def test_tasks_notes_and_events_work_from_a_second_terminal(run: Run, tmp_path: Path, home: Home) -> None:
    ics = tmp_path / "team.ics"
    ics.write_bytes(
        b"BEGIN:VCALENDAR\r\nVERSION:2.0\r\nBEGIN:VEVENT\r\nUID:a\r\nSUMMARY:Retro\r\n"
        b"DTSTART:20990306T100000\r\nEND:VEVENT\r\nEND:VCALENDAR\r\n"
    )
    with another_steward():
        code, out, err = run("tasks", "add", "buy milk", "--json")
        assert (code, err) == (0, "")
        task = str(json.loads(out)["id"])
        assert listed(run, "tasks", "list") == ["buy milk"]
        assert run("tasks", "done", task)[0] == 0
        assert listed(run, "tasks", "list") == []
        assert run("tasks", "undo")[0] == 0
        assert listed(run, "tasks", "list") == ["buy milk"]
        assert run("notes", "add", "the bike code is in the drawer")[0] == 0
        assert run("calendar", "import", str(ics))[0] == 0
        assert listed(run, "calendar", "list", "--from", "2099-03-01", "--to", "2099-03-31") == ["Retro"]
        assert "1 event" in run("calendar", "undo")[1]
        code, _, err = run("tasks", "done", "nothing")
        assert code == 1
        assert "There is no task" in err
    assert listed(run, "tasks", "list") == ["buy milk"]
    assert len(listed(run, "notes", "list")) == 1
    assert ItemMailbox(home).waiting() == ()


def test_what_nobody_takes_is_kept_and_taken_once_by_the_next_owner(run: Run, home: Home) -> None:
    assert listed(run, "tasks", "list") == []
    with another_steward(takes_mail=False):
        code, _, err = run("tasks", "add", "buy milk")
        assert code == 0
        assert "It waits for the Steward that is running here" in err
    assert len(ItemMailbox(home).waiting()) == 1
    assert run("tasks", "add", "buy bread")[0] == 0
    assert sorted(listed(run, "tasks", "list")) == ["buy bread", "buy milk"]
    assert ItemMailbox(home).waiting() == ()


ITEMS = (
    Event(id=ItemId("e1"), title="Retro", starts=MONDAY.replace(tzinfo=None), ends=MONDAY.replace(tzinfo=None),
          created_at=MONDAY, excluded=(MONDAY.replace(tzinfo=None),)),
    Task(id=ItemId("t1"), title="milk", created_at=MONDAY, due=MONDAY.date(), done_at=MONDAY),
    Note(id=ItemId("n1"), title="bike", text="drawer\n" * 50, created_at=MONDAY, source="team.ics", revision=3),
)  # fmt: skip
OPERATIONS: tuple[ItemOperation, ...] = ("add", "edit", "delete")


@pytest.mark.parametrize("item", ITEMS, ids=lambda item: type(item).__name__)
@pytest.mark.parametrize("operation", OPERATIONS)
def test_a_letter_says_what_the_change_was(home: Home, item: Event | Task | Note, operation: ItemOperation) -> None:
    mailbox, change = ItemMailbox(home), ItemChange(operation=operation, items=(item,), label="one")
    name = mailbox.post(change)
    (request,) = mailbox.waiting()
    assert (request.name, request.change) == (name, change)
    mailbox.settle(name)
    assert mailbox.waiting() == ()


@pytest.mark.parametrize("content", [b"", b"{}", b"null", b'{"operation": "explode"}', b"\xff" * 40])
def test_a_letter_that_is_none_is_put_aside(home: Home, content: bytes) -> None:
    mailbox = ItemMailbox(home)
    name = mailbox.post(ItemChange(operation="add", items=(ITEMS[1],)))
    (home.state / "items" / f"{name}.json").write_bytes(content)
    assert mailbox.waiting() == ()
    assert (home.state / "items" / f"{name}.unreadable").exists()


async def test_prices_of_questions_are_put_back_from_a_second_terminal(own_home: Path) -> None:
    said = list[str]()

    async def tell(lines: Sequence[str]) -> None:
        said.extend(lines)

    async with owned(Options(), "chat") as services:
        await services.decisions.set_price(QuestionPrice(kind="tasks.add:due", log_price=0.7, asked=4, needless=3))
        async with watching(services, Deciding(lambda: services, without_model), tell):
            settled = await _reset(Options())
        assert await services.decisions.prices() == {}
    assert (settled.code, settled.value) == (0, {"reset": 1})
    assert any(line.startswith("From another terminal: Put back") for line in said)
