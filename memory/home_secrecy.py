"""The small files of a home that hold words of its user: sealed where the home is encrypted, and what has to go.

Whoever writes such a file seals it. What lies here in the clear is from before the home was encrypted, or from a change
that was cut short; the owner of the home mends that at its start.
"""

from collections.abc import Iterator
from pathlib import Path

from memory.data_dir import Home, atomic_write
from memory.home_key import HEADER, Key, WrongKey, opened_with, sealed_for
from memory.index_folder import remove, root_of

# below state; writers: ui/drafts.py, ui/profile_acts.py, memory/letters.py
SEALED = ("draft.json", "last-import.json", "mailbox/*.*", "items/*.*", "answers/*.*", "suggestions/*.*")
# of writes that a kill interrupted
_CUT_SHORT = (".draft.json.*", ".last-import.json.*", "mailbox/.*", "items/.*", "answers/.*", "suggestions/.*")


def seal_files(home: Home, key: Key) -> int:
    """What is not sealed yet is, and what is only kept in the clear goes; how many files that were.

    Raises HomeUnusable, StoreFull, OSError."""
    changed = 0
    for path in _small(home):
        content = path.read_bytes()
        if not content.startswith(HEADER):
            atomic_write(path, sealed_for(content, key))
            changed += 1
    for path in clear_only(home):
        remove(path)
        changed += 1
    return changed


def unseal_files(home: Home, key: Key) -> None:
    """Before the home is decrypted. One that another key sealed goes: nobody can read it. Raises HomeUnusable."""
    for path in _small(home):
        content = path.read_bytes()
        if content.startswith(HEADER):
            try:
                atomic_write(path, opened_with(content, key))
            except WrongKey:
                path.unlink(missing_ok=True)


def clear_only(home: Home) -> tuple[Path, ...]:
    """What is not there in an encrypted home: vectors and evaluated prompts, which are made anew in memory, and files
    that nobody finished."""
    unfinished = [path for pattern in _CUT_SHORT for path in home.state.glob(pattern)]
    return (*root_of(home.database).glob("*"), *home.prefix_states.glob("*"), *unfinished)


def _small(home: Home) -> Iterator[Path]:
    for pattern in SEALED:
        for path in sorted(home.state.glob(pattern)):
            if path.is_file() and not path.is_symlink() and not path.name.startswith("."):
                yield path
