"""Rows that only show: header, foot, status line, alert. They paint `Run`s and know nothing."""

from collections.abc import Sequence

from rich.segment import Segment
from textual.geometry import Size
from textual.strip import Strip
from textual.widget import Widget
from textual.widgets import OptionList

from ui.foot import foot_words, head_runs
from ui.lines import DIM, PLAIN, Line, Look, Run, Tone, at_most, width_of, wrap
from ui.messages import RoomChanged
from ui.redaction import without_secrets
from ui.rendering import gate, one_line
from ui.themes import Palette


class Rows(Widget):
    """Some rows of runs on one of the theme's backgrounds. Not focusable."""

    def __init__(self, *, id: str, background: str, classes: str | None = None) -> None:
        super().__init__(id=id, classes=classes)
        self._background = background
        self._palette = Palette("dark")
        self._lines: list[Line] = []

    def on_mount(self) -> None:
        self.watch(self.app, "theme", self._use_theme)

    def _use_theme(self, name: str) -> None:
        self._palette = Palette(name)
        self.refresh()

    def show_runs(self, runs: Sequence[Run]) -> None:
        self.show_lines([Line(runs=tuple(runs))])

    def show_lines(self, lines: Sequence[Line]) -> None:
        if list(lines) != self._lines:
            rows_changed = len(lines) != len(self._lines)
            self._lines = list(lines)
            self.refresh(layout=rows_changed)

    def show_text(self, text: str, look: Look, width: int) -> None:
        self.show_lines([row for line in text.split("\n") for row in wrap(((line, look),), max(width, 10))])

    @property
    def text(self) -> str:
        return "\n".join(line.text for line in self._lines)

    def get_content_height(self, container: Size, viewport: Size, width: int) -> int:
        return len(self._lines)

    def render_line(self, y: int) -> Strip:
        resolve = self._palette.resolve
        line = self._lines[y] if y < len(self._lines) else Line()
        segments = [Segment(gate(text), resolve(look, self._background)) for text, look in line.runs]
        return Strip(segments).adjust_cell_length(self.size.width, resolve(Look(), self._background))


class Head(Rows):
    """The first row of a screen: its title, and how much there is of what, as far as there is room."""

    def __init__(self, *, id: str) -> None:
        super().__init__(id=id, background="panel")
        self._runs: tuple[Run, ...] = ()

    def show_runs(self, runs: Sequence[Run]) -> None:
        self._runs = tuple(runs)
        self._lay_out()

    def _lay_out(self) -> None:
        super().show_runs(head_runs(self._runs, self.size.width or self.app.size.width))

    def on_resize(self) -> None:
        self.call_after_refresh(self._lay_out)


MOST_SAID = 4  # rows of words above the keys
MOST_ALERT = 6  # rows, as #alert in theme.tcss; the next step is never what is left out


class Foot(Rows):
    """The last row of a screen: its keys. Above them, until something else is said, what was done or what is wrong,
    in as many rows as it takes; the keys never give way to it."""

    def __init__(self, *, id: str) -> None:
        super().__init__(id=id, background="panel")
        self._keys: tuple[str, ...] = ()
        self._rest = ""
        self._said = ("", "")

    def show_keys(self, keys: Sequence[str], rest: str = "? all") -> None:
        """The most needed first. Takes back what was said."""
        self._keys, self._rest, self._said = tuple(keys), rest, ("", "")
        self._lay_out()

    def say(self, message: str, hint: str = "") -> None:
        self._said = (one_line(without_secrets(message), 600), one_line(without_secrets(hint), 600))
        self._lay_out()

    def _lay_out(self) -> None:
        width = self.size.width or self.app.size.width
        message, hint = self._said
        words = [(text, look) for text, look in ((message, Look(tone="accent")), (hint, DIM)) if text]
        runs = [run for number, word in enumerate(words) for run in ([(" ", DIM)] if number else []) + [word]]
        lead = ((" ", PLAIN),)
        rows = wrap(runs, max(width - 1, 20), lead=lead, hang=lead) if runs else []
        rows = at_most(rows, MOST_SAID, width)
        if self._keys:
            rows.append(Line(runs=((foot_words(self._keys, width, self._rest), PLAIN),)))
        grew = len(rows) > self.size.height
        self.show_lines(rows)
        if grew:
            self.call_after_refresh(self._keep_marked)

    def _keep_marked(self) -> None:
        """The marked row of the list above stays in sight when this takes rows from it."""
        for options in self.screen.query(OptionList):
            options.scroll_to_highlight()

    def on_resize(self) -> None:
        self.call_after_refresh(self._lay_out)


LOW = 20  # rows of a screen that has room for little beside the conversation


class Notice(Rows):
    """Above the prompt, that something came: what it is, its words, the keys that answer it. Three rows at most, two on
    a low screen."""

    def __init__(self, *, id: str, tone: Tone) -> None:
        super().__init__(id=id, background="surface")
        self._kind, self._words, self._keys = "", "", ""
        self._tone: Tone = tone

    def say(self, name: str, words: str, keys: str) -> None:
        self._kind, self._words, self._keys = name, one_line(words, 400), keys
        self._lay_out()

    def _lay_out(self) -> None:
        width = max((self.size.width or self.app.size.width) - 1, 30)
        lead = ((f" {self._kind}  ", Look(tone=self._tone, bold=True)),)
        hang = ((" " * (len(self._kind) + 3), DIM),)
        words, keys = (self._words, Look()), (self._keys, DIM)
        rows = wrap((words, (" · ", DIM), keys), width, lead=lead, hang=hang)
        if len(rows) > 1:  # the keys have a row of their own then, and all of it if they need it
            rows = at_most(wrap((words,), width, lead=lead, hang=hang), 1 if self.app.size.height < LOW else 2, width)
            left = hang if width_of(self._keys) + len(self._kind) + 3 <= width else ((" ", DIM),)
            rows += at_most(wrap((keys,), width, lead=left, hang=left), 1, width)
        self.show_lines(rows)

    def on_resize(self) -> None:
        self.call_after_refresh(self._lay_out)
        self.post_message(RoomChanged())


class Alert(Rows):
    """What is wrong, and under it what to do; closed until there is something."""

    def __init__(self, *, id: str) -> None:
        super().__init__(id=id, background="surface", classes="hidden")
        self._said = ("", "")

    def say(self, message: str, hint: str) -> None:
        self._said = (without_secrets(message), without_secrets(hint))
        self._lay_out()
        self.remove_class("hidden")

    def _lay_out(self) -> None:
        message, hint = self._said
        width = max((self.size.width or self.app.size.width) - 1, 20)
        mark, indent = ((" ! ", Look(tone="error", bold=True)),), (("   ", DIM),)
        rows = wrap(((one_line(message, 400), Look(tone="error", bold=True)),), width, lead=mark, hang=indent)
        steps = wrap(((one_line(hint, 400), DIM),), width, lead=indent, hang=indent) if hint else []
        most = MOST_ALERT - 2 if self.app.size.height < LOW else MOST_ALERT
        steps = at_most(steps, most // 2, width)
        self.show_lines([*at_most(rows, most - len(steps), width), *steps])

    def on_resize(self) -> None:
        if self.shown:
            self.call_after_refresh(self._lay_out)
            self.post_message(RoomChanged())

    @property
    def shown(self) -> bool:
        return not self.has_class("hidden")

    def close(self) -> bool:
        """Whether there was something to close."""
        was = self.shown
        self.add_class("hidden")
        return was
