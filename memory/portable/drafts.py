"""Sentences about the user from somewhere else, as they were read: nothing about them is believed yet."""

from dataclasses import dataclass
from datetime import datetime
from typing import Literal

from memory.portable.own_json import Refused
from memory.preferences import Kind, Polarity, PreferenceId, Scope, Strength

Origin = Literal["pam", "markdown", "list", "json"]
MOST_DRAFTS = 20_000


@dataclass(frozen=True, slots=True, kw_only=True)
class Meant:
    """What Steward itself wrote beside the words, in a format that has room for it."""

    slot: str
    object: str
    polarity: Polarity
    strength: Strength
    kind: Kind
    condition: str = ""
    scope: Scope | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Draft:
    """`where`: its place in the file. `id`: what Steward called it when it wrote the file. `ended`: the file says that
    it no longer holds. `quoted`: the words it rests on, if they are not its own."""

    statement: str
    where: str
    at: datetime | None = None
    id: PreferenceId | None = None
    ended: bool = False
    meant: Meant | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Foreign:
    """`ours`: Steward wrote the file, so that ids in it mean something here."""

    origin: Origin
    drafts: tuple[Draft, ...] = ()
    refused: tuple[Refused, ...] = ()
    ours: bool = False
