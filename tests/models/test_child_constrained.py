"""JSON schemas: the grammars on llama.cpp's own parser, and answers through the real process."""

import json
from collections.abc import Iterator
from datetime import date, datetime, time
from itertools import repeat
from pathlib import Path
from typing import Annotated, Any, Literal
from uuid import UUID

import pytest
from pydantic import BaseModel, ConfigDict, Field

from models.child.schema import to_grammar
from tests.support.child_driver import ChildDriver
from tests.support.grammar_oracle import accepted
from tests.support.tiny_model import CHATML_TEMPLATE, CHATML_TOKENS, write_chain, write_tiny


class Cat(BaseModel):
    kind: Literal["cat"]
    lives: int


class Dog(BaseModel):
    kind: Literal["dog"]
    name: Annotated[str, Field(max_length=4)]


class Node(BaseModel):
    value: int
    children: list["Node"] = []


class Closed(BaseModel):
    model_config = ConfigDict(extra="forbid")

    a: int
    b: bool | None = None
    c: str = ""


def fields(**properties: Any) -> dict[str, Any]:
    return {"type": "object", "properties": properties, "required": list(properties)}


# schema, texts to accept, texts to refuse
CASES: list[tuple[Any, list[str], list[str]]] = [
    ({"enum": ["a", "b"]}, ['"a"', '"b"'], ['"c"', "a", '"a" ']),
    (
        {"enum": ['café "q"', "tab\t", "日本", 3, None, True]},
        ['"café \\"q\\""', '"tab\\t"', '"日本"', "3", "null"],
        ["4"],
    ),
    ({"const": {"x": [1, "é"]}}, ['{"x":[1,"é"]}'], ['{"x":[1]}']),
    (fields(n={"type": "integer", "minimum": 1, "maximum": 31}), ['{"n":1}', '{"n":31}'], ['{"n":0}', '{"n":32}']),
    (fields(n={"type": "integer", "minimum": -3}), ['{"n":-3}', '{"n":400}'], ['{"n":-4}', '{"n":1.5}', '{"n":01}']),
    (fields(n={"type": "number", "minimum": 0, "maximum": 1}), ['{"n":0.5}', '{"n":1}'], ['{"n":1.5}', '{"n":-2}']),
    ({"type": "integer", "exclusiveMinimum": 0}, ["1", "12"], ["0", "-1"]),
    ({"type": "number"}, ["0", "-1.25", "3e8", "1E-9"], ["01", ".5", "1.", "+1", "NaN"]),
    ({"type": ["string", "null"]}, ['"x"', "null"], ["1"]),
    ({"anyOf": [{"type": "integer"}, {"type": "boolean"}]}, ["7", "true"], ['"a"']),
    ({}, ["1", '{"a":[true,null,"x"]}', "[]", "{}", '""'], ["", "nul", '{"a":}', "[1,]"]),
    (True, ["1"], [""]),
    ({"type": "string"}, ['"a\\nb"', '"é😀"', '"\\u00e9"', '""'], ['"a\nb"', '"a\tb"', '"\\x"', '"', '"""']),
    ({"type": "string", "minLength": 2, "maxLength": 3}, ['"ab"', '"abc"', '"éé"'], ['"a"', '"abcd"']),
    ({"type": "string", "maxLength": 50_000}, ['"' + "a" * 300 + '"'], []),
    ({"type": "string", "minLength": 50_000}, [], ['"a"']),
    ({"type": "string", "maxLength": 0}, ['""'], ['"a"']),
    (
        {"type": "array", "items": {"type": "integer"}, "minItems": 2, "maxItems": 3},
        ["[1,2]", "[1,2,3]"],
        ["[1]", "[1,2,3,4]"],
    ),
    ({"type": "array", "maxItems": 0}, ["[]"], ["[1]"]),
    ({"type": "array", "maxItems": 1, "items": {}}, ["[]", "[1]"], ["[1,2]"]),
    ({"type": "array"}, ["[]", '[1,"a"]'], ["[1", "[ ]"]),
    (
        {"type": "array", "prefixItems": [{"type": "integer"}, {"type": "string"}], "maxItems": 2, "minItems": 2},
        ['[1,"a"]'],
        ["[1]", '["a",1]'],
    ),
    (
        {"type": "array", "prefixItems": [{"type": "integer"}], "items": {"type": "null"}},
        ["[1]", "[1,null]"],
        ["[]", "[1,2]"],
    ),
    ({"type": "object"}, ["{}", '{"a":{"b":1}}'], ["{1}", '{"a"}']),
    ({"type": "object", "properties": {}, "additionalProperties": False}, ["{}"], ['{"a":1}']),
    ({"type": "object", "additionalProperties": {"type": "integer"}}, ["{}", '{"a":1,"b":2}'], ['{"a":"x"}']),
    (
        {"type": "object", "properties": {"a": {"type": "integer"}}, "additionalProperties": {"type": "null"}},
        ["{}", '{"a":1}', '{"a":1,"z":null}', '{"z":null}'],
        ['{"a":null,}', '{"z":1}'],
    ),
    (
        {"type": "object", "properties": {k: {"type": "integer"} for k in "abc"}, "required": ["b"]},
        ['{"b":1}', '{"a":1,"b":2}', '{"b":1,"c":2}', '{"a":1,"b":2,"c":3}'],
        ["{}", '{"a":1}', '{"c":1,"b":2}', '{"b":1,}', '{,"b":1}'],
    ),
    (
        {"allOf": [{"$ref": "#/$defs/A"}, fields(b={"type": "null"})], "$defs": {"A": fields(a={"type": "integer"})}},
        ['{"a":1,"b":null}'],
        ['{"a":1}'],
    ),
    (
        Closed.model_json_schema(),
        ['{"a":1}', '{"a":1,"b":null}', '{"a":1,"b":true,"c":"x"}'],
        ['{"b":true}', '{"a":1,"d":1}'],
    ),
    (
        Node.model_json_schema(),
        ['{"value":1}', '{"value":1,"children":[{"value":2,"children":[]}]}'],
        ['{"value":"a"}'],
    ),
    ({"type": "array", "items": {"$ref": "#"}}, ["[]", "[[],[[]]]"], ["[1]"]),
    (
        fields(
            x={"oneOf": [Cat.model_json_schema(), Dog.model_json_schema()], "discriminator": {"propertyName": "kind"}}
        ),
        ['{"x":{"kind":"cat","lives":9}}', '{"x":{"kind":"dog","name":"Rex"}}'],
        ['{"x":{"kind":"cat","name":"Rex"}}', '{"x":{"kind":"dog","name":"Rexie"}}'],
    ),
    ({"type": "string", "format": "date"}, ['"2026-03-01"'], ['"2026-13-01"', '"1 March"']),
    ({"type": "string", "format": "time"}, ['"10:00:00"', '"23:59"', '"10:00:00Z"'], ['"24:00"']),
    (
        {"type": "string", "format": "date-time"},
        ['"2026-03-01T10:00:00"', '"2026-03-01T10:00:00+01:00"'],
        ['"2026-03-01"'],
    ),
    ({"type": "string", "format": "uuid"}, ['"123e4567-e89b-12d3-a456-426614174000"'], ['"123"']),
    ({"type": "string", "format": "duration"}, ['"anything"'], ["1"]),
    (fields(**{'we"ird\n é': {"type": "null"}}), ['{"we\\"ird\\n é":null}'], ["{}"]),
]


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("models")


