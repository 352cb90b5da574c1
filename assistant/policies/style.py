"""Wishes about answers as rules: a line for the model, and where possible a check of the answer and a repair. Pure.

A rule is read from the `object` of an item in a reply_style slot ("3 bullets", "German", "emoji"), which is the same in
every language. What cannot be checked by counting (tone, depth) only becomes a line.
"""

import re
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from difflib import SequenceMatcher

from assistant.policies.said import Said
from assistant.policies.style_counts import (
    bullets,
    has_emoji,
    headings,
    is_mostly_code,
    language_of,
    numbered,
    sentences,
    table_rows,
    words,
)
from assistant.policies.style_parts import (
    closing_remarks,
    has_confidence,
    has_next_step,
    has_summary_at_end,
    has_summary_first,
    offers,
    opening_pleasantry,
)
from memory.preferences import Polarity, Preference

TOO_ALIKE = 0.85  # of two answers, by difflib
SHORT_WORDS = 90
HEADED = 2  # sentences up to which an answer needs no headings
_BEFORE = 40  # characters around a word that may take it back
_COUNTED = re.compile(r"^(\d{1,3}) (bullets|sentences|words|lines|paragraphs)$")


@dataclass(frozen=True, slots=True, kw_only=True)
class Mention:
    """Words whose mention counts, unless `harmless` stands before ("without") or `after` behind ("-free")."""

    words: re.Pattern[str]
    harmless: re.Pattern[str]
    after: re.Pattern[str]

    def found_in(self, text: str) -> bool:
        for match in self.words.finditer(text):
            before, behind = text[max(match.start() - _BEFORE, 0) : match.start()].lower(), text[match.end() :]
            if not self.harmless.search(before) and not self.after.match(behind[:_BEFORE].lower()):
                return True
        return False


@dataclass(frozen=True, slots=True, kw_only=True)
class Rule:
    """`line` is said to the model; `words` are the user's."""

    slot: str
    object: str
    polarity: Polarity
    line: str
    words: str
    condition: str = ""
    shuns: Mention | None = None  # what an answer may not hold (assistant/policies/shunning.py)

    @property
    def checkable(self) -> bool:
        """Whether a rule can tell that an answer breaks it. What holds only under a condition is left to the model."""
        if self.condition:
            return False
        if self.shuns is not None:
            return True
        counted = self.polarity == 1 and _COUNTED.match(self.object) is not None
        return counted or self.slot == _LANGUAGE_SLOT or (self.polarity, self.object) in _CHECKS


_LINES: dict[tuple[Polarity, str], str] = {
    (1, "bullets"): "Answer in bullet points.",
    (-1, "bullets"): "Use no bullet points and no lists: write sentences.",
    (-1, "lists"): "Use no bullet points and no lists: write sentences.",
    (1, "numbered list"): "Answer as a numbered list.",
    (-1, "numbered list"): "Use no numbered lists.",
    (1, "table"): "Put the answer into a table where it fits.",
    (-1, "table"): "Use no tables.",
    (1, "prose"): "Write running text: no bullet points, no lists.",
    (1, "emoji"): "Use a few emoji.",
    (-1, "emoji"): "Use no emoji.",
    (1, "headings"): "Structure the answer with headings.",
    (-1, "headings"): "Use no headings.",
    (-1, "markdown"): "Use no Markdown: plain text only.",
    (1, "short"): "Be brief: at most three short sentences.",
    (-1, "long"): "Be brief: at most three short sentences.",
    (1, "long"): "Answer in detail.",
    (-1, "short"): "Answer in detail.",
    (1, "beginner"): "Explain as to a beginner, in simple words.",
    (1, "expert"): "Write for an expert: skip the basics.",
    (1, "blunt"): "Be direct and blunt.",
    (1, "formal"): "Write formally.",
    (-1, "formal"): "Write casually, not formally.",
    (1, "informal"): "Write casually, not formally.",
    (-1, "informal"): "Write formally.",
    (1, "friendly"): "Be warm and friendly.",
    (1, "jokes"): "A little humour is welcome.",
    (-1, "jokes"): "Make no jokes.",
    (-1, "pleasantries"): "Start with the answer itself: no greeting, no compliments, no offer to help further.",
    (-1, "closing"): "End with the answer: no closing remark, no offer to help further.",
    (-1, "introductions"): "Start with the answer itself, without an introduction.",
    (-1, "apologies"): "Never apologise.",
    (1, "summary"): 'Begin with a line that starts with "TL;DR:".',
    (1, "summary at the end"): 'End with a line that starts with "TL;DR:".',
    (1, "confidence"): 'End with a line like "Confidence: 80%" that says how sure you are.',
    (1, "next step"): 'End with a line that starts with "Next step:" and suggests one.',
    (-1, "next step"): "End with the answer: suggest no next steps, offer no further help.",
    (1, "only the question"): "Answer only what was asked: no next steps, no offer of further help.",
    (1, "conclusion first"): "Put the conclusion first.",
    (1, "examples"): "Give examples.",
    (-1, "examples"): "Give no examples.",
    (1, "sources"): "Name sources where you know them.",
    (-1, "disclaimers"): "Add no disclaimers or warnings.",
    (-1, "questions"): "Ask no questions back.",
    (1, "questions"): "Ask back when something is unclear.",
    (1, "metric"): "Use metric units and Celsius.",
    (-1, "imperial"): "Use metric units and Celsius.",
    (1, "imperial"): "Use imperial units.",
    (1, "24-hour clock"): "Write times in the 24-hour clock.",
    (1, "British"): "Use British spelling.",
    (1, "American"): "Use American spelling.",
}
_APOLOGY = re.compile(r"\b(?:i apologi[sz]e|i'm sorry|my apologies|sorry for)\b")
_SLOT = "reply_style."
_LANGUAGE_SLOT = "reply_style.language"


