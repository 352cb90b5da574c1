"""A file for the user that was not there before: private, whole or not at all, never over another."""

import os
import secrets
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TextIO

from memory.data_dir import sync_folder
from ui.errors import UiError


@contextmanager
def new_file(path: Path) -> Iterator[TextIO]:
    """Written beside and put in place at the end, unless something else is there by then. Blocks.

    Raises UiError; then nothing is left behind."""
    _refuse_what_is_there(path)
    beside = path.with_name(f".{path.name}.{secrets.token_hex(4)}")
    try:
        try:
            descriptor = os.open(beside, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
            with os.fdopen(descriptor, "w", encoding="utf-8", newline="") as file:
                yield file
                file.flush()
                os.fsync(file.fileno())
            _put(beside, path)
            sync_folder(path.parent)
        finally:
            beside.unlink(missing_ok=True)
    except OSError as error:
        raise UiError(
            f"{path} cannot be written: {error.strerror or error}.", "Choose another place with --output."
        ) from error


def _put(beside: Path, path: Path) -> None:
    """A second name for the file fails where the first one exists; a move would not."""
    try:
        os.link(beside, path)
    except FileExistsError:
        _refuse_what_is_there(path)
        raise
    except OSError:  # a disk without links
        _refuse_what_is_there(path)
        beside.rename(path)


def _refuse_what_is_there(path: Path) -> None:
    if path.exists() or path.is_symlink():
        raise UiError(f"{path} is there already.", "Choose another name with --output.")
