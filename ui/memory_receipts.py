"""What a message changed in memory, and which memories shaped an answer, in words for every front end. Pure."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from assistant.events import ForgetOffer, Receipt, Refusal, RefusedBecause, Remembered
from assistant.policies.cleaning import clean_line
from memory.changes import Operation
from memory.preference_store import PreferenceStore
from memory.preferences import Preference, Usage
from memory.types import MessageId
from ui.memory_words import OUTCOME, PLACE, evidence_words, statement

if TYPE_CHECKING:
    from assistant.session import Explanation

_DONE: dict[Operation, str] = {
    "add": "Saved",
    "reinforce": "Known already, noted again",
    "refine": "Saved, more strongly",
    "supersede": "Saved",
    "retract": "No longer used",
    "dispute": "Kept for review",
    "confirm": "Confirmed",
    "deny": "Not kept",
    "edit": "Saved",
    "promote": "Taken into use",
}
REFUSED: dict[RefusedBecause, tuple[str, str]] = {
    "secret": ("Not saved: that looks like a password or a key.", "Keep it in a password manager."),
    "forgotten": ("Not saved: you had that forgotten.", 'Say "remember that ..." to bring it back.'),
    "unclear": ("Several memories could be meant; nothing was changed.", "/memory lists them, /forget takes one."),
    "nothing_found": ("Nothing like that is remembered.", "/memory lists what is."),
    "rule_breaking": ("Not saved: it would have Steward ignore its own rules.", ""),
    "not_saved": ("Not saved: the store refused it.", "steward doctor looks it over; say it again afterwards."),
    "not_kept": ("Nothing is remembered from this conversation.", "/new begins one that is kept."),
    "paused": (
        "Not kept: learning is paused.",
        "/learning on (steward learning on) turns it on; /remember keeps it now.",
    ),
    "closed": ("Not kept: learning about this is off.", "/learning says which; /remember keeps it now."),
    "too_long": ("Not saved: too long for one memory.", "Say it in one sentence."),
}


@dataclass(frozen=True, slots=True, kw_only=True)
class Shaped:
    """A memory that an answer had in front of it."""

    preference: Preference
    use: Usage
    why: tuple[str, ...] = ()  # quotes with their dates
    reason: str = ""  # why it was recalled; known for answers of this run


def receipt_words(receipt: Receipt) -> str:
    """ "Saved: “I eat fish”, in place of “I am vegetarian”"."""
    words = f"{_DONE.get(receipt.operation, 'Changed')}: “{clean_line(receipt.statement, 120)}”"
    if receipt.replaced:
        words += f", in place of {'; '.join(f'“{clean_line(old, 80)}”' for old in receipt.replaced)}"
    return f"{words} (used once you confirm it: /review)" if receipt.waits_for_yes else words


def refusal_words(refusal: Refusal) -> tuple[str, str]:
    """What was not done, and the next step."""
    message, hint = REFUSED[refusal.because]
    return (f"{message} “{clean_line(refusal.words, 80)}”" if refusal.words else message), hint


def remembered_lines(event: Remembered) -> Iterator[str]:
    """One line a receipt or a refusal."""
    for receipt in event.receipts:
        yield receipt_words(receipt)
    for refusal in event.refusals:
        message, hint = refusal_words(refusal)
        yield f"{message} {hint}".rstrip()


def offer_words(offer: ForgetOffer) -> str:
    named = "; ".join(f"“{clean_line(one, 80)}”" for one in offer.statements)
    if offer.in_use:
        return f"{named}: still in use. Erase them for good?"
    return f"{named}: out of use. Erase {'it' if len(offer.ids) == 1 else 'them'} for good?"


async def shaped_by(
    store: PreferenceStore, message_id: MessageId, explanation: "Explanation | None" = None
) -> tuple[Shaped, ...]:
    """The memories behind an answer, also of earlier runs; what was forgotten since is not among them."""
    recalled = explanation.recalled if explanation is not None else None
    reasons = {item.id: item.reason for item in recalled.items} if recalled is not None else {}
    uses = await store.usage_of(message_id)
    known = {one.id: one for one in await store.by_ids([use.preference_id for use in uses])}
    found: list[Shaped] = []
    for use in uses:
        if use.preference_id in known:
            item = await store.item(use.preference_id)
            why = tuple(evidence_words(evidence) for evidence in item.evidence[-2:])
            reason = reasons.get(use.preference_id, "")
            found.append(Shaped(preference=known[use.preference_id], use=use, why=why, reason=reason))
    return tuple(found)


def shaped_words(one: Shaped) -> str:
    """ "I hate coriander (beside your question, p3k...)"."""
    outcome = f", {OUTCOME[one.use.outcome]}" if OUTCOME[one.use.outcome] else ""
    reason = f": {clean_line(one.reason, 120)}" if one.reason and one.use.place == "turn" else ""
    return f"{statement(one.preference, 160)}  ({PLACE[one.use.place]}{reason}{outcome}; {one.preference.id})"


def shaped_lines(shaped: Sequence[Shaped]) -> Iterator[str]:
    for one in shaped:
        yield shaped_words(one)
        for quote in one.why:
            yield f"  {quote}"
