"""A server's question in the middle of a call (MCP elicitation), made ready for the user, and the answer for the wire.

Forms never collect secrets: the specification forbids it, and a server that asks for one is refused without the user
seeing a form (pure).
"""

import re
from collections.abc import Mapping
from typing import Any, assert_never, cast

from assistant.errors import ToolError
from assistant.policies.cleaning import clean_line
from assistant.tools.mcp.types import Elicitation
from memory.decisions import FormField

MOST_FIELDS = 8
MOST_CHOICES = 30
LONGEST_MESSAGE = 600
LONGEST_ANSWER = 2_000

Value = str | int | float | bool | list[str]

_SECRET = re.compile(
    r"pass ?(?:word|phrase|code|wd)|\bpwd\b|\bpin\b|\bcvv\b|\bcvc\b|\botp\b|secret|token|api[ _-]?key|private[ _-]?key"
    r"|credential|card ?number|credit card|\biban\b|account number|security code|seed phrase|recovery (?:code|phrase)"
    r"|social security|\bssn\b",
    re.IGNORECASE,
)
_TRUE = frozenset({"yes", "y", "true", "on", "1"})
_FALSE = frozenset({"no", "n", "false", "off", "0"})


def form(server: str, tool: str, message: str, schema: Mapping[str, Any], *, where: str = "") -> Elicitation:
    """`schema` as the server sent it: an object of plain properties. Raises ToolError for one that cannot be a form,
    and for one that asks for a secret."""
    properties = schema.get("properties")
    if not isinstance(properties, Mapping) or not 0 < len(properties) <= MOST_FIELDS:
        raise ToolError(f"{server} asked something that cannot be shown as a form.")
    required = schema.get("required")
    wanted = set(map(str, required)) if isinstance(required, list) else set()
    fields = tuple(_field(str(name), row, str(name) in wanted) for name, row in properties.items())
    said = clean_line(message, LONGEST_MESSAGE)
    asked = Elicitation(server=server, tool=tool, message=said, fields=fields, where=where)
    if wants_secret(asked):
        raise ToolError(
            f"{server} asked for a password or another secret in a form. It was refused.",
            "A server that needs one gets it from a variable: steward tools add-mcp --env NAME",
        )
    return asked


def page(server: str, tool: str, message: str, url: str, *, where: str = "") -> Elicitation:
    """A page the user is to open themselves. Raises ToolError for an address that is no https page."""
    if not url.startswith("https://") or len(url) > 1_000:
        raise ToolError(f"{server} asked you to open a page that is not https. It was refused.")
    said = clean_line(message, LONGEST_MESSAGE)
    return Elicitation(server=server, tool=tool, message=said, url=clean_line(url, 1_000), where=where)


def wants_secret(asked: Elicitation) -> bool:
    texts = [asked.message, *(f"{field.name} {field.title} {field.description}" for field in asked.fields)]
    return any(_SECRET.search(text.replace("_", " ")) for text in texts)


def content(asked: Elicitation, values: Mapping[str, str]) -> dict[str, Value]:
    """What goes back, typed. Raises ToolError, naming the field, for a value that does not fit."""
    found: dict[str, Value] = {}
    for field in asked.fields:
        text = values.get(field.name, "").strip()[:LONGEST_ANSWER]
        if not text:
            if field.required:
                raise ToolError(f"“{field.title}” is needed.")
            continue
        found[field.name] = _value(field, text)
    return found


def _field(name: str, row: object, required: bool) -> FormField:
    schema = cast(Mapping[str, Any], row) if isinstance(row, Mapping) else {}
    values, labels = _choices(schema)
    kind = schema.get("type")
    title = clean_line(str(schema.get("title") or name.replace("_", " ")), 80)
    described = clean_line(str(schema.get("description") or ""), 200)
    default = schema.get("default")
    return FormField(
        name=name,
        title=title or "value",
        kind=(
            ("choices" if kind == "array" else "choice")
            if values
            else {"boolean": "yes or no", "integer": "integer", "number": "number"}.get(str(kind), "text")  # type: ignore[arg-type]  # the values are those of the Literal
        ),
        required=required,
        description=described,
        choices=values,
        labels=labels,
        default=clean_line(str(default), 200) if isinstance(default, str | int | float | bool) else "",
    )


def _choices(schema: Mapping[str, Any]) -> tuple[tuple[str, ...], tuple[str, ...]]:
    """Values and labels, in the three ways the protocol's revisions write them."""
    rows = schema.get("items") if schema.get("type") == "array" else schema
    if not isinstance(rows, Mapping):
        return (), ()
    titled = rows.get("oneOf") or rows.get("anyOf")
    if isinstance(titled, list):
        pairs = [(str(one["const"]), str(one.get("title", one["const"]))) for one in titled if _has_const(one)]
    elif isinstance(rows.get("enum"), list):
        names = rows.get("enumNames")
        labels = names if isinstance(names, list) and len(names) == len(rows["enum"]) else rows["enum"]
        pairs = [(str(value), str(label)) for value, label in zip(rows["enum"], labels, strict=True)]
    else:
        return (), ()
    kept = pairs[:MOST_CHOICES]
    return tuple(value for value, _ in kept), tuple(clean_line(label, 80) for _, label in kept)


def _has_const(one: object) -> bool:
    return isinstance(one, Mapping) and isinstance(one.get("const"), str)


def _value(field: FormField, text: str) -> Value:
    match field.kind:
        case "text":
            return text
        case "yes or no":
            if text.lower() in _TRUE | _FALSE:
                return text.lower() in _TRUE
        case "integer" | "number":
            try:
                return int(text) if field.kind == "integer" else float(text)
            except ValueError:
                pass
        case "choice":
            if (chosen := _chosen(field, text)) is not None:
                return chosen
        case "choices":
            several = [_chosen(field, part.strip()) for part in text.split(",")]
            if None not in several:
                return [one for one in several if one is not None]
        case _:
            assert_never(field.kind)
    raise ToolError(f"“{clean_line(text, 60)}” does not fit “{field.title}”.", _hint(field))


def _chosen(field: FormField, text: str) -> str | None:
    """By value, label or number."""
    for value, label in zip(field.choices, field.labels, strict=True):
        if text.lower() in (value.lower(), label.lower()):
            return value
    if text.isdecimal() and 1 <= int(text) <= len(field.choices):
        return field.choices[int(text) - 1]
    return None


def _hint(field: FormField) -> str:
    if field.labels:
        return f"One of: {', '.join(field.labels[:8])}"
    return {"yes or no": "yes or no", "integer": "a whole number", "number": "a number"}.get(field.kind, "")
