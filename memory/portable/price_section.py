"""The section `question_prices` of a profile: what each kind of question costs this user, as it was learned."""

from collections.abc import Sequence
from datetime import datetime
from typing import Annotated

from pydantic import BaseModel, ConfigDict, Field, TypeAdapter, ValidationError

from memory.decision_store import DecisionStore
from memory.effects import QuestionPrice
from memory.portable.own_json import reason
from memory.portable.sections import Json, SectionRefused

MOST_KINDS = 1_000
_Count = Annotated[int, Field(ge=0, le=1_000_000)]


class PriceShape(BaseModel):
    """`log_price` is the natural logarithm of a factor; 0 is the ordinary price."""

    model_config = ConfigDict(frozen=True, extra="ignore")

    kind: Annotated[str, Field(max_length=120)]
    log_price: Annotated[float, Field(ge=-20, le=20, allow_inf_nan=False)]
    asked: _Count = 0
    needless: _Count = 0
    useful: _Count = 0


_PRICES: TypeAdapter[tuple[PriceShape, ...]] = TypeAdapter(
    Annotated[tuple[PriceShape, ...], Field(max_length=MOST_KINDS)]
)


class QuestionPrices:
    """Implements memory.portable.sections.ProfileSection."""

    name = "question_prices"
    title = "What questions cost you"
    private = False

    def __init__(self, store: DecisionStore) -> None:
        self._store = store

    async def dump(self) -> Json:
        prices = await self._store.prices()
        shapes = [
            PriceShape(
                kind=one.kind, log_price=one.log_price, asked=one.asked, needless=one.needless, useful=one.useful
            )
            for one in prices.values()
        ]
        return _value(shapes) or None

    def check(self, value: Json) -> Json:
        return _value(_read(value)) or None

    def lines(self, value: Json) -> tuple[str, ...]:
        return tuple(
            f"{one.kind or 'any question'}: asked {one.asked} times, {one.useful} useful, {one.needless} needless"
            for one in _read(value)
        )

    async def merged(self, value: Json) -> Json:
        return value

    async def load(self, value: Json, *, at: datetime) -> None:
        await self._store.forget_prices()
        for one in _read(value):
            await self._store.set_price(
                QuestionPrice(
                    kind=one.kind, log_price=one.log_price, asked=one.asked, needless=one.needless, useful=one.useful
                )
            )


def _read(value: Json) -> tuple[PriceShape, ...]:
    """Raises SectionRefused."""
    try:
        return _PRICES.validate_python(value or ())
    except ValidationError as error:
        raise SectionRefused(reason(error)) from error


def _value(shapes: Sequence[PriceShape]) -> list[Json]:
    return [one.model_dump(mode="json") for one in sorted(shapes, key=lambda one: one.kind)]
