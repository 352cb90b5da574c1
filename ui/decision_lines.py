"""A decision as rows of the screen: the card above the prompt, and its page. Pure."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from assistant.policies.asking.answers import takes_in_passing
from ui.acting_words import STATES, field_words
from ui.lines import DIM, PLAIN, Line, Look, wrap
from ui.rendering import one_line

if TYPE_CHECKING:
    from memory.decisions import Decision, DecisionOption
    from ui.lines import Run

_TITLE = Look(tone="warning", bold=True)
_MARKED = Look(tone="accent", bold=True)
_LABEL = Look(bold=True)
_TYPED = {
    "time": "the time alone, said next, is one",
    "number": "its number, said next, is one",
    "": "what you type is a message",
}
_INDENT: Run = ("     ", PLAIN)


@dataclass(frozen=True, slots=True, kw_only=True)
class CardRows:
    """`option_at`: for each row the number of the option that stands on it, from 0, or None."""

    rows: tuple[Line, ...]
    option_at: tuple[int | None, ...]


def head_runs(decision: Decision, place: int, of: int, focused: bool) -> tuple[Run, ...]:
    many = f" {place} of {of}" if of > 1 else ""
    kind = {
        "clarify": "a question",
        "choose": "yours to weigh",
        "important": "yours to make",
        "server": "a server asks",
    }.get(decision.asked.kind, "waits for your word")
    keys = "Esc back to writing" if focused else "F11 or Alt+A answers"
    return ((f" Decision{many} ", _TITLE), (f" #{decision.id} {kind}", DIM), (f"  ·  {keys}", DIM))


def card_rows(decision: Decision, width: int, *, marked: str = "") -> CardRows:
    """Question, why now, options with the same lines in the same order, recommendation, what happens without answer."""
    asked = decision.asked
    rows: list[Line] = []
    places: list[int | None] = []

    def put(lines: Sequence[Line], option: int | None = None) -> None:
        rows.extend(lines)
        places.extend([option] * len(lines))

    put(wrap(((one_line(asked.question, 300), _LABEL),), width, lead=((" ", PLAIN),), hang=((" ", PLAIN),)))
    for words in _about(decision):
        put(wrap(((words, DIM),), width, lead=((" ", PLAIN),), hang=((" ", PLAIN),)))
    beside = _fit_beside(asked.options, width)
    for number, option in enumerate(asked.options):
        is_marked, is_best = marked == str(number + 1), option.key == asked.recommended
        put(_option_rows(option, number, marked=is_marked, recommended=is_best, beside=beside, width=width), number)
    for words, look in _closing(decision):
        put(wrap(((words, look),), width, lead=((" ", PLAIN),), hang=((" ", PLAIN),)))
    return CardRows(rows=tuple(rows), option_at=tuple(places))


def _about(decision: Decision) -> Iterator[str]:
    asked = decision.asked
    if asked.why_now:
        yield f"Why now: {one_line(asked.why_now, 400)}"
    if asked.sources:
        yield "From: " + "; ".join(one_line(source, 120) for source in asked.sources)
    for assumption in asked.assumptions:
        yield f"Assumed {one_line(assumption, 200)}"
    for field in asked.fields:
        yield f"It wants: {one_line(field_words(field), 600)}"


def _option_rows(
    option: DecisionOption, number: int, *, marked: bool, recommended: bool, beside: bool, width: int
) -> list[Line]:
    mark = "›" if marked else " "
    label = one_line(option.label, 160)
    if option.key not in (str(number + 1), ""):
        label += f" ({option.key})"
    runs: list[Run] = [(label, _MARKED if marked else _LABEL)]
    if recommended:
        runs.append(("  recommended", Look(tone="good")))
    rows = wrap(runs, width, lead=((f" {mark} {number + 1} ", _MARKED if marked else PLAIN),), hang=(_INDENT,))
    for pairs in _attribute_rows(option, beside):
        runs = [run for place, (name, value) in enumerate(pairs) for run in _pair(name, value, place > 0)]
        rows += wrap(runs, width, lead=(_INDENT,), hang=(_INDENT,))
    if option.consequence:
        rows += wrap(
            (("then: ", DIM), (one_line(option.consequence, 200), PLAIN)), width, lead=(_INDENT,), hang=(_INDENT,)
        )
    if option.claims:
        claim = (f"its seller claims: {one_line(option.claims, 200)}", DIM)
        rows += wrap((claim,), width, lead=(_INDENT,), hang=(_INDENT,))
    return rows


def _fit_beside(options: Sequence[DecisionOption], width: int) -> bool:
    """Whether the attributes of every option fit on one row: then they all stand so, else none does."""
    for option in options:
        names = [attribute.name for attribute in option.attributes]
        words = sum(len(attribute.name) + len(attribute.value) + 5 for attribute in option.attributes)
        if len(set(names)) < len(names) or words > width - len(_INDENT[0]):
            return False
    return True


def _attribute_rows(option: DecisionOption, beside: bool) -> list[list[tuple[str, str]]]:
    pairs = [(one_line(attribute.name, 40), one_line(attribute.value, 300)) for attribute in option.attributes]
    return ([pairs] if pairs else []) if beside else [[pair] for pair in pairs]


def _pair(name: str, value: str, follows: bool) -> tuple[Run, ...]:
    return (("   " if follows else "", PLAIN), (f"{name}: ", DIM), (value, PLAIN))


def _closing(decision: Decision) -> Iterator[tuple[str, Look]]:
    asked = decision.asked
    if asked.options_seen > len(asked.options) and asked.left_out:
        yield f"Shown: {one_line(asked.left_out, 160)}.", DIM
    if asked.recommended:
        yield f"Recommended: {one_line(asked.recommended, 20)}. {one_line(asked.reason, 200)}", Look(tone="good")
    if decision.state == "open":
        yield f"If you do not answer: {one_line(asked.if_unanswered, 160)}{_until(decision)}", DIM
    else:
        result = f": {one_line(decision.result, 200)}" if decision.result else ""
        answer = f"answered {one_line(decision.answer, 80)!r}, " if decision.answer else ""
        yield f"{answer}{STATES[decision.state]}{result}", Look(tone="accent")


def _until(decision: Decision) -> str:
    expires = decision.asked.expires_at
    return f" It expires {expires.astimezone():%a %d %b %Y %H:%M}." if expires is not None else ""


def foot_words(decision: Decision, *, marked: str, focused: bool, grants: bool) -> str:
    """The keys that do something now. `marked`: "" for nothing, an option's number from 1, "u" or "x"."""
    asked = decision.asked
    if not focused:
        return f"nothing happens before you answer · {_TYPED[takes_in_passing(decision)]}"
    match marked:
        case "":
            keys = [f"{_span(len(asked.options))} marks"] if asked.options else []
        case "u":
            keys = ["Enter: you decide"]
        case "x":
            keys = ["Enter: stop it, nothing happens"]
        case "1" if asked.typed:
            keys = [f"Enter: then type {one_line(asked.typed, 30)}"]
        case _:
            keys = [f"Enter answers {marked}"]
    offered = (
        (asked.allow_other, "o fill it in" if asked.fields else "o own words"),
        (asked.you_decide, "u you decide"),
        (True, "w why"),
        (True, "l later"),
        (bool(asked.asked_about), "n not needed"),
        (grants, "a always"),
        (True, "x stop"),
        (True, "i all"),
    )
    return " · ".join([*keys, *(words for may, words in offered if may)])


