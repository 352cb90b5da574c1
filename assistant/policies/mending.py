"""Putting an answer right by rule, where the model did not: it cuts, moves and marks; it never makes words up. Pure."""

import re
from collections.abc import Sequence

from assistant.policies.style import SHORT_WORDS, Mention, Rule, broken
from assistant.policies.style_counts import bullets, headings, numbered, sentences, without_emoji, words
from assistant.policies.style_parts import (
    closing_remarks,
    endings,
    is_summary,
    offers,
    with_next_step,
    with_summary,
    without,
    without_opening,
)

_COUNTED = re.compile(r"^(\d{1,3}) (bullets|sentences|words|lines|paragraphs)$")
_MARK = re.compile(r"^([ \t]*)(?:[-*+•–]|\d{1,2}[.)])[ \t]+", re.MULTILINE)
_HEADING = re.compile(r"^\s{0,3}(?:#{1,6}\s|\*\*[^*\n]{2,60}\*\*:?\s*$)")
_TITLED = re.compile(
    r"^(?P<mark>\s*(?:[-*+•]|\d{1,2}[.)])\s+)?\*\*(?P<title>[^*\n]{2,60}?):?\*\*:?\s*[-–—:]?\s*(?P<rest>\S.*)$"
)
PASSES = 2  # what one wish adds (a summary) may break another (three sentences)

# What loses nothing of an answer, or only what stands behind enough of it: done at once, without asking again.
_AT_ONCE = frozenset(
    {
        (-1, "emoji"),
        (-1, "pleasantries"),
        (-1, "introductions"),
        (-1, "headings"),
        (-1, "closing"),
        (-1, "next step"),
        (1, "only the question"),
        (1, "bullets"),
        (1, "numbered list"),
        (1, "headings"),
        (1, "next step"),
        (1, "summary"),
        (1, "summary at the end"),
    }
)
_CUT_AT_ONCE = ("sentences", "lines", "paragraphs")


def is_mended_at_once(text: str, rule: Rule) -> bool:
    """Whether an answer that breaks the rule is put right before the model is asked again. A list is not cut short."""
    counted = _COUNTED.match(rule.object)
    if counted is not None:
        return counted[2] in _CUT_AT_ONCE and not (bullets(text) or numbered(text))
    return rule.shuns is None and (rule.polarity, rule.object) in _AT_ONCE


def mended(text: str, rules: Sequence[Rule]) -> str | None:
    """The answer with every broken rule put right, or None when some cannot be."""
    text = improved(text, rules)
    return text if text and not text.endswith(":") and not broken(text, rules) else None


def improved(text: str, rules: Sequence[Rule]) -> str:
    """The answer with as much put right as can be."""
    if "```" in text:
        return text
    for _ in range(PASSES):
        for rule in sorted(broken(text, rules), key=_order):
            text = _mend(text, rule)
        text = text.strip()
    return text


def fewest_broken(texts: Sequence[str], rules: Sequence[Rule]) -> str:
    """Of several answers, first come first."""
    return min(texts, key=lambda text: len(broken(text, rules)))


def _order(rule: Rule) -> int:
    """What is taken out first, then the form, then how long, then what stands at the end."""
    lists = rule.object in ("bullets", "lists", "numbered list")
    if rule.shuns is not None or rule.object == "only the question" or (rule.polarity == -1 and not lists):
        return 0
    if _COUNTED.match(rule.object):
        return 2
    return 3 if rule.object.startswith("summary") or rule.object == "next step" else 1


def _mend(text: str, rule: Rule) -> str:
    if rule.shuns is not None:
        return _without(text, rule.shuns)
    counted = _COUNTED.match(rule.object)
    if counted and rule.polarity == 1:
        return _first(text, int(counted[1]), counted[2])
    return _rid(text, rule) if _order(rule) == 0 else _shaped(text, rule)


def _rid(text: str, rule: Rule) -> str:
    """Of what is not wanted."""
    match rule.object:
        case "emoji":
            return without_emoji(text)
        case "introductions":
            return without_opening(text)
        case "pleasantries":
            text = without_opening(text)
            return without(text, closing_remarks(text))
        case "closing":
            return without(text, closing_remarks(text))
        case "next step" | "only the question":
            return without(text, offers(text))
        case "headings":
            for heading in headings(text):
                text = text.replace(heading, heading.strip(" #*:") + ":", 1)
            return text
        case _:
            return text


