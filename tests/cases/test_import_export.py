"""Files of other programs that were dropped, misread or believed elsewhere: X01 to X26."""

import io
import tarfile
from pathlib import Path

import pytest

from assistant.calendar.book import CalendarBook
from assistant.errors import FileUnreadable
from assistant.policies.occurrences import happenings
from assistant.policies.when.zones import to_local
from memory.errors import ImportRefused
from memory.importing.reading import read_export
from memory.importing.types import ImportedConversation, Unread
from memory.items import Event
from memory.items_in_memory import InMemoryItems
from tests.assistant.calendar.test_ics import PLAIN
from tests.assistant.calendar.test_ics import read as events_of
from tests.memory.importing.test_reading import one_of, read, texts, tree
from tests.support.clock import FixedClock
from tests.support.document_files import an_ics
from tests.support.exports import as_json, as_zip, chatgpt_conversation, chatgpt_node, chatgpt_zip_2026
from tests.support.when import utc

BERLIN = "Europe/Berlin"
WEEKLY = (*PLAIN, "RRULE:FREQ=WEEKLY")


@pytest.fixture
def book() -> CalendarBook:
    return CalendarBook(InMemoryItems(), FixedClock(), BERLIN)


async def imported(book: CalendarBook, *events: tuple[str, ...]) -> tuple[Event, ...]:
    await book.import_file(an_ics(*events), "a.ics")
    return await book.every()


def days(events: tuple[Event, ...], until: str = "2026-04-04 00:00") -> list[str]:
    """When they take place in Berlin, from the first of March."""
    return [
        f"{to_local(one.starts, BERLIN):%m-%d %H:%M}"
        for one in happenings(events, utc("2026-03-01 00:00"), utc(until), BERLIN)
    ]


def test_X01_an_export_of_many_files_comes_in_whole_and_what_does_not_is_named(tmp_path: Path) -> None:
    bare = chatgpt_conversation("bare")
    for node in bare["mapping"].values():
        if node["message"]:
            node["message"].pop("metadata")
    found, unread = read(tmp_path, chatgpt_zip_2026(shards=52, each=2))
    assert (len(found), unread) == (104, [])
    found, unread = read(tmp_path, as_zip({"conversations-000.json": as_json([bare]), "conversations-001.json": b"[{"}))
    assert len(found) == 1
    assert [one.where.split(",")[0] for one in unread] == ["conversations-001.json"]


@pytest.mark.parametrize("missing", ["gone", None])
def test_X03_without_its_own_date_it_has_that_of_its_first_message(tmp_path: Path, missing: str | None) -> None:
    conversation = chatgpt_conversation()
    if missing is None:
        conversation["create_time"] = None
    else:
        del conversation["create_time"]
    found = one_of(tmp_path, conversation)
    assert found.created_at == found.messages[0].created_at


def test_X05_the_shown_branch_is_shown_and_the_others_are_kept(tmp_path: Path) -> None:
    nodes = [chatgpt_node("q", None, text="Colour?")]
    nodes += [chatgpt_node(f"a{number}", "q", "assistant", f"Answer {number}") for number in range(200)]
    found = one_of(tmp_path, tree(*nodes, shown="a7"))
    assert len(found.messages) == 201
    assert found.messages[found.head].content == "Answer 7"


def test_X06_nothing_that_may_be_missing_or_odd_stops_the_rest(tmp_path: Path) -> None:
    empty = {**chatgpt_conversation("empty"), "mapping": {}}
    null = tree(
        {"id": "n", "message": None, "parent": None, "children": ["q"]},
        chatgpt_node("q", "n", text="Hello", at=1_700_000_000.25),
        chatgpt_node("t", "q", "tool", "raw results"),
        chatgpt_node("a", "t", "assistant", "Hi"),
        shown="a",
    )
    found, unread = read(tmp_path, as_json([empty, null, chatgpt_conversation("whole")]))
    assert unread == []
    assert [text for one in found for _, _, text in texts(one)][:2] == ["Hello", "Hi"]
    assert found[-1].title == "Herons"


