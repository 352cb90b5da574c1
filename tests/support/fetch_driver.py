"""A process that fetches one file and stops at a chosen place, waiting to be killed there.

Argument: one JSON object with entry (TOML text), folder, pip and pip_arguments (JSON lists), and where wanted stop_at
(number of the event), margin, keep_partial. Prints `EVENT stage done` for every event, `AT` when it waits, at the end
`DONE`, `STOPPED` or `FAILED message | hint`, and then `LEFT` with the names in the folder.
"""

import json
import sys
from pathlib import Path

from models.catalog import read_entries
from models.errors import FetchError
from models.fetch.pull import fetch_file
from models.fetch.types import Fetched, FetchEvent, FetchProgress, FetchSettings


def main(given: dict[str, object]) -> None:
    (entry,) = read_entries(str(given["entry"]), "driver")
    folder = Path(str(given["folder"]))
    settings = FetchSettings(
        pip=tuple(json.loads(str(given["pip"]))),
        pip_arguments=tuple(json.loads(str(given["pip_arguments"]))),
        disk_margin=int(str(given.get("margin", 0))),
        keep_partial=bool(given.get("keep_partial", False)),
    )
    seen = 0

    def watch(event: FetchEvent) -> None:
        nonlocal seen
        seen += 1
        if isinstance(event, FetchProgress):
            say(f"EVENT {event.stage} {event.done}")
        if seen == given.get("stop_at", 0):
            say("AT")
            sys.stdin.read()

    try:
        outcome = fetch_file(entry.files[0], folder, settings, watch=watch, cancelled=lambda: False)
        say("DONE" if isinstance(outcome, Fetched) else "STOPPED")
    except FetchError as error:
        say(f"FAILED {error.message} | {error.hint}")
    say("LEFT " + " ".join(sorted(path.name for path in folder.iterdir() if path.name != ".fetch")))


def say(line: str) -> None:
    sys.stdout.write(line + "\n")
    sys.stdout.flush()


if __name__ == "__main__":
    main(json.loads(sys.argv[1]))
