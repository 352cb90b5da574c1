"""The words of the status line and the header: what is happening now, and where. Pure."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, assert_never

from models.types import Absent, GivenUp, Loading, Ready, Restarting
from ui.lines import DIM, PLAIN, Look, width_of
from ui.rendering import fitted, one_line

if TYPE_CHECKING:
    from models.types import ModelInfo, ModelStatus
    from ui.lines import Run
    from ui.view import View

_WARN = Look(tone="warning", bold=True)
_BAD = Look(tone="error", bold=True)
_BUSY = Look(tone="accent", bold=True)
_GAP = "  "


@dataclass(frozen=True, slots=True, kw_only=True)
class Mode:
    incognito: bool = False
    demo: bool = False
    mouse_released: bool = False
    to_review: int = 0  # memories that wait for the user
    decisions: int = 0  # that wait for the user
    no_learn: bool = False
    learning_off: bool = False
    closed_domains: int = 0  # that nothing is learned about


class Meter:
    """Tokens a second of the answer being written, as far as the screen can tell: a delta is about a token."""

    def __init__(self) -> None:
        self._count = 0
        self._began = 0.0

    def count(self, now: float) -> int:
        """One more; how many there were."""
        if not self._count:
            self._began = now
        self._count += 1
        return self._count

    def rate(self, now: float) -> float:
        """0.0 until there is something to measure."""
        return (self._count - 1) / max(now - self._began, 0.001) if self._count > 4 else 0.0


def activity(view: View, status: ModelStatus, speed: float = 0.0, restart_in: float = 0.0) -> Run:
    """What is happening now, in words."""
    match view.activity:
        case "idle":
            return _idle(view, status, restart_in)
        case "sending":
            return "saving your message", _BUSY
        case "loading":
            return _loading(view, status, restart_in)
        case "reading":
            return (f"reading the conversation {view.done:,}/{view.total:,}" if view.total else "reading"), _BUSY
        case "thinking":
            return f"thinking{_rate(speed)} · Esc stops", _BUSY
        case "writing":
            return f"writing{_rate(speed)} · Esc stops", _BUSY
        case "stopping":
            return "stopping", _BUSY
        case _:
            assert_never(view.activity)


def _idle(view: View, status: ModelStatus, restart_in: float) -> Run:
    match status:
        case Absent():
            return "no model yet · F5 chooses one", _WARN
        case Loading():
            return f"{_load_words(status.name, status.done, status.total)}; you can write already", _BUSY
        case Restarting():
            return _restart_words(status, restart_in), _WARN
        case GivenUp():
            return "the model does not run · F5 shows what to do", _BAD
        case Ready():
            if view.finish_reason == "cancelled":
                return "stopped · waiting for you", DIM
            return "waiting for you", DIM
        case _:
            assert_never(status)


def _loading(view: View, status: ModelStatus, restart_in: float) -> Run:
    match status:
        case Loading():
            return _load_words(status.name, status.done, status.total), _BUSY
        case Restarting():
            return _restart_words(status, restart_in), _WARN
        case _:
            return _load_words("", view.done, view.total) if view.total else "preparing", _BUSY


def _load_words(name: str, done: int, total: int) -> str:
    percent = f" {done * 100 // total} %" if total else ""
    return f"loading {one_line(name, 40) or 'the model'}{percent}"


def _restart_words(status: Restarting, restart_in: float) -> str:
    when = f"in {restart_in:.0f} s" if restart_in >= 1 else "now"
    return f"model restarting {when}: {one_line(status.reason, 60)}"


def _rate(speed: float) -> str:
    return f" {speed:.1f} tok/s" if speed > 0 else ""


def facts(view: View, status: ModelStatus) -> tuple[str, ...]:
    """Context, speed, model and device, in the order in which they may be left out from the end."""
    found: list[str] = []
    usage, context = view.usage, view.context
    if usage is not None and usage.context_total:
        found.append(f"{usage.context_used:,}/{usage.context_total:,} tokens")
    elif context is not None:
        found.append(f"{context.tokens_planned:,}/{context.context_total:,} tokens")
    if context is not None and context.left_out:
        found[-1:] = [f"{found[-1]}, some left out (F3)"]
    if usage is not None and usage.tokens_per_second and not view.busy:
        found.append(f"{usage.tokens_per_second:.1f} tok/s")
    if isinstance(status, Ready):
        found.append(f"{one_line(status.info.name, 32)} · {device(status.info)}")
    return tuple(found)


def device(info: ModelInfo) -> str:
    """Where the model runs, in a word or two."""
    if info.layers_on_gpu and info.layers_total and info.layers_on_gpu < info.layers_total:
        return f"{info.backend} {info.layers_on_gpu}/{info.layers_total} layers"
    return one_line(info.backend, 20)


def leaves(status: ModelStatus) -> bool:
    return isinstance(status, Ready) and status.info.leaves_process


def badges(mode: Mode, status: ModelStatus) -> list[Run]:
    """What must be seen at all times; words, not only colours."""
    found: list[Run] = []
    if mode.incognito:
        found.append((" INCOGNITO: nothing is kept ", _WARN))
    if mode.demo:
        found.append((" DEMO: scripted answers, nothing is kept ", _WARN))
    if leaves(status):
        found.append((" → text leaves this process ", _WARN))
    if mode.no_learn:
        found.append((" nothing is learned here ", _WARN))
    elif mode.learning_off and not mode.incognito:
        found.append((" learning is off ", _WARN))
    elif mode.closed_domains and not mode.incognito:
        found.append((f" not learning: {mode.closed_domains} of the domains ", DIM))
    if mode.decisions:
        many = "1 decision waits" if mode.decisions == 1 else f"{mode.decisions} decisions wait"
        found.append((f" {many} (F11) ", _WARN))
    if mode.to_review:
        found.append((f" {mode.to_review} to review (F7) ", Look(tone="accent", bold=True)))
    if mode.mouse_released:
        found.append((" mouse released ", DIM))
    return found


def status_runs(first: Run, rest: tuple[str, ...], hint: str, width: int) -> list[Run]:
    """One row: what happens at the left, facts after it, the hint at the right; facts give way from the end."""
    shown = list(rest)
    while shown and width_of(first[0]) + sum(width_of(fact) + 3 for fact in shown) + width_of(hint) + 4 > width:
        shown.pop()
    runs: list[Run] = [(" ", PLAIN), first]
    runs += [run for fact in shown for run in ((" │ ", Look(tone="rule")), (fact, DIM))]
    used = sum(width_of(text) for text, _ in runs)
    if used + width_of(hint) + 2 <= width:
        runs += [(" " * (width - used - width_of(hint) - 1), PLAIN), (hint, DIM)]
    return runs


def header_runs(title: str, marks: list[Run], width: int) -> list[Run]:
    used = sum(width_of(text) for text, _ in marks)
    room = max(width - used - 3, 8)
    runs: list[Run] = [(" ", PLAIN), (fitted(title or "New conversation", room), Look(bold=True))]
    gap = max(width - sum(width_of(text) for text, _ in runs) - used - 1, 1)
    return [*runs, (" " * gap, PLAIN), *marks]
