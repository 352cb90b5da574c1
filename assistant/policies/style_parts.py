"""What an answer opens and closes with: politeness, offers of help, a summary, a confidence, a next step. Pure.

Closing remarks are looked for in the last paragraph only: "if you want it crisper" in a recipe is no offer.
"""

import re

from assistant.policies.style_counts import prose, sentences

SUMMARY = "TL;DR:"

_MARK = r"(?:(?:[-*+•–]|\d{1,2}[.)])[ \t]+)?"
_OPENING = re.compile(
    rf"^(?P<mark>\s*{_MARK})\W*(?:(?:"
    r"(?:certainly|sure(?: thing)?|of course|absolutely|definitely|gladly|no problem|hello(?: there)?|hi(?: there)?|hey"
    r"|(?:that's an? |what an? )?(?:great|good|excellent|interesting) question|got it|understood|happy to help"
    r"|you're welcome)(?=\s*[.!,:–—]|\s*$)"
    r"|(?:i'd be|i'm|i am|i would be) (?:happy|glad|delighted) to[^.!:\n]*"
    r"|(?:thank you|thanks) for[^.!:\n]*|what a great[^.!:\n]*"
    r"|(?:i'm (?:so |very )?sorry|i am sorry|sorry|i apologi[sz]e|my apologies|apologies)\b[^.!:,\n]*"
    r")\s*[.!,:–—]*\s*|(?:certainly|absolutely|of course)\s+)+",
    re.IGNORECASE,
)
_CLOSING = re.compile(
    r"\b(?:let me know|feel free|don't hesitate|do not hesitate|would you like (?:me )?(?:to|any|more|some)"
    r"|do you want me to|(?:i|we) (?:can|could) also|happy to (?:help|assist)|glad to (?:help|assist)"
    r"|hope (?:this|that|it) (?:helps|clarifies|was)|good luck"
    r"|if you (?:need|want|have|would like|'d like|require)\b[^.]*\b(?:help|assist\w*|questions?|details?|information"
    r"|examples?|advice)"
    r"|anything else|further (?:help|assistance|questions)|thank you for|thanks for)\b"
    r"|\benjoy (?:your|the)\b[^.]*!|\bhappy \w+ing!",
    re.IGNORECASE,
)
_STEP = re.compile(
    r"\bnext steps?\b|\byou (?:might|may|could) (?:also )?(?:want|try|like|consider)\b|\bconsider \w+ing\b"
    r"|\byour next\b",
    re.IGNORECASE,
)
_STEP_OFFERED = re.compile(r"\bnext steps?\b|\byou (?:might|may|could) (?:also )?(?:want|like) to\b", re.IGNORECASE)
_STEP_NAMED = re.compile(
    r"(?:^|(?<=[\s*_]))[*_]*next steps?[*_]*:[*_]*\s*(?P<step>(?:[^.!?\n]|[.!?](?!\s|$))+[.!?]*)[*_]*",
    re.IGNORECASE | re.MULTILINE,
)
_SUMMARY_LINE = re.compile(rf"^\s*{_MARK}[*_#\s]*(?:tl;? ?dr|summary)\b[*_]*\s*[:–—-]?[*_]*\s*", re.IGNORECASE)
_CONCLUSION = re.compile(
    rf"^\s*{_MARK}(?:in (?:short|summary|brief|conclusion|essence)|to sum(?:mari[sz]e| up)|overall|in a nutshell)\b"
    r"[,:]?\s*",
    re.IGNORECASE,
)
_CONFIDENCE = re.compile(
    r"\b(?:confiden\w+|certain\w*|sure)\b[^\n]*\d{1,3} ?(?:%|per ?cent)"
    r"|\d{1,3} ?(?:%|per ?cent)[^\n]*\b(?:confiden\w+|certain\w*|sure)\b",
    re.IGNORECASE,
)
_LIST_LINE = re.compile(r"^[ \t]*(?:[-*+•–]|\d{1,2}[.)])[ \t]+")
_HEADING_LINE = re.compile(r"^\s*(?:#{1,6}\s|\*\*[^*]{2,60}\*\*:?\s*$)")
LEAST_LEAD = 4  # words of a sentence that says something
SHORT_ENTRY, MOST_TITLES = 7, 4  # words; entries named in a summary


def opening_pleasantry(text: str) -> str | None:
    """The polite words an answer begins with, without the mark of a list before them."""
    match = _OPENING.match(text)
    return match[0][len(match["mark"]) :] if match else None


def without_opening(text: str) -> str:
    match = _OPENING.match(text)
    if match is None:
        return text
    rest = text[match.end() :]
    return f"{match['mark']}{rest[:1].upper()}{rest[1:]}"


def closing_remarks(text: str) -> tuple[str, ...]:
    """Sentences of the last paragraph that offer more, hope that it helps, or say good-bye."""
    return tuple(one for one in sentences(_last_paragraph(text)) if _CLOSING.search(one))


