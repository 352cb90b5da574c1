"""JSON schema to a llama.cpp grammar (GBNF) for compact JSON (pure).

Our own converter instead of llama-cpp-python's: that one ignores number bounds, fails on recursion, on `{}`
and on enum values outside ASCII, and allows raw newlines in strings. What cannot be expressed is refused with
the name of the field. Shape only: `uniqueItems`, `multipleOf`, the number of properties, formats other than those
below and lengths above MAX_COUNTED_LENGTH are not enforced, so the reader validates what it gets.
"""

import json
import math
from collections.abc import Mapping, Sequence
from typing import Any

from models.child.number_ranges import integers, numbers
from models.errors import BadSchema
from models.types import Failure

MAX_COUNTED_LENGTH = 1_000  # llama.cpp refuses repetitions from 2,000 on
MAX_RULES = 2_000
MAX_DEPTH = 64

_NO_EFFECT = frozenset(
    {"$schema", "$id", "$comment", "$defs", "definitions", "title", "description", "default", "examples", "deprecated",
     "readOnly", "writeOnly", "discriminator", "uniqueItems", "contentEncoding", "contentMediaType", "multipleOf"}
)  # fmt: skip
_KNOWN = frozenset(
    {"type", "enum", "const", "anyOf", "oneOf", "allOf", "$ref", "properties", "required", "additionalProperties",
     "items", "prefixItems", "minItems", "maxItems", "minLength", "maxLength", "format", "minimum", "maximum",
     "exclusiveMinimum", "exclusiveMaximum", "maxProperties", "minProperties"}
)  # fmt: skip
_DIGIT_PAIR = {"month": '("0" [1-9] | "1" [0-2])', "day": '("0" [1-9] | [12] [0-9] | "3" [01])'}
_DATE = f'[0-9]{{4}} "-" {_DIGIT_PAIR["month"]} "-" {_DIGIT_PAIR["day"]}'
_CLOCK = '([01] [0-9] | "2" [0-3]) ":" [0-5] [0-9] (":" [0-5] [0-9] ("." [0-9]{1,6})?)?'
_ZONE = '("Z" | [+-] ([01] [0-9] | "2" [0-3]) ":" [0-5] [0-9])'
_FORMATS = {
    "date": _DATE,
    "time": f"{_CLOCK} {_ZONE}?",
    "date-time": f'{_DATE} "T" {_CLOCK} {_ZONE}?',
    "uuid": '[0-9a-f]{8} "-" [0-9a-f]{4} "-" [0-9a-f]{4} "-" [0-9a-f]{4} "-" [0-9a-f]{12}',
}
_BASE = {
    "char": r'[^"\\\x00-\x1F\x7F] | "\\" (["\\/bfnrt] | "u" [0-9a-fA-F]{4})',
    "string": r'"\"" char* "\""',
    "integer": '"-"? ("0" | [1-9] [0-9]{0,15})',
    "number": 'integer ("." [0-9]{1,16})? ([eE] [-+]? [0-9]{1,3})?',
    "boolean": '"true" | "false"',
    "null": '"null"',
    "value": "object | array | string | number | boolean | null",
    "object": '"{" (string ":" value ("," string ":" value)*)? "}"',
    "array": '"[" (value ("," value)*)? "]"',
}


def to_grammar(schema: Mapping[str, Any]) -> str:
    """GBNF whose root is one compact JSON value fitting `schema`. Raises BadSchema naming the field."""
    return _Converter(schema).grammar()


def refusal(where: str, why: str) -> BadSchema:
    return BadSchema(
        Failure(
            kind="bad_schema",
            message=f"The answer schema cannot be turned into a grammar: {where}: {why}.",
            hint="Use plain types, enums, lengths, formats and $ref; check the rest after parsing.",
        )
    )


