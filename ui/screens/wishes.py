"""What the keys on a message do. Each wish is a few lines over the session; nothing here draws."""

from __future__ import annotations

from typing import TYPE_CHECKING, assert_never

from ui.drafts import NOTHING, Draft
from ui.drawing.code_blocks import code_blocks, links
from ui.messages import LinkChosen
from ui.screens.dialog import Choice, Offer
from ui.screens.page import Page

if TYPE_CHECKING:
    from memory.types import Message, MessageId
    from ui.messages import Wish
    from ui.screens.chat import ChatScreen


def fulfil(chat: ChatScreen, wish: Wish, message_id: MessageId) -> None:
    """Does what the user wants with a message that is on the screen."""
    if wish == "write":
        chat.set_focus(chat.prompt)
        return
    entry = chat.transcript.entry(message_id)
    if entry is None:
        return
    message = entry.message
    match wish:
        case "copy":
            chat.app.copy(_source(chat, message), "the message")
        case "copy-code":
            _copy_code(chat, _source(chat, message))
        case "open":
            chat.app.push_screen(Page("Whole text", source=_source(chat, message)))
        case "links":
            _choose_link(chat, _source(chat, message))
        case "thoughts":
            chat.transcript.toggle_thoughts(message_id)
        case "why" | "undo":
            _explain(chat, wish, message)
        case "edit" | "branch" | "regenerate" | "previous" | "next":
            _change(chat, wish, message)
        case _:
            assert_never(wish)


def _source(chat: ChatScreen, message: Message) -> str:
    """The text of a message; of the answer being written, as far as it came."""
    writing = chat.view.busy and chat.view.reply_message_id == message.id
    return chat.view.text if writing else message.content


def _copy_code(chat: ChatScreen, source: str) -> None:
    blocks = code_blocks(source)
    if not blocks:
        chat.app.say("There is no code block in this message.")
    elif len(blocks) == 1:
        chat.app.copy(blocks[0].code, "the code block")
    else:
        offers = [Offer(name=str(index), words=block.label) for index, block in enumerate(blocks)]

        def chosen(name: str | None) -> None:
            if name is not None:
                chat.app.copy(blocks[int(name)].code, "the code block")

        chat.app.push_screen(Choice("Copy which code block?", (), offers), chosen)


def _choose_link(chat: ChatScreen, source: str) -> None:
    addresses = links(source)
    if not addresses:
        chat.app.say("There is no link in this message.")
        return
    offers = [Offer(name=address, words=address) for address in addresses]

    def chosen(address: str | None) -> None:
        if address is not None:
            chat.post_message(LinkChosen(address))

    chat.app.push_screen(Choice("Links of this message", (), offers), chosen)


def _explain(chat: ChatScreen, wish: Wish, message: Message) -> None:
    if wish == "undo":
        chat.app.undo_saved(message)
        return
    if message.role == "user":
        answer = next((other for other in chat.shown.path if other.parent_id == message.id), None)
        if answer is None:
            chat.app.say("There is no answer to this message yet.")
            return
        message = answer
    chat.app.show_why(message)


def _change(chat: ChatScreen, wish: Wish, message: Message) -> None:
    if chat.view.busy:
        chat.app.say("An answer is being written; Esc stops it first.", "warning")
        return
    match wish:
        case "edit":
            own = _own_message(chat, message)
            if own is not None:
                chat.begin_editing(own.id, draft_of(own), "Editing; the old version stays as a branch")
        case "regenerate":
            chat.begin_turn(chat.desk.conversation.session.regenerate(message.id))
            chat.set_focus(chat.prompt)
        case "branch":
            _branch(chat, message)
        case "previous" | "next":
            chat.show_branch(message, 1 if wish == "next" else -1)
        case _:
            raise AssertionError(wish)


def _own_message(chat: ChatScreen, message: Message) -> Message | None:
    """The message itself when the user wrote it, else the one it answers."""
    if message.role == "user":
        return message
    return next((other for other in chat.shown.path if other.id == message.parent_id), None)


def _branch(chat: ChatScreen, message: Message) -> None:
    """Another way on from this place: what is written next stands beside what followed."""
    if message.role == "user":
        chat.begin_editing(message.id, draft_of(message), "Another version of this message")
        return
    following = next((other for other in chat.shown.path if other.parent_id == message.id), None)
    if following is None:
        chat.set_focus(chat.prompt)
        chat.app.say("The conversation ends here; write on.")
    else:
        chat.begin_editing(following.id, NOTHING, "Another way on from here; what followed stays as a branch")


def draft_of(message: Message) -> Draft:
    """A message of the user, to be written anew; what was pasted stays pasted."""
    return Draft(text=message.content, origin="pasted" if message.origin == "pasted" else "typed")
