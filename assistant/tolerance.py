"""What the user's reactions teach about asking, kept in the store: prices of questions, and how far a belief holds."""

from assistant.policies.asking.learning import Calibration, Label, Reaction, calibrate, next_log_price
from assistant.ports import ChatModel, Clock
from memory.decision_store import DecisionStore
from memory.decisions import Decision
from memory.effects import BeliefLabel, QuestionPrice
from models.types import Ready

GUESSED = 0.6  # the belief with which a choice is named as the likeliest


class Tolerance:
    """Raises StoreError."""

    def __init__(self, store: DecisionStore, model: ChatModel, clock: Clock) -> None:
        self._store = store
        self._model = model
        self._clock = clock

    async def react(self, kind: str, reaction: Reaction) -> QuestionPrice:
        """Move the price of this kind of question; "" is every kind."""
        prices = await self._store.prices()
        before = prices.get(kind) or prices.get("") or QuestionPrice(kind=kind, log_price=0.0)
        price = QuestionPrice(
            kind=kind,
            log_price=next_log_price(before.log_price, reaction),
            asked=before.asked + 1 if before.kind == kind else 1,
            needless=(before.needless if before.kind == kind else 0) + (reaction in ("needless", "stop_asking")),
            useful=(before.useful if before.kind == kind else 0) + (reaction == "changed_plan"),
        )
        await self._store.set_price(price)
        return price

    async def react_to_all(self, reaction: Reaction) -> QuestionPrice:
        """Move the price of every kind, those of their own included. That of all others."""
        for kind in await self._store.prices():
            if kind:
                await self.react(kind, reaction)
        return await self.react("", reaction)

    async def learn_from(self, decision: Decision) -> None:
        asked = decision.asked
        if asked.kind != "clarify" or not asked.asked_about:
            return
        needless = bool(asked.recommended) and decision.answer == asked.recommended
        await self.react(asked.asked_about, "needless" if needless else "changed_plan")
        if asked.recommended:
            await self._store.add_label(self._label(GUESSED, right=needless))

    async def was_wrong(self) -> None:
        """Something that was done on a belief was taken back."""
        await self._store.add_label(self._label(GUESSED, right=False))

    def _label(self, belief: float, *, right: bool) -> BeliefLabel:
        return BeliefLabel(model=self._model_name(), belief=belief, right=right, at=self._clock.now())

    async def calibration(self) -> Calibration:
        labels = await self._store.labels(self._model_name())
        return calibrate([Label(belief=one.belief, right=one.right) for one in labels])

    def _model_name(self) -> str:
        status = self._model.status
        return status.info.name if isinstance(status, Ready) else ""
