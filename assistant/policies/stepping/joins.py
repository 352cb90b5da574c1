"""Several wishes in one message: where one ends and the next begins (pure).

A message is parted only between wishes that the rules of the tools read; what stands between and is no wish is kept as
it is, to be answered or told. An "and" inside a deed ("remind me to call mum and feed the cat") parts nothing: what
follows it must begin as a wish to the assistant begins.
"""

import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Final, Literal

from assistant.policies.asking.form import form_of
from assistant.policies.stepping.items import is_deed, is_plain, items_of, sort_of

Read = Literal["", "maybe", "whole"]  # not at all; meant, and the model fills it in; with all its arguments
Reads = Callable[[str], Read]
Timed = Callable[[str], bool]  # whether the text names both a deed and a time

MOST: Final = 12
LONGEST: Final = 2_000  # characters

_SENTENCE: Final = re.compile(r"(?<=[.!?;])\s+(?=[^\s\d])|\s*\n+\s*")
_SHORTENED: Final = re.compile(
    r"^\s*\d{1,2}\.$|\b(?:dr|mr|mrs|ms|st|no|nr|vs|e\.g|i\.e|etc|p\.m|a\.m|approx|tel)\.$", re.IGNORECASE
)
_JOIN: Final = re.compile(
    r"\s*[,;]?\s+(?:and|plus|&)\s+(?:(?:then|also|please|afterwards)[,]?\s+)*|\s*[,;]\s*(?:(?:then|also|plus)\s+)+|"
    r"\s+then\s+(?:also\s+)?|\s*[,;]\s+",
    re.IGNORECASE,
)
_BULLET: Final = re.compile(r"^\s*(?:[-*•–—+]|\(?\d{1,2}[.)]|\[ ?\])\s+")
_POLITE: Final = re.compile(
    r"^(?:(?:and|also|then|plus|please|hey|ok|okay|oh|steward|finally|next|afterwards)[,!]?\s+|"
    r"(?:can|could|would|will) you (?:please )?(?:also )?)+",
    re.IGNORECASE,
)
_FRAME: Final = re.compile(
    r"^(?:remind me\b|(?:set|create|add|make) (?:me )?(?:a|an|another) (?:\w+ )?(?:reminder|task|to-?do|event|note)\b|"
    r"(?:don'?t|do not) let me forget\b|new (?:task|to-?do)\b|"
    r"(?:add|put|write|enter|note|schedule) .+ (?:to|in|into|on|onto) (?:my|the|our) |"
    r"(?:write|jot|note) (?:down|that)\b|note\b|take a note\b|schedule\b|"
    r"(?:mark|tick|check) .+ (?:done|off|finished|complete)\b|(?:delete|remove|cancel) .+ from (?:my|the|our) |"
    r"(?:show|list|read)(?: me)? (?:my|the|what)\b|what(?:'s| is| do)\b|search (?:my|the|our)\b)",
    re.IGNORECASE,
)  # fmt: skip
_TAKES_A_DEED: Final = re.compile(
    r"\b(?:remind me|reminder|task|to-?do|note|forget|write down|note down|note that)\b", re.IGNORECASE
)
_MORE_TASKS: Final = re.compile(
    r"^(?:(?:please )?(?:add|create|make|write down|put down)\s+)(?:(?:these|the following|some|two|three|four|five|"
    r"several|\d{1,2})\s+)?(?:new\s+)?(?:tasks|to-?dos|todos)(?:\s+(?:to|for|that i have to))?\s*[:,]?\s+(?P<list>.+)$",
    re.IGNORECASE | re.DOTALL,
)  # fmt: skip
_HEADED: Final = re.compile(r"[^\n]*:\s*\n")
_ANOTHER: Final = re.compile(
    r"^(?:(?:another|a second|one|a)\s+(?:(?:one|task|to-?do|reminder)\s+)?(?:to|for|:)\s+|to\s+)(?P<what>\w.*)$",
    re.IGNORECASE | re.DOTALL,
)
_TASK_FRAME: Final = re.compile(
    r"^(?:add|create|make|new|write down)\s+(?:an?\s+|another\s+)?(?:new\s+)?(?:task|to-?do)\b", re.I
)
_REMIND_FRAME: Final = re.compile(r"^remind me\b(?:\s+to\s+(?P<verb>\w+))?", re.IGNORECASE)
_IT: Final = re.compile(
    r"^(?P<verb>(?:add|put|enter|write|mail|send|note|show|read)(?: me)?)\s+(?:it|that|this|them)\b", re.IGNORECASE
)
_MADE: Final = re.compile(
    r"^(?:book|reserve|schedule|arrange|order|plan)\s+(?:me\s+|us\s+)?(?P<what>.+)$", re.IGNORECASE | re.DOTALL
)


@dataclass(frozen=True, slots=True, kw_only=True)
class Piece:
    """`wish`: it is carried out as a step; else it is only told, or asked."""

    text: str
    wish: bool


