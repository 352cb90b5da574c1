"""Which models are on this machine, and what a name, path or nothing at all means.

A file in the models folder is whole: fetching puts it there by renaming a verified file.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

from models.catalog import Catalogue, Entry
from models.errors import ModelMissing
from models.types import Failure


@dataclass(frozen=True, slots=True, kw_only=True)
class Installed:
    """A model in the models folder. `entry` None: a file the catalogue does not know."""

    name: str
    entry: Entry | None
    paths: tuple[Path, ...]
    size: int  # bytes


def installed(catalogue: Catalogue, folder: Path) -> tuple[Installed, ...]:
    """Catalogue entries whose every file is here, then other GGUF files, by name."""
    try:
        sizes = {path.name: path.stat().st_size for path in folder.iterdir() if path.is_file()}
    except OSError:
        return ()
    known = [
        _of_entry(entry, folder, sizes)
        for entry in catalogue.entries
        if all(file.name in sizes for file in entry.files)
    ]
    others = [
        Installed(name=name, entry=None, paths=(folder / name,), size=size)
        for name, size in sorted(sizes.items())
        if name.lower().endswith(".gguf") and catalogue.of_file(name) is None
    ]
    return (*known, *others)


def _of_entry(entry: Entry, folder: Path, sizes: Mapping[str, int]) -> Installed:
    paths = tuple(folder / file.name for file in entry.files)
    return Installed(name=entry.name, entry=entry, paths=paths, size=sum(sizes[path.name] for path in paths))


def locate(name: str, catalogue: Catalogue, folder: Path) -> Path:
    """The file a name or path means. A path may be anywhere; a name is a catalogue entry, or a file in `folder`.

    Raises ModelMissing, with what to do next."""
    entry = catalogue.find(name)
    if entry is not None:
        path = folder / entry.files[0].name
        if path.is_file():
            return path
        raise _missing(f"{entry.name} is not on this machine", f"Fetch it: steward models pull {entry.name}")
    candidate = Path(name).expanduser()
    for path in (candidate, folder / candidate) if candidate.parent == Path() else (candidate,):
        if path.is_file():
            return path.absolute()
    if looks_like_path(name):
        raise _missing(f"there is no file {candidate}", "Check the path, or see steward models list.")
    catalogue.get(name)
    raise AssertionError("unreachable: get raises for a name find does not know")


def looks_like_path(name: str) -> bool:
    return "/" in name or "\\" in name or name.startswith("~") or name.lower().endswith(".gguf")


def _missing(message: str, hint: str) -> ModelMissing:
    return ModelMissing(Failure(kind="model_missing", message=message, hint=hint))
