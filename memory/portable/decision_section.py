"""The section `decisions` of a profile: what was asked and is over, between what, what was chosen, and when.

What comes from another home is there to be read: it holds no call, so nothing can be carried out or taken back by it.
An import adds to what is here, and what this home decided itself is never changed by one.
"""

from collections.abc import Iterable
from datetime import datetime
from typing import Annotated, TypeAlias

from pydantic import Field, TypeAdapter, ValidationError

from memory.decision_store import DecisionStore
from memory.decisions import FROM_PROFILE, Decision, DecisionId, DecisionOption, DecisionState, NewDecision
from memory.portable.own_json import reason
from memory.portable.sections import Json, SectionRefused
from memory.portable.shapes import LONGEST_CHOICE, LONGEST_OPTION, LONGEST_QUESTION, Clean, DecisionShape
from memory.text import moment_text

MOST_DECISIONS = 20_000
_OVER: tuple[DecisionState, ...] = ("done", "failed", "declined", "withdrawn", "expired")
_SHAPES: TypeAdapter[tuple[DecisionShape, ...]] = TypeAdapter(
    Annotated[tuple[DecisionShape, ...], Field(max_length=MOST_DECISIONS)]
)
_Name: TypeAlias = tuple[datetime, str]


class DecisionHistory:
    """Implements memory.portable.sections.ProfileSection."""

    name = "decisions"
    title = "What you decided"
    private = False

    def __init__(self, store: DecisionStore, clean: Clean) -> None:
        self._store = store
        self._clean = clean

    async def dump(self) -> Json:
        return _value(map(_shape, await self._over())) or None

    def check(self, value: Json) -> Json:
        return _value(self._read(value)) or None

    def lines(self, value: Json) -> tuple[str, ...]:
        return tuple(_line(one) for one in self._read(value))

    async def merged(self, value: Json) -> Json:
        here = [_shape(one) for one in await self._over()]
        known = {_name(one) for one in here}
        return _value([*here, *(one for one in self._read(value) if _name(one) not in known)]) or None

    async def load(self, value: Json, *, at: datetime) -> None:
        own = {_name(_shape(one)) for one in await self._over() if one.answered_from != FROM_PROFILE}
        await self._store.keep_past([_decision(one) for one in self._read(value) if _name(one) not in own])

    async def _over(self) -> tuple[Decision, ...]:
        """What a server asked in the middle of a call belongs to that call."""
        found = await self._store.decisions(_OVER, limit=MOST_DECISIONS)
        return tuple(one for one in found if one.asked.kind != "server")

    def _read(self, value: Json) -> tuple[DecisionShape, ...]:
        """Cleaned, the oldest first, each once. Raises SectionRefused."""
        try:
            found = _SHAPES.validate_python(value or ())
        except ValidationError as error:
            raise SectionRefused(reason(error)) from error
        by_name: dict[_Name, DecisionShape] = {}
        for one in map(self._cleaned, found):
            by_name.setdefault(_name(one), one)
        return tuple(by_name[name] for name in sorted(by_name))

    def _cleaned(self, one: DecisionShape) -> DecisionShape:
        clean = self._clean
        options, chosen = tuple(map(clean, one.options)), clean(one.chosen)
        keys = {str(number): option for number, option in enumerate(options, start=1)}
        chosen = chosen if chosen in options else keys.get(chosen, chosen)
        texts = {"question": clean(one.question), "options": options, "chosen": chosen, "result": clean(one.result)}
        return one.model_copy(update=texts)


def _name(one: DecisionShape) -> _Name:
    """What makes it the same one in two homes."""
    return one.asked_at, one.question


def _value(shapes: Iterable[DecisionShape]) -> list[Json]:
    return [
        {
            **one.model_dump(mode="json"),
            "asked_at": moment_text(one.asked_at),
            "answered_at": None if one.answered_at is None else moment_text(one.answered_at),
        }
        for one in sorted(shapes, key=_name)
    ]


def _line(one: DecisionShape) -> str:
    between = f" ({', '.join(one.options)})" if one.options else ""
    became = f": {one.chosen}" if one.chosen else ""
    return f"{one.asked_at:%Y-%m-%d} {one.question}{between}{became}, {one.state}"


def _shape(decision: Decision) -> DecisionShape:
    asked = decision.asked
    chosen = next((option.label for option in asked.options if option.key == decision.answer), decision.answer)
    return DecisionShape.model_validate(
        {
            "asked_at": decision.created_at,
            "question": asked.question[:LONGEST_QUESTION],
            "kind": asked.kind,
            "options": tuple(option.label[:LONGEST_OPTION] for option in asked.options),
            "chosen": chosen[:LONGEST_CHOICE],
            "state": decision.state,
            "answered_at": decision.answered_at,
            "result": decision.result[:LONGEST_CHOICE],
        }
    )


def _decision(one: DecisionShape) -> Decision:
    """With an id that the store replaces."""
    options = tuple(DecisionOption(key=str(number), label=label) for number, label in enumerate(one.options, start=1))
    answer = next((option.key for option in options if option.label == one.chosen), one.chosen)
    asked = NewDecision(kind=one.kind, effect="read", question=one.question, why_now="", options=options)
    return Decision(
        id=DecisionId(0),
        asked=asked,
        state=one.state,
        created_at=one.asked_at,
        answer=answer,
        answered_from=FROM_PROFILE,
        answered_at=one.answered_at,
        result=one.result,
    )
