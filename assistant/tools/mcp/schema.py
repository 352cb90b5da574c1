"""A tool's arguments: from the JSON Schema its server lists to a pydantic model, within limits (pure).

Only what a person could fill in: plain values, lists and small objects. Patterns and formats are left to the server,
which checks its arguments anyway: a pattern from outside may take for ever. What cannot be expressed makes the tool
unusable, with the reason.
"""

import json
from collections.abc import Mapping, Sequence
from typing import Annotated, Any, Literal, Union, cast

from pydantic import BeforeValidator, ConfigDict, Field, create_model

from assistant.policies.cleaning import clean, clean_line
from assistant.tools.types import ToolArguments

MOST_REQUIRED = 12
MOST_FIELDS = 12  # optional ones beyond are left out: a form is filled with 120 tokens
MOST_DEPTH = 3
MOST_VALUES = 40
MOST_ITEMS = 20
LONGEST_TEXT = 4_000
DESCRIBED = 160
SCALARS: Mapping[str, type] = {"string": str, "integer": int, "number": float, "boolean": bool}


class Unusable(Exception):
    """Why a tool cannot be called, as one line. Internal."""


class McpArguments(ToolArguments):
    """Base of the arguments of an MCP tool. In Python its fields are a0, a1, ...; by their aliases they are called as
    the server calls them, in the schema, in a dump and in errors."""

    model_config = ConfigDict(validate_by_name=True, validate_by_alias=True, serialize_by_alias=True)


def arguments_of(name: str, schema: str) -> type[McpArguments]:
    """The class for canonical JSON Schema text. A required argument is `T | None` without a default: the user may not
    have said it. Raises Unusable."""
    root = json.loads(schema)
    if not isinstance(root, dict):
        raise Unusable("its arguments are no object")
    return _model(name, root, root, depth=0)


def wire_arguments(arguments: ToolArguments) -> dict[str, Any]:
    """What is sent: by the server's names, without what nobody said."""
    return arguments.model_dump(mode="json", exclude_none=True)


def required_of(arguments: type[ToolArguments]) -> tuple[str, ...]:
    return tuple(str(field.alias or name) for name, field in arguments.model_fields.items() if field.is_required())


def _model(name: str, root: Mapping[str, Any], schema: Mapping[str, Any], *, depth: int) -> type[McpArguments]:
    properties = schema.get("properties", {})
    if not isinstance(properties, Mapping) or schema.get("type", "object") != "object":
        raise Unusable("its arguments are no object")
    listed = schema.get("required", [])
    required = [one for one in listed if one in properties] if isinstance(listed, list) else []
    if len(required) > MOST_REQUIRED:
        raise Unusable(f"it needs {len(required)} arguments at once; {MOST_REQUIRED} are the most")
    kept = [*required, *(one for one in properties if one not in required)][:MOST_FIELDS]
    fields: dict[str, Any] = {}
    for place, key in enumerate(kept):
        if not 0 < len(key) <= 64 or clean(key) != key or not key.isprintable():
            raise Unusable("one of its arguments has a name that cannot be shown")
        kind, described = _kind(f"{name}_{key}", root, properties[key], depth=depth)
        must = key in required
        default = ... if must else None
        nullable = kind if must and depth else Union[kind, None]  # noqa: UP007  a type made at run time
        fields[f"a{place}"] = (nullable, Field(default, alias=key, description=described or key.replace("_", " ")))
    return cast(type[McpArguments], create_model(clean_line(name, 60) or "Arguments", __base__=McpArguments, **fields))


def _kind(name: str, root: Mapping[str, Any], schema: object, *, depth: int) -> tuple[Any, str]:
    """A type and its description."""
    if depth > MOST_DEPTH:
        raise Unusable("its arguments are nested too deeply")
    row = _resolved(root, schema)
    described = clean_line(str(row.get("description") or row.get("title") or ""), DESCRIBED)
    if isinstance(row.get("format"), str):
        described = clean_line(f"{described} ({row['format']})", DESCRIBED)
    if "const" in row:
        return _values([row["const"]]), described
    if isinstance(row.get("enum"), list):
        return _values(row["enum"]), described
    for word in ("anyOf", "oneOf"):
        if isinstance(row.get(word), list):
            return _either(name, root, row[word], depth), described
    kind = row.get("type", "string")
    if isinstance(kind, list):
        return _either(name, root, [{**row, "type": one} for one in kind], depth), described
    return _typed(name, root, row, str(kind), depth), described


def _typed(name: str, root: Mapping[str, Any], row: Mapping[str, Any], kind: str, depth: int) -> Any:
    match kind:
        case "string":
            most = _bound(row, "maxLength")
            return Annotated[str, Field(max_length=int(min(most, LONGEST_TEXT)) if most is not None else LONGEST_TEXT)]
        case "integer" | "number":
            return Annotated[
                SCALARS[kind],
                Field(
                    ge=_bound(row, "minimum"),
                    le=_bound(row, "maximum"),
                    gt=_bound(row, "exclusiveMinimum"),
                    lt=_bound(row, "exclusiveMaximum"),
                ),
            ]
        case "boolean":
            return bool
        case "array":
            item: Any = _kind(name, root, row.get("items", {}), depth=depth + 1)[0]
            return Annotated[list[item], Field(max_length=MOST_ITEMS), BeforeValidator(_parted)]
        case "object" if row.get("properties"):
            return _model(name, root, row, depth=depth + 1)
        case "object":
            return dict[str, str]
        case _:
            raise Unusable(f"one of its arguments is of a kind nobody can fill in ({clean_line(kind, 20)})")


def _either(name: str, root: Mapping[str, Any], options: Sequence[object], depth: int) -> Any:
    """One of several; null only says that it may be left out."""
    kinds = [
        _kind(name, root, option, depth=depth + 1)[0]
        for option in options
        if not (isinstance(option, Mapping) and option.get("type") == "null")
    ]
    if not 0 < len(kinds) <= 4:
        raise Unusable("one of its arguments may be too many things")
    return Union[tuple(kinds)]  # noqa: UP007  a type made at run time


def _values(values: Sequence[object]) -> Any:
    plain = [value for value in values if isinstance(value, str | int | bool)]
    if not plain or len(plain) > MOST_VALUES:
        return Annotated[str, Field(max_length=LONGEST_TEXT)]
    return Literal[tuple(plain)]


def _resolved(root: Mapping[str, Any], schema: object) -> Mapping[str, Any]:
    """With a local reference followed; a circle ends as too deep."""
    for _ in range(MOST_DEPTH):
        if not isinstance(schema, Mapping):
            return {}
        reference = schema.get("$ref")
        if reference is None:
            return schema
        found: Any = root
        for part in str(reference).removeprefix("#/").split("/"):
            found = found.get(part) if isinstance(found, Mapping) else None
        schema = found
    raise Unusable("its arguments refer to each other in a circle")


def _bound(row: Mapping[str, Any], name: str) -> float | int | None:
    value = row.get(name)
    return value if isinstance(value, int | float) and not isinstance(value, bool) else None


def _parted(value: object) -> object:
    """A list that the user gave as words: "ann@x.org, ben@x.org"."""
    if isinstance(value, str):
        return [part.strip() for part in value.split(",") if part.strip()]
    return value
