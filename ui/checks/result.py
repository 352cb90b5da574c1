"""What a check of `steward doctor` comes to."""

from dataclasses import dataclass
from typing import Literal

State = Literal["ok", "note", "broken"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Check:
    """`broken` means that something the user needs does not work; it always says the fix. A `note` may."""

    name: str
    state: State
    detail: str
    fix: str = ""


def ok(name: str, detail: str) -> Check:
    return Check(name=name, state="ok", detail=detail)


def note(name: str, detail: str, fix: str = "") -> Check:
    return Check(name=name, state="note", detail=detail, fix=fix)


def broken(name: str, detail: str, fix: str) -> Check:
    return Check(name=name, state="broken", detail=detail, fix=fix)


def size(count: float) -> str:
    """Bytes as people read them."""
    for unit in ("B", "kB", "MB"):
        if count < 1000:
            return f"{count:.0f} {unit}"
        count /= 1000
    return f"{count:.1f} GB"
