"""What became of a wish, in words for every front end. Pure."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from assistant.policies.asking.answers import takes_in_passing
from assistant.policies.cleaning import clean_line
from assistant.reports import Carried, CouldNot, Found, PlanWent, TurnedDown, Undone, Waits

if TYPE_CHECKING:
    from assistant.reports import Report
    from assistant.tools.types import Assumption
    from memory.decisions import Decision, DecisionOption, DecisionState, FormField

STATES: dict[DecisionState, str] = {
    "open": "waits for you",
    "answered": "answered, not carried out yet",
    "done": "done",
    "failed": "failed",
    "superseded": "replaced by a newer one",
    "declined": "declined",
    "withdrawn": "withdrawn",
    "expired": "expired, nothing was done",
}


def report_words(report: Report) -> str:
    """The answer in a conversation."""
    match report:
        case Carried():
            return carried_words(report)
        case Waits():
            return waits_words(report)
        case Found():
            return report.outcome.text
        case CouldNot():
            return f"{report.message} {report.hint}".rstrip()
        case TurnedDown() if report.decision.asked.kind == "server":
            return report.decision.result
        case TurnedDown():
            return f"Decision {report.decision.id} is declined. Nothing was done."
        case PlanWent():
            from ui.plan_words import went_words

            return went_words(report)
        case Undone():
            return f"Taken back: {clean_line(report.summary, 200)}."


def carried_words(report: Carried) -> str:
    """What was done, what was assumed, and how it is taken back."""
    changed = [clean_line(change, 300) for change in report.outcome.changed] or [clean_line(report.summary, 300)]
    lines = [f"Done. {changed[0]}.", *(f"{change}." for change in changed[1:])]
    lines += [f"Assumed {assumption_words(one)}." for one in report.assumptions]
    if report.undoable:
        lines.append("/undo takes it back.")
    if report.habit:
        noted = "Noted, and not used before you confirm it (/review) or answer so three times. " if report.noted else ""
        lines.append(f"{noted}To have that assumed next time, say: remember that {clean_line(report.habit, 200)}")
    return "\n".join(lines)


def assumption_words(one: Assumption) -> str:
    """ "place: Bella, because “our usual is Bella at 7”"."""
    return f"{one.argument}: {clean_line(one.value, 120)}, because “{clean_line(one.because, 160)}”"


def waits_words(report: Waits) -> str:
    """A decision as it stands in the conversation: whole, in plain lines, with how to answer it."""
    first = (
        ["That waits for you already; it is not asked twice. For a second one, say “another”."] if report.again else []
    )
    return "\n".join((*first, *decision_lines(report.decision)))


def decision_lines(decision: Decision) -> Iterator[str]:
    """Question, reason, options with the same lines in the same order, and what happens without an answer."""
    asked = decision.asked
    yield f"Decision {decision.id}: {clean_line(asked.question, 300)}"
    if asked.why_now:
        yield f"Why: {clean_line(asked.why_now, 300)}"
    if asked.sources:
        yield "From: " + "; ".join(clean_line(source, 120) for source in asked.sources)
    for assumption in asked.assumptions:
        yield f"Assumed {clean_line(assumption, 200)}"
    for field in asked.fields:
        yield f"It wants: {field_words(field)}"
    for number, option in enumerate(asked.options, start=1):
        yield from _option_lines(option, number, len(asked.options))
    if asked.options_seen > len(asked.options) and asked.left_out:
        yield f"Shown: {clean_line(asked.left_out, 160)}."
    if asked.recommended:
        yield f"Recommended: {asked.recommended}. {clean_line(asked.reason, 200)}"
    yield f"If you do not answer: {asked.if_unanswered}"
    if decision.state == "open":
        yield how_to_answer(decision)
    else:
        yield f"State: {STATES[decision.state]}{f' ({clean_line(decision.result, 200)})' if decision.result else ''}"


def field_words(field: FormField) -> str:
    """ "seats (a whole number, needed): how many; it suggests 2"."""
    kind = {"text": "words", "integer": "a whole number"}.get(field.kind, f"a {field.kind}")
    if field.kind == "yes or no":
        kind = "yes or no"
    if field.labels:
        several = "any of" if field.kind == "choices" else "one of"
        kind = f"{several} {', '.join(field.labels)}"
    described = f": {field.description}" if field.description else ""
    suggests = f"; it suggests {field.default}" if field.default else ""
    needed = "needed" if field.required else "may stay empty"
    return clean_line(f"{field.title} ({kind}, {needed}){described}{suggests}", 600)


def _option_lines(option: DecisionOption, number: int, many: int) -> Iterator[str]:
    key = "" if option.key == str(number) else f" [{option.key}]"
    yield f"{number} of {many}{key}: {clean_line(option.label, 160)}"
    for attribute in option.attributes:
        yield f"   {clean_line(attribute.name, 40)}: {clean_line(attribute.value, 300)}"
    if option.consequence:
        yield f"   then: {clean_line(option.consequence, 200)}"
    if option.claims:
        yield f"   its seller claims: {clean_line(option.claims, 200)}"


def how_to_answer(decision: Decision) -> str:
    """The next step, for the conversation and the shell."""
    asked = decision.asked
    if asked.typed:
        what = f"{asked.typed!r} typed in full, or no"
    elif len(asked.fields) > 1:
        what = f"each by its name ({'; '.join(f'{field.title}: ...' for field in asked.fields[:3])}), or decline"
    elif asked.options:
        what = ", ".join(option.key for option in asked.options)
        what += ", or your own words" if asked.allow_other else ""
    else:
        what = "your own words"
    now = {"time": "Say the time, or answer", "number": "Say its number, or answer"}.get(
        takes_in_passing(decision), "Answer"
    )
    return f"{now} with /decide {decision.id} and {what}; in a shell: steward decisions answer {decision.id}"


def decision_line(decision: Decision) -> str:
    """One line for a list."""
    state = STATES[decision.state]
    return f"{decision.id}  {clean_line(decision.asked.question, 100)}  ({state})"
