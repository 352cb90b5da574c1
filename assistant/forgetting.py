"""The answer to a message that only wants something forgotten: by rule, for a model explains how to forget, or says
that it has no memory."""

import re

from assistant.events import ForgetOffer, Refusal, Remembered
from assistant.policies.cleaning import clean_line

MOST_NAMED = 5
_ALL = re.compile(r"(?:everything|all|it all)\b|my (?:data|memories)$", re.IGNORECASE)


def forgetting_words(remembered: Remembered) -> str:
    """What became of it, a line each."""
    gone = [receipt.statement for receipt in remembered.receipts]
    lines = (
        [f"{_listed(gone)} {'is' if len(gone) == 1 else 'are'} not used any more. /undo takes that back."]
        if gone
        else []
    )
    if remembered.forget is not None:
        lines.append(_offer_words(remembered.forget, bool(gone)))
    lines += [_refusal_words(one) for one in remembered.refusals]
    return "\n".join(lines)


def _offer_words(offer: ForgetOffer, out_of_use: bool) -> str:
    many = len(offer.ids)
    if out_of_use:
        return f"It can be erased for good, too: /forget and {'its' if many == 1 else 'their'} words."
    if offer.in_use:
        return (
            f"{many} things are remembered about that: {_listed(offer.statements)}. None of it is forgotten yet: say "
            "which, or erase them for good with /forget and their words."
        )
    return f"{_listed(offer.statements)}: out of use since before. /forget and the words erase it for good."


def _refusal_words(refusal: Refusal) -> str:
    about = f" about “{clean_line(refusal.words, 80)}”" if refusal.words else ""
    match refusal.because:
        case "nothing_found" if _ALL.match(refusal.words):
            return "Nothing is remembered yet. `steward data delete-everything` deletes all else that is kept here."
        case "nothing_found":
            return (
                f"Nothing is remembered{about}, so there was nothing to forget. Reminders, events, tasks and notes are "
                "deleted by their own names: “delete my notes about ...”."
            )
        case "unclear":
            many = f"{len(refusal.ids)} things" if refusal.ids else "Several things"
            return f"{many} are remembered{about}; nothing was changed. /memory lists them, /forget takes one."
        case "not_kept":
            return "This conversation changes nothing in memory, so nothing was forgotten. /new begins one that does."
        case _:
            return "Nothing was forgotten: the store refused it. Say it again later."


def _listed(statements: "tuple[str, ...] | list[str]") -> str:
    named = "; ".join(f"“{clean_line(one, 80)}”" for one in statements[:MOST_NAMED])
    more = len(statements) - MOST_NAMED
    return f"{named} and {more} more" if more > 0 else named
