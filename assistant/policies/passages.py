"""Which parts of a message are the user speaking for themselves. Pure.

Mention is not assertion: pasted text, quotations, code, documents, played parts, questions, hypotheticals, jokes and
what others said are left out here, before any pattern looks for a statement. What is left comes as clauses with their
place in the message, so that evidence can quote it verbatim.
"""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from assistant.policies.language import Language

LONGEST = 2_000  # characters: a longer message is a text, not a remark
LONGEST_SENTENCE = 400
PASSING_REMARK = 4  # words: "just this once, ..." holds for the whole sentence

_HOLE = "\ufffc"  # stands for a masked character
_FENCE = re.compile(r"(```|~~~).*?(?:\1|\Z)", re.DOTALL)
_INLINE = re.compile(r"`[^`\n]*`")
_CITED_LINE = re.compile(r"^[ \t]*>.*$", re.MULTILINE)
_QUOTED = re.compile(
    r"\"[^\"\n]*\"|“[^”\n]*”|«[^»\n]*»|„[^“”\n]*[“”]|‘[^’\n]{3,}’(?!\w)|(?<![\w'])'(?=\w)[^'\n]{2,}(?:'\w[^'\n]*)*'(?!\w)"
)
_CODE_LINE = re.compile(
    r"^\s*(?://|#!|#include|>>>|\$ |import \w|from \w+ import|def \w+\(|class \w+[:(]|public |private |const |let |var "
    r"|function\b|SELECT\b|INSERT\b|UPDATE \w+ SET|git \w|echo |sudo |pip |npm |cd |curl )"
    r"|[;{}]\s*$|\w+\([^)]*\)\s*[;:]?\s*$|^\s*\w+ ?= ?\S"
)
_LABEL = re.compile(r"^\s*(?:[A-Z][\w.-]*|\d[\d:. -]+\w*)(?: [\w.-]+)?: \S")
_SENTENCE = re.compile(r"[^.!?…\n]*(?:[.!?…](?![\s)\"'’”]|$)[^.!?…\n]*)*[.!?…]*[)\"'’”]*")
_MARK = re.compile(r"^(?:[-*•+]|\d{1,2}[.)])\s+")


@dataclass(frozen=True, slots=True, kw_only=True)
class Clause:
    """`text` as it was said, from `start` to `stop` in the message; `plain` is what patterns read: lower case, lead-ins
    gone, with the subject it shares with the clause before. `said` is `plain` in the user's own spelling."""

    text: str
    said: str
    start: int
    stop: int
    passing: bool = False  # "this time", "today": true now, not for long
    wished: bool = False  # "I'd like ..."
    instruction_only: bool = False  # about the future or unsure: no statement about the user

    @property
    def plain(self) -> str:
        return self.said.lower().replace("’", "'")


@dataclass(frozen=True, slots=True, kw_only=True)
class Passage:
    clauses: tuple[Clause, ...]
    asks: bool  # the message also contains a question or a text to work on


def own_words(text: str, language: Language, *, earlier: Sequence[str] = ()) -> Passage:
    """`text` is a typed message, `earlier` the user's messages before it in this conversation, oldest first."""
    if len(text) > LONGEST:
        return Passage(clauses=(), asks=True)
    masked = _masked(text)
    playing = _plays(earlier, language)
    clauses: list[Clause] = []
    asks = masked != text
    before = 0  # where the sentence before this one starts
    for start, stop in _sentences(masked):
        sentence = masked[start:stop]
        lower = sentence.lower().replace("’", "'")
        aside = language.patterns["own_words.aside"].match(lower)
        if language.patterns["own_words.play_ends"].search(lower):
            playing = False
            continue
        if _is_played(lower, language) and not aside:
            playing = asks = True
        if playing and not aside:
            continue
        if language.patterns["own_words.document"].search(lower) and not _is_command(lower, language):
            return Passage(clauses=tuple(clauses), asks=True)
        if language.patterns["own_words.joke"].search(lower):
            clauses = [clause for clause in clauses if clause.stop < before]  # "I love it. Just kidding."
            continue
        found, asked = _from_sentence(masked, start, stop, language)
        before = start
        asks = asks or asked
        clauses += found
        if sentence.rstrip().endswith(":"):
            return Passage(clauses=tuple(clauses), asks=True)
    return Passage(clauses=tuple(clauses), asks=asks)


def _masked(text: str) -> str:
    """The same length, with holes where somebody or something else speaks."""

    def hole(match: re.Match[str]) -> str:
        return "".join("\n" if character == "\n" else _HOLE for character in match[0])

    def quoted(match: re.Match[str]) -> str:
        return match[0] if len(match[0].split()) <= 2 and not match[0][1:-1].islower() else hole(match)

    text = _CITED_LINE.sub(hole, _INLINE.sub(hole, _FENCE.sub(hole, text)))
    text = _QUOTED.sub(quoted, text)
    lines = text.split("\n")
    labelled = len(lines) > 1 and any(_LABEL.match(line) for line in lines)
    if labelled and _LABEL.match(lines[0]):
        return _HOLE * len(text)  # a mail, a chat, a log
    kept: list[str] = []
    asked = False
    for line in lines:
        foreign = _CODE_LINE.search(line) or (labelled and _LABEL.match(line)) or (asked and _MARK.match(line.lstrip()))
        kept.append(_HOLE * len(line) if foreign else line)
        asked = asked or line.rstrip().endswith("?")
    return "\n".join(kept)


