"""docs/rooms.md, made from the first sentence of every module. `python -m tests.architecture.rooms` writes it."""

import ast
import re

from tests.architecture.source import ROOT, Source, sources

DOCUMENT = ROOT / "docs" / "rooms.md"
HEAD = """\
# Rooms

Every module is a room with one job; this is the first sentence of each. Written by `make fix`, checked by the tests.

```
            ui            terminal UI, line mode, commands, wiring (the composition root)
             |
         assistant        policies (pure), the turn and the session (async), ports
          /     \\
     memory     models    independent of each other
```

Imports go downwards only. `memory` never calls a model and `models` never sees memory: the assistant asks the model
and hands memory data. What the assistant needs is a Protocol in `assistant/ports.py`; implementations match
structurally and are chosen only in `ui/wiring.py` and the `ui/*_wiring.py` it asks, where mypy checks them. Only
`models/child` imports llama.cpp; it runs in a process of its own.

One turn walks through the rooms like this:

| step | room | in, out |
|---|---|---|
| door | `assistant/policies/intake.py` | a line of text, a `UserTurn` or a `Command` |
| keep | `memory/sqlite_transcript.py` | the turn, a row on disk before anything else happens |
| plan | `assistant/planning.py`, `assistant/policies/budget.py` | rows, the prompt and what was left out of it |
| speak | `models/worker.py`, `models/child` | a request, deltas and exactly one `Finished` |
| draft | `assistant/draft.py` | deltas, cleaned text that is saved as it grows |
| settle | `assistant/policies/outcome.py`, `assistant/turn.py` | how it ended, the finished row and one `TurnEnded` |
| show | `ui/view.py`, `ui/headless.py`, `ui/plain.py` | events, rows on the screen or lines |
"""
FLOORS = {
    "ui": "shows and asks",
    "assistant": "decides; knows nothing of terminals, SQL or llama.cpp",
    "memory": "remembers; never talks to a model",
    "models": "speaks to the model",
}


def document() -> str:
    parts = [HEAD]
    for package, job in FLOORS.items():
        rows = [f"| `{source.path}` | {_job(source)} |" for source in _rooms(package)]
        parts.append(f"\n## {package}: {job}\n\n| room | job |\n|---|---|\n" + "\n".join(rows) + "\n")
    return "".join(parts)


def _rooms(package: str) -> list[Source]:
    return [
        source
        for source in sources()
        if source.path.startswith(f"{package}/") and not source.path.endswith(("__init__.py", "ui/__main__.py"))
    ]


def _job(source: Source) -> str:
    first = (ast.get_docstring(source.tree) or "").split("\n\n")[0]
    sentence = re.split(r"(?<=[.!?])\s", " ".join(first.split()))[0]
    return sentence.replace("|", "\\|").removesuffix(".")


if __name__ == "__main__":
    DOCUMENT.write_text(document())
