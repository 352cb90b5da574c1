"""What a typed line answers to numbered choices: by number, by place, by yes and no, or by their words. Pure."""

import re
from collections.abc import Sequence
from dataclasses import dataclass

from assistant.policies.asking.places import place_in, without_politeness

_YES = re.compile(r"^(?:y|yes|yep|yeah|sure|ok|okay|do it|go ahead|confirm)$", re.IGNORECASE)
_NO = re.compile(r"^(?:n|no|nope|don'?t|do not|rather not)$", re.IGNORECASE)
_NONE = re.compile(
    r"^(?:cancel|none|none of (?:them|these)|neither|nothing|back|stop|q|quit|esc|later|not now|never ?mind|"
    r"leave it|forget it|skip)$",
    re.IGNORECASE,
)
_LEAST = 4  # letters of a choice that name it


@dataclass(frozen=True, slots=True, kw_only=True)
class Chosen:
    number: int  # from 0


@dataclass(frozen=True, slots=True, kw_only=True)
class NoneOfThem: ...


@dataclass(frozen=True, slots=True, kw_only=True)
class AskAgain:
    """It was meant as an answer, and is none."""

    say: str


@dataclass(frozen=True, slots=True, kw_only=True)
class SomethingElse:
    """Not an answer to this: the next thing said."""


Heard = Chosen | NoneOfThem | AskAgain | SomethingElse


def hear(line: str, choices: Sequence[str]) -> Heard:
    """A command, or a sentence that names no choice, is something else."""
    said = without_politeness(line)
    if not said:
        return NoneOfThem()
    if said.startswith("/"):
        return SomethingElse()
    if (meant := _yes_or_no(said, choices)) is not None:
        return meant
    if (place := place_in(said, len(choices))) is not None:
        number = place[0]
        return Chosen(number=number - 1) if 1 <= number <= len(choices) else AskAgain(say=_no_such(number, choices))
    if (named := _named(said, choices)) is not None:
        return Chosen(number=named)
    return NoneOfThem() if _NONE.match(said) or _NO.match(said) else SomethingElse()


def how_to_answer(many: int) -> str:
    """What stands before the answer."""
    return f"number, {'1' if many == 1 else '1 or 2' if many == 2 else f'1 to {many}'} (empty: none): "


def _yes_or_no(said: str, choices: Sequence[str]) -> Heard | None:
    """Yes and no, where a choice begins so: "No, leave it"."""
    for meant, begins in ((_YES, "yes"), (_NO, "no")):
        fitting = [number for number, choice in enumerate(choices) if _first_word(choice) == begins]
        if meant.match(said) and len(fitting) == 1:
            return Chosen(number=fitting[0])
        if meant.match(said) and (len(fitting) > 1 or begins == "yes"):
            return AskAgain(say=f"Which one? Answer with its number, {_span(choices)}.")
    return None


def _named(said: str, choices: Sequence[str]) -> int | None:
    """The one choice that says these words at its beginning, with or without its "Yes, "."""
    words = _plain(said)
    if len(words.replace(" ", "")) < _LEAST:
        return None
    fitting = [
        number
        for number, choice in enumerate(choices)
        if any(f"{begun} ".startswith(f"{words} ") for begun in (_plain(choice), _plain(choice.partition(", ")[2])))
    ]
    return fitting[0] if len(fitting) == 1 else None


def _plain(text: str) -> str:
    return " ".join(re.findall(r"[\w']+", text.casefold()))


def _first_word(choice: str) -> str:
    return (_plain(choice).split() or [""])[0]


def _no_such(number: int, choices: Sequence[str]) -> str:
    return f"There is no {number} here. Answer with {_span(choices)}, or an empty line for none."


def _span(choices: Sequence[str]) -> str:
    return "1" if len(choices) == 1 else f"1 to {len(choices)}"