@pytest.fixture(scope="module")
def tiny(folder: Path) -> Path:
    return write_tiny(folder / "tiny.gguf", context=2048, controls=CHATML_TOKENS, template=CHATML_TEMPLATE)


@pytest.fixture(scope="module")
def child(folder: Path, tiny: Path) -> Iterator[ChildDriver]:
    with ChildDriver(folder / "engine.log") as driver:
        driver.load(tiny, context_length=2048)
        yield driver


def test_llama_cpp_accepts_what_fits_and_nothing_else(tiny: Path) -> None:
    verdicts = accepted(tiny, [(to_grammar(schema), [*good, *bad]) for schema, good, bad in CASES])
    wrong = [
        (schema, text, verdict)
        for (schema, good, bad), row in zip(CASES, verdicts, strict=True)
        for text, wanted, verdict in zip(
            [*good, *bad],
            [True] * len(good) + [False] * len(bad),
            row if row is not None else repeat(None),
            strict=False,
        )
        if verdict is not wanted
    ]
    assert wrong == []
    assert None not in verdicts


class Fact(BaseModel):
    model_config = ConfigDict(extra="forbid")

    kind: Literal["preference", "person", "café"]
    text: Annotated[str, Field(max_length=12)]
    day: date
    at: datetime
    clock: time
    key: UUID
    strength: Annotated[float, Field(ge=0, le=1)]
    month: Annotated[int, Field(ge=1, le=12)]
    tags: Annotated[list[Annotated[str, Field(max_length=5)]], Field(min_length=1, max_length=3)]
    other: "Fact | None" = None


