"""Pastes are cut out of the terminal's input whole, however it comes; keys pass as they are."""

from hypothesis import given
from hypothesis import strategies as st

from ui.terminal_input import BEGIN, END, Pasted, PasteSplitter

KEYS = st.text(alphabet=st.sampled_from("abc\r\x1b[OA;2~0\x07"), max_size=12).filter(lambda text: BEGIN not in text)
PASTES = st.text(alphabet=st.sampled_from("ab\r\n\x1b[201\x07\x11"), max_size=30).filter(
    lambda text: END not in text and not any(text.endswith(END[:size]) for size in range(1, len(END)))
)


def fed(data: str, places: list[int]) -> list[str | Pasted]:
    """The parts of `data` in these pieces, with neighbouring keys put together."""
    splitter = PasteSplitter()
    edges = sorted({0, len(data), *(place % (len(data) + 1) for place in places)})
    parts: list[str | Pasted] = []
    for start, end in zip(edges, edges[1:], strict=False):
        parts += splitter.feed(data[start:end])
    parts.append(splitter.flush())
    joined: list[str | Pasted] = []
    for part in parts:
        if joined and isinstance(part, str) and isinstance(joined[-1], str):
            joined[-1] += part
        elif part:
            joined.append(part)
    return joined


def test_a_paste_with_escapes_is_text() -> None:
    text = "\x1b[31mred\x1b[0m\x07\x11\r\x1bOP"
    assert fed(f"a{BEGIN}{text}{END}b", []) == ["a", Pasted(text), "b"]


@given(KEYS, PASTES, KEYS, st.lists(st.integers(0, 200), max_size=30))
def test_pieces_make_no_difference(before: str, text: str, after: str, places: list[int]) -> None:
    data = f"{before}{BEGIN}{text}{END}{after}"
    split_marker = any(BEGIN[:1] == data[place % (len(data) + 1) - 1 : place % (len(data) + 1)] for place in places)
    if not split_marker:  # a marker cut right after its Escape is left to Textual
        expected = [part for part in (before, Pasted(text), after) if part]
        assert fed(data, places) == expected


def test_a_lone_escape_is_not_held_back() -> None:
    assert PasteSplitter().feed("\x1b") == ["\x1b"]


def test_the_beginning_of_a_marker_is_held_until_it_is_known() -> None:
    splitter = PasteSplitter()
    assert splitter.feed("x\x1b[2") == ["x"]
    assert splitter.flush() == "\x1b[2"
    assert splitter.flush() == ""


def test_a_million_characters_in_pieces() -> None:
    splitter = PasteSplitter()
    text = "line\r" * 200_000
    data = f"{BEGIN}{text}{END}"
    found = [part for at in range(0, len(data), 65_536) for part in splitter.feed(data[at : at + 65_536])]
    assert found == [Pasted(text)]
