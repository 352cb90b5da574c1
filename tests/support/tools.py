"""Tools for tests: a notebook that can be taken back, mail that cannot, grave money; each counts what it did."""

import re
from dataclasses import dataclass, field
from typing import Generic, TypeVar

from pydantic import Field

from assistant.errors import ToolError
from assistant.tools.types import (
    CallContext,
    Choice,
    Effect,
    EffectKey,
    Gap,
    Outcome,
    Precondition,
    Preview,
    Reading,
    Source,
    ToolArguments,
    ToolName,
)
from memory.errors import NotFound

A = TypeVar("A", bound=ToolArguments)


class NoteArguments(ToolArguments):
    text: str | None = Field(description="what to write down")
    book: str | None = Field(default=None, description="which notebook")


class MailArguments(ToolArguments):
    to: str | None = Field(description="who gets it")
    text: str | None = Field(description="what it says")


class PayArguments(ToolArguments):
    payee: str | None = Field(description="who is paid")
    amount: str | None = Field(description="how much")


class TableArguments(ToolArguments):
    place: str | None = Field(description="which restaurant")
    time: str | None = Field(description="what time")


@dataclass
class _Counting(Generic[A]):
    """What every tool of the tests shares: its name, and the keys it ran under."""

    name: ToolName
    summary: str
    effect: Effect
    arguments: type[A]
    words: str  # a pattern; what it finds is this tool's
    repeatable: bool = True
    ran: list[EffectKey] = field(default_factory=list)
    undone: list[str] = field(default_factory=list)
    state: str = "quiet"  # a precondition

    def read(self, text: str, context: CallContext) -> Reading[A] | None:
        return Reading(arguments=None, sure=True) if re.search(self.words, text, re.IGNORECASE) else None

    async def preview(self, arguments: A, context: CallContext) -> Preview:
        if self.state == "unreadable":
            raise NotFound("That is not there any more.", "Look it up.")
        values = arguments.model_dump()
        missing = [name for name, value in values.items() if value is None and name != "book"]
        said = ", ".join(f"{name}: {value}" for name, value in values.items() if value)
        return Preview(
            summary=f"{self.summary} ({said})",
            lines=tuple(f"{name}: {value}" for name, value in values.items() if value),
            gaps=tuple(Gap(argument=name, question=f"Which {name}?") for name in missing),
            preconditions=(Precondition(name="state", value=self.state),),
            undo="any time" if self.effect in ("undoable", "soft") else "",
            amount=str(values.get("amount") or ""),
        )

    async def run(self, arguments: A, key: EffectKey, context: CallContext) -> Outcome:
        if self.state == "gone":
            raise NotFound("That is not there any more.", "Look it up.")
        if self.state == "broken":
            raise ToolError("The line is dead.", "Try again later.")
        if key not in self.ran or not self.repeatable:
            self.ran.append(key)
        return Outcome(
            text="done",
            changed=(f"{self.summary} {key}",),
            undo_token=key if self.effect in ("undoable", "soft") else "",
        )

    async def undo(self, token: str, context: CallContext) -> Outcome:
        if token in self.undone:
            raise ToolError("It was taken back already.")
        self.undone.append(token)
        return Outcome(text="taken back", changed=("took it back",))


class Notebook(_Counting[NoteArguments]):
    """Reads "write down ...": sure, and whole. With `books` it has to know which."""

    def __init__(self, *books: str) -> None:
        super().__init__(
            name=ToolName("notes.add"),
            summary="Write down a note",
            effect="undoable",
            arguments=NoteArguments,
            words=r"^write down\b",
        )
        self.books = books

    def read(self, text: str, context: CallContext) -> Reading[NoteArguments] | None:
        found = re.match(r"^write down(?:\s+(.+))?$", text, re.IGNORECASE)
        return Reading(arguments=NoteArguments(text=found[1]), sure=True) if found else None

    async def preview(self, arguments: NoteArguments, context: CallContext) -> Preview:
        preview = await super().preview(arguments, context)
        if arguments.book is not None or not self.books:
            return preview
        choices = tuple(Choice(id=book, label=book) for book in self.books)
        gap = Gap(argument="book", question="Which book?", choices=choices, found_in=Source(kind="note", label="books"))
        return Preview(summary=preview.summary, gaps=(*preview.gaps, gap), undo=preview.undo)


def mail(*, repeatable: bool = False) -> _Counting[MailArguments]:
    return _Counting(
        name=ToolName("mail.send"),
        summary="Send a mail",
        effect="external",
        arguments=MailArguments,
        words=r"\bmail\b",
        repeatable=repeatable,
    )


def pay() -> _Counting[PayArguments]:
    return _Counting(name=ToolName("bank.pay"), summary="Pay", effect="grave", arguments=PayArguments, words=r"\bpay\b")


def table() -> _Counting[TableArguments]:
    return _Counting(
        name=ToolName("table.book"),
        summary="Put a table on the list",
        effect="undoable",
        arguments=TableArguments,
        words=r"\btable\b",
    )