def _plays(earlier: Sequence[str], language: Language) -> bool:
    """Whether a part is still being played: begun in an earlier message and not ended."""
    playing = False
    for text in earlier[-12:]:
        lower = text[:LONGEST].lower()
        if language.patterns["own_words.play_ends"].search(lower):
            playing = False
        elif _lasting_play(lower, language):
            playing = True
    return playing


def _lasting_play(lower: str, language: Language) -> bool:
    match = language.patterns["own_words.play"].search(lower)
    return match is not None and not match[0].startswith(("write", "compose", "as a", "user story", "persona"))


def _is_played(lower: str, language: Language) -> bool:
    return language.patterns["own_words.play"].search(lower) is not None and not _is_command(lower, language)


def _is_command(lower: str, language: Language) -> bool:
    return any(language.patterns[name].match(lower) for name in ("commands.remember", "commands.forget"))


def _sentences(text: str) -> Iterator[tuple[int, int]]:
    for match in _SENTENCE.finditer(text):
        start, stop = match.span()
        while start < stop and text[start].isspace():
            start += 1
        while stop > start and text[stop - 1].isspace():
            stop -= 1
        if stop > start:
            yield start, stop


def _from_sentence(text: str, start: int, stop: int, language: Language) -> tuple[list[Clause], bool]:
    """The clauses of one sentence in which the user says something, and whether it asks something."""
    patterns = language.patterns
    sentence = text[start:stop]
    mark = _MARK.match(sentence)
    start += mark.end() if mark else 0
    sentence = text[start:stop]
    lower = sentence.lower().replace("’", "'")
    if len(sentence) > LONGEST_SENTENCE:
        return [], True
    asked = False
    request = patterns["own_words.request_question"].match(_led(lower, language)[0])
    if sentence.rstrip(")\"'’”").endswith("?"):
        if patterns["own_words.tag"].search(lower) and not request:
            return [], True
        if not request:
            stop, asked = _before_question(text, start, stop, language), True
            if stop <= start:
                return [], True
    elif patterns["own_words.question"].match(_led(lower, language)[0]) and not request:
        return [], True
    return list(_clauses(text, start, stop, language)), asked


def _before_question(text: str, start: int, stop: int, language: Language) -> int:
    """Where the statement before a question ends ("I'm vegan, what can I eat?"); `start` when there is none."""
    lower = text[start:stop].lower().replace("’", "'")
    if language.patterns["own_words.question"].match(_led(lower, language)[0]):
        return start
    match = language.patterns["own_words.statement_before_question"].search(lower)
    return start + match.start() if match else start


def _clauses(text: str, start: int, stop: int, language: Language) -> Iterator[Clause]:
    patterns = language.patterns
    colon = text.find(": ", start, stop)
    if colon > 0:
        before = text[start:colon].lower()
        if not (_is_command(before + ": x", language) or patterns["own_words.lead"].fullmatch(before + ":")):
            stop = colon
    whole = text[start:stop].lower().replace("’", "'")
    reported = patterns["own_words.reported"].search(_led(whole, language)[0]) is not None
    if reported and not _is_command(_led(whole, language)[0], language):
        return
    subject = ""
    unsure = False
    passing = any(
        len(text[begin:end].split()) <= PASSING_REMARK
        and patterns["own_words.passing"].search(text[begin:end].lower()) is not None
        for begin, end in _pieces(text, start, stop, language)
    )
    for begin, end in _pieces(text, start, stop, language):
        piece = text[begin:end].strip()
        if not piece or _HOLE in piece:
            subject = ""
            continue
        begin += text[begin:end].index(piece)
        piece = piece.rstrip(" .!?…,;:")
        lower = piece.lower().replace("’", "'")
        plain, skipped = _led(lower, language)
        said = piece[skipped:]
        shared = patterns["own_words.shared_subject"].search(", and " + plain)
        if subject and shared and shared.start() == 0:
            said = subject + said
        subject = _subject(said, language) or subject
        unsure = unsure or patterns["own_words.hypothetical"].search(lower) is not None
        yield Clause(
            text=piece,
            said=said,
            start=begin,
            stop=begin + len(piece),
            passing=passing or patterns["own_words.passing"].search(lower) is not None,
            wished=patterns["own_words.would"].match(plain) is not None,
            instruction_only=unsure,
        )


def _pieces(text: str, start: int, stop: int, language: Language) -> Iterator[tuple[int, int]]:
    """Where the clauses of a sentence stand, cut before a new subject or a verb that shares the old one."""
    lower = text[start:stop].lower().replace("’", "'")
    cuts = sorted(
        (match.start(), match.end())
        for name in ("own_words.split", "own_words.shared_subject")
        for match in language.patterns[name].finditer(lower)
        if match.end() < len(lower)
    )
    begin = 0
    for left, right in cuts:
        if left < begin:
            continue
        yield start + begin, start + left
        begin = right
    yield start + begin, stop


def _led(lower: str, language: Language) -> tuple[str, int]:
    """Without lead-ins ("well, honestly, "), and how many characters they took."""
    skipped = 0
    for name in ("own_words.aside", "own_words.lead", "own_words.lead", "own_words.lead"):
        match = language.patterns[name].match(lower)
        if match and match.end() < len(lower):
            skipped += match.end()
            lower = lower[match.end() :]
    return lower, skipped


def _subject(said: str, language: Language) -> str:
    match = re.match(r"(?:I|i|We|we)(?=[ '’])", said)
    return f"{match[0]} " if match else ""
