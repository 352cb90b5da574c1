"""What a tool is. An effect class stands in code beside each tool and is never asked of a model: models tell
reversible from irreversible acts little better than chance (arXiv 2410.09006), and naming the stakes moves their
threshold, not their judgement.

    candidate call -> preview (reads only) -> policy, gates, maybe a decision -> run (once a key) -> outcome, undo
"""

from dataclasses import dataclass
from datetime import datetime
from typing import Generic, Literal, NewType, Protocol, TypeVar

from pydantic import BaseModel, ConfigDict, JsonValue

Effect = Literal[
    "read",  # looks something up; never asks
    "undoable",  # a local change that one key takes back
    "soft",  # a change others may come to rely on, or that undo restores only in part
    "external",  # reaches other people, or cannot be taken back: always a decision
    "grave",  # money, health, law, other people's data: always a decision, never a standing grant
]
EFFECTS: tuple[Effect, ...] = ("read", "undoable", "soft", "external", "grave")  # from light to heavy

ToolName = NewType("ToolName", str)  # "tasks.add", "mcp.mail.send"; a-z, 0-9, "_" and "."
EffectKey = NewType("EffectKey", str)  # names one execution: the same key never runs twice


class ToolArguments(BaseModel):
    """Base of every tool's arguments: the schema becomes the grammar, so each field has a description.
    A field the user must supply and may not have said has the type `T | None` and no default."""

    model_config = ConfigDict(extra="forbid", frozen=True)


A = TypeVar("A", bound=ToolArguments)
NOT_IN_FORM: dict[str, JsonValue] = {"not_in_form": True}  # json_schema_extra of a field that no model fills


@dataclass(frozen=True, slots=True, kw_only=True)
class Source:
    """Where a piece of text came from, for citing and for trust."""

    kind: Literal["memory", "message", "document", "calendar", "task", "note", "file", "mcp"]
    label: str  # "contract.pdf, page 3"; cleaned, one line
    reference: str = ""  # an id the UI can open


@dataclass(frozen=True, slots=True, kw_only=True)
class Attribute:
    """One column of a comparison. `value` as shown; `number` when it can be ranked (smaller or larger is better by
    `better`; "" when nobody can tell without the user)."""

    name: str
    value: str
    number: float | None = None
    better: Literal["", "low", "high"] = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class Choice:
    """One of several things a call could mean or take, with the same attributes in the same order as the others."""

    id: str
    label: str
    attributes: tuple[Attribute, ...] = ()
    claims: str = ""  # what its seller says of it: shown and labelled, never scored


@dataclass(frozen=True, slots=True, kw_only=True)
class Gap:
    """An argument that is missing, or fits several things. `choices` are known values; () is an open question."""

    argument: str  # the field's name
    question: str  # "Which day?"
    choices: tuple[Choice, ...] = ()
    found_in: Source | None = None  # where the choices come from


@dataclass(frozen=True, slots=True, kw_only=True)
class Assumption:
    """An argument the user did not say, and what filled it."""

    argument: str
    value: str
    because: str  # the user's words or the item it rests on
    source: Source | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Precondition:
    """Something that must still hold when a decision is carried out, as text that is compared exactly."""

    name: str  # "conflict-free on 2026-12-04", "file unchanged"
    value: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Preview:
    """What a call would do; making one changes nothing."""

    summary: str  # one line in plain words with the exact arguments: "Delete note 12 “Passwords”"
    lines: tuple[str, ...] = ()  # exact arguments, one a line
    gaps: tuple[Gap, ...] = ()
    assumptions: tuple[Assumption, ...] = ()
    preconditions: tuple[Precondition, ...] = ()
    undo: str = ""  # "until you close Steward", "any time with undo"; "" when there is none
    effect: Effect | None = None  # heavier than the tool's class for these arguments (inviting guests)
    waits: str = ""  # why it waits for a yes though it can be taken back: many things at once
    exact: ToolArguments | None = None  # what the arguments stand for, once looked up; carried out in their place
    people: tuple[str, ...] = ()
    amount: str = ""  # "EUR 120.00"


@dataclass(frozen=True, slots=True, kw_only=True)
class Outcome:
    """What a call did or found. `text` of an untrusted source is data: quoted, never obeyed."""

    text: str
    sources: tuple[Source, ...] = ()
    choices: tuple[Choice, ...] = ()  # several things to choose from: the policy compares, ties become a question
    undo_token: str = ""  # what `undo` takes; "" when there is nothing to undo
    changed: tuple[str, ...] = ()  # one line a change, for the report
    untrusted: bool = False
    final: bool = False  # a reading's text is the answer as it stands: a sum, the time; the model words nothing


@dataclass(frozen=True, slots=True, kw_only=True)
class CallContext:
    """What a call may know: the moment, the user's zone, and whether anything may be kept."""

    now: datetime
    zone: str  # IANA name
    incognito: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class Reading(Generic[A]):
    """What a rule makes of the user's words. `sure`: they can hardly mean anything else ("add a task: buy milk");
    else the model is asked whether this tool is meant. `arguments` None: meant, but the model has to fill them in."""

    arguments: A | None
    sure: bool
    otherwise: bool = False  # a look, taken without asking the model where nothing else is meant


class Tool(Protocol[A]):
    """One tool. Raises assistant.errors.ToolError with a line and a hint for what the user can mend."""

    @property
    def name(self) -> ToolName: ...

    @property
    def summary(self) -> str:
        """One line for the model and the user: what it does."""
        ...

    @property
    def effect(self) -> Effect: ...

    @property
    def arguments(self) -> type[A]: ...

    @property
    def repeatable(self) -> bool:
        """Running it again with the same key changes nothing and gives the same outcome, so that a call cut off by a
        crash is finished by running it again. Else what became of such a call is not known, and is said."""
        ...

    def read(self, text: str, context: CallContext) -> "Reading[A] | None":
        """The arguments as a rule reads them in the user's words, without a model; None when the words are not about
        this tool."""
        ...

    async def preview(self, arguments: A, context: CallContext) -> Preview:
        """Reads only."""
        ...

    async def run(self, arguments: A, key: EffectKey, context: CallContext) -> Outcome:
        """Carried out at most once a key: a tool whose change is a row writes the key in the same transaction."""
        ...

    async def undo(self, token: str, context: CallContext) -> Outcome:
        """Raises ToolError when there is nothing to take back any more."""
        ...
