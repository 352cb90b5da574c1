"""A server's question as a decision, and what the user's words answer to it (pure).

All that the server says stands in quotation marks under its name. Nothing is marked, filled in or recommended: what it
suggests is shown as its suggestion.
"""

import re
from collections.abc import Mapping
from datetime import datetime

from assistant.errors import ToolError
from assistant.policies.cleaning import clean_line
from assistant.policies.sensitivity import holds_a_secret
from assistant.tools.mcp.asking_back import content
from assistant.tools.mcp.types import Elicitation, Filled, Refused
from memory.decisions import DecisionOption, FormField, NewDecision, OptionAttribute

MOST_MARKED = 3  # values that stand as options; more are written
DECLINE = "decline"
_DONE = re.compile(r"^(?:1|y|yes|done|opened|i opened it|ok|okay)[.!]?$", re.IGNORECASE)
_DECLINES = re.compile(r"^(?:decline|i decline|refuse|no thanks?|none of your business)[.!]?$", re.IGNORECASE)
_NO = re.compile(r"^(?:n|no|don'?t|do not|cancel|stop|never mind)[.!]?$", re.IGNORECASE)
_PART = re.compile(r"^\s*([^:=]{1,80}?)\s*[:=]\s*(.*)$", re.DOTALL)


def question_card(asked: Elicitation, *, expires_at: datetime, patience: str) -> NewDecision:
    """`patience`: how long it is waited for, in words."""
    goes_to = f"{asked.server}{f' at {asked.where}' if asked.where else ''}"
    warning = "Give it no password, PIN, card or account number."
    if asked.url:
        warning = f"Steward opens no page: look at the address, and open it yourself if you trust {asked.server}."
    return NewDecision(
        kind="server",
        effect="external",
        question=f"{asked.server} asks: “{asked.message}”",
        why_now=f"It asks in the middle of {asked.tool}, which waits for it. The words are its own; "
        f"the answer goes to {goes_to}. {warning}",
        options=(*_options(asked), _declining(asked)),
        allow_other=not asked.url,
        if_unanswered=f"After {patience} {asked.server} is told that nobody answered.",
        sources=(clean_line(f"{asked.server}, {asked.tool}", 120),),
        fields=asked.fields,
        expires_at=expires_at,
    )


def _options(asked: Elicitation) -> tuple[DecisionOption, ...]:
    consequence = f"{asked.server} goes on with it."
    if asked.url:
        address = OptionAttribute(name="address", value=asked.url)
        label = "I have opened the page and am done there"
        return (DecisionOption(key="1", label=label, attributes=(address,), consequence=consequence),)
    labels = _marked(asked.fields[0]) if len(asked.fields) == 1 else ()
    return tuple(
        DecisionOption(key=str(number), label=label, consequence=consequence) for number, label in enumerate(labels, 1)
    )


def _marked(field: FormField) -> tuple[str, ...]:
    """The values of the one field that is asked for, where they are few."""
    if field.kind == "yes or no":
        return ("Yes", "No")
    return field.labels if field.kind == "choice" and len(field.labels) <= MOST_MARKED else ()


def _declining(asked: Elicitation) -> DecisionOption:
    attributes = (OptionAttribute(name="address", value="is not opened"),) if asked.url else ()
    return DecisionOption(
        key=DECLINE,
        label="Decline",
        attributes=attributes,
        consequence=f"{asked.server} is told that you said no, and nothing else.",
    )


def read_values(asked: Elicitation, text: str) -> Filled | Refused:
    """What is sent back. Raises ToolError for words that do not answer it, and for what looks like a secret."""
    said = text.strip()
    single = asked.fields[0] if len(asked.fields) == 1 else None
    if _DECLINES.match(said) or (_NO.match(said) and (single is None or single.kind != "yes or no")):
        return Refused()
    if asked.url:
        if _DONE.match(said):
            return Filled(values={})
        raise ToolError("1 says that you opened the page; decline says no.")
    values = {single.name: _picked(single, said)} if single is not None else _by_name(asked, said)
    if any(holds_a_secret(f"{name.replace('_', ' ')}: {value}") for name, value in values.items()):
        raise ToolError(
            "That looks like a password, a key, or the number of a card or an account. It was not sent.",
            "A server may not ask for one in a form. Decline, or answer without it.",
        )
    content(asked, values)
    return Filled(values=values)


def _picked(field: FormField, said: str) -> str:
    """An option's number as its value; "title: value" as the value."""
    part = _PART.match(said)
    if part and _folded(part[1]) in (_folded(field.name), _folded(field.title)):
        said = part[2]
    if field.kind == "yes or no" and said in ("1", "2"):
        return "yes" if said == "1" else "no"
    return said


def _by_name(asked: Elicitation, said: str) -> Mapping[str, str]:
    """ "seats: 2; name: Bella", or a line for each."""
    names = {_folded(key): field.name for field in asked.fields for key in (field.title, field.name)}
    values: dict[str, str] = {}
    for part in said.split("\n") if "\n" in said else said.split(";"):
        if not part.strip():
            continue
        found = _PART.match(part)
        if found is None or _folded(found[1]) not in names:
            example = "; ".join(f"{field.title}: ..." for field in asked.fields[:3])
            raise ToolError(
                f"“{clean_line(part, 60)}” says for none of its fields what it is.", f"Say each by its name: {example}"
            )
        values[names[_folded(found[1])]] = found[2].strip()
    return values


def _folded(name: str) -> str:
    return " ".join(name.replace("_", " ").casefold().split())


def told(asked: Elicitation, answer: Filled | Refused) -> str:
    """One line on what went to the server."""
    if isinstance(answer, Refused):
        return f"{asked.server} is told that you declined."
    said = ", ".join(f"{field.title}: {answer.values.get(field.name, '') or '(nothing)'}" for field in asked.fields)
    return clean_line(f"{asked.server} has your answer{f': {said}' if said else ''}.", 300)
