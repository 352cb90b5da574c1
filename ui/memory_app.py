"""Memory in the terminal UI: its commands, the notes under messages, and the way from a memory to where it was said."""

from __future__ import annotations

import contextlib
from collections.abc import Awaitable
from typing import TYPE_CHECKING

from textual import work

from assistant.errors import AssistantError
from assistant.events import MemoryAsked, Remembered
from memory.errors import StoreError
from ui.errors import UiError
from ui.history_app import HistoryApp
from ui.rendering import one_line
from ui.status import Mode

if TYPE_CHECKING:
    from assistant.events import TurnEvent
    from memory.changes import EntryId
    from memory.preferences import Item
    from memory.types import Message, MessageId, SessionId
    from ui.desk import Desk
    from ui.memory_acts import MemoryActs, Receipt
    from ui.screens.chat import ChatScreen
    from ui.screens.memory import Goal


class MemoryApp(HistoryApp):
    @property
    def chat(self) -> ChatScreen:
        raise NotImplementedError

    def __init__(self, desk: Desk) -> None:
        super().__init__(desk)
        self._to_review = 0
        self._saved: dict[MessageId, tuple[EntryId, ...]] = {}  # by the message that had it saved; of this run

    @property
    def _acts(self) -> MemoryActs:
        from ui.memory_acts import MemoryActs

        return MemoryActs(self.desk.conversation.preferences, self.desk.clock)

    def mode(self) -> Mode:
        """What the header says at all times."""
        conversation = self.desk.conversation
        return Mode(
            incognito=conversation.incognito,
            demo=self.desk.options.demo,
            mouse_released=self.mouse_released,
            to_review=self._to_review,
            no_learn=conversation.session.mode == "no_learn",
            learning_off=not self.desk.services.switch.on,
            closed_domains=len(self.desk.services.switch.closed),
        )

    @work(group="memory", exclusive=True)
    async def refresh_memory(self) -> None:
        """How much waits for the user."""
        with contextlib.suppress(StoreError):  # a store in trouble is told of where it is used
            queue = await self.desk.conversation.preferences.review(at=self.desk.clock.now())
            self._to_review = len(queue.disputes) + len(queue.candidates) + len(queue.stale)
            self.chat.refresh_bars()

    def refresh_to_review(self) -> None:
        self.refresh_memory()

    # after a message

    async def note_memory(self, event: TurnEvent) -> None:
        """What a message changed stands under it; what is asked stands under the answer. Nothing takes the focus."""
        view = self.chat.view
        match event:
            case Remembered():
                from ui.memory_receipts import remembered_lines

                lines = list(remembered_lines(event))
                if event.receipts:
                    lines[len(event.receipts) - 1] += " · u on it or /undo takes it back"
                if event.forget is not None:
                    named = "; ".join(f"“{one_line(one, 60)}”" for one in event.forget.statements)
                    lines.append(f"To erase it for good as well: /forget and {named}")
                if view.user_message_id is not None:
                    self._saved[view.user_message_id] = tuple(receipt.entry for receipt in event.receipts)
                    await self._put_note(view.user_message_id, tuple(lines))
            case MemoryAsked():
                new, old = one_line(event.new_statement, 80), one_line(event.old_statement, 80)
                if view.reply_message_id is not None:
                    line = f"“{new}” contradicts “{old}”. Which one holds? /review asks you."
                    await self._put_note(view.reply_message_id, (line,))
            case _:
                pass

    async def _put_note(self, message_id: MessageId, lines: tuple[str, ...]) -> None:
        self.chat.shown.notes[message_id] = lines
        if self.chat.view.busy and message_id == self.chat.view.reply_message_id:
            return  # it is drawn when the answer is whole
        try:
            message = await self.desk.conversation.transcript.message(message_id)
            await self.chat.shown.put(message)
        except StoreError as error:
            self.chat.show_alert(error.message, error.hint)

    @work
    async def undo_saved(self, message: Message) -> None:
        """Take back what a message, or the one it answers, had saved."""
        of = message.id if message.role == "user" else message.parent_id
        entries = self._saved.pop(of, ()) if of is not None else ()
        if of is None or not entries:
            self.say("This message had nothing saved that could be taken back; F7 shows what is remembered.")
            return
        done = [await self._try(self._acts.undo(entry)) for entry in reversed(entries)]
        if all(receipt is not None for receipt in done):
            await self._put_note(of, ("Taken back; nothing of it is remembered.",))

    # where from

    @work(group="why", exclusive=True)
    async def show_why(self, message: Message) -> None:
        from ui.memory_receipts import shaped_by
        from ui.screens.why import Why

        conversation = self.desk.conversation
        try:
            explanation = conversation.session.explanation(message.id)
            shaped = await shaped_by(conversation.preferences, message.id, explanation)
        except StoreError as error:
            self.chat.show_alert(error.message, error.hint)
            return
        self.push_screen(Why(message, explanation, shaped))

    @work(group="show", exclusive=True)
    async def open_message(self, session_id: SessionId, message_id: MessageId) -> None:
        """A message in its conversation, on whatever branch it is, marked."""
        chat = self.chat
        await chat.open_session(session_id)
        try:
            await self.desk.conversation.session.select_branch(message_id, 0)
            await chat.show_conversation()
            loaded = -1
            while chat.transcript.entry(message_id) is None and loaded != len(chat.transcript.entries):
                loaded = len(chat.transcript.entries)
                await chat.shown.show_earlier()
        except (AssistantError, StoreError) as error:
            chat.show_alert(error.message, error.hint)
            return
        chat.transcript.focus()
        chat.transcript.mark(message_id)

    # commands

    def action_memory(self, words: str = "") -> None:
        from ui.screens.memory import MemoryScreen

        if self.make_way():
            self.push_screen(MemoryScreen(self.desk, words), self._open_goal)

    def _open_goal(self, goal: Goal | None) -> None:
        self.refresh_memory()
        if goal is not None:
            self.open_message(goal.session_id, goal.message_id)

    @work
    async def action_remember(self, text: str = "") -> None:
        if self.desk.conversation.incognito:
            self.say("Nothing is kept in an incognito conversation; Ctrl+N begins one that is.", "warning")
        elif text.strip():
            await self._try(self._acts.add(text))
        else:
            self.say("Say what: /remember I am allergic to peanuts")

    @work
    async def action_forget(self, words: str = "") -> None:
        from ui.screens.memory_dialogs import ask_forget

        if not words.strip():
            self.say("Say what: /forget coriander. F7 shows everything that is remembered.")
            return
        try:
            items = await self._acts.meant(words)
        except (UiError, StoreError) as error:
            self.say(f"{error.message} {error.hint}", "warning")
            return
        item = items[0] if len(items) == 1 else await self._one_of(items)
        if item is not None:
            done = await ask_forget(self.chat.app, self._acts, (item,), self.desk)
            if done:
                self.say(done)

    async def _one_of(self, items: tuple[Item, ...]) -> Item | None:
        from ui.memory_words import statement
        from ui.screens.dialog import Choice, Offer

        offers = [Offer(name="", words="None of them")]
        offers += [Offer(name=item.id, words=statement(item.preference, 160)) for item in items]
        answer = await self.push_screen_wait(Choice("Which one?", (), offers))
        return next((item for item in items if item.id == answer), None)

    @work
    async def action_undo_memory(self, number: str = "") -> None:
        from memory.changes import EntryId

        if number and not number.isdecimal():
            self.say("/undo takes the number of a change, or nothing for the last one.", "warning")
            return
        await self._try(self._acts.undo(EntryId(int(number)) if number else None))

    @work
    async def action_review_memory(self) -> None:
        from ui.screens.memory_dialogs import ask_review

        self.say(await ask_review(self.chat.app, self._acts, self.desk.clock.now()))
        self.refresh_memory()

    async def _try(self, act: Awaitable[Receipt]) -> Receipt | None:
        try:
            receipt = await act
        except (UiError, StoreError) as error:
            self.say(f"{error.message} {error.hint}".rstrip(), "warning")
            return None
        self.say(f"{receipt.words} · /undo takes it back")
        self.refresh_memory()
        return receipt
