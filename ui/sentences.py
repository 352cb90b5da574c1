"""A stream of text in pieces that can be read aloud: whole sentences or lines, never half words."""

import re

_END = re.compile(r"\n|[.!?…:;。！？][\"'”’»)\]]*\s|[。！？]")
_LONGEST = 240  # without an end of sentence: up to the last space


class Sentences:
    """`add` gives what is complete; `rest` what is left at the end. Together they are exactly the text."""

    def __init__(self) -> None:
        self._held = ""

    def add(self, text: str) -> str:
        self._held += text
        end = 0
        for match in _END.finditer(self._held):
            end = match.end()
        if end == 0 and len(self._held) > _LONGEST:
            end = self._held.rfind(" ") + 1 or len(self._held)
        complete, self._held = self._held[:end], self._held[end:]
        return complete

    def rest(self) -> str:
        complete, self._held = self._held, ""
        return complete
