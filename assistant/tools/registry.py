"""The tools of this run, by name. A name is taken once."""

from collections.abc import Iterable
from typing import Any

from assistant.errors import ToolError
from assistant.tools.types import CallContext, Reading, Tool

MOST_TOOLS = 200


class Registry:
    def __init__(self, tools: Iterable[Tool[Any]] = ()) -> None:
        self._tools: dict[str, Tool[Any]] = {}
        for tool in tools:
            self.add(tool)

    def add(self, tool: Tool[Any]) -> None:
        """Raises ValueError for a name that is taken, or one tool too many."""
        if tool.name in self._tools:
            raise ValueError(f"two tools are called {tool.name}")
        if len(self._tools) >= MOST_TOOLS:
            raise ValueError(f"more than {MOST_TOOLS} tools")
        self._tools[tool.name] = tool

    def remove(self, name: str) -> None:
        self._tools.pop(name, None)

    def all(self) -> tuple[Tool[Any], ...]:
        """By name."""
        return tuple(self._tools[name] for name in sorted(self._tools))

    def find(self, name: str) -> Tool[Any]:
        """Raises ToolError."""
        if name not in self._tools:
            raise ToolError(f"There is no tool {name} any more.", "`steward tools list` shows what there is.")
        return self._tools[name]

    def readings(self, text: str, context: CallContext) -> tuple[tuple[Tool[Any], Reading[Any]], ...]:
        """What the rules of each tool make of the words; the sure ones first."""
        found = [(tool, tool.read(text, context)) for tool in self.all()]
        read = [(tool, reading) for tool, reading in found if reading is not None]
        return tuple(sorted(read, key=lambda pair: not pair[1].sure))
