"""From messages to token ids: control tokens only where the template has them, and replies as they were sampled."""

import re
from collections import OrderedDict
from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from models.templates import SEPARATOR, Family, Span, Step, render
from models.thinking import open_tag_at_end
from models.types import ChatMessage, Role

if TYPE_CHECKING:
    from models.child.native import Vocab

REMEMBERED_REPLIES = 256
_FOLLOWING: dict[Role, Step] = {"system": "user", "user": "assistant", "assistant": "user"}
_MARK = re.compile(r"<[^<>\s]+>|\[/?[A-Z_]+\]")


@dataclass(frozen=True, slots=True, kw_only=True)
class Prompt:
    tokens: list[int]
    stable: int  # leading tokens that belong to the stable messages
    open_tag: str | None  # a thinking tag the prompt leaves open


class PromptMaker:
    def __init__(self, vocab: "Vocab", family: Family) -> None:
        self._vocab = vocab
        self.family = family
        self._replies: OrderedDict[str, list[tuple[int, ...]]] = OrderedDict()
        self.marks = self._mark_tokens()

    def make(
        self, messages: Sequence[ChatMessage], *, think: bool = False, stable: int = 0, cached: Sequence[int] = ()
    ) -> Prompt:
        """`cached`: what the KV cache holds; of several ways to write a reply the one that is there is taken."""
        spans = render(self.family, messages, think=think)
        tokens = [self._vocab.bos] if self._vocab.adds_bos else []
        stable_tokens = 0
        for span in spans:
            tokens += self._ids(span, messages, tokens, cached)
            if span.message < stable and span is not spans[-1]:
                stable_tokens = len(tokens)
        if self._vocab.adds_bos and tokens[:2] == [self._vocab.bos] * 2:
            tokens, stable_tokens = tokens[1:], max(stable_tokens - 1, 0)  # the template wrote it as well
        tokens = tokens or [max(self._vocab.bos, 0)]  # no message at all
        return Prompt(tokens=tokens, stable=stable_tokens, open_tag=open_tag_at_end(spans[-1].text) if spans else None)

    def remember(self, text: str, tokens: Sequence[int]) -> None:
        """The tokens a reply was made of: reading them again would cost a turn, as a tokenizer seldom agrees."""
        key = text.strip()
        if not key or any(self._forbidden(token) for token in tokens):
            return
        known = self._replies.setdefault(key, [])
        known[:] = [*(one for one in known if one != tuple(tokens)), tuple(tokens)][-4:]
        self._replies.move_to_end(key)
        if len(self._replies) > REMEMBERED_REPLIES:
            self._replies.popitem(last=False)

    def count(self, messages: Sequence[ChatMessage]) -> tuple[int, ...]:
        """Tokens of each message with what the template puts after it (before it too, for a system message).
        Does not depend on the neighbours; the sum is that of a conversation led by a system message."""
        return tuple(len(self._content(one.content, joined=False)) + self._overhead(one.role) for one in messages)

    def _overhead(self, role: Role) -> int:
        if role != "system":
            return len(self._vocab.tokenize(self.family.join(role, _FOLLOWING[role]), special=True))
        folds = self.family.system == "fold"
        around = SEPARATOR if folds else self.family.join("system", "user")
        start = self.family.join("start", "user" if folds else "system")
        return sum(len(self._vocab.tokenize(text, special=True)) for text in (start, around)) + self._vocab.adds_bos

    def _ids(
        self, span: Span, messages: Sequence[ChatMessage], before: Sequence[int], cached: Sequence[int]
    ) -> Sequence[int]:
        joined = bool(before) and not self._vocab.is_control(before[-1])
        if span.control:
            return self._vocab.tokenize(span.text, special=True, joined=joined)
        if messages[span.message].role == "assistant" and (known := self._replies.get(span.text.strip())):
            there = cached[len(before) :]
            return max(reversed(known), key=lambda one: shared(one, there))
        return self._content(span.text, joined=joined)

    def _content(self, text: str, *, joined: bool) -> list[int]:
        """Somebody's words. Where they would make a control token it is taken apart into plain ones."""
        ids = self._vocab.tokenize(text, special=False, joined=joined)
        if not any(map(self._forbidden, ids)):
            return ids
        return [plain for token in ids for plain in (self._apart(token) if self._forbidden(token) else [token])]

    def _apart(self, token: int) -> list[int]:
        text = self._vocab.text(token)
        pieces = [self._vocab.tokenize(part, special=False, joined=True) for part in (text[:1], text[1:]) if part]
        return [one for ids in pieces for one in ids if not self._forbidden(one)]

    def _forbidden(self, token: int) -> bool:
        return token in self.marks or self._vocab.is_control(token) or self._vocab.is_end(token)

    def _mark_tokens(self) -> frozenset[int]:
        """Tokens the template speaks with, also where the file does not call them control tokens (as llama.cpp does
        with gpt-oss). Byte tokens are written like marks too, but stand for something else."""
        texts = set(self.family.joins.values())
        found = {token for text in texts for token in self._vocab.tokenize(text, special=True)}
        return frozenset(
            token
            for token in found
            if _MARK.fullmatch(text := self._vocab.text(token)) and self._vocab.piece(token) in (b"", text.encode())
        )


def shared(left: Sequence[int], right: Sequence[int]) -> int:
    """Length of the common beginning."""
    for index, (one, other) in enumerate(zip(left, right, strict=False)):
        if one != other:
            return index
    return min(len(left), len(right))
