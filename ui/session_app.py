"""Conversations in the terminal UI: the list of them, a new one, and what is done to the one that is shown."""

from __future__ import annotations

from typing import TYPE_CHECKING

from textual import work

from assistant.errors import AssistantError
from memory.errors import StoreError
from ui.errors import UiError
from ui.plan_app import PlanApp
from ui.profile_app import ProfileApp
from ui.screens.dialog import deletion
from ui.suggestion_app import SuggestionApp
from ui.tools_app import ToolsApp

if TYPE_CHECKING:
    from memory.types import SessionId


class SessionApp(ToolsApp, ProfileApp, PlanApp, SuggestionApp):
    def _may_change(self) -> bool:
        if self.chat.view.busy:
            self.say("An answer is being written; Esc stops it first.", "warning")
        return not self.chat.view.busy

    def action_sessions(self, words: str = "") -> None:
        from ui.screens.sessions import SessionsScreen

        if self.make_way():
            self.push_screen(SessionsScreen(self.desk, words), self._open_chosen)

    def _open_chosen(self, session_id: SessionId | None) -> None:
        if session_id is not None:
            self._open(session_id)

    @work(group="show", exclusive=True)
    async def _open(self, session_id: SessionId) -> None:
        await self.chat.open_session(session_id)

    def action_new_session(self) -> None:
        if self.make_way() and self._may_change():
            self.chat.begin_new()

    def action_incognito(self) -> None:
        if self._may_change():
            self.chat.begin_new(incognito=True)

    def action_nolearn(self) -> None:
        if self._may_change():
            self.chat.begin_new(no_learn=True)

    async def may_leave(self, session_id: SessionId) -> bool:
        """Before a conversation is deleted: when it is the open one, a new one begins."""
        info = self.desk.conversation.session.info
        if info is None or info.id != session_id:
            return True
        if not self._may_change():
            return False
        self.chat.begin_new()
        return True

    @work
    async def action_rename_session(self, title: str) -> None:
        try:
            await self.desk.conversation.session.rename(title)
        except (AssistantError, StoreError) as error:
            self.say(f"{error.message} {error.hint}", "warning")
        self.chat.refresh_bars()

    @work
    async def action_export_session(self, name: str = "") -> None:
        from ui.export import export_conversation

        try:
            path = await export_conversation(self.desk.conversation.session, name, demo=self.desk.options.demo)
        except (UiError, StoreError) as error:
            self.say(f"{error.message} {error.hint}".rstrip(), "warning")
        else:
            self.say(f"Written to {path}")

    @work
    async def action_delete_session(self) -> None:
        info = self.desk.conversation.session.info
        if info is None or not self._may_change():
            return
        if await self.push_screen_wait(deletion(info)) != "delete":
            return
        transcript = self.desk.conversation.transcript
        self.chat.begin_new()
        try:
            await transcript.delete_session(info.id)
        except StoreError as error:
            self.chat.show_alert(error.message, error.hint)
        else:
            self.say("Deleted.")
