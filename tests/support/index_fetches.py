"""Fetching from a package index made of files: the content, the settings, what is left in a folder."""

from pathlib import Path

from models.fetch.types import FetchEvent, FetchSettings
from tests.support import fake_pip
from tests.support.wheels import some_bytes

CONTENT = some_bytes(300_000)


def settings_of(index: Path, **changes: object) -> FetchSettings:
    arguments = ("--no-index", "--find-links", str(index))
    settings = {"pip": fake_pip.COMMAND, "pip_arguments": arguments, "disk_margin": 0, **changes}
    return FetchSettings(**settings)  # type: ignore[arg-type]


def never() -> bool:
    return False


def ignore(event: FetchEvent) -> None:
    pass


def left(folder: Path) -> list[str]:
    """What a fetch left behind, but for locks and receipts."""
    return sorted(path.name for path in folder.iterdir() if path.name != ".fetch") if folder.exists() else []
