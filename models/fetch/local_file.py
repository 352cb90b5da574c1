"""A model file the user brings: its header is checked; it is used where it lies, or copied into the models folder."""

import hashlib
import shutil
from pathlib import Path

from models.catalog import Catalogue, Entry
from models.errors import DiskFull, FetchError, ModelRefused
from models.fetch.lock import fetching
from models.fetch.partial import BLOCK, Partial, disk_errors
from models.fetch.types import Cancelled, Fetched, FetchProgress, FetchSettings, Outcome, Stopped, Watch
from models.gguf import GgufHeader, read_header
from models.types import Failure

SOURCE = "local file"


def check(path: Path) -> GgufHeader:
    """The header of a file that can be chatted with. Raises ModelRefused."""
    header = read_header(path)
    if header.split_count > 1:
        raise _refused(path, f"is one of {header.split_count} pieces", "Join them first: llama-gguf-split --merge")
    if not header.architecture:
        raise _refused(path, "does not say its architecture", "Choose a model file, not an adapter or a vocabulary.")
    if not header.has_chat_template:
        raise _refused(path, "has no chat template", "Choose an instruct or chat version of the model.")
    return header


def published_as(path: Path, catalogue: Catalogue) -> Entry | None:
    """The entry whose file this is, byte for byte; None where the catalogue knows no such SHA-256. May read it all."""
    size = path.stat().st_size
    candidates = {file.sha256: entry for entry in catalogue.entries for file in entry.files if file.size == size}
    candidates.pop(None, None)
    return candidates.get(_sha256(path)) if candidates else None


def copy_in(
    path: Path, folder: Path, name: str, settings: FetchSettings, *, watch: Watch, cancelled: Cancelled
) -> Outcome:
    """Copy `path` to `folder/name`, whole or not at all. Raises FetchError; an existing file is not replaced."""
    with disk_errors(name, folder):
        folder.mkdir(mode=0o700, parents=True, exist_ok=True)
        with fetching(folder, name):
            if (folder / name).exists():
                raise FetchError(f"there is a {name} in {folder} already", f"Remove it: steward models remove {name}")
            return _copy(path, Partial(folder, name, _sha256(path)), settings, watch, cancelled)


def _copy(path: Path, partial: Partial, settings: FetchSettings, watch: Watch, cancelled: Cancelled) -> Outcome:
    size, folder = path.stat().st_size, partial.target.parent
    if shutil.disk_usage(folder).free < size + settings.disk_margin:
        raise DiskFull(f"{partial.name} does not fit on the disk of {folder}", "Use it where it lies, without --copy.")
    try:
        for _ in partial.begin(0, cancelled):
            pass
        with path.open("rb") as source:
            while block := source.read(BLOCK):
                if cancelled():
                    return Stopped(file=partial.name, done=0, total=size)
                partial.append(block)
                watch(FetchProgress(file=partial.name, stage="fetching", done=partial.done, total=size, source=SOURCE))
        receipt = partial.install(SOURCE)
        return Fetched(path=partial.target, size=receipt.size, sha256=receipt.sha256, source=SOURCE)
    finally:
        partial.discard()


def _sha256(path: Path) -> str:
    with path.open("rb") as source:
        return hashlib.file_digest(source, "sha256").hexdigest()


def _refused(path: Path, what: str, hint: str) -> ModelRefused:
    return ModelRefused(Failure(kind="model_refused", message=f"{path} {what}", hint=hint))
