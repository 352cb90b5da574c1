"""What every transcript does. The in-memory one is the reference, the one in SQLite has to agree."""

from collections.abc import Awaitable, Callable
from datetime import UTC, datetime, timedelta, timezone

import pytest

from assistant.ports import Transcript
from memory.errors import NotFound
from memory.text import MARK_END, MARK_START
from memory.types import Found, MessageId, SessionId
from tests.support.builders import finished_reply, kept_talk
from tests.support.clock import MONDAY

LATER = MONDAY + timedelta(hours=1)
NOWHERE = MessageId(999)


def unmarked(found: Found) -> str:
    return found.snippet.replace(MARK_START, "").replace(MARK_END, "")


def marked(found: Found) -> str:
    return found.snippet.partition(MARK_START)[2].partition(MARK_END)[0]


async def test_a_new_session_is_empty_and_the_latest(transcript: Transcript) -> None:
    assert await transcript.latest_session() is None
    made = await transcript.create_session(at=MONDAY, title="Trip", mode="no_learn")
    assert (made.title, made.mode, made.message_count, made.head_id) == ("Trip", "no_learn", 0, None)
    assert made.created_at == made.updated_at == MONDAY
    assert await transcript.latest_session() == made == await transcript.session(made.id)
    assert await transcript.path(made.id) == ()


async def test_a_user_message_is_kept_and_becomes_the_head(transcript: Transcript) -> None:
    made = await transcript.create_session(at=MONDAY)
    said = await transcript.add_user_message(made.id, None, "Hello", at=LATER, origin="pasted")
    assert (said.role, said.content, said.origin, said.status) == ("user", "Hello", "pasted", "complete")
    assert said.parent_id is None
    assert said.created_at == LATER
    session = await transcript.session(made.id)
    assert (session.head_id, session.updated_at, session.message_count) == (said.id, LATER, 1)
    assert await transcript.message(said.id) == said
    assert await transcript.path(made.id) == (said,)


async def test_times_come_back_in_utc(transcript: Transcript) -> None:
    tokyo = datetime(2026, 3, 2, 18, 0, 0, 123456, tzinfo=timezone(timedelta(hours=9)))
    made = await transcript.create_session(at=tokyo)
    assert made.created_at == tokyo
    assert made.created_at.tzinfo is UTC
    with pytest.raises(ValueError, match="time zone"):
        await transcript.create_session(at=tokyo.replace(tzinfo=None))


async def test_an_answer_is_begun_checkpointed_and_finished(transcript: Transcript) -> None:
    made = await transcript.create_session(at=MONDAY)
    said = await transcript.add_user_message(made.id, None, "Hello", at=MONDAY)
    begun = await transcript.begin_reply(said.id, at=MONDAY, model="tiny")
    assert (begun.role, begun.status, begun.content, begun.origin) == ("assistant", "writing", "", "generated")
    assert (begun.model, begun.parent_id, begun.session_id) == ("tiny", said.id, made.id)
    assert (await transcript.session(made.id)).head_id == begun.id

    await transcript.checkpoint_reply(begun.id, "Good mor", "a thought")
    partial = await transcript.message(begun.id)
    assert (partial.content, partial.thought, partial.status) == ("Good mor", "a thought", "writing")

    finished = await transcript.finish_reply(
        begun.id,
        "Good morning",
        thought="two thoughts",
        status="complete",
        finish_reason="stop",
        tokens_in=12,
        tokens_out=3,
        seconds=0.25,
        at=LATER,
    )
    assert (finished.content, finished.thought, finished.status) == ("Good morning", "two thoughts", "complete")
    assert (finished.finish_reason, finished.tokens_in, finished.tokens_out) == ("stop", 12, 3)
    assert finished.seconds == 0.25
    assert await transcript.path(made.id) == (said, finished)
    assert (await transcript.session(made.id)).updated_at == LATER


async def test_what_comes_after_the_end_of_an_answer_changes_nothing(transcript: Transcript) -> None:
    _, (_, reply) = await kept_talk(transcript, ["Hi", "Hello there"])
    await transcript.checkpoint_reply(reply.id, "Hel")
    again = await finish(transcript, reply.id, "Something else")
    assert again == reply == await transcript.message(reply.id)


async def finish(transcript: Transcript, id: MessageId, content: str) -> object:
    return await transcript.finish_reply(
        id,
        content,
        thought="",
        status="stopped",
        finish_reason="cancelled",
        tokens_in=1,
        tokens_out=1,
        seconds=1.0,
        at=LATER,
    )


