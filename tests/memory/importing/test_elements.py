"""The objects of a list one after another: by their seams where they read as JSON, by their brackets elsewhere."""

import io
import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from memory.importing import elements
from memory.importing.elements import Fault, Parsed, decode, objects
from memory.importing.seams import next_seam, opening_of

LONGEST = 1024 * 1024
keys = st.sampled_from(["title", "uuid", "create_time", "mapping", 'a"b', "{", "é"])
values = st.recursive(
    st.none()
    | st.integers(-9, 9)
    | st.text(max_size=12)
    | st.sampled_from(['}, {"title": "x"', '"}, {"', "\\", '\\"']),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(keys, inner, max_size=3),
    max_leaves=8,
)
lists = st.lists(st.dictionaries(keys, values, max_size=4), max_size=6)
separators = st.sampled_from([(",", ":"), (", ", ": "), (" ,\n\t", " : ")])


def read(data: bytes, chunk: int = LONGEST) -> list[Any]:
    stream = io.BytesIO(data)
    return [
        found.why if isinstance(found, Fault) else found.value if isinstance(found, Parsed) else decode(found)
        for found in objects(lambda most: stream.read(min(most, chunk)), longest=LONGEST)
    ]


@given(lists, separators, st.sampled_from([None, 0, 2]), st.integers(1, 60))
def test_what_is_json_comes_out_as_it_is(
    given: list[dict[str, Any]], separators: tuple[str, str], indent: int | None, chunk: int
) -> None:
    data = json.dumps(given, separators=separators, indent=indent).encode()
    assert read(data, chunk) == given


@given(lists, st.integers(0, 400), st.binary(max_size=3))
def test_what_is_broken_ends_nowhere_else_than_its_brackets_say(
    given: list[dict[str, Any]], at: int, wrong: bytes
) -> None:
    data = json.dumps(given).encode()
    data = data[:at] + wrong + data[at:]
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(elements, "next_seam", lambda *_: None)
        by_brackets = read(data)
    assert read(data) == by_brackets


def test_objects_that_begin_alike_are_not_parted_inside() -> None:
    inside = [{"uuid": str(place), "text": "}, {"} for place in range(3)]
    whole = [{"uuid": str(number), "name": "a", "chat_messages": inside} for number in range(4)]
    data = json.dumps(whole).encode()
    opening = opening_of(data, 1)
    assert opening is not None
    first = next_seam(data, 2, opening)
    assert first is not None
    assert json.loads(data[1:first]) == whole[0]
    assert read(data) == whole
    found = list(objects(io.BytesIO(data).read, longest=LONGEST))
    assert [type(one) for one in found] == [Parsed] * 3 + [bytes]


def test_what_is_looked_at_in_vain_is_no_more_than_came(monkeypatch: pytest.MonkeyPatch) -> None:
    """Thousands of objects that all begin in another way: no seam is ever found."""
    looked = 0

    def nowhere(buffer: bytes, start: int, _: object) -> None:
        nonlocal looked
        looked += len(buffer) - start

    monkeypatch.setattr(elements, "next_seam", nowhere)
    given = [{f"key {number}": number, "more": "x" * 40} for number in range(5_000)]
    data = json.dumps(given).encode()
    assert read(data) == given
    assert looked <= 3 * len(data)
