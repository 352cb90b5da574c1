"""What a decision says when it is shown: question, reason, options with equal attributes in equal order (pure)."""

from collections.abc import Sequence
from datetime import datetime

from assistant.policies.asking.calls import call_hash, canonical
from assistant.policies.asking.fill import filled
from assistant.policies.asking.options import SHOWN, Comparison, shuffled
from assistant.policies.asking.types import Numbers, OpenGap
from assistant.tools.types import Choice, Effect, Gap, Preview, Source, ToolArguments
from memory.decisions import DecisionOption, NewDecision, OptionAttribute, PlannedCall
from memory.types import MessageId, SessionId

NOTHING = "Nothing happens."
NOTHING_YET = "Nothing is done; the question stays in the list of decisions."


def planned(tool: str, arguments: ToolArguments, preview: Preview) -> PlannedCall:
    """The call exactly as it is shown."""
    text = canonical(arguments.model_dump(mode="json"))
    return PlannedCall(
        tool=tool,
        arguments=text,
        hash=call_hash(tool, text),
        preconditions=tuple((one.name, one.value) for one in preview.preconditions),
    )


def confirm_card(
    tool: str,
    arguments: ToolArguments,
    preview: Preview,
    *,
    effect: Effect,
    reason: str,
    sources: Sequence[Source] = (),
    session_id: SessionId | None = None,
    message_id: MessageId | None = None,
    questions_before: int = 0,
    expires_at: datetime | None = None,
    changed: str = "",
) -> NewDecision:
    """Yes or no to exactly this call. Nothing is recommended; a grave one wants its amount or first name typed."""
    lines = tuple(OptionAttribute(name="does", value=line) for line in (preview.summary, *preview.lines))
    undo = f"It can be taken back {preview.undo}." if preview.undo else "This cannot be taken back."
    yes = DecisionOption(
        key="yes", label="Do it", attributes=lines, consequence=undo, undo="until" if preview.undo else "no"
    )
    no = DecisionOption(
        key="no",
        label="Do not",
        attributes=tuple(OptionAttribute(name="does", value="nothing") for _ in lines[:1]),
        consequence="Nothing changes.",
        undo="undo",
    )
    return NewDecision(
        kind="confirm",
        effect=effect,
        question=f"{preview.summary}?",
        why_now=" ".join(part for part in (changed, reason) if part),
        options=(yes, no),
        call=planned(tool, arguments, preview),
        session_id=session_id,
        message_id=message_id,
        typed=_typed(preview, effect),
        if_unanswered=NOTHING,
        sources=tuple(source.label for source in sources),
        assumptions=tuple(f"{one.argument}: {one.value} ({one.because})" for one in preview.assumptions),
        questions_before=questions_before,
        expires_at=expires_at,
    )


def _typed(preview: Preview, effect: Effect) -> str:
    if effect != "grave":
        return ""
    return preview.amount or (preview.people[0] if preview.people else "yes, do it")


def clarify_card(
    tool: str,
    arguments: ToolArguments,
    preview: Preview,
    gaps: Sequence[OpenGap],
    *,
    effect: Effect,
    reason: str,
    kind: str,
    numbers: Numbers,
    sources: Sequence[Source] = (),
    session_id: SessionId | None = None,
    message_id: MessageId | None = None,
    questions_before: int = 0,
) -> NewDecision:
    """One card for all that is open, with its context; what can be chosen stands below, of the first gap that has
    choices. The likeliest choice is named where a wrong one can be taken back."""
    open_gap = next((one for one in gaps if one.gap.choices), gaps[0])
    gap = open_gap.gap
    options = tuple(
        _choice_option(str(number), choice, filled_text(arguments, gap, choice))
        for number, choice in enumerate(gap.choices[:SHOWN], start=1)
    )
    undoable = effect in ("read", "undoable", "soft")
    best = open_gap.shares.index(open_gap.best) if options and open_gap.shares else -1
    recommended = str(best + 1) if undoable and 0 <= best < len(options) and open_gap.best > 0.5 else ""
    return NewDecision(
        kind="clarify",
        effect=effect,
        question=_question([one.gap for one in gaps]),
        why_now=reason,
        options=options,
        call=planned(tool, arguments, preview),
        argument=",".join(one.gap.argument for one in gaps),
        session_id=session_id,
        message_id=message_id,
        recommended=recommended,
        reason="It is the likeliest reading." if recommended else "",
        allow_other=True,
        you_decide=undoable and bool(options),
        if_unanswered=NOTHING_YET,
        options_seen=len(gap.choices),
        left_out=f"the first {SHOWN} of {len(gap.choices)}" if len(gap.choices) > SHOWN else "",
        sources=tuple(source.label for source in (*((gap.found_in,) if gap.found_in else ()), *sources)),
        asked_about=kind,
        questions_before=questions_before,
        why=f"right {numbers.p_right:.2f}, loss {numbers.expected_loss:.2f}, worth {numbers.value:.2f}, "
        f"cost {numbers.cost:.2f}",
    )


def _question(gaps: Sequence[Gap]) -> str:
    asked = " ".join(gap.question for gap in gaps)
    return asked if len(gaps) == 1 else f"{asked} (In this order, with commas.)"


def filled_text(arguments: ToolArguments, gap: Gap, choice: Choice) -> str:
    """Canonical arguments with this choice in the gap."""
    return canonical(filled(arguments, {gap.argument: choice.id}).model_dump(mode="json"))


def choose_card(
    choices: Sequence[Choice],
    comparison: Comparison,
    *,
    question: str,
    seed: str,
    source: Source | None,
    session_id: SessionId | None = None,
    message_id: MessageId | None = None,
) -> NewDecision:
    """Options whose difference is the user's to weigh, side by side, in an order that is nobody's advantage."""
    by_id = {choice.id: choice for choice in choices}
    ranked = comparison.tied if len(comparison.tied) > 1 else comparison.order
    best = [by_id[id] for id in ranked[:SHOWN]]
    options = tuple(
        _choice_option(str(number), choice, "") for number, choice in enumerate(shuffled(best, seed), start=1)
    )
    return NewDecision(
        kind="choose",
        effect="read",
        question=question,
        why_now=f"They differ in {comparison.differs}, and I do not know what it is worth to you.",
        options=options,
        session_id=session_id,
        message_id=message_id,
        allow_other=True,
        if_unanswered=NOTHING,
        options_seen=len(choices),
        left_out=f"the best {len(best)} of {len(choices)} by what you asked for" if len(choices) > len(best) else "",
        sources=(source.label,) if source else (),
        asked_about=f"choose:{comparison.differs}",
    )


def _choice_option(key: str, choice: Choice, arguments: str) -> DecisionOption:
    return DecisionOption(
        key=key,
        label=choice.label,
        attributes=tuple(OptionAttribute(name=one.name, value=one.value) for one in choice.attributes),
        undo="undo",
        claims=choice.claims,
        arguments=arguments,
    )
