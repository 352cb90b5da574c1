"""The models a person can choose from on this machine, and the pace of a download. Looking blocks; the rest is pure."""

from collections import deque
from dataclasses import dataclass

from memory.data_dir import Home
from models.catalog import Entry, SourceKind, load_catalogue
from models.choice import assess, choose_default
from models.hardware import Hardware, detect
from models.installed import Installed, installed
from models.settings import ModelSettings
from ui.rendering import bytes_text, one_line, seconds_text

TYPICAL_BYTES_A_SECOND = 5e6  # a home connection; the first measured seconds replace it
_WINDOW_SECONDS = 10.0


@dataclass(frozen=True, slots=True, kw_only=True)
class Offered:
    """A model of the shelf. `entry` None: a file the catalogue does not know."""

    name: str
    title: str
    here: bool
    fits: bool
    recommended: bool
    size: int  # bytes
    licence: str
    about: str
    reason: str
    entry: Entry | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Shelf:
    offered: tuple[Offered, ...]  # the recommended one first, then those here, then the rest that fit
    reason: str


def look(
    home: Home,
    settings: ModelSettings,
    hardware: Hardware | None = None,
    reachable: tuple[SourceKind, ...] = ("hub", "package_index"),
) -> Shelf:
    """What could be used here; models that no reachable source has are shown as not to be had.

    Blocks: reads folders and asks about the hardware, unless it is described. Raises CatalogueWrong."""
    catalogue = load_catalogue(home.config / "models.toml")
    hardware = hardware or detect(home.models if home.models.exists() else home.data.parent)
    here = {found.name: found for found in installed(catalogue, home.models)}
    context = settings.context_length
    choice = choose_default(catalogue.chat, hardware, on_disk=here, reachable=reachable, context=context)
    offered = [_own_file(found) for found in here.values() if found.entry is None]
    for entry in catalogue.chat:
        fit = assess(entry, hardware, on_disk=entry.name in here, context=context)
        to_be_had = entry.name in here or bool(entry.source_kinds() & set(reachable))
        offered.append(
            Offered(
                name=entry.name,
                title=entry.title,
                here=entry.name in here,
                fits=fit.fits and to_be_had,
                recommended=choice.entry is entry,
                size=entry.size,
                licence=entry.licence,
                about=entry.good_for,
                reason=fit.reason if to_be_had else "only at the model hub, which cannot be reached",
                entry=entry,
            )
        )
    offered.sort(key=lambda item: (not item.recommended, not item.here, not item.fits, item.size))
    return Shelf(offered=tuple(offered), reason=choice.reason)


def _own_file(found: Installed) -> Offered:
    return Offered(
        name=str(found.paths[0]),
        title=found.name,
        here=True,
        fits=True,
        recommended=False,
        size=found.size,
        licence="not known",
        about="a file of yours",
        reason="",
    )


def words_for(item: Offered, width: int) -> str:
    """One line for a list: what it is, what choosing it does, under which licence, and what it is good for."""
    state = "on this machine" if item.here else f"{bytes_text(item.size)} to fetch" if item.fits else item.reason
    mark = "★ " if item.recommended else ""
    words = f"{mark}{item.title} · {state} · {item.licence}"
    whole = f"{words} · {item.about}"
    return whole if len(whole) <= width else one_line(words, width)


class Pace:
    """Bytes a second of the last ten seconds, and how long the rest will take."""

    def __init__(self) -> None:
        self._seen: deque[tuple[float, int]] = deque()

    def note(self, at: float, done: int) -> None:
        if self._seen and done < self._seen[-1][1]:
            self._seen.clear()  # another file, or another source
        self._seen.append((at, done))
        while self._seen[-1][0] - self._seen[0][0] > _WINDOW_SECONDS and len(self._seen) > 2:
            self._seen.popleft()

    @property
    def bytes_a_second(self) -> float:
        if len(self._seen) < 2:
            return 0.0
        (first_at, first), (last_at, last) = self._seen[0], self._seen[-1]
        return (last - first) / (last_at - first_at) if last_at > first_at else 0.0

    def words(self, total: int) -> str:
        """ "1.2 MB/s, 8 min left"; empty while nothing is known."""
        rate = self.bytes_a_second
        if rate <= 0 or not self._seen:
            return ""
        return f"{bytes_text(rate)}/s, {seconds_text((total - self._seen[-1][1]) / rate)} left"


def bar(done: int, total: int, cells: int) -> str:
    """Progress without colour: "[#####.....]"."""
    filled = min(cells * done // total, cells) if total > 0 else 0
    return f"[{'#' * filled}{'.' * (cells - filled)}]"
