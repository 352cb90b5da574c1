"""A home is encrypted, or decrypted: the history is written anew beside, checked, and takes its place in one rename.

A kill at any instant leaves the old history or the new one, whole. The database says itself which it is, so the order
is: key file, history, small files; and on the way back small files, backups, history, key file. The caller owns the
home, with nothing of it open. Everything here blocks.
"""

import os
import shutil
import zlib
from collections.abc import Callable
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path

from memory.backup_names import BackupFile
from memory.backups import Backups
from memory.data_dir import Home, make_private_file, sync_file, sync_folder
from memory.database import connect, is_missing, key_for, own_errors, remove_with_companions
from memory.errors import StoreDamaged, StoreError
from memory.home_key import Key
from memory.home_secrecy import seal_files, unseal_files
from memory.key_file import forget_key, is_encrypted, key_of
from memory.migrations import MIGRATIONS, check_identity
from memory.sqlite_backup import Contents, check_copy, contents_of
from memory.sqlite_driver import require
from memory.sqlite_export import copy_with_key
from memory.sqlite_mend import full_text_is_whole
from memory.sqlite_restore import empty_journal

BEFORE_ENCRYPTION = "before-encryption"
_SAMPLE, _PRESSED = 1 << 20, 0.9  # bytes looked at, and the share that noise keeps when it is compressed
_BESIDE = ".steward.db.changing"


@dataclass(frozen=True, slots=True, kw_only=True)
class Changed:
    """`contents` and `copy` None: nothing was ever kept. `copy`: the history as it was, in the clear, under backups."""

    contents: Contents | None
    copy: Path | None = None


def encrypt_home(home: Home, key: Key, keep: Callable[[], None], at: datetime) -> Changed:
    """`keep` writes the key file; `home.unlock` gives `key` from then on. Raises StoreError; then the history is what
    it was."""
    require()
    if is_encrypted(home):
        raise StoreError("This home is encrypted already.", "`steward encryption status` says with what.")
    with own_errors(home.database):
        if is_missing(home.database):
            keep()
            seal_files(home, key)
            return Changed(contents=None)
        copy, held = Backups(home).make(BEFORE_ENCRYPTION, at)
        keep()
        _rewrite(home, None, key, held)
        seal_files(home, key)
    return Changed(contents=held, copy=copy)


def decrypt_home(home: Home) -> Changed:
    """Backups that were encrypted with the key of this home are decrypted too: the key goes at the end.

    Raises StoreError; then the history is what it was."""
    with own_errors(home.database):
        key = key_of(home)
        if key is None:
            forget_key(home)  # of a change that was cut short
            return Changed(contents=None)
        unseal_files(home, key)
        held = None
        if not is_missing(home.database):
            held = _contents(home, key)
            for one in backups_with(home, key):
                rewrite_backup(home, one, key, None)
            _rewrite(home, key, None, held)
        forget_key(home)
        sync_folder(home.data)
    return Changed(contents=held)


def clear_backups(home: Home) -> tuple[BackupFile, ...]:
    """Those that anybody can read who has the file. Raises StoreError."""
    return tuple(one for one in Backups(home).list() if not one.encrypted and _is_clear(home.backups / one.name))


def backups_with(home: Home, key: Key) -> tuple[BackupFile, ...]:
    """Those that this key opens. Raises StoreError."""
    return tuple(one for one in Backups(home).list() if not one.encrypted and _opens(home.backups / one.name, key))


def clear_damaged(home: Home) -> tuple[Path, ...]:
    """Folders with a damaged history in the clear: it cannot be written anew, only kept or removed. Raises OSError.

    Its first bytes may be what is damaged, so it is told by what encryption does to it: nothing can be pressed out."""
    folders = [path for path in sorted(home.backups.glob("damaged-*")) if path.is_dir()]
    return tuple(folder for folder in folders if any(map(_is_text, folder.iterdir())))


def _is_text(path: Path) -> bool:
    with path.open("rb") as file:
        sample = file.read(_SAMPLE)
    return len(zlib.compress(sample, 1)) < _PRESSED * len(sample)


def rewrite_backup(home: Home, backup: BackupFile, theirs: Key | None, ours: Key | None) -> None:
    """The same rows under the same name, with another key. Raises StoreError; then it is what it was."""
    path = home.backups / backup.name
    beside = path.with_name(f".{path.name}.changing")
    with own_errors(path):
        times = path.stat()
        held = check_copy(path, key=theirs)
        _write_beside(path, theirs, beside, ours, held)
        os.utime(beside, ns=(times.st_atime_ns, times.st_mtime_ns))
        beside.replace(path)
        sync_folder(path.parent)


def remove_clear(home: Home) -> int:
    """Every backup in the clear, damaged originals too; how many. Raises StoreError."""
    gone = 0
    with own_errors(home.backups):
        for one in clear_backups(home):
            (home.backups / one.name).unlink(missing_ok=True)
            gone += 1
        for folder in clear_damaged(home):
            shutil.rmtree(folder)
            gone += 1
    return gone


def _contents(home: Home, key: Key | None) -> Contents:
    connection = connect(home.database, "ro", key)
    try:
        check_identity(connection, home.database, newest=MIGRATIONS[-1].number)
        return contents_of(connection)
    finally:
        connection.close()


def _rewrite(home: Home, theirs: Key | None, ours: Key | None, held: Contents) -> None:
    empty_journal(home.database, theirs)
    beside = home.data / _BESIDE
    _write_beside(home.database, theirs, beside, ours, held)
    beside.replace(home.database)
    sync_folder(home.data)


def _write_beside(source: Path, theirs: Key | None, beside: Path, ours: Key | None, held: Contents) -> None:
    remove_with_companions(beside)
    make_private_file(beside)
    try:
        copy_with_key(source, theirs, beside, ours)
        check_copy(beside, held, key=ours)
        if not full_text_is_whole(beside, ours):
            raise StoreDamaged("The full-text index does not say what its tables say.", "steward doctor --repair")
        sync_file(beside)
    except BaseException:
        remove_with_companions(beside)
        raise


def _is_clear(path: Path) -> bool:
    with own_errors(path):
        return key_for(path, Key(b"x")) is None


def _opens(path: Path, key: Key) -> bool:
    if _is_clear(path):
        return False
    try:
        with own_errors(path):
            check_copy(path, key=key)
    except StoreError:
        return False
    return True
