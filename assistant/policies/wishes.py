"""Wishes about answers: "keep answers to three bullets", "no emojis", and right after an answer "shorter". Pure.

A clause is a wish when everything in it is about how to answer: a topic of the language's table, and around it only
words that carry no task. "Use a table to compare these phones" is a task and no wish.
"""

import re
from collections.abc import Iterator
from dataclasses import dataclass

from assistant.policies.language import Language, Topic
from assistant.policies.objects import slot_of
from assistant.policies.passages import Clause
from assistant.policies.said import Said
from memory.preferences import Polarity
from memory.slots import slot as slot_row

SHORT_CORRECTION = 8  # words: longer than that it is no bare correction
UNKNOWN_WORDS = 2

_WORD = re.compile(r"[\w'-]+")


@dataclass(frozen=True, slots=True, kw_only=True)
class _Hit:
    topic: Topic
    match: re.Match[str]


def wishes_in(
    clause: Clause, language: Language, *, after_answer: bool, asks: bool, asked_for: bool = False
) -> Iterator[Said]:
    """`asks`: the message also holds a task, so that a bare "use prose" is meant for it alone."""
    patterns = language.patterns
    text = patterns["own_words.passing"].sub(" ", clause.plain) if clause.passing else clause.plain
    text, condition = _without_condition(" ".join(text.split()).strip(" ,"), language)
    lasting = patterns["instructions.lasting"].search(text) is not None or asked_for
    generic = patterns["instructions.generic_answers"].search(text) is not None
    if patterns["instructions.about_self"].match(text) or (
        patterns["instructions.likes_only"].match(text) and not generic and not lasting
    ):
        return
    short = len(text.split()) <= SHORT_CORRECTION
    correcting = after_answer and short and not asks
    hits = tuple(_hits(text, language, correcting=correcting))
    if not hits:
        return
    unknown = _unknown(text, hits, language)
    imperative = patterns["instructions.imperative"].match(text) is not None
    if unknown and not (
        imperative and (lasting or generic) and len(unknown) <= UNKNOWN_WORDS and _led_by_wish(text, hits)
    ):
        return
    if clause.instruction_only and not condition:
        return
    bare = not (lasting or generic)
    passing = clause.passing or (bare and (asks or patterns["instructions.task"].match(text) is not None))
    if bare and not (imperative or correcting):
        return
    for hit in hits:
        yield Said(
            statement=clause.said.strip(" .!?,;:"),
            quote=clause.text,
            start=clause.start,
            stop=clause.stop,
            kind="instruction",
            domain="reply_style",
            slot=hit.topic.slot,
            rule="wish",
            object=_object(hit, language),
            polarity=_polarity(hit, text, language),
            strength=3 if lasting else 2,
            condition=condition,
            duration="this_turn" if passing else "lasting",
            source="corrected" if correcting and bare else "explicit",
            language=language.code,
        )


def standing_instruction(clause: Clause, language: Language) -> Iterator[Said]:
    """Any other lasting instruction: "from now on, put the answer first"."""
    text = clause.plain
    if not language.patterns["instructions.standing"].match(text):
        return
    known = slot_of(text, language)
    slot = "programming.style" if known is not None and known.startswith("programming.") else "reply_style.other"
    negative = language.patterns["instructions.negative"].match(text) is not None
    yield Said(
        statement=clause.said.strip(" .!?,;:"),
        quote=clause.text,
        start=clause.start,
        stop=clause.stop,
        kind="instruction",
        domain=slot_row(slot).domain,
        slot=slot,
        rule="standing",
        polarity=-1 if negative else 1,
        strength=3,
        language=language.code,
    )


def _without_condition(text: str, language: Language) -> tuple[str, str]:
    match = language.patterns["instructions.condition"].search(text)
    if match is None:
        return text, ""
    rest = (text[: match.start()] + " " + text[match.end() :]).strip(" ,")
    return (rest, match["condition"].strip()) if rest else (text, "")


def _hits(text: str, language: Language, *, correcting: bool) -> Iterator[_Hit]:
    """Topics in the text; of two that overlap, the one that stands first in the table. One a slot and object."""
    taken: list[tuple[int, int]] = []
    seen: set[str] = set()
    for topic in language.topics:
        if topic.only_after_answer and not correcting:
            continue
        for match in topic.pattern.finditer(text):
            start, stop = match.span()
            if any(start < end and begin < stop for begin, end in taken) or topic.object in seen:
                continue
            taken.append((start, stop))
            seen.add(topic.object)
            yield _Hit(topic=topic, match=match)


def _unknown(text: str, hits: tuple[_Hit, ...], language: Language) -> tuple[str, ...]:
    for hit in hits:
        start, stop = hit.match.span()
        text = text[:start] + " " * (stop - start) + text[stop:]
    words = _WORD.findall(text)
    return tuple(word for word in words if word not in language.filler and not word.isdigit())


def _led_by_wish(text: str, hits: tuple[_Hit, ...]) -> bool:
    """The topic stands early: the rest only says more about it."""
    return min(hit.match.start() for hit in hits) <= 40


def _object(hit: _Hit, language: Language) -> str:
    groups = hit.match.groupdict()
    number = groups.get("n")
    if number is not None:
        return hit.topic.object.format(n=language.numbers.get(number, number))
    if groups.get("language") is not None:
        return hit.topic.object.format(language=language.answer_languages[groups["language"]])
    return hit.topic.object.format(rest=groups.get("rest") or "")


def _polarity(hit: _Hit, text: str, language: Language) -> Polarity:
    """Negated when a negation stands before it with no "but" between ("no bullets but short")."""
    if hit.topic.absolute:
        return 1
    before = text[: hit.match.start()]
    turned = list(language.patterns["instructions.turned"].finditer(before))
    negated = list(language.patterns["instructions.negator"].finditer(before))
    if not negated:
        return 1
    if turned and turned[-1].start() > negated[-1].start() and negated[-1].end() < turned[-1].start() - 1:
        return 1
    return -1
