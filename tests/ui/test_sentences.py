"""Text in pieces that can be read aloud."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ui.sentences import Sentences


@pytest.mark.parametrize(
    ("chunks", "pieces"),
    [
        (["One", " two. Th", "ree."], ["", "One two. ", ""]),
        (["a\nb", "\nc"], ["a\n", "b\n"]),
        (['He said "no." ', "Then"], ['He said "no." ', ""]),
        (["3.11 is out"], [""]),
        (["今日は。明日"], ["今日は。"]),
        (["word " * 60], ["word " * 60]),
        (["x" * 300], ["x" * 300]),
    ],
)
def test_pieces_end_where_a_sentence_ends(chunks: list[str], pieces: list[str]) -> None:
    sentences = Sentences()
    assert [sentences.add(chunk) for chunk in chunks] == pieces


@given(st.lists(st.text(max_size=300)))
def test_nothing_is_lost_or_added(chunks: list[str]) -> None:
    sentences = Sentences()
    assert "".join([*map(sentences.add, chunks), sentences.rest()]) == "".join(chunks)