async def test_unfinished_answers_are_marked_at_start(transcript: Transcript) -> None:
    session, (said,) = await kept_talk(transcript, ["Hi"])
    begun = await transcript.begin_reply(said.id, at=MONDAY, model="tiny")
    await transcript.checkpoint_reply(begun.id, "Half an ans")
    assert await transcript.interrupt_unfinished() == 1
    kept = (await transcript.path(session.id))[-1]
    assert (kept.status, kept.content) == ("interrupted", "Half an ans")
    assert await transcript.interrupt_unfinished() == 0


async def test_an_edited_prompt_is_a_sibling_and_both_stay(transcript: Transcript) -> None:
    session, (first, reply) = await kept_talk(transcript, ["One?", "1"])
    edited = await transcript.add_user_message(session.id, None, "Two?", at=LATER)
    second = await finished_reply(transcript, edited.id, "2", at=LATER)
    assert await transcript.path(session.id) == (edited, second)
    assert await transcript.siblings(first.id) == await transcript.siblings(edited.id) == (first, edited)
    assert await transcript.tree(session.id) == (first, reply, edited, second)
    assert (await transcript.session(session.id)).message_count == 4


async def test_a_regenerated_answer_is_a_sibling(transcript: Transcript) -> None:
    session, (said, old) = await kept_talk(transcript, ["Hi", "Hello"])
    new = await finished_reply(transcript, said.id, "Good day")
    assert await transcript.siblings(old.id) == (old, new)
    assert await transcript.path(session.id) == (said, new)
    assert await transcript.siblings(said.id) == (said,)


async def test_selecting_a_branch_shows_its_newest_leaf(transcript: Transcript) -> None:
    session, (said, old) = await kept_talk(transcript, ["Hi", "Hello"])
    deeper = await transcript.add_user_message(session.id, old.id, "And then?", at=LATER)
    deepest = await finished_reply(transcript, deeper.id, "Then nothing")
    other = await finished_reply(transcript, said.id, "Good day")
    assert await transcript.path(session.id) == (said, other)
    selected = await transcript.select_branch(old.id)
    assert selected.head_id == deepest.id
    assert await transcript.path(session.id) == (said, old, deeper, deepest)
    assert (await transcript.select_branch(other.id)).head_id == other.id
    assert (await transcript.select_branch(said.id)).head_id == other.id


async def test_sessions_come_newest_first_in_pages(transcript: Transcript) -> None:
    for number in range(5):
        await kept_talk(transcript, ["x"], title=f"Talk {number}", at=MONDAY + timedelta(hours=number))
    titles = [session.title for session in await transcript.sessions()]
    assert titles == ["Talk 4", "Talk 3", "Talk 2", "Talk 1", "Talk 0"]
    assert [s.title for s in await transcript.sessions(limit=2, offset=1)] == ["Talk 3", "Talk 2"]
    assert await transcript.sessions(limit=0) == ()
    assert (await transcript.sessions(limit=1))[0].message_count == 1
    oldest = (await transcript.sessions())[-1]
    await transcript.add_user_message(oldest.id, None, "again", at=MONDAY + timedelta(days=1))
    assert (await transcript.sessions())[0].id == oldest.id


async def test_of_equal_times_the_later_made_is_newer(transcript: Transcript) -> None:
    made = [await transcript.create_session(at=MONDAY) for _ in range(3)]
    assert [session.id for session in await transcript.sessions()] == [session.id for session in reversed(made)]


async def test_titles_are_filtered_without_case_and_accents(transcript: Transcript) -> None:
    for title in ("Café in Zürich", "ZURICH airport", "Bern 100%"):
        await transcript.create_session(at=MONDAY, title=title)
    assert len(await transcript.sessions(title_contains="zurich")) == 2
    assert len(await transcript.sessions(title_contains="CAFE")) == 1
    assert len(await transcript.sessions(title_contains="0%")) == 1
    assert await transcript.sessions(title_contains="_") == ()


async def test_renaming_keeps_the_place_in_the_list(transcript: Transcript) -> None:
    old = await transcript.create_session(at=MONDAY, title="Old")
    new = await transcript.create_session(at=LATER, title="New")
    await transcript.rename(old.id, "Better")
    assert [session.title for session in await transcript.sessions()] == ["New", "Better"]
    assert (await transcript.session(old.id)).updated_at == MONDAY
    assert await transcript.session(new.id) == new


