"""Databases damaged in sixty ways, as disks, crashes and other programs damage them. Told by their names alone."""

import random
import sqlite3
from collections.abc import Callable, Mapping
from pathlib import Path

PAGE = 4096

Damage = Callable[[Path], None]


def corpus() -> Mapping[str, Damage]:
    """Each takes the path of a sound database, with its journal if there is one, and damages it."""
    found: dict[str, Damage] = {
        "cut to nothing": _cut(lambda size: 0),
        "cut to ten bytes": _cut(lambda size: 10),
        "cut to one page": _cut(lambda size: PAGE),
        "cut to half": _cut(lambda size: size // PAGE // 2 * PAGE),
        "cut by a byte": _cut(lambda size: size - 1),
        "cut by a page": _cut(lambda size: size - PAGE),
        "cut by a twentieth": _cut(lambda size: size - size // 20),
        "magic gone": _over(0, bytes(16)),
        "page size gone": _over(16, b"\xff\xff"),
        "application gone": _over(68, bytes(4)),
        "schema number gone": _over(60, b"\xff\xff\xff\xff"),
        "header gone": _over(0, bytes(100)),
        "first page gone": _over(0, bytes(PAGE)),
        "first page noise": _over(0, random.Random(1).randbytes(PAGE)),
        "garbage": lambda path: _replace(path, random.Random(2).randbytes(50_000)),
        "text": lambda path: _replace(path, b"Dear diary,\n" * 400),
        "zeros": lambda path: _replace(path, bytes(path.stat().st_size)),
        "another program": _other_program,
        "another program in the journal": _foreign_journal,
        "journal noise": _journal_noise,
        "journal cut": _journal_cut,
        "full text noise": _full_text_noise,
        "index noise": _index_noise,
    }
    for number in range(14):
        found[f"page zeroed {number}"] = _page(number, lambda chance: bytes(PAGE))
    for number in range(5):
        found[f"page noise {number}"] = _page(number, lambda chance: chance.randbytes(PAGE))
    for flips in (1, 2, 4, 8, 16, 32, 64):
        for seed in range(3 if flips < 64 else 0):
            found[f"{flips} bytes flipped, {seed}"] = _flipped(flips, seed)
    return found


def _replace(path: Path, content: bytes) -> None:
    for suffix in ("-wal", "-shm"):
        path.with_name(path.name + suffix).unlink(missing_ok=True)
    path.write_bytes(content)


def _cut(to: Callable[[int], int]) -> Damage:
    def damage(path: Path) -> None:
        content = path.read_bytes()
        path.write_bytes(content[: to(len(content))])

    return damage


def _over(at: int, content: bytes) -> Damage:
    def damage(path: Path) -> None:
        whole = bytearray(path.read_bytes())
        whole[at : at + len(content)] = content
        path.write_bytes(whole)

    return damage


def _page(number: int, content: Callable[[random.Random], bytes]) -> Damage:
    """Spread over the file; never the first one."""

    def damage(path: Path) -> None:
        pages = path.stat().st_size // PAGE
        at = 1 + (number * 37 + 11) % (pages - 1)
        _over(at * PAGE, content(random.Random(number)))(path)

    return damage


def _flipped(flips: int, seed: int) -> Damage:
    def damage(path: Path) -> None:
        chance = random.Random(flips * 100 + seed)
        whole = bytearray(path.read_bytes())
        for _ in range(flips):
            whole[chance.randrange(len(whole))] ^= 1 << chance.randrange(8)
        path.write_bytes(whole)

    return damage


def _other_program(path: Path) -> None:
    path.unlink()
    connection = sqlite3.connect(path)
    connection.executescript("CREATE TABLE song(title TEXT); INSERT INTO song VALUES ('Fado'), ('Polka');")
    connection.close()


def _foreign_journal(path: Path) -> None:
    other = path.with_name("other.db")
    connection = sqlite3.connect(other, isolation_level=None)
    connection.execute("PRAGMA journal_mode=WAL")
    connection.execute("CREATE TABLE song(title TEXT)")
    journal = other.with_name("other.db-wal").read_bytes()
    connection.close()
    other.unlink()
    path.with_name(f"{path.name}-wal").write_bytes(journal)


def _journal_noise(path: Path) -> None:
    path.with_name(f"{path.name}-wal").write_bytes(random.Random(3).randbytes(9_000))


def _journal_cut(path: Path) -> None:
    """A writer that was killed, whose journal then lost its end."""
    connection = sqlite3.connect(path, isolation_level=None)
    connection.execute("UPDATE session SET title = title || ' once more'")
    journal, shared = path.with_name(f"{path.name}-wal"), path.with_name(f"{path.name}-shm")
    main, kept = path.read_bytes(), journal.read_bytes()
    connection.close()
    shared.unlink(missing_ok=True)
    path.write_bytes(main)
    journal.write_bytes(kept[: len(kept) * 2 // 3])


def _full_text_noise(path: Path) -> None:
    connection = sqlite3.connect(path)
    connection.execute("UPDATE message_fts_data SET block = X'00FF00FF00' WHERE id > 10")
    connection.commit()
    connection.close()


def _index_noise(path: Path) -> None:
    """The top page of an index says nonsense; its table is whole."""
    connection = sqlite3.connect(path)
    (top,) = connection.execute("SELECT rootpage FROM sqlite_schema WHERE name = 'message_child'").fetchone()
    connection.close()
    _over((top - 1) * PAGE, random.Random(4).randbytes(PAGE))(path)
