"""The model: which one a chat would use, whether its file is whole, whether it fits."""

from dataclasses import dataclass
from pathlib import Path

from models.errors import FetchError, ModelError
from models.fetch.partial import read_receipt
from models.gguf import GgufHeader, read_header
from models.hardware import Hardware
from models.settings import ModelSettings
from models.types import Failure
from ui.checks.result import Check, broken, note, ok, size
from ui.model_choice import ChosenModel, FileModel, ServerModel

OVERHEAD_BYTES = 300_000_000


@dataclass(frozen=True, slots=True, kw_only=True)
class FileFacts:
    """What is known of a model file without loading it."""

    header: GgufHeader | Failure
    size: int
    recorded: str  # SHA-256 it was put in place with; "" when that is not known
    actual: str = ""  # SHA-256 of the bytes now; "" when they were not read


def look_at(path: Path, *, verify: bool) -> FileFacts:
    """Blocks; with `verify` for as long as it takes to read the whole file."""
    import hashlib

    header: GgufHeader | Failure
    try:
        header = read_header(path)
    except ModelError as error:
        header = error.failure
    receipt = read_receipt(path)
    actual = ""
    if verify:
        with path.open("rb") as file:
            actual = hashlib.file_digest(file, "sha256").hexdigest()
    return FileFacts(
        header=header, size=path.stat().st_size, recorded="" if receipt is None else receipt.sha256, actual=actual
    )


def check_model(
    chosen: ChosenModel | FetchError, facts: FileFacts | None, settings: ModelSettings, hardware: Hardware
) -> tuple[Check, ...]:
    match chosen:
        case FetchError():
            return (broken("model", chosen.message, chosen.hint),)
        case Failure():
            return (broken("model", chosen.message, chosen.hint),)
        case ServerModel():
            detail = f"server {chosen.url}: what you write leaves this process"
            return (note("model", detail),)
        case FileModel():
            assert facts is not None
            return check_file(chosen, facts, settings, hardware)


def check_file(chosen: FileModel, facts: FileFacts, settings: ModelSettings, hardware: Hardware) -> tuple[Check, ...]:
    if isinstance(facts.header, Failure):
        return (broken("model", facts.header.message, facts.header.hint),)
    what = f"{chosen.name}, {size(facts.size)}, {facts.header.architecture}"
    return ok("model", what), _check_hash(chosen, facts), _check_context(facts.header, facts.size, settings, hardware)


def _check_hash(chosen: FileModel, facts: FileFacts) -> Check:
    if facts.actual and facts.recorded and facts.actual != facts.recorded:
        return broken(
            "model file",
            f"{chosen.path} is not what was fetched: SHA-256 {facts.actual[:16]}..., not {facts.recorded[:16]}...",
            f"Fetch it again: steward models remove {chosen.name}, then steward models pull {chosen.name}",
        )
    if facts.actual:
        same = "as it was fetched" if facts.recorded else "nothing to compare it with"
        return ok("model file", f"SHA-256 {facts.actual}, {same}")
    if facts.recorded:
        return ok("model file", "verified when it was fetched; steward doctor --verify reads it again")
    return note("model file", "nobody has recorded its SHA-256: it was copied here or lies elsewhere")


def _check_context(header: GgufHeader, file_size: int, settings: ModelSettings, hardware: Hardware) -> Check:
    context = min(settings.context_length, header.context_length or settings.context_length)
    need = file_size + header.kv_bytes_per_token() * context + OVERHEAD_BYTES
    detail = f"{context} tokens (trained for {header.context_length or 'unknown'}), about {size(need)} of memory"
    if hardware.offload_gpu is None and hardware.ram_total is not None and need > hardware.ram_total:
        return broken(
            "context",
            f"{detail}, and this machine has {size(hardware.ram_total)}",
            "Use a smaller model (steward models list) or: steward config set model.context_length 2048",
        )
    if hardware.offload_gpu is None and hardware.ram_available is not None and need > hardware.ram_available:
        return note(
            "context", f"{detail}, and only {size(hardware.ram_available)} are free now", "Close something big."
        )
    return ok("context", detail)
