"""The tools of a home: one line a tool. A tool is imported with the first conversation, never for a quick command."""

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from assistant.tools.registry import Registry
    from assistant.tools.types import Tool
    from ui.wiring import Services


def registry_of(services: "Services") -> "Registry":
    """Every tool that this run may use. Blocks for some milliseconds."""
    from assistant.tools.registry import Registry

    return Registry(own_tools(services))


def own_tools(services: "Services") -> "list[Tool[Any]]":
    """Those that Steward brings."""
    return []