def nothing_marked(decision: Decision) -> str:
    """What Enter, or the number of no option, needs first."""
    asked = decision.asked
    if not asked.options:
        return "o takes your own words; Esc goes back to writing."
    other = "; o takes your own words" if asked.allow_other else ""
    return f"{_span(len(asked.options))} marks one, then Enter answers{other}."


def _span(many: int) -> str:
    return "1" if many == 1 else f"1-{many}"


def page_rows(decision: Decision, width: int) -> list[Line]:
    """Everything there is to know: for `w` and the inbox."""
    asked = decision.asked
    rows = list(card_rows(decision, width).rows)
    more = [("kind", asked.kind), ("weighs", asked.effect), ("numbers", asked.why), ("asked about", asked.asked_about)]
    if asked.call is not None:
        more += [("tool", asked.call.tool), ("exact arguments", asked.call.arguments), ("their hash", asked.call.hash)]
        more += [(f"must still hold: {name}", value) for name, value in asked.call.preconditions]
    more.append(("asked", f"{decision.created_at.astimezone():%a %d %b %Y %H:%M}"))
    if decision.answered_at is not None:
        more.append(
            ("over", f"{decision.answered_at.astimezone():%a %d %b %Y %H:%M} {decision.answered_from}".rstrip())
        )
    if decision.superseded_by is not None:
        more.append(("asked again as", f"decision {decision.superseded_by}"))
    rows.append(Line())
    for name, value in more:
        if value:
            rows += wrap(
                ((f"{one_line(name, 60)}: ", DIM), (one_line(value, 2_000), PLAIN)), width, hang=(("   ", PLAIN),)
            )
    return rows