@pytest.mark.parametrize("seed", range(6))
def test_whatever_the_model_says_fits(child: ChildDriver, seed: int) -> None:
    """Fact is recursive, so that a random model may go on for long."""
    reply = child.ask(
        ("user", "go"), json_schema=Fact.model_json_schema(), temperature=1.0, seed=seed, max_tokens=1_500
    )
    assert reply.done.reason == "stop"
    try:
        Fact.model_validate_json(reply.text)
    except ValueError as error:
        assert "day value is outside" in str(error) or "day is out of range" in str(error)  # noqa: PT017 - 31 February is a question of truth


def test_json_is_compact_and_ends_with_its_last_bracket(child: ChildDriver) -> None:
    reply = child.ask(("user", "go"), json_schema=Cat.model_json_schema(), temperature=1.0, max_tokens=99)
    assert json.loads(reply.text)["kind"] == "cat"
    assert " " not in reply.text
    assert reply.done.reason == "stop"


def test_a_number_alone_may_go_on_and_still_ends(child: ChildDriver) -> None:
    reply = child.ask(("user", "go"), json_schema={"type": "integer"}, temperature=1.0, max_tokens=40)
    assert int(reply.text) == int(reply.text)
    assert reply.done.reason == "stop"


def test_too_short_is_length(child: ChildDriver) -> None:
    reply = child.ask(("user", "go"), json_schema=Fact.model_json_schema(), max_tokens=5)
    assert reply.done.reason == "length"
    assert reply.text.startswith("{")


@pytest.mark.parametrize(
    "schema",
    [
        fields(a={"type": "string", "pattern": r"^\d+$"}),
        {"$ref": "#"},  # a rule that is only itself
        {"anyOf": [{"$ref": "#"}, {"type": "null"}]},
        fields(a={"type": "thing"}),
    ],
)
def test_a_schema_without_grammar_is_refused_and_nothing_dies(child: ChildDriver, schema: dict[str, Any]) -> None:
    failed = child.ask(("user", "go"), json_schema=schema).failed
    assert failed.kind == "bad_schema"
    assert failed.hint
    assert child.ask(("user", "go"), max_tokens=3).done.usage.tokens_out == 3


def test_tags_in_json_are_json(folder: Path) -> None:
    path = write_chain(folder / "tags.gguf", ("<0x0A>", '"', *"<think>", '"'))
    with ChildDriver(folder / "engine.log") as child:
        child.load(path)
        reply = child.ask(("user", "go"), json_schema={"type": "string"})
        assert json.loads(reply.text).startswith("<think>")
        assert reply.thoughts == ""
