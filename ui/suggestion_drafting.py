"""Who words a suggestion in a run with a model: the model while it rests, else a fixed sentence."""

import asyncio
from collections.abc import Callable
from datetime import datetime

from assistant.ports import ChatModel
from assistant.proactive_drafting import ModelDrafter, TemplateDrafter, load_prompt
from memory.suggestions import MadeBy, Opportunity
from models.types import Ready


class IdleDrafter:
    """Implements assistant.proactive_drafting.Drafter. `model` is the one in use now; `busy`: it is answering.

    What leaves this process is only what the user sends: a model on a server words no suggestion."""

    def __init__(self, model: Callable[[], ChatModel], busy: Callable[[], bool]) -> None:
        self._model = model
        self._busy = busy

    async def draft(self, one: Opportunity, now: datetime, zone: str) -> tuple[str, MadeBy]:
        model = self._model()
        status = model.status
        if self._busy() or not isinstance(status, Ready) or status.info.leaves_process:
            return await TemplateDrafter().draft(one, now, zone)
        prompt = await asyncio.to_thread(load_prompt)
        return await ModelDrafter(model, prompt).draft(one, now, zone)
