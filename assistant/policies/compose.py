"""Stored messages as the model reads them. The same row always gives the same text, so that a prefix once read
stays valid from turn to turn."""

import re
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from datetime import datetime

from memory.types import BY_RULE, Message, MessageId
from memory.words import words_of
from models.types import ChatMessage

LocalTime = Callable[[datetime], datetime]  # the user's wall clock at an instant

_SPEAKS_OF_TIME = re.compile(
    r"\b(?:to-?(?:day|morrow|night)|yesterday|now|currently|clock|time|date|day|week(?:end|day)?|month|year|century|hours?"
    r"|minutes?|ago|since|until|till|deadline|due|calendar|birthday|anniversary|age|old|(?:19|20)\d\d|\d{1,2}(?::\d\d|\s?[ap]m)"
    r"|(?:mon|tues|wednes|thurs|fri|satur|sun)day|january|february|march|april|june|july|august|september|october"
    r"|november|december|season|spring|summer|autumn|winter|morning|noon|afternoon|evening|midnight)s?\b",
    re.IGNORECASE,
)
_LOOKS_BACK = re.compile(
    r"\b(?:it|its|that|those|them|these|this|did|done|undo|again|instead|also|too|before|already|just|earlier|same"
    r"|reminders?|tasks?|events?|notes?|decisions?)\b",
    re.IGNORECASE,
)
_POINTS = re.compile(r"\b(?:about|of|for|with|from) (?:it|this|that|them|those)\b|\bthe same\b", re.IGNORECASE)
MOST_DEEDS, DEED_LETTERS = 2, 120
LEAST_LETTERS = 4  # of a word that a wish and a later question share
_LONGEST_ASKED = 2_000  # a pasted text that mentions a day is no question about time


@dataclass(frozen=True, slots=True, kw_only=True)
class Exchange:
    """One user message and the answer to it, if there is one. `question` and `answer` as they are sent."""

    question_id: MessageId
    question: ChatMessage
    answer_id: MessageId | None = None
    answer: ChatMessage | None = None

    @property
    def messages(self) -> tuple[ChatMessage, ...]:
        return (self.question,) if self.answer is None else (self.question, self.answer)

    @property
    def ids(self) -> tuple[MessageId, ...]:
        return (self.question_id,) if self.answer_id is None else (self.question_id, self.answer_id)


def system_message(system: str, instructions: str, about_user: str = "") -> ChatMessage:
    """The first message of every prompt: the same bytes until a setting changes, or what is known about the user."""
    added = f"\n\nThe user set these instructions:\n{instructions.strip()}" if instructions.strip() else ""
    known = f"\n\n{about_user.strip()}" if about_user.strip() else ""
    return ChatMessage(role="system", content=system.strip() + added + known)


def speaks_of_time(text: str) -> bool:
    return len(text) <= _LONGEST_ASKED and _SPEAKS_OF_TIME.search(text) is not None


def as_sent(message: Message, local_time: LocalTime | None) -> ChatMessage:
    """The row as the model reads it. Thoughts are never sent. With `local_time`, a message that speaks of time carries
    the moment it was said: beside the message and from the row, so that the text before it never changes."""
    if message.role == "user" and local_time is not None and speaks_of_time(message.content):
        said = local_time(message.created_at)
        return ChatMessage(role="user", content=f"{message.content}\n\n(Said on {said:%A, %d %B %Y, at %H:%M}.)")
    return ChatMessage(role=message.role, content=message.content)


def exchanges(path: Iterable[Message], local_time: LocalTime | None) -> tuple[Exchange, ...]:
    """The conversation root to head. An answer that was cut short is sent as it is; one without text is left away.

    What Steward did itself is left out with the wish for it (`deeds` tells of it): a small model that reads receipts
    and decisions as its own words writes such lines too, of things that never happened."""
    found: list[Exchange] = []
    for message in path:
        if message.role == "user":
            found.append(Exchange(question_id=message.id, question=as_sent(message, local_time)))
        elif message.finish_reason == BY_RULE and found:
            found.pop()
        elif message.content.strip() and found:
            found[-1] = Exchange(
                question_id=found[-1].question_id,
                question=found[-1].question,
                answer_id=message.id,
                answer=as_sent(message, local_time),
            )
    return tuple(found)


def deeds(path: Sequence[Message]) -> str:
    """What Steward did itself in this conversation, the latest last, to stand beside the question at the end of `path`;
    "" for nothing, or when the question does not look back: a small model speaks of whatever stands before it."""
    question = path[-1].content if path else ""
    if not any(one.finish_reason == BY_RULE for one in path):
        return ""
    from assistant.policies.asking.agency import made_up  # only where something was done before

    if made_up(question) and not _POINTS.search(question):
        return ""  # beside a wish for a story it makes a small model refuse to write one
    done = [
        (path[place - 1].content, answer.content)
        for place, answer in enumerate(path)
        if place and answer.finish_reason == BY_RULE and _looks_back(question, path[place - 1].content)
    ]
    if not done:
        return ""
    lines = "\n".join(f"- “{_short(wish)}” was answered “{_short(answer)}”" for wish, answer in done[-MOST_DEEDS:])
    told = "What the program did before, so that you know; you cannot do such things, and never say you did"
    return f"\n\n({told}:\n{lines})"


def _looks_back(question: str, wish: str) -> bool:
    """By a word that points, or one of the wish."""
    return bool(_LOOKS_BACK.search(question) or set(_words(question)) & set(_words(wish)))


def _words(text: str) -> list[str]:
    return [word for word in words_of(text[:_LONGEST_ASKED], most=200) if len(word) >= LEAST_LETTERS]


def _short(text: str) -> str:
    line = " ".join(text.split("\n")[0].split())
    return line if len(line) <= DEED_LETTERS else line[: DEED_LETTERS - 1] + "…"


def merged(messages: Sequence[ChatMessage]) -> tuple[ChatMessage, ...]:
    """Neighbours of one role as one message: templates refuse two user messages in a row (after a failed answer)."""
    result: list[ChatMessage] = []
    for message in messages:
        if result and result[-1].role == message.role:
            message = ChatMessage(role=message.role, content=f"{result.pop().content}\n\n{message.content}")
        result.append(message)
    return tuple(result)