def offers(text: str) -> tuple[str, ...]:
    """Closing remarks, and a next step in the last sentence."""
    found = sentences(_last_paragraph(text))
    step = tuple(one for one in found[-1:] if _STEP_OFFERED.search(one) and not _CLOSING.search(one))
    return (*closing_remarks(text), *step)


def without(text: str, unwanted: tuple[str, ...]) -> str:
    """Without these sentences, and without the lines that they leave empty."""
    for one in unwanted:
        before, found, behind = text.rpartition(one)
        text = before + behind if found else text
    lines = [line for line in text.split("\n") if line.strip(" \t-*+•–_") or not line.strip()]
    return re.sub(r"\n{3,}", "\n\n", "\n".join(line.rstrip() for line in lines)).strip()


def has_summary_at_end(text: str) -> bool:
    return any(is_summary(line) for line in _tail(text))


def is_summary(line: str) -> bool:
    return _SUMMARY_LINE.match(line) is not None


def has_summary_first(text: str) -> bool:
    return re.search(r"tl;? ?dr|summary|in short", text[:200], re.IGNORECASE) is not None


def has_confidence(text: str) -> bool:
    return _CONFIDENCE.search(text) is not None


def has_next_step(text: str) -> bool:
    return any(_STEP.search(line) or line.rstrip(' *_")').endswith("?") for line in _tail(text))


def with_next_step(text: str) -> str:
    """With what it calls the next step, somewhere inside, on a line of its own at the end."""
    found = _STEP_NAMED.search(text)
    if found is None:
        return text
    rest = f"{text[: found.start()].rstrip()}{text[found.end() :]}".rstrip()
    return f"{rest}\n\nNext step: {found['step'].strip(' *_')}"


def endings(text: str) -> tuple[str, list[str]]:
    """What stands before, and the lines at the end that are a summary, a confidence or a next step."""
    lines = text.rstrip().split("\n")
    found: list[str] = []
    while lines:
        last = lines[-1]
        if not last.strip():
            lines.pop()
        elif _SUMMARY_LINE.match(last) or _CONFIDENCE.search(last) or re.match(r"^\W*next steps?\b", last.lower()):
            found.insert(0, lines.pop())
        else:
            break
    return "\n".join(lines), found


def with_summary(text: str, *, first: bool) -> str:
    """With a line of summary: the one it has somewhere else, the sentence that concludes, else the leading one."""
    lines = text.split("\n")
    for pattern in (_SUMMARY_LINE, _CONCLUSION):
        for number, line in enumerate(lines):
            found = pattern.match(line)
            if found and line[found.end() :].strip(" *_"):
                said = line[found.end() :].strip(" *_")
                return _placed(said, "\n".join(lines[:number] + lines[number + 1 :]), first=first)
    lead, listed = _lead(text)
    if not lead:
        return text
    return _placed(lead, text.replace(lead, "", 1) if first and not listed else text, first=first)


def _placed(said: str, rest: str, *, first: bool) -> str:
    line = f"{SUMMARY} {said[:1].upper()}{said[1:]}"
    rest = re.sub(r"\n{3,}", "\n\n", rest).strip()
    return f"{line}\n\n{rest}".strip() if first else f"{rest}\n\n{line}".strip()


def _lead(text: str) -> tuple[str, bool]:
    """The gist by its place: the titles of a list, else the first sentence that says something. Whether of a list."""
    lines = [line for line in prose(text).split("\n") if line.strip() and not _HEADING_LINE.match(line)]
    entries = [line for line in lines if _LIST_LINE.match(line)]
    titles = [_title(line) for line in entries]
    if len(titles) > 1 and all(titles):
        shown = titles[:MOST_TITLES]
        whole = all(one.endswith((".", "!", "?")) for one in shown)
        return " ".join(shown) if whole else f"{'; '.join(one.rstrip('.') for one in shown)}.", True
    for line in lines:
        mark = _LIST_LINE.match(line)
        for one in sentences(line[mark.end() :] if mark else line):
            if len(one.split()) >= LEAST_LEAD and not one.rstrip().endswith(":"):
                return one.strip(), mark is not None
    return "", False


def _title(entry: str) -> str:
    """What an entry begins with in bold, or the whole of a short one."""
    rest = _LIST_LINE.sub("", entry).strip()
    bold = re.match(r"\*\*([^*]{2,60}?):?\*\*", rest)
    if bold:
        return bold[1].strip()
    return rest.rstrip(" ;") if len(rest.split()) <= SHORT_ENTRY else ""


def _tail(text: str) -> list[str]:
    """The lines that close an answer, or its last."""
    return endings(text)[1] or [next((line for line in reversed(text.split("\n")) if line.strip()), "")]


def _last_paragraph(text: str) -> str:
    parts = [part for part in re.split(r"\n\s*\n", prose(text)) if part.strip()]
    return parts[-1] if parts else ""
