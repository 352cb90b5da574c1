"""Answers to decisions, and what a second terminal wants of plans and documents, on their way to the process that owns
the home: letters in state/answers.

Taking one once more after a crash does nothing twice: a decision is answered once, and its answer names the letter; a
step of a plan and a file are as they are.
"""

from dataclasses import dataclass
from functools import partial
from typing import Literal

from pydantic import BaseModel, ConfigDict, Field, ValidationError

from memory.data_dir import Home
from memory.decisions import DecisionId
from memory.key_file import key_of
from memory.letters import Letters
from memory.plans import PlanId
from memory.settled import Settled, read_settled, settle

LONGEST_ANSWER = 4_000  # characters
PlanAct = Literal["stop_plan", "resume_plan", "undo_plan"]
Act = Literal["answer", "withdraw", "reset_prices", PlanAct, "add_documents", "remove_documents"]
NO_DECISION = DecisionId(0)  # what `reset_prices`, plans and documents are about
NO_PLAN = PlanId(0)


class _Letter(BaseModel):
    """What a file holds; everything in it is checked before it is believed."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    format: Literal[1] = 1
    act: Act
    decision: int = Field(default=0, ge=0)
    plan: int = Field(default=0, ge=0)
    text: str = Field(default="", max_length=LONGEST_ANSWER)


@dataclass(frozen=True, slots=True, kw_only=True)
class HandedAnswer:
    """`name` identifies it for ever. `text`: the answer, or which documents."""

    name: str
    act: Act
    decision: DecisionId = NO_DECISION
    plan: PlanId = NO_PLAN
    text: str = ""


class AnswerMailbox:
    """Every method blocks for some milliseconds. Raises HomeUnusable, StoreFull."""

    def __init__(self, home: Home) -> None:
        self._letters = Letters(home.state / "answers", answers=".settled", key=partial(key_of, home))

    def post(self, act: Act, decision: DecisionId = NO_DECISION, text: str = "", *, plan: PlanId = NO_PLAN) -> str:
        """Durable when it returns: the name of the letter."""
        letter = _Letter(act=act, decision=decision, plan=plan, text=text[:LONGEST_ANSWER])
        return self._letters.post(letter.model_dump_json().encode())

    def waiting(self) -> tuple[HandedAnswer, ...]:
        """What nobody has settled yet, the oldest first. A file that cannot be read is put aside."""
        found = [self._read(name) for name in self._letters.waiting()]
        return tuple(one for one in found if one is not None)

    def begin(self, name: str) -> None:
        """Says that it is being carried out."""
        self._letters.begin(name)

    def is_begun(self, name: str) -> bool:
        return self._letters.is_begun(name)

    def settle(self, name: str, settled: Settled) -> None:
        settle(self._letters, name, settled)

    def is_waiting(self, name: str) -> bool:
        return self._letters.is_waiting(name)

    def settled(self, name: str) -> Settled | None:
        """What became of it, once."""
        return read_settled(self._letters, name)

    def _read(self, name: str) -> HandedAnswer | None:
        content = self._letters.read(name)
        if content is None:
            return None
        try:
            letter = _Letter.model_validate_json(content)
        except ValidationError:
            self._letters.put_aside(name)
            return None
        return HandedAnswer(
            name=name,
            act=letter.act,
            decision=DecisionId(letter.decision),
            plan=PlanId(letter.plan),
            text=letter.text,
        )
