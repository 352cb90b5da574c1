"""Putting an answer right by rule, where the model did not: cuts and removes, never writes. Pure."""

import re
from collections.abc import Sequence

from assistant.policies.style import Mention, Rule, broken
from assistant.policies.style_counts import bullets, headings, numbered, opening_pleasantry, sentences, without_emoji

_COUNTED = re.compile(r"^(\d{1,3}) (bullets|sentences|lines|paragraphs)$")
_MARK = re.compile(r"^([ \t]*)(?:[-*+•–]|\d{1,2}[.)])[ \t]+", re.MULTILINE)


def mended(text: str, rules: Sequence[Rule]) -> str | None:
    """The answer with every broken rule put right, or None when some cannot be."""
    if "```" in text:
        return None
    for rule in broken(text, rules):
        text = _mend(text, rule)
    text = text.strip()
    return text if text and not broken(text, rules) else None


def _mend(text: str, rule: Rule) -> str:
    if rule.shuns is not None:
        return _without(text, rule.shuns)
    counted = _COUNTED.match(rule.object)
    if counted and rule.polarity == 1:
        return _first(text, int(counted[1]), counted[2])
    match (rule.polarity, rule.object):
        case (-1, "emoji"):
            return without_emoji(text)
        case (-1, "pleasantries" | "introductions"):
            opening = opening_pleasantry(text) or ""
            rest = text[len(opening) :].lstrip()
            return rest[:1].upper() + rest[1:]
        case (-1, "headings"):
            for heading in headings(text):
                text = text.replace(heading, heading.strip(" #*:") + ":", 1)
            return text
        case (-1, "bullets" | "lists" | "numbered list") | (1, "prose"):
            return re.sub(r"\n{2,}", "\n\n", _MARK.sub(r"\1", text))
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


def _first(text: str, number: int, unit: str) -> str:
    match unit:
        case "bullets":
            marked = bullets(text) or numbered(text)
            if marked:
                return "\n".join(f"- {_MARK.sub('', line).strip()}" for line in marked[:number])
            said = sentences(text)
            return "\n".join(f"- {' '.join(one.split())}" for one in said[:number]) if len(said) > 1 else text
        case "sentences":
            return " ".join(part.strip() for part in sentences(text)[:number])
        case "lines":
            return "\n".join([line for line in text.splitlines() if line.strip()][:number])
        case _:
            return "\n\n".join([part.strip() for part in re.split(r"\n\s*\n", text) if part.strip()][:number])
