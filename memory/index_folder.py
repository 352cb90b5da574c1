"""The folder of the Chroma index: one sub-folder a generation, all of it disposable."""

import shutil
from pathlib import Path

PREFIX = "preferences_g"


def root_of(database: Path) -> Path:
    """Beside the database it is made from."""
    return database.parent / "index"


def folder_of(root: Path, generation: int) -> Path:
    return root / f"{PREFIX}{generation}"


def make_root(root: Path) -> None:
    root.mkdir(mode=0o700, parents=True, exist_ok=True)


def remove_others(root: Path, generation: int | None) -> None:
    """Everything but this generation: older ones, and those whose building was interrupted. None keeps nothing."""
    kept = None if generation is None else folder_of(root, generation).name
    for path in root.glob("*"):
        if path.name != kept:
            remove(path)


def remove(path: Path) -> None:
    """What cannot be removed now (a file held open on Windows) is removed at the next start."""
    if path.is_dir() and not path.is_symlink():
        shutil.rmtree(path, ignore_errors=True)
    else:
        path.unlink(missing_ok=True)