class _Converter:
    def __init__(self, schema: Mapping[str, Any]) -> None:
        self._schema = schema
        self._rules: dict[str, str] = dict(_BASE)
        self._references: dict[str, str] = {}

    def grammar(self) -> str:
        root = self._visit(self._schema, "the answer", 0)
        return "\n".join(f"{name} ::= {body}" for name, body in {"root": root, **self._rules}.items()) + "\n"

    def _rule(self, body: str, where: str) -> str:
        if len(self._rules) > MAX_RULES:
            raise refusal(where, "it is too large")
        name = f"r{len(self._rules)}"
        self._rules[name] = body
        return name

    def _visit(self, schema: Any, where: str, depth: int) -> str:
        """An expression for `schema`; safe to put into a sequence."""
        if depth > MAX_DEPTH:
            raise refusal(where, "it is nested too deeply")
        if schema is True or schema == {}:
            return "value"
        if not isinstance(schema, Mapping):
            raise refusal(where, "it is not a schema")
        if unknown := sorted(set(schema) - _KNOWN - _NO_EFFECT):
            raise refusal(where, f"{unknown[0]!r} is not supported")
        return self._combined(schema, where, depth)

    def _combined(self, schema: Mapping[str, Any], where: str, depth: int) -> str:
        if "$ref" in schema:
            return self._reference(schema["$ref"], where, depth)
        if "const" in schema:
            return _literal(schema["const"])
        if "enum" in schema:
            return self._choice([_literal(value) for value in schema["enum"]], where)
        for word in ("anyOf", "oneOf"):
            if word in schema:
                options = [self._visit(option, f"{where} ({word})", depth + 1) for option in schema[word]]
                return self._choice(options, where)
        if "allOf" in schema:
            return self._visit(self._merged(schema, where), where, depth + 1)
        return self._typed(schema, where, depth)

    def _typed(self, schema: Mapping[str, Any], where: str, depth: int) -> str:
        kind = schema.get("type", _implied_type(schema))
        if isinstance(kind, list):
            return self._choice([self._typed({**schema, "type": one}, where, depth) for one in kind], where)
        match kind:
            case "object":
                return self._object(schema, where, depth)
            case "array":
                return self._array(schema, where, depth)
            case "string":
                return self._string(schema, where)
            case "integer":
                low, high = _bounds(schema, where)
                bounded = low is not None or high is not None
                return self._rule(integers(_ceiling(low), _floor(high)), where) if bounded else "integer"
            case "number":
                low, high = _bounds(schema, where)
                bounded = low is not None or high is not None
                return self._rule(numbers(_floor(low), _ceiling(high)), where) if bounded else "number"
            case "boolean" | "null":
                return str(kind)
            case None:
                return "value"
            case _:
                raise refusal(where, f"type {kind!r} is not supported")

    def _choice(self, options: Sequence[str], where: str) -> str:
        if not options:
            raise refusal(where, "it allows no value")
        return f"({' | '.join(dict.fromkeys(options))})"

    def _reference(self, pointer: Any, where: str, depth: int) -> str:
        """A rule of its own, so that a schema may contain itself."""
        if not isinstance(pointer, str) or not pointer.startswith("#"):
            raise refusal(where, "a $ref must point into the same schema")
        if pointer not in self._references:
            name = self._references[pointer] = self._rule("", where)
            self._rules[name] = self._visit(self._target(pointer, where), where, depth + 1)
        return self._references[pointer]

    def _target(self, pointer: str, where: str) -> Any:
        found: Any = self._schema
        for step in pointer.lstrip("#").strip("/").split("/") if pointer != "#" else ():
            key = step.replace("~1", "/").replace("~0", "~")
            if not isinstance(found, Mapping) or key not in found:
                raise refusal(where, f"$ref {pointer!r} points nowhere")
            found = found[key]
        return found

    def _merged(self, schema: Mapping[str, Any], where: str) -> dict[str, Any]:
        """allOf as one schema: properties and required are joined, other words must not clash."""
        merged: dict[str, Any] = {key: value for key, value in schema.items() if key != "allOf"}
        for part in schema["allOf"]:
            while isinstance(part, Mapping) and "$ref" in part and len(part) == 1:
                part = self._target(str(part["$ref"]), where)
            if not isinstance(part, Mapping):
                raise refusal(where, "a part of allOf is not a schema")
            for key, value in part.items():
                if key == "properties":
                    merged[key] = {**merged.get(key, {}), **value}
                elif key == "required":
                    merged[key] = [*merged.get(key, []), *value]
                elif key in _NO_EFFECT or merged.setdefault(key, value) == value:
                    continue
                else:
                    raise refusal(where, f"parts of allOf disagree about {key!r}")
        return merged

    def _string(self, schema: Mapping[str, Any], where: str) -> str:
        if (form := schema.get("format")) in _FORMATS:
            return self._rule(rf'"\"" {_FORMATS[str(form)]} "\""', where)
        least, most = _count(schema, "minLength", where) or 0, _count(schema, "maxLength", where)
        if not least and most is None:
            return "string"
        return self._rule(rf'"\"" {_repeated("char", least, most)} "\""', where)

    def _array(self, schema: Mapping[str, Any], where: str, depth: int) -> str:
        fixed = [
            self._visit(item, f"{where}[{index}]", depth + 1)
            for index, item in enumerate(schema.get("prefixItems", ()))
        ]
        least, most = _count(schema, "minItems", where) or 0, _count(schema, "maxItems", where)
        rest = schema.get("items", not fixed)
        if fixed and (rest is False or most == len(fixed)):
            return self._rule('"[" ' + ' "," '.join(fixed) + ' "]"', where)
        item = self._visit(rest, f"{where}[]", depth + 1) if rest is not False else None
        more = max(least - len(fixed), 0), None if most is None else max(most - len(fixed), 0)
        if item is None or more[1] == 0:
            return self._rule('"[]"', where)
        if fixed:
            tail = _repeated(f'("," {item})', *more)
            return self._rule('"[" ' + ' "," '.join(fixed) + f' {tail} "]"', where)
        tail = _repeated(f'("," {item})', max(more[0] - 1, 0), None if more[1] is None else more[1] - 1)
        body = f"{item} {tail}" if more[0] else f"({item} {tail})?"
        return self._rule(f'"[" {body} "]"', where)

    def _object(self, schema: Mapping[str, Any], where: str, depth: int) -> str:
        """Keys in the schema's order; optional ones may be left out."""
        properties = schema.get("properties", {})
        extra = schema.get("additionalProperties", not properties)
        required = set(schema.get("required", ()))
        if missing := sorted(required - set(properties)):
            raise refusal(where, f"required property {missing[0]!r} is not described")
        pairs = [
            (f'{_literal(name)} ":" {self._visit(value, f"{where}.{name}", depth + 1)}', name in required)
            for name, value in properties.items()
        ]
        if extra is not False:
            value = self._visit(extra, f"{where}.*", depth + 1)
            any_pair = f'string ":" {value}'
            pairs.append((f'{any_pair} ("," {any_pair})*', False))
        return self._rule('"{" ' + self._members(pairs, where) + ' "}"', where)

    def _members(self, pairs: Sequence[tuple[str, bool]], where: str) -> str:
        """`first`: nothing was written yet, so the next member takes no comma."""
        first, following = '""', '""'
        for pair, needed in reversed(pairs):
            comma = f'"," {pair}'
            with_first = f"{pair} {following}"
            first = self._rule(with_first if needed else f"{with_first} | {first}", where)
            following = self._rule(f"{comma} {following}" if needed else f"({comma})? {following}", where)
        return first


