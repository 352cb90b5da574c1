"""From stored rows to the prompt that is sent: render, count through the model, fit into the window."""

from collections.abc import Sequence
from dataclasses import dataclass, replace

from assistant.deps import Deps
from assistant.events import ContextPlanned, LeftOut
from assistant.policies.budget import Cost, Fit, Window, fit, reserve_for
from assistant.policies.cleaning import boundary
from assistant.policies.compose import Exchange, LocalTime, as_sent, deeds, exchanges, merged, system_message
from assistant.ports import ChatModel
from memory.types import BY_RULE, Message
from models.types import ChatMessage, Failure

MARGIN = 16  # tokens: start of text, and the header of the answer that the template adds
_TRIES = 12


@dataclass(frozen=True, slots=True, kw_only=True)
class Prompt:
    messages: tuple[ChatMessage, ...]
    max_tokens: int
    context: ContextPlanned


@dataclass(frozen=True, slots=True, kw_only=True)
class TooLong:
    """The question alone does not fit; `characters_that_fit` of it would, beside the system text."""

    characters: int
    tokens: int
    space: int
    characters_that_fit: int

    def failure(self) -> Failure:
        length = f"{self.characters:,} characters, {self.tokens:,} tokens"
        if self.characters_that_fit == 0:
            return Failure(
                kind="context_full",
                message=f"The context window has no room for this message ({length}).",
                hint="Choose a larger window (model.context_length) or shorten the instructions.",
            )
        return Failure(
            kind="context_full",
            message=f"This message is too long ({length}): {self.space:,} tokens fit beside the system text.",
            hint=f"Send only its first {self.characters_that_fit:,} characters, shorten it, or use a larger window.",
        )


@dataclass(frozen=True, slots=True, kw_only=True)
class Notes:
    """What is known about the user: `head` ends the system text, `beside` follows the question. Neither is stored."""

    head: str = ""
    beside: str = ""


NO_NOTES = Notes()


async def plan(
    deps: Deps, path: Sequence[Message], total: int, margin: int, notes: Notes = NO_NOTES, *, bare: bool = False
) -> Prompt | TooLong:
    """The prompt for the last message of `path`, a user's, in a window of `total` tokens. `bare`: nothing beside it.
    Raises ModelError."""
    beside = "" if bare else deeds(path) + notes.beside
    system = system_message(deps.prompts.system, deps.settings.instructions, notes.head)
    said = _noted(exchanges(path, _local_time(deps)), beside)
    window = await _window(deps, system, total, margin)
    costs = await _costs(deps.model, said)
    fitted = fit(costs, window)
    if not fitted.kept:
        question = path[-1].content
        if not bare:  # the question goes before what is known about the user
            return await plan(deps, path, total, margin, bare=True)
        fitting = await characters_that_fit(deps, path[-1], total, margin)
        return TooLong(
            characters=len(question), tokens=costs[-1].question, space=max(window.space, 0), characters_that_fit=fitting
        )
    kept = [message for index in fitted.kept for message in said[index].messages]
    max_tokens = min(deps.settings.reply_tokens, total - fitted.tokens)
    context = ContextPlanned(
        tokens_planned=fitted.tokens,
        tokens_reserved=max_tokens,
        context_total=total,
        messages_included=len(kept),
        left_out=_left_out(said, costs, fitted, total),
        told_in_short=tuple(message.id for message in path if message.finish_reason == BY_RULE),
    )
    return Prompt(messages=merged((system, *kept)), max_tokens=max_tokens, context=context)


async def characters_that_fit(deps: Deps, message: Message, total: int, margin: int) -> int:
    """How many leading characters of `message` fit beside the system text: all of them, or as many as a few counts
    find, ending between words. Raises ModelError."""
    system = system_message(deps.prompts.system, deps.settings.instructions)
    window = await _window(deps, system, total, margin)
    text, length = message.content, len(message.content)
    for _ in range(_TRIES):
        if length <= 0:
            break
        shown = text if length == len(text) else cut_text(text, length)
        (tokens,) = await deps.model.count((as_sent(replace(message, content=shown), _local_time(deps)),))
        if tokens <= window.space:
            return length
        shorter = int(length * min(window.space / tokens, 0.95) * 0.98)
        length = _between_words(text, min(shorter, length - 1))
    return 0


def cut_text(text: str, length: int) -> str:
    """The first `length` characters, marked as cut for the model and for the reader."""
    return f"{text[:length].rstrip()}\n\n(Cut here: the first {length:,} of {len(text):,} characters.)"


def _noted(said: tuple[Exchange, ...], beside: str) -> tuple[Exchange, ...]:
    if not beside or not said:
        return said
    question = said[-1].question
    return (*said[:-1], replace(said[-1], question=replace(question, content=question.content + beside)))


def _local_time(deps: Deps) -> LocalTime | None:
    return deps.local_time if deps.settings.date_beside_message else None


async def _window(deps: Deps, system: ChatMessage, total: int, margin: int) -> Window:
    (system_tokens,) = await deps.model.count((system,))
    return Window(
        total=total,
        system=system_tokens,
        reserve=reserve_for(deps.settings.reply_tokens, total),
        margin=margin,
        keep=deps.settings.keep_after_cut,
    )


async def _costs(model: ChatModel, said: Sequence[Exchange]) -> tuple[Cost, ...]:
    tokens = iter(await model.count([message for exchange in said for message in exchange.messages]))
    return tuple(Cost(question=next(tokens), answer=next(tokens) if exchange.answer else 0) for exchange in said)


def _left_out(said: Sequence[Exchange], costs: Sequence[Cost], fitted: Fit, total: int) -> tuple[LeftOut, ...]:
    parts = (
        ("earlier", fitted.dropped, f"the window of {total:,} tokens is full, so the oldest go first"),
        ("too long", fitted.skipped, f"longer than the window of {total:,} tokens"),
    )
    result = []
    for kind, indexes, reason in parts:
        ids = tuple(message_id for index in indexes for message_id in said[index].ids)
        if ids:
            what = f"{len(ids)} {kind} message{'s' if len(ids) > 1 else ''}"
            tokens = sum(costs[index].total for index in indexes)
            result.append(LeftOut(what=what, reason=reason, tokens=tokens, message_ids=ids))
    return tuple(result)


def _between_words(text: str, length: int) -> int:
    """At most `length`, moved back to the last white space if one is near."""
    if length <= 0:
        return 0
    near = max(text.rfind(" ", length - 80, length), text.rfind("\n", length - 80, length))
    return near if near > 0 else boundary(text, length)