def _shaped(text: str, rule: Rule) -> str:
    match (rule.polarity, rule.object):
        case (1, "bullets"):
            return _as_list(text, counting=False)
        case (1, "numbered list"):
            return _as_list(text, counting=True)
        case (-1, "bullets" | "lists" | "numbered list") | (1, "prose"):
            return re.sub(r"\n{2,}", "\n\n", _MARK.sub(r"\1", text))
        case (1, "headings"):
            return _with_headings(text)
        case (1, "short") | (-1, "long"):
            return _first(text, SHORT_WORDS, "words")
        case (1, "next step"):
            return with_next_step(text)
        case (1, "summary" | "summary at the end"):
            return with_summary(text, first=rule.object == "summary")
        case _:
            return text


def _without(text: str, shunned: Mention) -> str:
    """Without the list entries, and without the sentences, that hold what the user does not want."""
    kept = []
    for line in text.split("\n"):
        if not shunned.found_in(line):
            kept.append(line)
        elif not _MARK.match(line):
            kept.append(" ".join(one.strip() for one in sentences(line) if not shunned.found_in(one)))
    return re.sub(r"\n{3,}", "\n\n", "\n".join(kept))


def _as_list(text: str, *, counting: bool) -> str:
    """Its entries, else its sentences, as a list; headings, announcements and what closes it stay as they are."""
    body, last = endings(without_opening(text))
    marked = bullets(body) or numbered(body)
    lines: list[str] = []
    number = 0
    for line in body.split("\n"):
        mark = _MARK.match(line)
        if (mark and mark[1]) or not line.strip():
            if mark:
                lines.append(line)  # inside an entry
            continue
        if _HEADING.match(line) or is_summary(line) or line.rstrip().endswith(":") or (marked and not mark):
            lines.append(line)
            continue
        for one in [_MARK.sub("", line)] if mark else sentences(line):
            number += 1
            lines.append(f"{f'{number}.' if counting else '-'} {one.strip()}")
    return "\n".join(lines) + "".join(f"\n\n{one}" for one in last)


def _with_headings(text: str) -> str:
    """Entries and paragraphs that begin with a title in bold get it as their heading."""
    lines: list[str] = []
    for line in text.split("\n"):
        titled = _TITLED.match(line)
        if titled is None:
            lines.append(line)
            continue
        mark = "- " if titled["mark"] else ""
        lines += ["", f"## {titled['title'].strip()}", f"{mark}{titled['rest']}"]
    return re.sub(r"\n{3,}", "\n\n", "\n".join(lines)).strip()


def _first(text: str, number: int, unit: str) -> str:
    """As much of the beginning as is wanted; a summary or a confidence at the end stays and counts."""
    if unit == "bullets":
        return _first_bullets(text, number)
    body, last = endings(text)
    end = "\n".join(last)
    match unit:
        case "sentences":
            room = number - len(sentences(end))
            body = " ".join(_as_sentences(body)[: max(room, 1)])
        case "words":
            body = _within(body, number - len(words(end)))
        case "lines":
            body = "\n".join([line for line in body.splitlines() if line.strip()][: max(number - len(last), 1)])
        case _:
            parts = [part.strip() for part in re.split(r"\n\s*\n", body) if part.strip()]
            body = "\n\n".join(parts[: max(number - bool(last), 1)])
    return f"{body}\n\n{end}".strip() if unit == "paragraphs" else f"{body}\n{end}".strip()


def _as_sentences(text: str) -> list[str]:
    """Entries of a list become sentences; their announcement goes."""
    marked = [*bullets(text), *numbered(text)]
    if not marked:
        return [part.strip() for part in sentences(text)]
    lines = [line for line in text.split("\n") if line.strip() and not line.rstrip().endswith(":")]
    plain = [_MARK.sub("", line).strip() for line in lines if not _HEADING.match(line)]
    whole = (line if line.endswith((".", "!", "?")) else f"{line}." for line in plain)
    return [part.strip() for line in whole for part in sentences(line)]


def _first_bullets(text: str, number: int) -> str:
    body, last = endings(text)
    marked = bullets(body) or numbered(body)
    said = [_MARK.sub("", line).strip() for line in marked] or [" ".join(one.split()) for one in sentences(body)]
    if not marked and len(said) == 1:
        return text
    return "\n".join(f"- {one}" for one in said[:number]) + "".join(f"\n\n{one}" for one in last)


def _within(text: str, most: int) -> str:
    """Whole lines and sentences of at most so many words; at least one."""
    kept = ""
    for match in re.finditer(r"[^\n]*?(?:[.!?…](?=\s)|\n+|$)\s*", text):
        if not match[0]:
            break
        if kept and len(words(kept + match[0])) > most:
            break
        kept += match[0]
    return kept.rstrip()
