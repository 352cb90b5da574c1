"""A call as text that can be compared: canonical arguments and their hash (pure)."""

import json
from collections.abc import Mapping
from hashlib import sha256
from typing import Any

from assistant.tools.types import EFFECTS, Effect


def canonical(arguments: Mapping[str, Any]) -> str:
    """JSON with sorted keys and no blanks: equal arguments, equal text. `arguments` as pydantic dumps them to JSON."""
    return json.dumps(arguments, ensure_ascii=False, sort_keys=True, separators=(",", ":"))


def call_hash(tool: str, arguments: str) -> str:
    """SHA-256 over the tool's name and its canonical arguments."""
    return sha256(f"{tool}\0{arguments}".encode()).hexdigest()


def heavier(one: Effect, other: Effect | None) -> Effect:
    """Arguments may make a call heavier than its tool, never lighter."""
    return one if other is None else max(one, other, key=EFFECTS.index)
