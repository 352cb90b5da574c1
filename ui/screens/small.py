"""What stands in a terminal that is too small for anything else: one line. It goes when there is room."""

from textual.app import ComposeResult
from textual.geometry import Size
from textual.screen import ModalScreen
from textual.widgets import Static

from ui.rendering import content

SMALLEST = Size(60, 16)


def is_too_small(size: Size) -> bool:
    return size.width < SMALLEST.width or size.height < SMALLEST.height


class Small(ModalScreen[None]):
    def compose(self) -> ComposeResult:
        yield Static(id="small")

    def on_mount(self) -> None:
        self.tell(self.app.size)

    def tell(self, size: Size) -> None:
        words = f"Steward needs {SMALLEST.width}×{SMALLEST.height}; this is {size.width}×{size.height}. Ctrl+Q quits."
        self.query_one("#small", Static).update(content(words))
