"""Words a suggestion: by the model where there is one, from the evidence alone, else by the template.

What the model wrote is shown only if `policies.proactive.drafting.faults` finds nothing: it gets one try, and some
seconds. No model is asked for what is not said.
"""

import asyncio
from datetime import datetime
from importlib.resources import files
from typing import Protocol

from assistant.policies.cleaning import clean
from assistant.policies.proactive.drafting import faults, material, model_may_word, template
from assistant.ports import ChatModel
from memory.suggestions import MadeBy, Opportunity
from models.types import Cancel, ChatMessage, Delta, Finished, GenerationRequest, Sampling

LIMIT_S = 20.0
_SAMPLING = Sampling(temperature=0.2, top_p=0.9, max_tokens=80, seed=7)


class Drafter(Protocol):
    async def draft(self, one: Opportunity, now: datetime, zone: str) -> tuple[str, MadeBy]:
        """At most two sentences, and who made them. Raises nothing expected."""
        ...


class TemplateDrafter:
    """Implements Drafter without a model."""

    async def draft(self, one: Opportunity, now: datetime, zone: str) -> tuple[str, MadeBy]:
        return template(one, now, zone), "template"


class ModelDrafter:
    """Implements Drafter. `model` is asked as background work, so that a question of the user goes first."""

    def __init__(self, model: ChatModel, prompt: str, *, limit_s: float = LIMIT_S) -> None:
        self._model = model
        self._prompt = prompt
        self._limit_s = limit_s

    async def draft(self, one: Opportunity, now: datetime, zone: str) -> tuple[str, MadeBy]:
        text = await self._said(one, now, zone) if model_may_word(one) else ""
        if text and not faults(text, one, now, zone):
            return text, "model"
        return template(one, now, zone), "template"

    async def _said(self, one: Opportunity, now: datetime, zone: str) -> str:
        """ "" when the model failed, was cut off or took too long."""
        content = self._prompt.replace("{facts}", material(one, now, zone))
        request = GenerationRequest(
            messages=(ChatMessage(role="user", content=content),),
            sampling=_SAMPLING,
            priority="background",
            stable_messages=0,
        )
        cancel, parts, whole = Cancel(), list[str](), False
        try:
            async with asyncio.timeout(self._limit_s):
                async for event in self._model.stream(request, cancel):
                    if isinstance(event, Delta) and not event.thought:
                        parts.append(event.text)
                    if isinstance(event, Finished):
                        whole = event.reason == "stop"
        except TimeoutError:
            cancel.set()
        text = clean("".join(parts)).strip().removeprefix("Reminder:").strip() if whole else ""
        return text[1:-1] if text.startswith('"') and text.endswith('"') and text.count('"') == 2 else text


def load_prompt() -> str:
    """Read from the installed package."""
    return (files("assistant") / "prompts" / "suggestion.txt").read_text(encoding="utf-8")
