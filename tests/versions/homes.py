"""Homes that one environment makes and another opens.

    python -m tests.versions.homes make FOLDER
    python -m tests.versions.homes check FOLDER

`make` brings up a database of every schema there was, and fills two homes as a user does, one of them encrypted, with
an index of vectors, a profile and backups beside them; what stands in all of it is written to FOLDER/facts.json.
`check` reads everything again, restores the backup and imports the profile elsewhere, and fails with a line for each
difference: what cannot be read is one, never an empty list.
"""

import asyncio
import hashlib
import json
import os
import sqlite3
import subprocess
import sys
import tempfile
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from memory.data_dir import Home
from memory.index_folder import folder_of, root_of
from memory.indexer import Indexer
from memory.recall import MemoryRecall
from memory.sqlite_transcript import SqliteTranscript
from memory.sqlite_vectors import index_state
from tests.support.clock import MONDAY
from tests.support.hashing_embedder import HashingEmbedder
from tests.support.memories import a_candidate
from tests.support.preference_stores import sqlite_preferences
from tests.support.store_oracle import verify
from ui.encryption_words import ENCRYPT_WORDS

SCHEMAS = Path(__file__).resolve().parents[1] / "memory" / "schemas"
PASSPHRASE = "a walrus eats coriander"
ENCRYPT = ("encryption", "on", "--confirm", ENCRYPT_WORDS, "--passphrase")
TASTES = ("bebop", "swing", "fado", "coriander", "pickled herring", "rye bread", "green tea", "long walks")
ACTS = (
    ("config", "set", "ui.theme", "high-contrast"),
    ("memory", "add", "I", "do", "not", "eat", "coriander"),
    ("memory", "add", "My", "sister", "is", "Ann"),
    ("notes", "add", "The walrus, 海象 🦭, is in the shed"),
    ("tasks", "add", "renew the passport by Friday"),
    ("remind", "water the plants every Monday at 9"),
    ("remind", "call mum on 5 May 2031 at 18:00"),
    ("calendar", "add", "dentist on 6 May 2031 at 10:30"),
)
LISTS = (
    ("config", "list"),
    ("memory", "list", "--json"),
    ("notes", "list", "--json"),
    ("tasks", "list", "--json"),
    ("reminders", "list", "--json"),
    ("calendar", "list", "--from", "2031-05-06", "--json"),
    ("sessions", "list", "--json"),
)
SEALED, PROFILE = "sealed.age", "profile.json"
INDEX_TABLES = ("outbox", "index_state")  # of the index, which may be made anew


@dataclass
class Steward:
    """The program of this environment on one home."""

    home: Path
    passphrase: Path | None = None
    lines: list[str] = field(default_factory=list)

    def __call__(self, *arguments: str, stdin: str = "") -> str:
        """What it printed. Raises AssertionError with its words when it failed."""
        environment = os.environ | {"STEWARD_HOME": str(self.home), "TZ": "Europe/Berlin"}
        if self.passphrase is not None:
            environment["STEWARD_PASSPHRASE_FILE"] = str(self.passphrase)
        done = subprocess.run(
            [sys.executable, "-m", "ui", *arguments],
            input=stdin,
            capture_output=True,
            text=True,
            env=environment,
            timeout=300,
            check=False,
        )
        assert done.returncode == 0, f"steward {' '.join(arguments)}: {done.stderr.strip()}"
        return done.stdout


def main() -> int:
    act, folder = sys.argv[1], Path(sys.argv[2])
    if act == "make":
        folder.mkdir(parents=True)
        make(folder)
        (folder / "facts.json").write_text(json.dumps(facts(folder), ensure_ascii=False, indent=1), "utf-8")
        return 0
    differing = differences(json.loads((folder / "facts.json").read_text("utf-8")), facts(folder))
    print("\n".join(differing), file=sys.stderr)  # noqa: T201
    return 1 if differing else 0


def make(folder: Path) -> None:
    for schema in sorted(SCHEMAS.glob("*.sql")):
        home = _home(folder, f"schema-{schema.stem}")
        connection = sqlite3.connect(home.database)
        connection.executescript(schema.read_text("utf-8"))
        connection.close()
        home.database.chmod(0o600)
        asyncio.run(_brought_up(home))
    asyncio.run(_with_vectors(_home(folder, "vectors")))
    secret = folder / "passphrase"
    secret.write_text(f"{PASSPHRASE}\n", "utf-8")
    secret.chmod(0o600)
    for name in ("plain", "encrypted"):
        steward = Steward(folder / name, secret if name == "encrypted" else None)
        for arguments in ACTS:
            steward(*arguments)
        if name == "encrypted":
            steward(*ENCRYPT, stdin=f"{PASSPHRASE}\n")
        steward("backup")
    steward = Steward(folder / "plain")
    steward("backup", str(folder / SEALED), "--encrypt", "--passphrase-stdin", stdin=f"{PASSPHRASE}\n")
    steward("profile", "export", "--output", str(folder / PROFILE))


