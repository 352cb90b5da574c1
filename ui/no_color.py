"""NO_COLOR (no-color.org): no colour at all, where Textual would draw in shades of grey. What is marked by its
background is reversed instead, so that it can still be seen.
"""

from functools import lru_cache

from rich.color import Color as RichColor
from rich.segment import Segment
from rich.style import Style
from textual.color import Color
from textual.filter import LineFilter

from ui.themes import COLOURS

_DEFAULT = RichColor.default()
# Backgrounds that mean something: the chosen row, the selection, the cursor.
_MARKING = frozenset(value for colours in COLOURS.values() for value in (colours.marked, colours.text, colours.accent))


class Uncoloured(LineFilter):
    def apply(self, segments: list[Segment], background: Color) -> list[Segment]:
        return [Segment(text, None if style is None else _plain(style), control) for text, style, control in segments]


@lru_cache(maxsize=1024)
def _plain(style: Style) -> Style:
    ground = style.bgcolor
    marking = ground is not None and ground.triplet is not None and ground.triplet.hex in _MARKING
    plain = style + Style(color=_DEFAULT, bgcolor=_DEFAULT)
    return plain + Style(reverse=True) if marking else plain
