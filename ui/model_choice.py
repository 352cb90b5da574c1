"""Which model this run uses: --model, else model.name in config.toml, else the best that is already on this machine."""

from dataclasses import dataclass
from pathlib import Path

from memory.data_dir import Home
from models.catalog import Catalogue, load_catalogue
from models.choice import choose_default
from models.errors import ModelMissing
from models.hardware import detect
from models.installed import Installed, installed, locate
from models.settings import ModelSettings, is_server
from models.types import Failure


@dataclass(frozen=True, slots=True, kw_only=True)
class FileModel:
    name: str  # as the catalogue calls it, else the file's name
    path: Path


@dataclass(frozen=True, slots=True, kw_only=True)
class ServerModel:
    url: str


ChosenModel = FileModel | ServerModel | Failure


def which_model(settings: ModelSettings, home: Home, wanted: str | None = None) -> ChosenModel:
    """The file or server to use, or a failure of kind "model_missing" that says how to get one.

    Blocks: it reads folders, and looks at the hardware when several models could be meant. Raises CatalogueWrong."""
    name = wanted or settings.name
    if name and is_server(name):
        return ServerModel(url=name)
    catalogue = load_catalogue(home.config / "models.toml")
    if not name:
        return _best_here(catalogue, settings, home)
    try:
        path = locate(name, catalogue, home.models)
    except ModelMissing as error:
        return error.failure
    return FileModel(name=_name_of(path, catalogue), path=path)


def _best_here(catalogue: Catalogue, settings: ModelSettings, home: Home) -> ChosenModel:
    here = [found for found in installed(catalogue, home.models) if found.entry is None or found.entry.role == "chat"]
    match here:
        case []:
            return Failure(
                kind="model_missing",
                message="There is no model on this machine yet.",
                hint="Fetch the one that fits: steward models pull",
            )
        case [only]:
            return _as_file(only)
        case _:
            return _as_file(_best_of(here, settings, home))


def _best_of(here: list[Installed], settings: ModelSettings, home: Home) -> Installed:
    """The catalogue's best of those that fit; with none from the catalogue, the first file by name."""
    known = {found.name: found for found in here if found.entry is not None}
    if not known:
        return here[0]
    choice = choose_default(
        [found.entry for found in known.values() if found.entry is not None],
        detect(home.models),
        on_disk=known,
        context=settings.context_length,
    )
    return known[choice.entry.name] if choice.entry is not None else next(iter(known.values()))


def _as_file(found: Installed) -> FileModel:
    return FileModel(name=found.name, path=found.paths[0])


def _name_of(path: Path, catalogue: Catalogue) -> str:
    entry = catalogue.of_file(path.name)
    return entry.name if entry is not None else path.name
