"""Split a streamed reply into thoughts and answer (pure).

Reasoning models write their thoughts between tags before they answer. The tags arrive cut anywhere,
the opening one may stand in the prompt already, the closing one may never come, and a reply may *talk about*
the tags: inside code (a fence, or backticks on one line) a tag is ordinary text. So it is within a thought where it
stands alone between backticks; code that a thought leaves open hides no end of it.
"""

from models.types import Delta

TAGS = {
    "<think>": "</think>",
    "<thinking>": "</thinking>",
    "<thought>": "</thought>",
    "<thoughts>": "</thoughts>",
    "<reasoning>": "</reasoning>",
    "<seed:think>": "</seed:think>",
    "<|begin_of_thought|>": "<|end_of_thought|>",
    "<|START_THINKING|>": "<|END_THINKING|>",
    "[THINK]": "[/THINK]",
    "\u25c1think\u25b7": "\u25c1/think\u25b7",
}
_CLOSING = frozenset(TAGS.values())


class ThoughtSplitter:
    """Feed text as it comes; get parts in order, each thought or answer.

    `open_tag` is the opening tag the prompt ended with, if it did. Whitespace before the answer is dropped.
    A tag without its partner is dropped too: tags are never part of the answer.
    """

    def __init__(self, open_tag: str | None = None) -> None:
        self._open = open_tag or ""
        self._close = TAGS[open_tag] if open_tag else ""
        self._depth = 1 if open_tag else 0
        self._held = ""
        self._last = ""  # the character before, within a thought
        self._blank = True  # no answer text since the start or the last thought
        self._code = _CodeTracker()

    def feed(self, text: str) -> list[Delta]:
        """Parts that are certain now; an unfinished tag is held back."""
        buffer = self._held + text
        parts: list[Delta] = []
        while buffer:
            at, tag = self._next_tag(buffer)
            if not tag:
                keep = self._unfinished(buffer)
                self._add(parts, buffer[: len(buffer) - keep])
                buffer = buffer[len(buffer) - keep :]
                break
            self._add(parts, buffer[:at])
            rest = buffer[at + len(tag) :]
            if self._depth and self._last == "`" and not rest:
                buffer = tag
                break
            if self._depth and self._last == "`" and rest[0] == "`":
                self._add(parts, tag)
            else:
                self._take(parts, tag)
            buffer = rest
        self._held = buffer
        return parts

    def finish(self) -> list[Delta]:
        """What was held back, as text: the stream is over."""
        parts: list[Delta] = []
        if self._held in self._wanted():
            self._take(parts, self._held)
        else:
            self._add(parts, self._held)
        self._held = ""
        return parts

    def _wanted(self) -> tuple[str, ...]:
        return (self._open, self._close) if self._depth else (*TAGS, *_CLOSING)

    def _next_tag(self, buffer: str) -> tuple[int, str]:
        found = [(at, tag) for tag in self._wanted() if (at := buffer.find(tag)) >= 0]
        return min(found, default=(-1, ""))

    def _unfinished(self, buffer: str) -> int:
        wanted = self._wanted()
        longest = min(len(buffer), max(map(len, wanted)) - 1)
        return next(
            (size for size in range(longest, 0, -1) if any(tag.startswith(buffer[-size:]) for tag in wanted)), 0
        )

    def _take(self, parts: list[Delta], tag: str) -> None:
        if self._depth:
            self._depth += 1 if tag == self._open else -1
            if self._depth:
                self._add(parts, tag)  # nested: part of the thought
            else:
                self._blank = True
        elif self._code.inside:
            self._add(parts, tag)
        elif tag in TAGS:
            self._open, self._close, self._depth, self._last = tag, TAGS[tag], 1, ""

    def _add(self, parts: list[Delta], text: str) -> None:
        thought = self._depth > 0
        if not thought:
            if self._blank:
                text = text.lstrip()
            if text:
                self._blank = False
                self._code.read(text)
        if not text:
            return
        self._last = text[-1]
        if parts and parts[-1].thought == thought:
            parts[-1] = Delta(text=parts[-1].text + text, thought=thought)
        else:
            parts.append(Delta(text=text, thought=thought))


def answer_only(text: str) -> str:
    """`text` without its thoughts."""
    splitter = ThoughtSplitter()
    return "".join(part.text for part in [*splitter.feed(text), *splitter.finish()] if not part.thought)


def open_tag_at_end(prompt: str) -> str | None:
    """The opening tag `prompt` ends with (whitespace aside), if any."""
    text = prompt.rstrip()
    return next((tag for tag in TAGS if text.endswith(tag)), None)


class _CodeTracker:
    """Whether the end of the text read so far stands in a Markdown fence or in inline code."""

    def __init__(self) -> None:
        self._fenced = False
        self._inline = False
        self._run = 0
        self._line_blank = True  # nothing but spaces and this run of backticks on the line

    @property
    def inside(self) -> bool:
        self._end_run()
        return self._fenced or self._inline

    def read(self, text: str) -> None:
        for char in text:
            if char == "`":
                self._run += 1
                continue
            self._end_run()
            if char == "\n":
                self._inline, self._line_blank = False, True
            elif not char.isspace():
                self._line_blank = False

    def _end_run(self) -> None:
        if self._run >= 3 and self._line_blank:
            self._fenced = not self._fenced
        elif self._run and not self._fenced:
            self._inline = not self._inline
        if self._run:
            self._line_blank = False
        self._run = 0
