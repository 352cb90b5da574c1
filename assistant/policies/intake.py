"""The door: what a line of input is. Nothing is sent to a model that was meant as a command, or the other way round."""

import re
from collections.abc import Collection
from dataclasses import dataclass
from typing import Literal

from assistant.policies.cleaning import clean

InputOrigin = Literal["typed", "pasted"]
_COMMAND = re.compile(r"/([a-zA-Z][a-zA-Z-]*)(?:\s+|$)")


@dataclass(frozen=True, slots=True, kw_only=True)
class UserTurn:
    text: str
    origin: InputOrigin = "typed"


@dataclass(frozen=True, slots=True, kw_only=True)
class Command:
    name: str
    argument: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class UnknownCommand:
    """Starts like a command but is none. `text` is the whole input: "//" before it sends it as a message."""

    name: str
    text: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Nothing:
    """Only white space."""


Input = UserTurn | Command | UnknownCommand | Nothing


def normalise(raw: str, commands: Collection[str], *, origin: InputOrigin = "typed") -> Input:
    """A command is typed, starts with "/" and a word, and nothing else; "//" sends a message that starts with "/".

    Paths ("/etc/hosts is empty?") and pasted text are messages. Text is cleaned; blank lines around it go.
    """
    text = trim(clean(raw))
    if not text:
        return Nothing()
    if origin == "pasted" or not text.startswith("/"):
        return UserTurn(text=text, origin=origin)
    if text.startswith("//"):
        return UserTurn(text=text[1:])
    match = _COMMAND.match(text)
    if match is None:
        return UserTurn(text=text)
    name = match[1].lower()
    if name in commands:
        return Command(name=name, argument=text[match.end() :].strip())
    return UnknownCommand(name=name, text=text)


def trim(text: str) -> str:
    """Without blank lines at both ends and white space at the very end; indentation of the first line stays."""
    return re.sub(r"\A(?:[^\S\n]*\n)+", "", text).rstrip()
