"""Words made for a screen, as line mode says them: no columns, no line of signs alone, its own commands. Pure."""

import re
from collections.abc import Iterable, Iterator, Mapping

from assistant.policies.cleaning import clean

_GAP = re.compile(r"(?<=\S)[,;:]? {2,}(?=\S)")
_SIGNED = (("+ ", "added: "), ("- ", "gone: "))
_BLOCKS = "▁▂▃▄▅▆▇█"
_BARS = re.compile(rf"(?<=: )[ {_BLOCKS}]*[{_BLOCKS}][ {_BLOCKS}]*")
_MARK = re.compile(r"^(?:\[.\]|[^\w\s\"'“”‘’(/\[<#+*-]) +(?=\S)")
_STAR = re.compile(r"(?<!\S)\* (?=\S)")

# What a shell command is called here; what is not here is for the shell.
_ACTS: Mapping[str, str] = {
    "memory": "show edit confirm deny pin unpin scope merge history",
    "reminders": "done snooze edit delete undo",
    "calendar": "add import export delete undo",
    "tasks": "add done edit delete undo",
    "notes": "add show search edit delete undo",
    "documents": "add search remove",
    "plans": "stop resume undo",
    "decisions": "cancel",
    "suggestions": "why preview settings",
    "tools": "approve remove grants",
    "profile": "export import undo",
    "encryption": "on off change",
    "learning": "on off",
    "sessions": "",
}
_ELSE = {
    "memory search": "/memory", "memory add": "/remember", "memory forget": "/forget", "memory undo": "/undo",
    "memory review": "/review", "remind": "/remind", "plans show": "/plans", "sessions search": "/search",
    "decisions show": "/decisions", "decisions answer": "/decide", "suggestions rules": "/suggestions settings",
    "models list": "/model list", "models use": "/model", "models pull": "/model fetch", "tools add-mcp": "/tools add",
    "tools grants revoke": "/tools revoke", "history import": "/import", "encryption status": "/encryption",
    "backup": "/backup", "backups": "/backups", "restore": "/restore", "where": "/where", "data": "/data",
    "data delete-everything": "/delete-everything",
}  # fmt: skip
_LISTING = {f"{name} list": f"/{name}" for name in _ACTS}
_HERE = _LISTING | {f"{name} {act}": f"/{name} {act}" for name, acts in _ACTS.items() for act in acts.split()} | _ELSE
_SHELL = re.compile(
    r"(?<!shell: )(`)?\bsteward "
    rf"({'|'.join(sorted(_HERE, key=len, reverse=True))}|(?:{'|'.join(_ACTS)})(?! [a-z]))(?![\w-])( --all\b)?"
    r"([^`\"]*?)( \"[^\"]*\")?(?(1)([^`]*)`)"
)
_OPTION = re.compile(r"(?<=/tools add )(\S+) (?:--|--url) ")


def spoken(lines: Iterable[str]) -> Iterator[str]:
    """Each line that says something, on one line of its own, with a comma where a column ended."""
    for line in lines:
        for part in clean(line).split("\n"):
            words = _BARS.sub(_most_at, part).strip()
            if not any(character.isalnum() for character in words):
                continue
            words = _MARK.sub("", words)
            yield _without_signs(_GAP.sub(", ", words.replace(" · ", ", ").replace("→", "becomes")))


def _most_at(match: re.Match[str]) -> str:
    """Where the highest of the bars stand, counted from 0."""
    heights = [_BLOCKS.find(bar) for bar in match.group()]
    highest = [place for place, height in enumerate(heights) if height == max(heights)]
    return "most at " + _listed(tuple(_stretches(highest)))


def _stretches(places: list[int]) -> Iterator[str]:
    """Runs of neighbours as "9 to 11"."""
    first = places[0]
    for place, after in zip(places, (*places[1:], -1), strict=True):
        if after != place + 1:
            yield str(place) if first == place else f"{first} to {place}"
            first = after


def _listed(words: tuple[str, ...]) -> str:
    return words[0] if len(words) == 1 else f"{', '.join(words[:-1])} and {words[-1]}"


def said_here(words: str) -> str:
    """Shell commands as the slash commands that do the same; what only the shell has stays."""
    return _OPTION.sub(r"\1 ", _SHELL.sub(_slash, words))


def _slash(match: re.Match[str]) -> str:
    _, command, every, more, quoted, rest = (str(part or "") for part in match.groups())
    return _HERE.get(command, f"/{command}") + (" all" if every else "") + more + quoted.replace('"', "") + rest


def _without_signs(line: str) -> str:
    parts = _STAR.sub("pinned: ", line).split(", ")
    for sign, word in _SIGNED:
        parts = [word + part.removeprefix(sign) if part.startswith(sign) else part for part in parts]
    return ", ".join(parts)