def rules_from(preferences: Iterable[Preference | Said], for_now: Iterable[Said] = ()) -> tuple[Rule, ...]:
    """The rules in force; what the user wants for this answer only takes the place of what it contradicts."""
    now = tuple(_rule(one) for one in for_now if one.slot.startswith(_SLOT))
    lasting = (_rule(one) for one in preferences if one.slot.startswith(_SLOT))
    return (*(rule for rule in lasting if not any(_same_matter(rule, other) for other in now)), *now)


def contradicts(new: Said, old: Preference) -> bool:
    """Whether a wish ends an older one that names another object: "no bullets" ends "3 bullets", and the reverse."""
    if new.slot != old.slot or (new.scope, new.condition) != (old.scope, old.condition):
        return False
    if (new.slot, new.object) == (old.slot, old.object) or old.status != "active":
        return False
    if _family(new.object) != _family(old.object):
        return False
    return new.polarity != old.polarity or (new.object != old.object and _family(new.object) == "summary")


def broken(text: str, rules: Sequence[Rule]) -> tuple[Rule, ...]:
    """The rules that a finished answer breaks. An answer that is mostly code is left alone."""
    if not text.strip() or is_mostly_code(text):
        return ()
    return tuple(rule for rule in rules if rule.checkable and _breaks(text, rule, finished=True))


def broken_already(text: str, rules: Sequence[Rule]) -> tuple[Rule, ...]:
    """The rules that an answer in progress has broken beyond repair by writing on."""
    if "```" in text:
        return ()
    return tuple(rule for rule in rules if rule.checkable and _breaks(text, rule, finished=False))


def too_alike(text: str, rejected: str) -> bool:
    """Whether an answer is nearly the one the user has just turned down (difflib ratio over 0.85)."""
    one, other = " ".join(text.split()), " ".join(rejected.split())
    if not one or not other:
        return False
    matcher = SequenceMatcher(None, one, other, autojunk=False)
    return matcher.real_quick_ratio() > TOO_ALIKE and matcher.quick_ratio() > TOO_ALIKE and matcher.ratio() > TOO_ALIKE


def _rule(one: Preference | Said) -> Rule:
    return Rule(
        slot=one.slot,
        object=one.object,
        polarity=one.polarity,
        line=_line(one),
        words=one.statement,
        condition=one.condition,
    )


def _line(one: Preference | Said) -> str:
    counted = _COUNTED.match(one.object)
    if counted and one.polarity == 1:
        number, unit = int(counted[1]), counted[2]
        if unit == "bullets":
            line = f"Answer with exactly {number} bullet points, one short line each, and nothing before or after them."
        else:
            line = f"Use at most {number} {unit if number > 1 else unit[:-1]}."
    elif one.slot == _LANGUAGE_SLOT and one.object:
        line = f"Answer in {one.object}." if one.polarity >= 0 else f"Never answer in {one.object}."
    else:
        line = _LINES.get((one.polarity, one.object)) or f"{one.statement.rstrip('.')}."
    return f"{one.condition[:1].upper()}{one.condition[1:]}: {line}" if one.condition else line