def test_X08_a_field_without_sense_costs_only_itself() -> None:
    ((event,), problems) = events_of((*PLAIN, "CREATED:None"))
    assert (event["title"], problems) == ("Dentist", [])


@pytest.mark.parametrize("cut", ["END:VEVENT", "END:VCALENDAR"])
async def test_X10_a_file_without_its_end_is_refused_and_clears_nothing(book: CalendarBook, cut: str) -> None:
    await imported(book, PLAIN)
    with pytest.raises(FileUnreadable):
        await book.import_file(an_ics(PLAIN).replace(f"{cut}\r\n".encode(), b""), "a.ics")
    assert len(await book.every()) == 1


def test_X11_a_zone_by_its_windows_name_has_its_summer() -> None:
    ((event,), _) = events_of(("UID:a", "SUMMARY:x", "DTSTART;TZID=GMT Standard Time:20200819T151500"))
    assert (event["zone"], event["starts"]) == ("Europe/London", "2020-08-19T15:15:00")


def test_X13_a_time_without_a_zone_is_on_the_wall_of_the_calendar() -> None:
    ((event,), _) = events_of(("UID:a", "DTSTART:20260819T151500"), head=("X-WR-TIMEZONE:Europe/Brussels",))
    assert (event["zone"], event["starts"]) == ("Europe/Brussels", "2026-08-19T15:15:00")


async def test_X15_a_replacement_of_what_is_not_in_the_series_is_shown_once(book: CalendarBook) -> None:
    odd = ("UID:a", "SUMMARY:odd", "RECURRENCE-ID;TZID=Europe/Berlin:20260311T100000",
           "DTSTART;TZID=Europe/Berlin:20260311T120000")  # fmt: skip
    assert days(await imported(book, WEEKLY, odd)).count("03-11 12:00") == 1


async def test_X16_an_exception_in_utc_excludes(book: CalendarBook) -> None:
    events = await imported(book, (*WEEKLY, "EXDATE:20260313T090000Z"))
    assert days(events) == ["03-06 10:00", "03-20 10:00", "03-27 10:00", "04-03 10:00"]


async def test_X18_X20_a_replacement_without_a_zone_is_matched_in_that_of_the_series(book: CalendarBook) -> None:
    moved = ("UID:a", "SUMMARY:moved", "RECURRENCE-ID:20260313T100000", "DTSTART;TZID=Europe/Berlin:20260314T110000")
    events = await imported(book, WEEKLY, moved)
    assert len(events) == 2
    assert days(events)[:3] == ["03-06 10:00", "03-14 11:00", "03-20 10:00"]


async def test_X21_importing_twice_makes_nothing_twice(book: CalendarBook) -> None:
    for _ in range(3):
        events = await imported(book, PLAIN)
    assert [event.uid for event in events] == ["a"]


async def test_X23_an_event_that_lasts_no_time_is_one(book: CalendarBook) -> None:
    events = await imported(book, ("UID:z", "SUMMARY:now", "DTSTART:20260306T100000", "DTEND:20260306T100000"))
    assert days(events) == ["03-06 10:00"]


def test_X25_X26_names_that_lead_out_of_an_archive_are_refused_and_a_tar_is_no_export(tmp_path: Path) -> None:
    """tests/memory/importing/test_hostile_archives.py has forty archives more."""
    inside = tmp_path / "in"
    inside.mkdir()
    path = inside / "export.zip"
    good = as_json([chatgpt_conversation()])
    path.write_bytes(as_zip({"conversations.json": good, "../../etc/conversations.json": good}))
    before = sorted(tmp_path.rglob("*"))
    reads = list(read_export(path, str))
    assert sum(isinstance(one, ImportedConversation) for one in reads) == 1
    assert [one.where for one in reads if isinstance(one, Unread)] == ["../../etc/conversations.json"]
    made = io.BytesIO()
    with tarfile.open(fileobj=made, mode="w") as archive:
        link = tarfile.TarInfo("conversations.json")
        link.type, link.linkname = tarfile.SYMTYPE, "/etc/passwd"
        archive.addfile(link)
    path.write_bytes(made.getvalue())
    with pytest.raises(ImportRefused):
        list(read_export(path, str))
    assert sorted(tmp_path.rglob("*")) == before
