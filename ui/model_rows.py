"""Models as rows of a table and as JSON: what is in the catalogue, what is here, what fits, what is in use."""

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from assistant.policies.cleaning import cut
from models.catalog import Catalogue, Entry, load_catalogue
from models.choice import Fit, assess
from models.errors import ModelMissing
from models.gguf import GgufHeader
from models.hardware import Hardware, detect
from models.installed import Installed, installed, locate
from models.settings import ModelSettings
from models.types import Failure
from ui.model_choice import ChosenModel, FileModel, ServerModel, which_model
from ui.rendering import bytes_text
from ui.wiring import Options, load_configuration, resolve_home

SHORTEST = 12  # columns; less of a sentence says nothing


@dataclass(frozen=True, slots=True, kw_only=True)
class ModelRow:
    """A catalogue entry or a file of the user's own. `fit` None: nothing is known about how it would run."""

    name: str
    entry: Entry | None
    here: Installed | None
    fit: Fit | None
    in_use: bool


@dataclass(frozen=True, slots=True, kw_only=True)
class Models:
    """Every model, and which one a chat would use; `missing` says why none."""

    rows: tuple[ModelRow, ...]
    missing: Failure | None

    @property
    def used(self) -> ModelRow | None:
        return next((row for row in self.rows if row.in_use), None)

    def uses(self, paths: Collection[Path]) -> bool:
        """Whether one of these files is the model in use."""
        return self.used is not None and self.used.here is not None and bool({*self.used.here.paths} & {*paths})


def look_at_models(options: Options) -> Models:
    """Blocks: reads folders and asks about the hardware.

    Raises CatalogueWrong, ConfigError, HomeUnusable."""
    home = resolve_home(options)
    settings = load_configuration(home).model
    catalogue = load_catalogue(home.config / "models.toml")
    here = installed(catalogue, home.models)
    chosen = which_model(settings, home, options.model)
    rows = rows_of(catalogue, here, detect(home.models), settings, chosen)
    return Models(rows=rows, missing=chosen if isinstance(chosen, Failure) else None)


def model_named(options: Options, name: str | None) -> ModelRow:
    """The row of a name or a file or, without either, of the model in use. Raises ModelMissing too."""
    models = look_at_models(options)
    if name is None:
        if models.used is None:
            assert models.missing is not None, "none is in use, so there is a reason"
            raise ModelMissing(models.missing)
        return models.used
    wanted = name.strip().lower()
    found = next((row for row in models.rows if row.name.lower() == wanted), None)
    if found is not None:
        return found
    home = resolve_home(options)
    path = locate(name, load_catalogue(home.config / "models.toml"), home.models)
    known = next((row for row in models.rows if row.here is not None and path in row.here.paths), None)
    return known or ModelRow(name=str(path), entry=None, here=_elsewhere(path), fit=None, in_use=False)


def rows_of(
    catalogue: Catalogue,
    here: Sequence[Installed],
    hardware: Hardware,
    settings: ModelSettings,
    chosen: ChosenModel,
) -> tuple[ModelRow, ...]:
    """The entries of the catalogue, then other files in the models folder, then one in use that lies elsewhere."""
    by_name = {found.name: found for found in here}
    used = chosen.path if isinstance(chosen, FileModel) else None
    rows = [_entry_row(entry, by_name.pop(entry.name, None), hardware, settings, used) for entry in catalogue.entries]
    rows += [
        ModelRow(name=name, entry=None, here=found, fit=None, in_use=used in found.paths)
        for name, found in by_name.items()
    ]
    match chosen:
        case FileModel(path=path) if not any(row.in_use for row in rows):
            rows.append(ModelRow(name=str(path), entry=None, here=_elsewhere(path), fit=None, in_use=True))
        case ServerModel(url=url):
            rows.append(ModelRow(name=url, entry=None, here=None, fit=None, in_use=True))
        case _:
            pass
    return tuple(rows)


def _entry_row(
    entry: Entry, found: Installed | None, hardware: Hardware, settings: ModelSettings, used: Path | None
) -> ModelRow:
    fit = assess(entry, hardware, on_disk=found is not None, context=settings.context_length)
    in_use = found is not None and used in found.paths
    return ModelRow(name=entry.name, entry=entry, here=found, fit=fit if entry.role == "chat" else None, in_use=in_use)


def _elsewhere(path: Path) -> Installed:
    return Installed(name=str(path), entry=None, paths=(path,), size=path.stat().st_size)


def table_of(rows: Sequence[ModelRow], width: int | None) -> list[tuple[str, ...]]:
    """Header and one line a model; the mark in the first column stands for the one in use.

    With `width` columns of a terminal, what a model is good for is cut to fit, and left out where nothing would."""
    table = [("", "NAME", "SIZE", "HERE", "FITS", "LICENCE", "GOOD FOR"), *(_line(row) for row in rows)]
    if width is None:
        return table
    left = sum(max(len(line[column]) for line in table) + 2 for column in range(len(table[0]) - 1))
    room = width - left
    return [(*line[:-1], cut(line[-1], room)) if room >= SHORTEST else line[:-1] for line in table]