def _family(object: str) -> str:
    if object.startswith("summary"):
        return "summary"
    counted = _COUNTED.match(object)
    unit = counted[2] if counted else object
    return "length" if unit in ("sentences", "words", "lines", "paragraphs", "short") else unit


def _same_matter(one: Rule, other: Rule) -> bool:
    return one.slot == other.slot and (one.slot != "reply_style.parts" or _family(one.object) == _family(other.object))


def _breaks(text: str, rule: Rule, *, finished: bool) -> bool:
    if rule.shuns is not None:
        return rule.shuns.found_in(text if finished else text[: text.rfind(" ") + 1])
    counted = _COUNTED.match(rule.object)
    if counted and rule.polarity == 1:
        return _count_breaks(text, int(counted[1]), counted[2], finished=finished)
    if rule.slot == _LANGUAGE_SLOT:
        found = language_of(text)
        return found is not None and (found == rule.object) != (rule.polarity >= 0)
    check = _CHECKS.get((rule.polarity, rule.object))
    return check is not None and check(text, finished)


def _count_breaks(text: str, number: int, unit: str, *, finished: bool) -> bool:
    match unit:
        case "bullets":
            found = len(bullets(text)) + len(numbered(text))
            return found > number or (finished and found == 0 and len(sentences(text)) > 1)
        case "sentences":
            return len(sentences(text)) > number
        case "words":
            return len(words(text)) > number * 1.1
        case "lines":
            return len([line for line in text.splitlines() if line.strip()]) > number
        case _:
            return len([part for part in re.split(r"\n\s*\n", text) if part.strip()]) > number


def _too_long(text: str, finished: bool) -> bool:
    return len(words(text)) > SHORT_WORDS


def _any_list(text: str, finished: bool) -> bool:
    return len(bullets(text)) > 0 or len(numbered(text)) > 1


def _opens_politely(text: str, finished: bool) -> bool:
    return opening_pleasantry(text) is not None


def _is_polite(text: str, finished: bool) -> bool:
    return _opens_politely(text, finished) or _closes_politely(text, finished)


def _closes_politely(text: str, finished: bool) -> bool:
    return finished and bool(closing_remarks(text))


def _offers(text: str, finished: bool) -> bool:
    return finished and bool(offers(text))


def _says_more(text: str) -> bool:
    """More than a word in passing: "Noted." need not be a list with headings and a summary."""
    return len(sentences(text)) > 1


# (text, whether the answer is finished) -> whether it breaks the wish
_CHECKS: dict[tuple[Polarity, str], Callable[[str, bool], bool]] = {
    (1, "bullets"): lambda text, finished: finished and not bullets(text) and len(sentences(text)) > 1,
    (-1, "bullets"): _any_list,
    (-1, "lists"): _any_list,
    (1, "prose"): _any_list,
    (1, "numbered list"): lambda text, finished: finished and not numbered(text) and len(sentences(text)) > 1,
    (-1, "numbered list"): lambda text, finished: len(numbered(text)) > 1,
    (-1, "table"): lambda text, finished: table_rows(text) > 1,
    (-1, "emoji"): lambda text, finished: has_emoji(text),
    (1, "headings"): lambda text, finished: finished and not headings(text) and len(sentences(text)) > HEADED,
    (-1, "headings"): lambda text, finished: bool(headings(text)),
    (1, "short"): _too_long,
    (-1, "long"): _too_long,
    (-1, "pleasantries"): _is_polite,
    (-1, "closing"): _closes_politely,
    (-1, "next step"): _offers,
    (1, "only the question"): _offers,
    (1, "next step"): lambda text, finished: finished and _says_more(text) and not has_next_step(text),
    (1, "confidence"): lambda text, finished: finished and _says_more(text) and not has_confidence(text),
    (-1, "introductions"): _opens_politely,
    (-1, "apologies"): lambda text, finished: _APOLOGY.search(text.lower()) is not None,
    (1, "summary"): lambda text, finished: finished and _says_more(text) and not has_summary_first(text),
    (1, "summary at the end"): lambda text, finished: finished and _says_more(text) and not has_summary_at_end(text),
}
