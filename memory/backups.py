"""The backups of a home: made, listed, rotated. Everything here blocks; call it in a thread."""

from datetime import UTC, datetime
from pathlib import Path

from memory.backup_names import DAILY, SUFFIX, BackupFile, is_due, name_of, read_name, surplus
from memory.data_dir import Home
from memory.database import connect, is_missing, own_errors
from memory.errors import NotFound, StoreError
from memory.key_file import key_of
from memory.migrations import check_identity
from memory.sqlite_backup import Contents, Progress, contents_of, copy_whole, no_progress


class Backups:
    """Reads the database beside whoever writes it; never changes it."""

    def __init__(self, home: Home) -> None:
        self._home = home

    @property
    def folder(self) -> Path:
        return self._home.backups

    def list(self) -> tuple[BackupFile, ...]:
        """Newest first. Raises StoreError."""
        with own_errors(self.folder):
            if not self.folder.is_dir():
                return ()
            found = [one for path in self.folder.iterdir() if (one := _look_at(path)) is not None]
        return tuple(sorted(found, key=lambda one: (one.at, one.name), reverse=True))

    def find(self, name: str) -> Path:
        """A backup by its path, its name in the folder, or "latest". Raises NotFound."""
        if name == "latest":
            here = self.list()
            if not here:
                raise NotFound("There is no backup yet.", "`steward backup` makes one.")
            return self.folder / here[0].name
        for path in (Path(name).expanduser(), self.folder / name, self.folder / f"{name}{SUFFIX}"):
            with own_errors(path):
                if path.is_file():
                    return path
        raise NotFound(f"There is no backup {name!r}.", "`steward backups` lists them; a path works too.")

    def make(self, kind: str, at: datetime, progress: Progress = no_progress) -> tuple[Path, Contents]:
        """A new one in the folder. Raises StoreError; NotFound when nothing was ever kept."""
        wanted = self.folder / f"{name_of(kind, at)}{SUFFIX}"
        target, copies = wanted, 1
        while target.exists():
            copies += 1
            target = wanted.with_stem(f"{wanted.stem}-{copies}")
        return target, self.write(target, progress)

    def write(self, target: Path, progress: Progress = no_progress) -> Contents:
        """A new one at `target`, which must be free. Raises StoreError; NotFound when nothing was ever kept."""
        database = self._home.database
        with own_errors(database):
            if is_missing(database):
                raise NotFound("There is nothing to back up: nothing was ever kept.")
            connection = connect(database, "ro", key_of(self._home))
            try:
                check_identity(connection, database)
                return copy_whole(connection, target, progress)
            except FileExistsError as error:
                raise StoreError(f"{target} exists already.", "Give another name; nothing is replaced.") from error
            finally:
                connection.close()

    def make_daily(self, at: datetime, progress: Progress = no_progress) -> Path | None:
        """Today's, when it is due and something is kept; then those that have served their time go.

        Raises StoreError."""
        if not is_due(self.list(), at) or self._holds_nothing():
            return None
        path, _ = self.make(DAILY, at, progress)
        self.rotate(at)
        return path

    def rotate(self, at: datetime) -> tuple[BackupFile, ...]:
        """Remove what has served its time; what was removed. Raises StoreError."""
        gone = surplus(self.list(), at)
        for one in gone:
            with own_errors(self.folder / one.name):
                (self.folder / one.name).unlink(missing_ok=True)
        return gone

    def _holds_nothing(self) -> bool:
        database = self._home.database
        with own_errors(database):
            if is_missing(database):
                return True
            connection = connect(database, "ro", key_of(self._home))
            try:
                return contents_of(connection).is_empty
            finally:
                connection.close()


def _look_at(path: Path) -> BackupFile | None:
    try:
        found = path.stat()
    except FileNotFoundError:
        return None
    if not path.is_file():
        return None
    return read_name(path.name, datetime.fromtimestamp(found.st_mtime, UTC), found.st_size)
