"""Words for what is remembered, the same on the command line, in line mode and on the memory screen. Pure."""

from collections.abc import Iterator
from datetime import datetime, tzinfo
from typing import Literal, assert_never

from assistant.policies.cleaning import clean_line
from memory.changes import Delta, HistoryEntry, IgnoredBecause, Operation
from memory.preferences import (
    Actor,
    Evidence,
    Item,
    Outcome,
    Place,
    Polarity,
    Preference,
    Scope,
    Source,
    Status,
    Strength,
)

EMBEDDER_MISSING = "Related words are not found, only the same ones: the model for that is not on this machine."
EMBEDDER_FIX = "steward models pull all-minilm-l6-v2"

STATUS: dict[Status, str] = {
    "candidate": "unconfirmed",
    "active": "in force",
    "disputed": "disputed",
    "superseded": "replaced",
    "retracted": "ended",
    "expired": "expired",
}
SOURCE: dict[Source, str] = {
    "explicit": "you said so",
    "corrected": "you corrected an answer",
    "confirmed": "you confirmed it",
    "imported": "imported",
    "inferred": "noticed in what you wrote",
}
POLARITY: dict[Polarity, str] = {-1: "avoids", 0: "is about", 1: "wants"}
STRENGTH: dict[Strength, str] = {1: "nice to have", 2: "preference", 3: "strong", 4: "hard limit"}
ACTOR: dict[Actor, str] = {
    "user": "you",
    "rules": "your own words",
    "model": "the model",
    "upkeep": "time",
    "import": "an import",
}
OPERATION: dict[Operation, str] = {
    "add": "added",
    "reinforce": "said again",
    "refine": "said more strongly",
    "promote": "taken into use",
    "demote": "taken out of use",
    "supersede": "replaced",
    "retract": "ended",
    "dispute": "contradicted",
    "contest": "found contradictory",
    "confirm": "confirmed",
    "deny": "denied",
    "edit": "edited",
    "pin": "pin changed",
    "merge": "merged",
    "expire": "expired",
    "forget": "forgotten",
    "import": "imported",
    "undo": "undone",
}
OUTCOME: dict[Outcome, str] = {
    "unknown": "",
    "followed": "followed",
    "violated": "not followed",
    "corrected": "corrected by you",
}
PLACE: dict[Place, str] = {"head": "always in the prompt", "turn": "beside your question"}
IGNORED: dict[IgnoredBecause, tuple[str, str]] = {
    "already_known": ("That is remembered already.", "See: steward memory list"),
    "forgotten": ("You had that forgotten, so it is not learned again.", 'Say "remember that ..." to bring it back.'),
    "denied": ("You said no to that before.", 'Say "remember that ..." to store it.'),
    "message_gone": ("The message it came from is gone.", ""),
    "secret": ("That looks like a password or a key; those are never stored.", "Keep it in a password manager."),
    "empty": ("There is nothing to remember in that.", ""),
    "too_long": ("That is too long for one memory.", "Say it in one sentence."),
    "unreadable": ("That is not readable text.", ""),
    "nothing_to_withdraw": ("Nothing like that is remembered.", "See: steward memory list"),
    "unclear_withdrawal": ("Several memories could be meant.", "Name one: steward memory list, then memory forget ID"),
}

Wait = Literal["dispute", "candidate", "stale"]


def statement(preference: Preference, limit: int = 300) -> str:
    return clean_line(preference.statement, limit)


def day(at: datetime, zone: tzinfo | None = None) -> str:
    return f"{at.astimezone(zone):%Y-%m-%d}"


def minute(at: datetime, zone: tzinfo | None = None) -> str:
    return f"{at.astimezone(zone):%Y-%m-%d %H:%M}"


def since(preference: Preference) -> datetime:
    return preference.valid_from or preference.recorded_at


def scope_words(scope: Scope, until: datetime | None = None) -> str:
    value = clean_line(scope.value, 80)
    match scope.type:
        case "global":
            return "everywhere"
        case "domain":
            return f"when it is about {value}"
        case "project":
            return f"in the project {value}"
        case "person":
            return f"for {value}"
        case "until":
            return f"until {day(until)}" if until is not None else "for a time"
        case "session":
            return f"in the conversation {value} only"
        case _:
            assert_never(scope.type)


def about(preference: Preference) -> str:
    """Slot, what is wanted or avoided, and how strongly: "food.taste: avoids coriander, hard limit"; of a fact what it
    is about."""
    words = f"{preference.slot}: {POLARITY[preference.polarity]}"
    if preference.object:
        words += f" {clean_line(preference.object, 80)}"
    if preference.polarity:
        words += f", {STRENGTH[preference.strength]}"
    return f"{words}, {clean_line(preference.condition, 80)}" if preference.condition else words


def standing(preference: Preference, zone: tzinfo | None = None) -> str:
    """Status with its dates, and why it is believed."""
    words = f"{STATUS[preference.status]} since {day(since(preference), zone)}"
    if preference.status in ("superseded", "retracted", "expired"):
        ended = preference.retracted_at or preference.valid_to
        words = f"{STATUS[preference.status]}{f' on {day(ended, zone)}' if ended else ''}"
        words += f", held since {day(since(preference), zone)}"
    pinned = ", pinned" if preference.pinned else ""
    return f"{words}{pinned}, confidence {preference.confidence:.2f}, {SOURCE[preference.source]}"


def evidence_words(evidence: Evidence, zone: tzinfo | None = None) -> str:
    stance = {"supports": "", "contradicts": "against it: ", "withdraws": "taken back: "}[evidence.stance]
    quote = clean_line(evidence.quote, 300)
    return f"{minute(evidence.at, zone)}  {stance}{f'“{quote}”' if quote else 'you said no'}"


def entry_words(entry: HistoryEntry) -> str:
    """What happened and by whom: "replaced by you: you said so"."""
    words = f"{OPERATION[entry.operation]} by {ACTOR[entry.actor]}"
    if entry.reason:
        words += f" ({clean_line(entry.reason, 120)})"
    return f"{words}, undone" if entry.undone else words


def deltas_words(entry: HistoryEntry) -> Iterator[str]:
    """One line a touched item: its words before and after."""
    for delta in entry.deltas:
        yield f"{delta.id}  {_change(delta)}"
    if not entry.deltas and entry.operation != "forget":
        yield "what it touched was forgotten"


def _change(delta: Delta) -> str:
    before, after = delta.before, delta.after
    if before is None or after is None:
        one = after or before
        assert one is not None
        return f"{'+' if before is None else '-'} {statement(one.preference, 120)}"
    words = statement(after.preference, 120)
    if before.preference.statement != after.preference.statement:
        words = f"{statement(before.preference, 120)} -> {words}"
    if before.preference.status != after.preference.status:
        words += f" [{STATUS[before.preference.status]} -> {STATUS[after.preference.status]}]"
    return words


def question(wait: Wait, item: Item, against: Item | None = None) -> str:
    """What the review queue asks about an item."""
    words = statement(item.preference, 200)
    match wait:
        case "dispute":
            assert against is not None
            return f"“{words}” contradicts “{statement(against.preference, 200)}”. Which one holds?"
        case "candidate":
            times = len(item.evidence)
            return f"Noticed{f' {times} times' if times > 1 else ''}: “{words}”. Is that so?"
        case "stale":
            return f"“{words}” was last said on {day(last_said(item.preference))}. Does it still hold?"
        case _:
            assert_never(wait)


def last_said(preference: Preference) -> datetime:
    return preference.last_reinforced_at or preference.recorded_at