async def test_deleting_takes_one_session_and_leaves_the_rest(transcript: Transcript) -> None:
    gone, (gone_message, _) = await kept_talk(transcript, ["secret walrus", "ok"])
    stays, talk = await kept_talk(transcript, ["public walrus", "ok"])
    await transcript.delete_session(gone.id)
    assert [found.session.id for found in await transcript.search("walrus")] == [stays.id]
    assert await transcript.sessions() == (stays,)
    assert await transcript.path(stays.id) == talk
    with pytest.raises(NotFound):
        await transcript.session(gone.id)
    with pytest.raises(NotFound):
        await transcript.message(gone_message.id)


async def test_a_deleted_message_id_is_never_given_again(transcript: Transcript) -> None:
    gone, talk = await kept_talk(transcript, ["a", "b"])
    await transcript.delete_session(gone.id)
    _, (new,) = await kept_talk(transcript, ["c"])
    assert new.id > talk[-1].id


async def test_sessions_are_found_by_the_beginning_of_their_id(transcript: Transcript) -> None:
    for _ in range(10):
        await transcript.create_session(at=MONDAY)
    assert (await transcript.find_session("s0003")).id == "s0003"
    assert (await transcript.find_session("S001")).id == "s0010"
    with pytest.raises(NotFound, match="fits 9 sessions") as several:
        await transcript.find_session("s000")
    assert "s0001, s0002" in several.value.hint
    for wrong in ("", "x", "s00011", "%", "_0001", "\x00", "\ud800"):
        with pytest.raises(NotFound, match="There is no session"):
            await transcript.find_session(wrong)


async def test_what_is_not_there_is_said(transcript: Transcript) -> None:
    made = await transcript.create_session(at=MONDAY)
    other, (foreign,) = await kept_talk(transcript, ["elsewhere"])
    ghost = SessionId("nobody")
    calls: list[Callable[[], Awaitable[object]]] = [
        lambda: transcript.session(ghost),
        lambda: transcript.path(ghost),
        lambda: transcript.tree(ghost),
        lambda: transcript.rename(ghost, "x"),
        lambda: transcript.delete_session(ghost),
        lambda: transcript.add_user_message(ghost, None, "x", at=MONDAY),
        lambda: transcript.add_user_message(made.id, NOWHERE, "x", at=MONDAY),
        lambda: transcript.add_user_message(made.id, foreign.id, "x", at=MONDAY),
        lambda: transcript.begin_reply(NOWHERE, at=MONDAY, model=""),
        lambda: transcript.checkpoint_reply(NOWHERE, "x"),
        lambda: finish(transcript, NOWHERE, "x"),
        lambda: transcript.message(NOWHERE),
        lambda: transcript.siblings(NOWHERE),
        lambda: transcript.select_branch(NOWHERE),
    ]
    for call in calls:
        with pytest.raises(NotFound) as missing:
            await call()
        assert missing.value.message.startswith("There is no")
        assert missing.value.hint
    assert await transcript.tree(made.id) == ()
    assert await transcript.tree(other.id) == (foreign,)


async def test_nothing_that_is_said_breaks_the_store(transcript: Transcript) -> None:
    made = await transcript.create_session(at=MONDAY, title="t\ud800itle\x00")
    assert made.title == "t\ufffditle\ufffd"
    nasty = "a\x00b\ud83dc\udfff \x1b[31m 👩‍👩‍👧 \u202e \ufeff ' \" ; DROP TABLE message; --"
    said = await transcript.add_user_message(made.id, None, nasty, at=MONDAY)
    assert said.content == "a\ufffdb\ufffdc\ufffd \x1b[31m 👩‍👩‍👧 \u202e \ufeff ' \" ; DROP TABLE message; --"
    assert (await transcript.message(said.id)).content == said.content
    begun = await transcript.begin_reply(said.id, at=MONDAY, model="m\ud800")
    await transcript.checkpoint_reply(begun.id, "\ud800", "\udc00")
    assert (await transcript.message(begun.id)).content == "\ufffd"
    await transcript.rename(made.id, "\x00")
    assert (await transcript.session(made.id)).title == "\ufffd"


