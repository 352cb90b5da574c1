"""What the terminal UI works with, and the few things it can exchange while it runs: the conversation and the model."""

from __future__ import annotations

import asyncio
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from models.types import Absent
from ui.acting_wiring import no_decisions
from ui.configuration import load, set_value
from ui.deciding import Deciding
from ui.drafts import NOTHING, Drafts
from ui.errors import UiError
from ui.item_wiring import no_documents, no_items
from ui.model_wiring import build_model
from ui.wiring import build_session, in_memory, no_preferences, no_reminders

if TYPE_CHECKING:
    from assistant.ports import ChatModel, Clock, Transcript
    from assistant.session import Session
    from assistant.tools.mcp.asked_back import Asker
    from memory.data_dir import Home
    from memory.indexer import IndexStatus
    from memory.preference_store import PreferenceStore
    from ui.configuration import Configuration
    from ui.wiring import Options, Services


@dataclass(frozen=True, slots=True, kw_only=True)
class Conversation:
    session: Session
    transcript: Transcript
    preferences: PreferenceStore
    services: Services  # what it reads and writes
    incognito: bool = False


class Desk:
    def __init__(self, services: Services, model: ChatModel, *, drafts: Drafts | None = None) -> None:
        self._services = services
        self.model = model
        self.unsent = NOTHING  # what was written and is not stored yet
        keeps_nothing = services.options.keeps_nothing
        self.drafts = drafts if drafts is not None else Drafts.in_home(None if keeps_nothing else services.home)
        self.conversation = self._conversation(services, services.options.incognito)
        self.kept_deciding = Deciding(lambda: self._services, lambda: self.model)
        self._private_deciding = Deciding(lambda: self.conversation.services, lambda: self.model)

    @classmethod
    async def open(cls, services: Services) -> Desk:
        """With the model of these services, not yet started. Raises CatalogueWrong."""
        model = await asyncio.to_thread(build_model, services.configuration, services.home, services.options)
        return await asyncio.to_thread(cls, services, model)

    @property
    def services(self) -> Services:
        return self._services

    @property
    def options(self) -> Options:
        return self._services.options

    @property
    def home(self) -> Home:
        return self._services.home

    @property
    def configuration(self) -> Configuration:
        return self._services.configuration

    @property
    def deciding(self) -> Deciding:
        """Decisions of this conversation: an incognito one has its own."""
        return self.kept_deciding if self.conversation.services is self._services else self._private_deciding

    def attend(self, asker: Asker) -> None:
        """What servers ask in the middle of a call is put in front of the user by `asker`."""
        if self._services.asked_back is not None:
            self._services.asked_back.asker = asker

    def stop(self) -> bool:
        """End the turn in progress, and what a server asks in it; False when there was nothing to stop."""
        asked = self._services.asked_back is not None and self._services.asked_back.stop()
        return self.conversation.session.cancel() or asked

    @property
    def index_status(self) -> IndexStatus | None:
        """How far the index of memories is; None where there is none."""
        indexer = self._services.indexer
        return None if indexer is None else indexer.status

    @property
    def clock(self) -> Clock:
        return self._services.clock

    def begin(self, *, incognito: bool, no_learn: bool = False) -> Conversation:
        """A new conversation; an incognito one is kept in this process's memory only, from a no_learn one nothing is
        learned."""
        incognito = incognito or self.options.incognito
        if incognito or self.conversation.incognito:
            services = forgetful(self._services) if incognito else self._services
            self.conversation = self._conversation(services, incognito)
        self.conversation.session.new("incognito" if incognito else "no_learn" if no_learn else "normal")
        return self.conversation

    def leave_incognito(self) -> Conversation:
        """Back to what is kept, to open one of the kept conversations."""
        if self.conversation.incognito and not self.options.incognito:
            self.conversation = self._conversation(self._services, False)
        return self.conversation

    async def use_model(self, name: str) -> ChatModel:
        """Another model from now on, also at the next start. The old one is ended first: two may not fit into memory.
        Raises UiError when there is no such model, ConfigError, CatalogueWrong; then nothing has changed."""
        configuration = await asyncio.to_thread(load, self.home.config_file)
        configuration = replace(configuration, model=configuration.model.model_copy(update={"name": name}))
        options = replace(self.options, model=None, demo=False)
        new = await asyncio.to_thread(build_model, configuration, self.home, options)
        if isinstance(new.status, Absent):
            raise UiError(new.status.failure.message, new.status.failure.hint)
        if not self.options.keeps_nothing:
            await asyncio.to_thread(set_value, self.home.config_file, "model.name", name)
        await self._exchange(replace(self._services, configuration=configuration, options=options), new)
        return new

    async def use_demo(self) -> ChatModel:
        """The scripted model, for looking around; what is said is kept as before."""
        options = replace(self.options, demo=True)
        new = await asyncio.to_thread(build_model, self.configuration, self.home, options)
        await self._exchange(self._services, new)
        return new

    async def restart_model(self) -> ChatModel:
        """The same model again, after it was given up."""
        new = await asyncio.to_thread(build_model, self.configuration, self.home, self.options)
        await self._exchange(self._services, new)
        return new

    async def close(self) -> None:
        """What runs in the background, and the model, end before the store does."""
        await self.conversation.session.close()
        await self.model.close()

    async def _exchange(self, services: Services, model: ChatModel) -> None:
        await self.close()
        self._services, self.model = services, model
        old = self.conversation
        here = services
        if old.incognito:
            here = replace(old.services, options=services.options, configuration=services.configuration)
        self.conversation = self._conversation(here, old.incognito)
        if old.session.info is not None:
            await self.conversation.session.open(old.session.info.id)
        await model.start()

    def _conversation(self, services: Services, incognito: bool) -> Conversation:
        session = build_session(services, self.model)
        session.new("incognito" if incognito else "normal")
        return Conversation(
            session=session,
            transcript=services.transcript,
            preferences=services.preferences,
            services=services,
            incognito=incognito,
        )


def forgetful(services: Services) -> Services:
    """The same for an incognito conversation: it reads nothing that was kept, and keeps nothing."""
    return replace(
        services,
        transcript=in_memory(),
        preferences=no_preferences(),
        ranking=None,
        indexer=None,
        items=no_items(),
        documents=no_documents(),
        decisions=no_decisions(),
        reminders=no_reminders(),
    )