def _line(row: ModelRow) -> tuple[str, ...]:
    mark = "*" if row.in_use else ""
    if row.entry is None:
        size = bytes_text(row.here.size) if row.here is not None else "-"
        about = "a file of yours" if row.here is not None else "a server; what you write leaves this process"
        return mark, row.name, size, "yes" if row.here is not None else "-", "-", "-", about
    here = "yes" if row.here is not None else "no"
    size = bytes_text(row.here.size if row.here is not None else row.entry.size)
    return mark, row.name, size, here, _fits(row.fit), row.entry.licence, row.entry.good_for


def _fits(fit: Fit | None) -> str:
    if fit is None:
        return "-"
    if not fit.fits:
        return "no"
    return "yes" if fit.usable else "slow"


def json_of(row: ModelRow) -> dict[str, Any]:
    """Stable fields, documented in docs/models.md; null where nothing is known."""
    entry, fit, here = row.entry, row.fit, row.here
    facts: dict[str, Any] = {
        "name": row.name,
        "in_use": row.in_use,
        "installed": here is not None,
        "paths": [str(path) for path in here.paths] if here is not None else [],
        "size": here.size if here is not None else entry.size if entry is not None else None,
    }
    facts |= {
        "fits": fit.fits if fit is not None else None,
        "usable": fit.usable if fit is not None else None,
        "on_gpu": fit.on_gpu if fit is not None else None,
        "memory_needed": fit.memory_needed if fit is not None else None,
        "tokens_per_second_estimate": fit.tokens_per_second if fit is not None else None,
        "reason": fit.reason if fit is not None else None,
    }
    return facts | (_entry_json(entry) if entry is not None else dict.fromkeys(_ENTRY_FIELDS))


_ENTRY_FIELDS = (
    *("title", "role", "licence", "licence_note", "good_for", "quantisation", "parameters", "active_parameters"),
    *("context", "size_checked", "sources"),
)


def _entry_json(entry: Entry) -> dict[str, Any]:
    return {
        "title": entry.title,
        "role": entry.role,
        "licence": entry.licence,
        "licence_note": entry.licence_note,
        "good_for": entry.good_for,
        "quantisation": entry.quantisation,
        "parameters": entry.parameters,
        "active_parameters": entry.active_parameters or entry.parameters,
        "context": entry.context,
        "size_checked": all(file.size_checked for file in entry.files),
        "sources": sorted({source.kind for file in entry.files for source in file.sources}),
    }


def facts_of(row: ModelRow) -> list[tuple[str, str]]:
    """Label and words, for `models info`."""
    facts: list[tuple[str, str]] = []
    if row.entry is not None:
        facts += _entry_facts(row.entry)
    if row.fit is not None:
        facts += [
            ("memory needed", f"{bytes_text(row.fit.memory_needed)} (estimate)"),
            ("on this machine", row.fit.reason),
        ]
    if row.here is None:
        facts.append(("file", f"not here; fetch it: steward models pull {row.name}"))
    else:
        facts += [("file", f"{path} ({bytes_text(path.stat().st_size)})") for path in row.here.paths]
    facts.append(("in use", "yes" if row.in_use else "no"))
    return facts


def _entry_facts(entry: Entry) -> list[tuple[str, str]]:
    active = f", {entry.active_parameters / 1e9:.1f} billion active" if entry.active_parameters else ""
    size = bytes_text(entry.size) + ("" if all(file.size_checked for file in entry.files) else " (as listed)")
    sources = {source.kind.replace("_", " "): None for file in entry.files for source in file.sources}
    return [
        ("title", entry.title),
        ("licence", f"{entry.licence}. {entry.licence_note}" if entry.licence_note else entry.licence),
        ("good for", entry.good_for),
        ("parameters", f"{entry.parameters / 1e9:.2f} billion{active}, {entry.quantisation}"),
        ("context", f"{entry.context:,} tokens, as trained"),
        ("size", size),
        ("sources", ", ".join(sources)),
    ]


def header_facts(header: GgufHeader) -> list[tuple[str, str]]:
    """What the file says of itself. Untrusted: it is cleaned where it is printed."""
    return [
        ("says it is", f"{header.name or 'nameless'}, {header.architecture}, {header.quantisation or 'unknown type'}"),
        ("weights", f"{header.parameters / 1e9:.2f} billion in {header.tensors} tensors, {header.layers} layers"),
        ("trained context", f"{header.context_length:,} tokens"),
        ("chat template", "yes" if header.has_chat_template else "no"),
    ]


def header_json(header: GgufHeader) -> Mapping[str, Any]:
    return {
        "name": header.name,
        "architecture": header.architecture,
        "quantisation": header.quantisation,
        "weights": header.parameters,
        "layers": header.layers,
        "context": header.context_length,
        "chat_template": header.has_chat_template,
        "kv_bytes_per_token": header.kv_bytes_per_token(),
    }
