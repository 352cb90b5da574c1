"""Why an answer is what it is, and what the model has in front of it now."""

from collections.abc import Sequence

from assistant.events import ContextPlanned
from assistant.session import Explanation
from memory.types import Message
from models.types import ModelInfo, ModelStatus, Ready
from ui.lines import DIM, EMPTY, PLAIN, Line, Look, wrap
from ui.memory_receipts import Shaped, shaped_words
from ui.rendering import bytes_text, labelled, one_line, seconds_text
from ui.screens.page import Page
from ui.status import device
from ui.view import View

_HEAD = Look(tone="heading", bold=True)


class Why(Page):
    def __init__(self, message: Message, explanation: Explanation | None, shaped: Sequence[Shaped] = ()) -> None:
        super().__init__("Why this answer")
        self._message = message
        self._explanation = explanation
        self._shaped = shaped

    def rows_for(self, width: int) -> list[Line]:
        message, explanation = self._message, self._explanation
        rows = [_title("The answer", width)]
        model = explanation.model if explanation and explanation.model else message.model
        rows += labelled("model", one_line(model) or "not known", width)
        if message.tokens_out:
            took = f", in {seconds_text(message.seconds)}" if message.seconds >= 1 else ""
            rows += labelled("length", f"{message.tokens_out:,} tokens{took}", width)
        if message.tokens_in:
            rows += labelled("it read", f"{message.tokens_in:,} tokens", width)
        rows += labelled("ended", _ENDED.get(message.finish_reason, message.finish_reason or "not yet"), width)
        rows += [EMPTY, *memory_rows(self._shaped, width)]
        if explanation is None:
            note = "What was in its context is known only for answers of this run of Steward."
            return [*rows, EMPTY, *wrap(((note, DIM),), width)]
        return [*rows, EMPTY, *context_rows(explanation.context, width)]


def memory_rows(shaped: Sequence[Shaped], width: int) -> list[Line]:
    """What the model was told about the user, and since when that is known."""
    rows = [_title("What it knew about you", width)]
    for one in shaped:
        rows += wrap(((shaped_words(one), PLAIN),), width, hang=(("  ", PLAIN),))
        for quote in one.why:
            rows += wrap(((quote, DIM),), width, lead=(("  ", DIM),), hang=((" " * 20, DIM),))
    if not shaped:
        rows += wrap((("Nothing.", PLAIN),), width)
    return rows


_ENDED = {
    "stop": "by itself",
    "rule": "by Steward itself, without the model",
    "length": "at the longest allowed answer (assistant.reply_tokens)",
    "cancelled": "you stopped it",
    "repeating": "stopped, because it repeated itself",
    "worker_died": "the model's process ended",
    "failed": "with an error",
}


class Context(Page):
    def __init__(self, view: View, status: ModelStatus) -> None:
        super().__init__("What the model has in front of it")
        self._view = view
        self._status = status

    def rows_for(self, width: int) -> list[Line]:
        rows: list[Line] = []
        if isinstance(self._status, Ready):
            rows += model_rows(self._status.info, width) + [EMPTY]
        context = self._view.context
        if context is None:
            note = "Nothing yet: the context is put together when you send a message."
            return [*rows, _title("The latest message", width), *wrap(((note, DIM),), width)]
        rows += context_rows(context, width)
        usage = self._view.usage
        if usage is not None and usage.tokens_in:
            rows += [EMPTY, _title("Measured", width)]
            cached = f", {usage.tokens_cached:,} of them still known from before" if usage.tokens_cached else ""
            rows += labelled("read", f"{usage.tokens_in:,} tokens{cached}", width)
            rows += labelled("first word", f"after {usage.seconds_to_first_token:.1f} s", width)
            speed = f", {usage.tokens_per_second:.1f} a second" if usage.tokens_per_second else ""
            rows += labelled("written", f"{usage.tokens_out:,} tokens{speed}", width)
        return rows


def model_rows(info: ModelInfo, width: int) -> list[Line]:
    rows = [_title("The model", width)]
    rows += labelled("name", one_line(info.name), width)
    if info.path:
        rows += labelled("from", one_line(info.path, 500), width)
    rows += labelled("runs on", ", ".join(filter(None, (device(info), one_line(info.device, 80)))), width)
    if info.layers_total and (info.layers_on_gpu or info.vram_free):  # without a GPU there is nothing to say
        rows += labelled("on the GPU", f"{info.layers_on_gpu} of {info.layers_total} layers", width)
    if info.vram_free:
        rows += labelled("VRAM free", bytes_text(info.vram_free), width)
    rows += labelled("window", f"{info.context_length:,} tokens", width)
    if info.leaves_process:
        warning = "What you write goes to another process or machine."
        rows += wrap(((warning, Look(tone="warning", bold=True)),), width)
    for note in info.notes:
        rows += wrap(((one_line(note, 400), DIM),), width)
    return rows


def context_rows(context: ContextPlanned, width: int) -> list[Line]:
    rows = [_title("Its context", width)]
    rows += labelled("messages", f"{context.messages_included:,} of the conversation, and the system text", width)
    rows += labelled("size", f"{context.tokens_planned:,} of {context.context_total:,} tokens", width)
    rows += labelled("kept free", f"{context.tokens_reserved:,} tokens for the answer", width)
    if context.told_in_short:
        rows += labelled("in short", f"{len(context.told_in_short):,} answers of Steward's own", width)
    rows += [EMPTY, *_bar(context, width), EMPTY, _title("Left out", width)]
    if not context.left_out:
        return [*rows, *wrap((("Nothing.", PLAIN),), width)]
    for part in context.left_out:
        rows += wrap(((f"{one_line(part.what, 300)}, {part.tokens:,} tokens", PLAIN),), width)
        rows += wrap(((one_line(part.reason, 400), DIM),), width, lead=(("  ", PLAIN),), hang=(("  ", PLAIN),))
    return rows


def _bar(context: ContextPlanned, width: int) -> list[Line]:
    """Used, kept free, and empty, as letters that need no colour."""
    cells = max(min(width, 62) - 2, 10)
    total = max(context.context_total, 1)
    used = min(round(cells * context.tokens_planned / total), cells)
    free = min(round(cells * context.tokens_reserved / total), cells - used)
    rest = "." * free + " " * (cells - used - free)
    bar = Line(runs=(("[", DIM), ("#" * used, Look(tone="accent")), (rest, DIM), ("]", DIM)))
    return [bar, *wrap((("# read by the model   . kept free for the answer", DIM),), width)]


def _title(text: str, width: int) -> Line:
    return wrap(((text, _HEAD),), width)[0]
