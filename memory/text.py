"""Text at the store's door and in its search: pure functions that both transcripts share."""

import re
import secrets
import unicodedata
from dataclasses import dataclass
from datetime import UTC, datetime

MARK_START = "\ue000"
MARK_END = "\ue001"

_UNSTORABLE = re.compile("[\x00\ud800-\udfff]")  # SQLite's text functions stop at NUL; UTF-8 has no lone surrogates
_TERM = re.compile(r'"([^"]*)"|(\S+)')
_MOST_TERMS = 32
_LONGEST_TERM = 1_000  # characters; LIKE refuses patterns of 50,000 bytes
_SNIPPET_BEFORE = 30  # characters before a match that the snippet shows
_SNIPPET_LENGTH = 100

# Scripts written without spaces between words: the full-text index would take a whole clause for one word.
_UNSPACED = re.compile(
    "[\u0e00-\u0eff"  # Thai, Lao
    "\u0f00-\u0fff\u1000-\u109f\u1780-\u17ff"  # Tibetan, Myanmar, Khmer
    "\u3040-\u30ff\u31f0-\u31ff\uff66-\uff9d"  # Japanese syllables
    "\u3400-\u4dbf\u4e00-\u9fff\uf900-\ufaff\U00020000-\U0003ffff]"  # Han
)


_ID_LETTERS = "0123456789abcdefghjkmnpqrstvwxyz"  # no i, l, o, u: they are read and typed wrong


def random_id() -> str:
    """Eight letters, 40 bits: short enough to type a beginning of, and made again should it be taken."""
    bits = secrets.randbits(40)
    return "".join(_ID_LETTERS[bits >> shift & 31] for shift in range(0, 40, 5))


def storable(text: str) -> str:
    """NUL and lone surrogates become U+FFFD; everything else is kept as it is."""
    if text.isascii() and "\x00" not in text:
        return text  # looking for single characters is quick
    return _UNSTORABLE.sub("\ufffd", text)


def moment_text(at: datetime) -> str:
    """UTC with microseconds, so that the order of the texts is the order of the moments. Raises ValueError if naive."""
    if at.tzinfo is None:
        raise ValueError("a moment needs a time zone")
    utc = at if at.tzinfo is UTC else at.astimezone(UTC)
    day = (utc.year, utc.month, utc.day, utc.hour, utc.minute, utc.second, utc.microsecond)
    return "%04d-%02d-%02dT%02d:%02d:%02d.%06dZ" % day  # noqa: UP031 - in half the time of isoformat and of f-strings


def moment(text: str) -> datetime:
    at = datetime.fromisoformat(text)
    return at if at.tzinfo is UTC else at.astimezone(UTC)


def folded(text: str) -> str:
    """Without case and without accents, for comparing as people do."""
    decomposed = unicodedata.normalize("NFKD", text)
    return "".join(character for character in decomposed if not unicodedata.combining(character)).casefold()


@dataclass(frozen=True, slots=True, kw_only=True)
class Query:
    """What a person typed into a search field. Every term has to match; quotes hold words together."""

    words: tuple[str, ...]  # the last one is also a beginning
    pieces: tuple[str, ...]  # what is not words: emoji, signs, scripts without spaces

    @property
    def terms(self) -> tuple[str, ...]:
        return self.words + self.pieces

    @property
    def for_index(self) -> bool:
        """Whether an index of words can answer it."""
        return bool(self.words) and not self.pieces

    @property
    def whole(self) -> str:
        """The words in FTS5's language: each quoted, so that none of them is an operator."""
        return " ".join(f'"{word}"' for word in self.words)

    @property
    def begun(self) -> str:
        """As `whole`, with the last word as a beginning; "" where it is too short for one, or ends in a sign."""
        ends_in_two_letters = bool(self.words) and self.words[-1][-2:].isalnum() and len(self.words[-1]) > 1
        return f"{self.whole}*" if ends_in_two_letters else ""


def parse_query(text: str) -> Query:
    """Never fails: whatever cannot be a word is looked for as it stands."""
    words: list[str] = []
    pieces: list[str] = []
    for quoted, bare in _TERM.findall(storable(text))[:_MOST_TERMS]:
        term = (quoted or bare).replace('"', "").strip()[:_LONGEST_TERM]
        if not term:
            continue
        (words if _is_word(term) else pieces).append(term)
    return Query(words=tuple(words), pieces=tuple(pieces))


def _is_word(term: str) -> bool:
    """Whether the index knows it. It does not keep signs: C++ and C# would be found as C."""
    return any(map(str.isalnum, term)) and term[-1] not in "+#" and not _UNSPACED.search(term)


def like_pattern(piece: str) -> str:
    """For LIKE ... ESCAPE '!': `piece` anywhere, its own % and _ taken literally."""
    escaped = piece.replace("!", "!!").replace("%", "!%").replace("_", "!_")
    return f"%{escaped}%"


def snippet_around(content: str, pieces: tuple[str, ...]) -> str:
    """One line's worth around the first piece that occurs, which is marked."""
    lowered = _lowered(content)
    start, piece = next(((at, piece) for piece in pieces if (at := lowered.find(_lowered(piece))) >= 0), (-1, ""))
    if start < 0:
        return content[:_SNIPPET_LENGTH]
    end = start + len(piece)
    first = max(start - _SNIPPET_BEFORE, 0)
    last = max(first + _SNIPPET_LENGTH, end)
    head = ("…" if first > 0 else "") + content[first:start]
    tail = content[end:last] + ("…" if last < len(content) else "")
    return f"{head}{MARK_START}{content[start:end]}{MARK_END}{tail}"


def _lowered(text: str) -> str:
    """In lower case and of the same length: the few letters whose lower case is longer stay."""
    lowered = text.lower()
    return lowered if len(lowered) == len(text) else "".join(c if len(c.lower()) > 1 else c.lower() for c in text)
