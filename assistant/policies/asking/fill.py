"""Arguments with a gap filled by a choice or by the user's own words (pure)."""

from collections.abc import Mapping
from typing import Any, TypeVar

from pydantic import ValidationError

from assistant.errors import ToolError
from assistant.tools.types import ToolArguments

A = TypeVar("A", bound=ToolArguments)


def filled(arguments: A, fills: Mapping[str, str]) -> A:
    """`fills`: argument to value as text, which pydantic reads. Raises ToolError, naming the argument."""
    values: dict[str, Any] = {**arguments.model_dump(mode="json"), **fills}
    return parsed(type(arguments), values)


def parsed(kind: type[A], values: Mapping[str, Any]) -> A:
    """Raises ToolError for values that do not fit, naming the first argument that is wrong."""
    try:
        return kind.model_validate(dict(values))
    except ValidationError as error:
        first = error.errors(include_url=False, include_input=False)[0]
        where = ".".join(str(part) for part in first["loc"]) or "the arguments"
        raise ToolError(f"“{where}” does not fit: {first['msg']}.", "Say it another way.") from None
