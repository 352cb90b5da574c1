"""What the commands of line mode speak of: a message by its number, a title, the model, in words."""

from assistant.policies.cleaning import clean_line
from memory.types import Message, MessageId
from memory.types import Session as SessionRow
from models.types import Absent, GivenUp, Loading, ModelStatus, Ready, Restarting
from ui.errors import UiError
from ui.plain_speech import said_here

ENDED = {"stopped": "stopped by you", "interrupted": "cut off", "failed": "no answer came", "writing": "unfinished"}


def model_words(status: ModelStatus) -> str:
    """The model's state in one line."""
    match status:
        case Ready(info=info):
            place = "text leaves this process" if info.leaves_process else "on this machine"
            name, window = clean_line(info.name, 80), f"{info.context_length:,}"
            return f"{name} on {info.backend}, window {window} tokens, {place}."
        case Loading(name=name, done=done, total=total):
            return f"{clean_line(name, 80)} is loading{f', {done * 100 // total} percent' if total else ''}."
        case Restarting(reason=reason):
            return f"Restarting: {clean_line(reason, 200)}"
        case Absent(failure=failure) | GivenUp(failure=failure):
            return said_here(f"{clean_line(failure.message, 200)} {clean_line(failure.hint, 200)}".rstrip())


def branch_argument(argument: str) -> tuple[str, int]:
    """Number and step; step 0: to be chosen from a list."""
    which, step = "", 0
    for word in argument.lower().split():
        if word in ("next", "previous"):
            step = 1 if word == "next" else -1
        else:
            which = word
    return which, step


def alternative(message: Message, shown: MessageId) -> str:
    return f"{clean_line(message.content, 160) or 'empty'}{' (shown now)' if message.id == shown else ''}"


def pick(messages: tuple[Message, ...], which: str) -> tuple[int, Message]:
    number = number_in(which, len(messages))
    return number, messages[number - 1]


def own_message(messages: tuple[Message, ...], which: str) -> Message:
    """The user's message with that number, or their last."""
    own = [message for message in messages if message.role == "user"]
    if which:
        message = pick(messages, which.removeprefix("#"))[1]
        if message.role == "user":
            return message
        raise UiError("That is not one of your messages.", "/show numbers them.")
    if not own:
        raise UiError("You have said nothing yet.", "Type a message, and Enter sends it.")
    return own[-1]


def answer(messages: tuple[Message, ...], which: str) -> Message:
    """The answer with that number, or the last."""
    if which:
        message = pick(messages, which)[1]
        if message.role == "assistant":
            return message
        raise UiError("That is not an answer.", "/show numbers the messages.")
    answers = [message for message in messages if message.role == "assistant"]
    if not answers:
        raise UiError("There is no answer yet.", "Type a message, and Enter sends it.")
    return answers[-1]


def number_in(text: str, highest: int) -> int:
    if text.isdecimal() and 1 <= int(text) <= highest:
        return int(text)
    raise UiError(f"There is no number {clean_line(text, 20)} here.", f"1 to {highest}." if highest else "")


def title_of(row: SessionRow) -> str:
    return f'"{clean_line(row.title, 80) or "no title"}"'


def who(message: Message) -> str:
    return "you" if message.role == "user" else "steward"