async def test_a_conversation_of_1000_messages_is_walked(transcript: Transcript) -> None:
    session, talk = await kept_talk(transcript, [f"line {number}" for number in range(1_000)])
    assert [message.content for message in talk] == [f"line {number}" for number in range(1_000)]
    assert (await transcript.select_branch(talk[0].id)).head_id == talk[-1].id
    await transcript.delete_session(session.id)
    assert await transcript.sessions() == ()


@pytest.mark.parametrize(
    ("wanted", "match"),
    [
        ("passport", "passport"),
        ("PASSPORT", "passport"),
        ("passp", "passport"),
        ("muller", "Müller"),
        ("renew passport", "renew"),
        ('"the passport"', "the passport"),
        ("C++", "C++"),
        ("node.js", "node.js"),
        ("护照", "护照"),
        ("京都", "京都"),
        ("สวัสดี", "สวัสดี"),
        ("🦭", "🦭"),
        ("->", "->"),
        ("ssport", "ssport"),
        ("100%", "100%"),
    ],
)
async def test_a_person_finds_what_was_said(transcript: Transcript, wanted: str, match: str) -> None:
    text = (
        "Please renew the passport of Mr Müller in C++ and node.js, 我要更新护照, 京都へ行く, สวัสดีครับ, 🦭 -> 100% sure"
    )
    session, (said, _) = await kept_talk(transcript, [text, "Done."])
    await kept_talk(transcript, ["Nothing of the kind", "Right."])
    (found,) = await transcript.search(wanted)
    assert found.session == session
    assert found.message == said
    assert match in unmarked(found)
    assert marked(found)


@pytest.mark.parametrize("wanted", ["walrus", '"seal passport"', "passport zebra", "护法", "🐻", "%", "_", "p_ssport"])
async def test_what_was_not_said_is_not_found(transcript: Transcript, wanted: str) -> None:
    await kept_talk(transcript, ["the passport and the seal 护照 🦭", "ok"])
    assert await transcript.search(wanted) == ()


@pytest.mark.parametrize(
    "wanted",
    [
        "", " ", '"', '""', '"""', "'", "*", "a*", "^a", "a AND", "OR", "NOT a", "NEAR(a b)", "content:a", "-a", "a -b",
        "(", ")", "a)", "{", "+", "a + b", "\\", "%", "_", "a", "é", "的", "👩‍👩‍👧", "\x00", "\ud800", "a" * 100_000,
        "a " * 5_000, '"a ' * 100, "\ufeff", "\u202e", "½", "ß", "İ", "\ue000", "𞤀", "🇩🇪", ";--", "' OR 1=1 --",
    ],
)  # fmt: skip
async def test_no_search_text_is_an_error(transcript: Transcript, wanted: str) -> None:
    await kept_talk(transcript, ["some a and OR text", "ok"])
    for found in await transcript.search(wanted):
        assert found.message.content


async def test_titles_are_searched_and_come_first(transcript: Transcript) -> None:
    by_text, _ = await kept_talk(transcript, ["a walrus walrus walrus", "ok"], title="Animals")
    by_title, (first, _) = await kept_talk(transcript, ["big teeth", "ok"], title="The walrus talk")
    found = await transcript.search("walrus")
    assert [hit.session.id for hit in found] == [by_title.id, by_text.id]
    assert found[0].message == first
    assert unmarked(found[0]) == "The walrus talk"
    assert marked(found[0]) == "walrus"
    assert len(await transcript.search("walrus", limit=1)) == 1
    assert await transcript.search("walrus", limit=0) == ()
    await transcript.rename(by_title.id, "Teeth")
    assert [hit.session.id for hit in await transcript.search("walrus")] == [by_text.id]


async def test_answers_are_searched_as_they_stand_now(transcript: Transcript) -> None:
    _, (said,) = await kept_talk(transcript, ["Hi"])
    begun = await transcript.begin_reply(said.id, at=MONDAY, model="tiny")
    await transcript.checkpoint_reply(begun.id, "the old walrus")
    await transcript.checkpoint_reply(begun.id, "the new zebra")
    assert await transcript.search("walrus") == ()
    assert [found.message.id for found in await transcript.search("zebra")] == [begun.id]


async def test_a_long_message_gives_a_short_snippet(transcript: Transcript) -> None:
    await kept_talk(transcript, ["word " * 5_000 + "walrus " + "word " * 5_000 + "护照" + "字" * 5_000, "ok"])
    for wanted in ("walrus", "护照"):
        (found,) = await transcript.search(wanted)
        assert marked(found) == wanted
        assert len(found.snippet) < 300
