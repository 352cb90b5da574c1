"""What every store of suggestions does in the same way: refusals, and what becomes of an opportunity. Pure."""

from typing import assert_never

from memory.errors import ChangeRefused, NotFound
from memory.suggestions import Answer, Channel, OpportunityState, Rule


def no_suggestion(id: int) -> NotFound:
    return NotFound(f"There is no suggestion {id}.", "`steward suggestions list --all` shows those there are.")


def no_opportunity(id: str) -> NotFound:
    return NotFound(f"There is no opportunity {id!r}.", "What it rested on may have been forgotten.")


def no_rule(id: int) -> NotFound:
    return NotFound(f"There is no rule {id}.", "`steward suggestions rules` shows those there are.")


def check_undo_rule(rule: Rule) -> None:
    """Raises ChangeRefused."""
    if rule.state == "undone":
        raise ChangeRefused("That rule was undone already.")


def can_take(state: OpportunityState, channel: Channel) -> bool:
    return state in ("open", "inbox") if channel == "spoken" else state == "open"


def taken(channel: Channel) -> OpportunityState:
    """The state of an opportunity that was told in this way."""
    return "told" if channel == "spoken" else "inbox"


def after_answer(answer: Answer) -> OpportunityState | None:
    """What becomes of the opportunity; None: it stays."""
    match answer:
        case "useful" | "not" | "mute" | "acted" | "dismissed":
            return "closed"
        case "snooze":
            return "open"
        case "ignored":
            return None
        case _ as never:
            assert_never(never)
