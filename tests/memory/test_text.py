"""Text at the door and in the search field: pure, so that hypothesis can try to break it."""

import sqlite3
from datetime import UTC, datetime, timedelta, timezone

from hypothesis import given
from hypothesis import strategies as st

from memory.text import (
    MARK_END,
    MARK_START,
    folded,
    like_pattern,
    moment,
    moment_text,
    parse_query,
    random_id,
    snippet_around,
    storable,
)

any_text = st.text(st.characters(exclude_categories=()), max_size=60)
offsets = st.integers(-14 * 60, 14 * 60).map(lambda minutes: timezone(timedelta(minutes=minutes)))
FIRST, LAST = (datetime(year, 6, 1, tzinfo=UTC).replace(tzinfo=None) for year in (1, 9999))
moments = st.datetimes(min_value=FIRST, max_value=LAST, timezones=offsets)


@given(any_text)
def test_what_is_stored_can_be_written_and_is_else_unchanged(text: str) -> None:
    stored = storable(text)
    stored.encode()
    assert "\0" not in stored
    assert storable(stored) == stored
    assert len(stored) == len(text)
    assert all(old == new or new == "\ufffd" for old, new in zip(text, stored, strict=True))


@given(moments, moments)
def test_moments_keep_their_value_and_their_order_as_text(first: datetime, second: datetime) -> None:
    assert moment(moment_text(first)) == first
    assert moment(moment_text(first)).tzinfo is UTC
    assert (moment_text(first) < moment_text(second)) == (first < second)


@given(any_text)
def test_no_query_is_refused_by_the_index(text: str) -> None:
    query = parse_query(text)
    assert bool(query.terms) == bool(storable(text).replace('"', " ").split())
    connection = sqlite3.connect(":memory:")
    connection.execute("CREATE VIRTUAL TABLE t USING fts5(x)")
    for words in filter(None, (query.whole, query.begun)):
        connection.execute("SELECT * FROM t WHERE t MATCH ?", (words,)).fetchall()
    connection.close()


@given(any_text.map(storable), any_text.map(storable))
def test_a_pattern_finds_what_is_there_as_it_stands(before: str, piece: str) -> None:
    connection = sqlite3.connect(":memory:")
    sql = "SELECT ? LIKE ? ESCAPE '!'"
    assert connection.execute(sql, (before + piece, like_pattern(piece))).fetchone() == (1,)
    found = connection.execute(sql, (before, like_pattern(piece))).fetchone() == (1,)
    assert found <= (piece.lower() in before.lower())
    connection.close()


@given(any_text, any_text.filter(bool), any_text)
def test_a_snippet_is_the_text_with_one_mark(before: str, piece: str, after: str) -> None:
    content = (before + piece + after).replace(MARK_START, "").replace(MARK_END, "")
    snippet = snippet_around(content, (piece,))
    unmarked = snippet.replace(MARK_START, "").replace(MARK_END, "")
    assert unmarked.strip("…") in content or content.strip("…") in unmarked
    assert snippet.count(MARK_START) == snippet.count(MARK_END) <= 1


def test_folding_forgets_case_and_accents() -> None:
    assert folded("Éclair") == folded("eclair") == "eclair"
    assert folded("STRASSE") == folded("straße")


def test_ids_are_short_and_not_guessed_by_counting() -> None:
    ids = {random_id() for _ in range(1_000)}
    assert len(ids) == 1_000
    assert all(len(id) == 8 and not set(id) & set("ilou") for id in ids)
