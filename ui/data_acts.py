"""What a user does with all that is kept: back up, restore, save from damage, delete. Called by the commands, line mode
and the data screen. Everything here blocks; call it in a thread."""

import contextlib
import tempfile
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path

from memory.backup_names import BY_HAND, ENCRYPTED
from memory.backups import Backups
from memory.data_dir import Home, atomic_write
from memory.errors import StoreError
from memory.home_files import HomeFile, erase, files_of, goes
from memory.home_key import Key
from memory.key_file import is_encrypted, key_of, parse_key_file, unlock_from_keyring, unlock_with_passphrase
from memory.sealed import MOST_BYTES, is_sealed, portable, seal, unpacked, unseal
from memory.sqlite_backup import Contents, Progress, no_progress
from memory.sqlite_restore import Preview, Restored, preview, restore
from memory.sqlite_salvage import Salvaged, salvage
from ui.errors import UiError
from ui.handover import take_home

AskPassphrase = Callable[[], str]


@dataclass(frozen=True, slots=True, kw_only=True)
class BackedUp:
    path: Path
    contents: Contents
    size: int  # bytes
    encrypted: bool


def back_up(
    home: Home,
    at: datetime,
    *,
    file: Path | None = None,
    passphrase: str | None = None,
    kind: str = BY_HAND,
    progress: Progress = no_progress,
) -> BackedUp:
    """Works beside whoever owns the home. Into the folder of backups when no `file` is given. Raises StoreError."""
    backups = Backups(home)
    if passphrase is not None:
        return _back_up_sealed(home, at, file, passphrase, kind, progress)
    if file is None:
        path, contents = backups.make(kind, at, progress)
    else:
        path = file.expanduser().absolute()
        contents = backups.write(path, progress)
    return BackedUp(path=path, contents=contents, size=path.stat().st_size, encrypted=is_encrypted(home))


def _back_up_sealed(
    home: Home, at: datetime, file: Path | None, passphrase: str, kind: str, progress: Progress
) -> BackedUp:
    """The copy exists only until it is sealed, in the home; that of an encrypted home is encrypted, and its key goes
    into what is sealed."""
    plain, contents = Backups(home).make(kind, at, progress)
    try:
        path = plain.with_name(plain.name + ENCRYPTED) if file is None else file.expanduser().absolute()
        if path.exists():
            raise StoreError(f"{path} exists already.", "Give another name; nothing is replaced.")
        if plain.stat().st_size > MOST_BYTES:
            raise StoreError(
                "The history is too large to be encrypted here.", "Back it up without --encrypt, then `age -p FILE`."
            )
        key, content = key_of(home), plain.read_bytes()
        atomic_write(path, seal(content if key is None else portable(content, key), passphrase))
    finally:
        plain.unlink(missing_ok=True)
    return BackedUp(path=path, contents=contents, size=path.stat().st_size, encrypted=True)


@contextmanager
def opened(
    home: Home, source: Path, ask: AskPassphrase, key_file: Path | None = None
) -> Iterator[tuple[Path, Key | None]]:
    """The backup and its own key, if it has one; a sealed one is decrypted into the home meanwhile. `key_file`: of the
    encrypted home it comes from; `ask` is for its passphrase too. Raises StoreError."""
    try:
        with source.open("rb") as file:
            sealed = is_sealed(file.read(64))
    except OSError as error:
        raise UiError(f"{source} cannot be read: {error.strerror}.") from error
    if not sealed:
        yield source, None if key_file is None else _key_from(key_file, ask)
        return
    content, key = unpacked(unseal(source.read_bytes(), ask()))
    with tempfile.TemporaryDirectory(prefix=".sealed-", dir=home.data) as folder:
        path = Path(folder) / "backup.db"
        atomic_write(path, content)
        yield path, key


def _key_from(path: Path, ask: AskPassphrase) -> Key:
    file = parse_key_file(path.expanduser())
    return unlock_from_keyring(file) if file.store == "keyring" else unlock_with_passphrase(file, ask())


def preview_of(home: Home, source: Path, key: Key | None = None) -> Preview:
    return preview(home, source, key)


def restore_now(home: Home, source: Path, at: datetime, key: Key | None = None) -> Restored:
    """As the owner of the home; the history is not open. `key`: of the backup, if it has its own. Raises HomeInUse,
    StoreError."""
    with take_home(home, what="restore", at=at):
        return restore(home, source, at, key)


def save_from_damage(home: Home, at: datetime, told: Callable[[int, int], None] = lambda done, total: None) -> Salvaged:
    """As the owner of the home. The damaged file is only read. Raises HomeInUse, StoreError."""
    with take_home(home, what="salvage", at=at):
        return salvage(home, at, told)


def before_import(home: Home, at: datetime) -> Path | None:
    """The backup before an import changes anything; None when there is nothing yet. Raises StoreError."""
    from memory.backup_names import BEFORE_IMPORT
    from memory.errors import NotFound

    backups = Backups(home)
    with contextlib.suppress(NotFound):
        path, _ = backups.make(BEFORE_IMPORT, at)
        backups.rotate(at)
        return path
    return None


ERASE_WORDS = "delete my data"


def erase_all(home: Home, at: datetime, *, models: bool) -> tuple[HomeFile, ...]:
    """As the owner of the home, with nothing of it open. What is left, which should be nothing. Raises HomeInUse,
    StoreError."""
    with take_home(home, what="delete", at=at):
        return erase(home, models=models)


def look_into(home: Home, source: Path, passphrase: str = "") -> Preview:
    """What a restore would bring and take. Raises UiError, StoreError."""
    with opened(home, source, lambda: passphrase) as (clear, key):
        return preview(home, clear, key)


def restore_and_tell(home: Home, source: Path, passphrase: str = "") -> str:
    """After the app has closed what is kept; the words with which it opens again."""
    from ui.data_words import restored_lines
    from ui.wiring import SystemClock

    try:
        with opened(home, source, lambda: passphrase) as (clear, key):
            return " ".join(restored_lines(restore_now(home, clear, SystemClock().now(), key)))
    except (UiError, StoreError) as error:
        return f"Nothing was restored: {error.message} {error.hint}".rstrip()


def erase_and_tell(home: Home, *, models: bool) -> None:
    """After the app has closed what is kept. Raises StoreError."""
    from ui.output import print_line
    from ui.wiring import SystemClock

    left = erase_all(home, SystemClock().now(), models=models)
    for one in left:
        print_line(f"Still here: {one.path}", err=True)
    if not left:
        stays = any(one.size and goes(one, models=True) for one in files_of(home))
        but = f" but its models, in {home.models}" if stays else ""
        print_line(f"Everything is deleted. Looked again: nothing of Steward is left{but}.")