def several(text: str, reads: Reads, timed: Timed) -> tuple[Piece, ...]:
    """The parts in their order; () for a message with fewer than two wishes and no question beside one."""
    if len(text) > LONGEST:
        return ()
    pieces: list[Piece] = []
    if (more := _MORE_TASKS.match(_plain(text))) is not None and _HEADED.match(more[0]):
        return tuple(Piece(text=f"add a task: {item}", wish=True) for item in items_of(more["list"])[:MOST])
    if not _SENTENCE.search(text.strip()) and not _JOIN.search(text):
        return ()
    for sentence in _sentences(text):
        pieces += _clauses(sentence, reads, timed)
    if "\n" in text.strip():
        pieces = [_of_a_list(piece) for piece in pieces if piece.wish or not piece.text.endswith(":")]
    wishes = [piece for piece in pieces if piece.wish]
    asked = any(not piece.wish and _asks(piece.text) for piece in pieces)
    if len(wishes) > MOST or not wishes or (len(wishes) == 1 and not asked):
        return ()
    return tuple(pieces)


def _of_a_list(piece: Piece) -> Piece:
    """A line that is only a deed, among lines that are wishes, is one of the user's to do."""
    bare = not piece.wish and is_deed(piece.text) and is_plain(piece.text) and not _asks(piece.text)
    return Piece(text=f"add a task: {piece.text}", wish=True) if bare else piece


def _asks(text: str) -> bool:
    return text.rstrip().endswith("?") or form_of(text) == "question"


def _sentences(text: str) -> Iterator[str]:
    """Of the whole message, list marks taken off; not cut inside quotes, brackets or after a shortened word."""
    hidden, start = _masked(text), 0
    for cut in _SENTENCE.finditer(hidden):
        if "\n" not in cut[0] and _SHORTENED.search(text[start : cut.start()]):
            continue
        yield from _stripped(text[start : cut.start()])
        start = cut.end()
    yield from _stripped(text[start:])


def _stripped(sentence: str) -> Iterator[str]:
    said = _BULLET.sub("", sentence).strip()
    if said:
        yield said


def _masked(text: str) -> str:
    """The same length, with what is quoted or in brackets made opaque."""

    def hide(found: re.Match[str]) -> str:
        return "x" * len(found[0])

    return re.sub(r"“[^”]*”|\"[^\"]*\"|\([^)]*\)|(?<!\w)'[^']*'(?!\w)", hide, text)


def _clauses(sentence: str, reads: Reads, timed: Timed) -> Iterator[Piece]:
    plain = _plain(sentence)
    if (more := _MORE_TASKS.match(plain)) is not None:
        for item in items_of(more["list"]):
            yield Piece(text=f"add a task: {item}", wish=True)
        return
    parts = _parts(plain, reads, timed)
    if len(parts) == 1:
        read = reads(plain) if form_of(plain) != "telling" else ""
        yield Piece(text=plain if read else sentence, wish=bool(read))
        return
    for part in parts:
        yield Piece(text=part, wish=bool(reads(part)))


def _plain(text: str) -> str:
    return _POLITE.sub("", text.strip(), count=1).strip()


def _parts(sentence: str, reads: Reads, timed: Timed) -> list[str]:
    hidden, start, parts = _masked(sentence), 0, list[str]()
    for cut in _JOIN.finditer(hidden):
        left, right = sentence[start : cut.start()], _plain(sentence[cut.end() :])
        follows = _following(left, right, reads, timed)
        if follows:
            parts.append(left)
            if follows != right:  # written out: what follows is read anew
                return [*parts, *_parts(follows, reads, timed)]
            start = cut.start() + len(cut[0])
    return [*parts, _plain(sentence[start:]).rstrip(" ,;")]


def _following(left: str, right: str, reads: Reads, timed: Timed) -> str:
    """The wish that begins at `right`, written out; "" where nothing ends between the two."""
    if not left.strip() or not right:
        return ""
    if (another := _another(left, right, timed)) and reads(left) and reads(another):
        return another
    if (named := _named(left, right)) is not None:
        return named if reads(left) and reads(named) else ""
    begins = _FRAME.match(right) or (form_of(right) == "wish" and not _TAKES_A_DEED.search(left))
    return right if begins and form_of(right) != "telling" and reads(left) and reads(right) else ""


def _another(left: str, right: str, timed: Timed) -> str:
    """ "add a task to buy milk and another to call Ann", "remind me to eat at 6 and to sleep at 10"."""
    plain, found = _plain(left), _ANOTHER.match(right)
    if _TASK_FRAME.match(plain):
        return f"add a task to {found['what']}" if found else ""
    if (frame := _REMIND_FRAME.match(plain)) and not _FRAME.match(right) and timed(plain):
        deed = found["what"] if found else right
        if found is None and re.match(r"(?:at|on|in|by|for|before|after|around)\b", right, re.IGNORECASE):
            return ""
        if found is None and not is_deed(deed):
            with_verb = frame["verb"] and len(deed.split()) <= 4 and sort_of(deed) != "appointment"
            deed = f"{frame['verb']} {deed}" if with_verb else ""
        second = f"remind me to {deed}"
        return second if deed and timed(second) else ""
    return ""


def _named(left: str, right: str) -> str | None:
    """ "book a table at Bella at 7 and put it in my calendar": what "it" is, said; None where nothing refers back."""
    refers, made = _IT.match(right), _MADE.match(_plain(left))
    if refers is None:
        return None
    return f"{refers['verb']} {made['what']}{right[refers.end() :]}" if made else ""
