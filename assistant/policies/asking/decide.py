"""One verdict: answer, act, act and say what was assumed, look up, ask, pause, or say what is not known.

Order matters. Free sources are looked at before the user is asked; the hard gates stand before and outside all
arithmetic; uncertainty weighs only what is left. Stakes come from the effect class, belief from the caller.
"""

from assistant.policies.asking.types import (
    Act,
    ActAndState,
    Answer,
    Ask,
    Candidate,
    Inspect,
    Numbers,
    OpenGap,
    Pause,
    Situation,
    Unknown,
    Verdict,
)
from assistant.policies.asking.value import cost_of_asking, expected_loss, loss_of, p_right, value_of_asking
from assistant.tools.types import Assumption

MOST_LOOK_UPS = 3
MOST_QUESTIONS = 3  # a task: the user is not an interview subject
MOST_GAPS_ON_A_CARD = 3
LEAST_GUESS = 0.35  # a choice believed in less is not taken, whatever is at stake


def decide(situation: Situation) -> Verdict:
    """Pure. The reason is one plain sentence."""
    if not situation.candidates:
        return _without_a_call(situation)
    call, gaps = situation.candidates[0], situation.gaps
    if gaps and situation.look_ups and situation.looked_up < MOST_LOOK_UPS:
        source = situation.look_ups[0]
        return Inspect(source=source, reason=f"{source.label} may already say it.")
    if (gate := _gate(call, situation)) is not None:
        return Pause(kind="confirm", call=call, gaps=gaps, reason=gate, numbers=_numbers(situation))
    return _weigh(call, gaps, situation)


def kind_of(call: Candidate, gaps: tuple[OpenGap, ...]) -> str:
    """The name under which the user's patience with this question is learned: "tasks.add:due"."""
    return f"{call.tool}:{gaps[0].gap.argument}" if gaps else f"{call.tool}:meant"


def _without_a_call(situation: Situation) -> Verdict:
    if situation.life_decision:
        return Pause(
            kind="important",
            call=None,
            gaps=(),
            reason=f"A decision about {situation.life_decision} is yours; it is laid out, not made.",
        )
    if situation.fact_needed:
        return Unknown(
            reason=f"I do not know: nothing that is kept here speaks of “{situation.fact_needed}”.",
            would_settle=situation.settled_by or "A document that holds it, or your own word, would settle it.",
        )
    return Answer(reason="Nothing is to be done but to answer.")


def _gate(call: Candidate, situation: Situation) -> str | None:
    """Independent of belief, price and budget: nothing learned opens it."""
    match call.effect:
        case "grave":
            return "Money, health and law always wait for your word."
        case "external" if not situation.granted:
            return "This reaches others or cannot be taken back."
        case "external" | "soft" | "undoable" if situation.untrusted:
            return f"{situation.untrusted[0].label} is in front of me, and what it says is not an order."
        case _:
            return situation.waits or None


def _weigh(call: Candidate, gaps: tuple[OpenGap, ...], situation: Situation) -> Verdict:
    numbers = _numbers(situation)
    fillable = all(gap.gap.choices and gap.best >= LEAST_GUESS for gap in gaps)
    may_ask = situation.task_questions < MOST_QUESTIONS and call.effect != "read"
    uncertain = bool(gaps) or len(situation.candidates) > 1
    worth_it = numbers.value > numbers.cost
    if gaps and not fillable and situation.task_questions < MOST_QUESTIONS:
        return Ask(
            gaps=gaps[:MOST_GAPS_ON_A_CARD], call=call, reason="It cannot be done without this.", numbers=numbers
        )
    if gaps and not fillable:
        missing = ", ".join(gap.gap.argument for gap in gaps)
        return Unknown(reason=f"After {MOST_QUESTIONS} questions this is still open: {missing}.", would_settle=missing)
    if uncertain and may_ask and worth_it:
        reason = "A wrong guess would cost more than the question."
        return Ask(gaps=gaps[:MOST_GAPS_ON_A_CARD], call=call, reason=reason, numbers=numbers)
    fills = tuple((gap.gap.argument, _best_choice(gap)) for gap in gaps)
    if fills or situation.assumptions:
        return ActAndState(
            call=call,
            assumptions=(*situation.assumptions, *(_assumed(gap) for gap in gaps)),
            fills=fills,
            reason="What was not said is filled in, and told.",
            numbers=numbers,
        )
    return Act(
        call=call,
        reason="It is clear, and can be taken back." if call.effect != "read" else "It only looks.",
        numbers=numbers,
    )


def _numbers(situation: Situation) -> Numbers:
    call, gaps = situation.candidates[0], situation.gaps
    p = p_right(situation.candidates, gaps)
    fillable = all(gap.gap.choices and gap.best >= LEAST_GUESS for gap in gaps)
    loss_now = expected_loss(call, p, fillable=fillable)
    # with gaps the card settles the gaps; without, it settles which call was meant
    value = value_of_asking(call, call.share if gaps else 1.0, loss_now)
    cost = cost_of_asking(
        gaps,
        asked=situation.asked,
        prices=situation.prices,
        kind=kind_of(call, gaps),
        moment=situation.moment,
    )
    return Numbers(p_right=p, loss=loss_of(call), expected_loss=loss_now, value=value, cost=cost)


def _best_choice(gap: OpenGap) -> str:
    return gap.gap.choices[gap.shares.index(gap.best)].id


def _assumed(gap: OpenGap) -> Assumption:
    choice = gap.gap.choices[gap.shares.index(gap.best)]
    return Assumption(
        argument=gap.gap.argument, value=choice.label, because="the likeliest reading", source=gap.gap.found_in
    )