def facts(folder: Path) -> dict[str, Any]:
    """Everything in the folder that two environments have to agree on."""
    found: dict[str, Any] = {}
    for schema in sorted(SCHEMAS.glob("*.sql")):
        name = f"schema-{schema.stem}"
        found[name] = asyncio.run(_old_talk(_home(folder, name)))
    found["vectors"] = asyncio.run(_vectors(_home(folder, "vectors")))
    for name in ("plain", "encrypted"):
        steward = Steward(folder / name, folder / "passphrase" if name == "encrypted" else None)
        found[name] = {" ".join(arguments): steward(*arguments) for arguments in LISTS}
    found["plain rows"] = rows_of(_home(folder, "plain").database)
    with tempfile.TemporaryDirectory() as elsewhere:
        restored, imported = Steward(Path(elsewhere) / "restored"), Steward(Path(elsewhere) / "imported")
        restored("restore", str(folder / SEALED), "--yes", "--passphrase-stdin", stdin=f"{PASSPHRASE}\n")
        found["restored"] = {" ".join(arguments): restored(*arguments) for arguments in LISTS[1:]}
        imported("profile", "import", str(folder / PROFILE), "--yes")
        found["imported"] = [one["statement"] for one in json.loads(imported("memory", "list", "--json"))]
    return found


def differences(before: Any, now: Any, at: str = "") -> list[str]:
    if isinstance(before, dict) and isinstance(now, dict):
        names = sorted(before.keys() | now.keys())
        return [line for name in names for line in differences(before.get(name), now.get(name), f"{at}/{name}")]
    return [] if before == now else [f"{at}: was {str(before)[:400]!r}, is {str(now)[:400]!r}"]


def rows_of(database: Path) -> dict[str, str]:
    """How many rows each table has, and a hash of them."""
    connection = sqlite3.connect(f"{database.as_uri()}?mode=ro", uri=True)
    try:
        names = [
            str(name)
            for (name,) in connection.execute("SELECT name FROM sqlite_schema WHERE type = 'table' ORDER BY name")
            if "_fts" not in name and name not in INDEX_TABLES
        ]
        return {name: _digest(connection, name) for name in names}
    finally:
        connection.close()


def _digest(connection: sqlite3.Connection, table: str) -> str:
    rows = sorted(map(repr, connection.execute(f'SELECT * FROM "{table}"')))
    return f"{len(rows)} rows, {hashlib.sha256(chr(10).join(rows).encode('utf-8', 'surrogatepass')).hexdigest()[:16]}"


def _home(folder: Path, name: str) -> Home:
    home = Home.resolve(str(folder / name), {})
    home.make()
    return home


async def _brought_up(home: Home) -> None:
    await (await SqliteTranscript.open(home.database)).close()


async def _old_talk(home: Home) -> dict[str, Any]:
    transcript = await SqliteTranscript.open(home.database)
    try:
        (found,) = await transcript.search("walrus")
        path = [message.content for message in await transcript.path(found.session.id)]
    finally:
        await transcript.close()
    verify(home.database)
    return {"path": path, "rows": rows_of(home.database)}


async def _with_vectors(home: Home) -> None:
    store, database = await sqlite_preferences(home.database)
    try:
        said = [a_candidate(f"I like {one}", f"taste.{place}", one) for place, one in enumerate(TASTES)]
        await store.learn(said, actor="rules", at=MONDAY)
    finally:
        await database.close()


async def _vectors(home: Home) -> dict[str, Any]:
    """What is found by meaning, and that an index answers it: one that was opened, or one made anew."""
    store, database = await sqlite_preferences(home.database)
    indexer = Indexer(database=database, root=root_of(home.database), embed=HashingEmbedder().embed, model="hashing")
    indexer.start()
    try:
        await indexer.settled()
        recall = MemoryRecall(store=store, indexer=indexer)
        answers = {
            one: [near.preference.statement for near in (await recall.recall(f"some {one}", at=MONDAY))[:1]]
            for one in TASTES
        }
        state = await database.read(index_state)
        assert state is not None
        _tell(home, state.generation)
        return {"stage": indexer.status.stage, "reason": indexer.status.reason, "answers": answers}
    finally:
        await indexer.close()
        await database.close()


def _tell(home: Home, generation: int) -> None:
    folder = folder_of(root_of(home.database), generation)
    print(f"index: generation {generation}, {'there' if folder.exists() else 'missing'}")  # noqa: T201


if __name__ == "__main__":
    sys.exit(main())
