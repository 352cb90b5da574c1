"""The grammars themselves are tried on the real parser in test_child_constrained.py."""

import re
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from models.child.number_ranges import integers, numbers
from models.child.schema import to_grammar
from models.errors import BadSchema


def as_pattern(alternatives: str) -> re.Pattern[str]:
    """Number grammars are regular: quoted text, classes, groups."""
    quoted = re.sub(r'"([^"]*)"', lambda found: re.escape(found[1]), alternatives)
    return re.compile(quoted.replace(" ", ""))


bounds = st.none() | st.integers(-3_000, 3_000)


@given(bounds, bounds, st.integers(-12_000, 12_000))
def test_integers_lie_between_their_bounds(low: int | None, high: int | None, value: int) -> None:
    if low is not None and high is not None and low > high:
        low, high = high, low
    inside = (low is None or low <= value) and (high is None or value <= high)
    assert bool(as_pattern(integers(low, high)).fullmatch(str(value))) == inside


@given(bounds, bounds, st.decimals(-4_000, 4_000, places=2))
def test_numbers_lie_between_their_bounds(low: int | None, high: int | None, value: Any) -> None:
    if low is not None and high is not None and low > high:
        low, high = high, low
    inside = (low is None or low <= value) and (high is None or value <= high)
    if not str(value).startswith("-0"):
        assert bool(as_pattern(numbers(low, high)).fullmatch(str(value))) == inside


@given(bounds, bounds)
def test_no_leading_zeros(low: int | None, high: int | None) -> None:
    if low is None or high is None or low <= high:
        pattern = as_pattern(integers(low, high))
        assert not any(pattern.fullmatch(text) for text in ("00", "01", "007", "-0", "-01", ""))


def fields(**properties: Any) -> dict[str, Any]:
    return {"type": "object", "properties": properties, "required": list(properties)}


@pytest.mark.parametrize(
    ("schema", "named"),
    [
        (fields(when={"type": "string", "pattern": r"^\d{4}$"}), "the answer.when: 'pattern'"),
        (fields(a=fields(b={"not": {}})), "the answer.a.b: 'not'"),
        (fields(a={"type": "array", "items": {"type": "widget"}}), "the answer.a[]: type 'widget'"),
        (fields(a={"enum": []}), "the answer.a: it allows no value"),
        (fields(a={"$ref": "#/$defs/None"}), "points nowhere"),
        (fields(a={"$ref": "https://example.com/x"}), "the same schema"),
        (fields(a={"type": "integer", "minimum": 5, "maximum": 4}), "no number lies between"),
        (fields(a={"type": "integer", "exclusiveMinimum": 4, "exclusiveMaximum": 5}), "no number lies between"),
        (fields(a={"type": "string", "minLength": "many"}), "minLength"),
        ({"type": "object", "required": ["ghost"], "properties": {"a": {}}}, "'ghost' is not described"),
        ({"allOf": [{"type": "string"}, {"type": "integer"}]}, "disagree about 'type'"),
        (fields(a="text"), "is not a schema"),
        ({"if": {}, "then": {}}, "'if' is not supported"),
    ],
)
def test_what_cannot_be_expressed_is_refused_by_name(schema: dict[str, Any], named: str) -> None:
    with pytest.raises(BadSchema) as caught:
        to_grammar(schema)
    assert caught.value.failure.kind == "bad_schema"
    assert named in caught.value.failure.message


def test_depth_and_size_are_bounded() -> None:
    deep: dict[str, Any] = {"type": "string", "maxLength": 3}
    for _ in range(100):
        deep = {"type": "array", "items": deep}
    with pytest.raises(BadSchema, match="deeply"):
        to_grammar(deep)
    with pytest.raises(BadSchema, match="large"):
        to_grammar(fields(**{f"p{number}": {"type": "string", "maxLength": 3} for number in range(3_000)}))