def _literal(value: Any) -> str:
    """A GBNF string that matches the JSON text of `value`."""
    text = json.dumps(value, ensure_ascii=False, separators=(",", ":"))
    return '"' + "".join(_escaped(char) for char in text) + '"'


def _escaped(char: str) -> str:
    if char in '"\\':
        return "\\" + char
    return char if " " <= char <= "~" else f"\\U{ord(char):08X}"


def _implied_type(schema: Mapping[str, Any]) -> str | None:
    if "properties" in schema or "additionalProperties" in schema:
        return "object"
    if "items" in schema or "prefixItems" in schema:
        return "array"
    if {"minLength", "maxLength", "format"} & set(schema):
        return "string"
    return "number" if {"minimum", "maximum", "exclusiveMinimum", "exclusiveMaximum"} & set(schema) else None


def _count(schema: Mapping[str, Any], word: str, where: str) -> int | None:
    value = schema.get(word)
    if value is not None and (not isinstance(value, int) or isinstance(value, bool) or value < 0):
        raise refusal(where, f"{word} must be a whole number")
    return value


def _repeated(item: str, least: int, most: int | None) -> str:
    least = min(least, MAX_COUNTED_LENGTH)
    if most is None or most > MAX_COUNTED_LENGTH:
        return f"{item}{{{least},}}" if least else f"{item}*"
    return f"{item}{{{least},{max(most, least)}}}" if most else '""'


def _bounds(schema: Mapping[str, Any], where: str) -> tuple[float | None, float | None]:
    """Inclusive bounds; an exclusive one is taken for integers as the next, for numbers as it is."""
    step = 1 if schema.get("type") == "integer" else 0
    low, high = schema.get("minimum"), schema.get("maximum")
    if (above := schema.get("exclusiveMinimum")) is not None:
        low = above + step if low is None else max(low, above + step)
    if (below := schema.get("exclusiveMaximum")) is not None:
        high = below - step if high is None else min(high, below - step)
    whole = step and low is not None and high is not None and math.ceil(low) > math.floor(high)
    if whole or (low is not None and high is not None and low > high):
        raise refusal(where, "no number lies between its bounds")
    return low, high


def _floor(value: float | None) -> int | None:
    return None if value is None else math.floor(value)


def _ceiling(value: float | None) -> int | None:
    return None if value is None else math.ceil(value)
