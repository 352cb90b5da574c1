"""What /help reads out in line mode: the commands by what they are for, or what one of them takes. Pure."""

from collections.abc import Iterator, Mapping

GROUPS: Mapping[str, tuple[str, ...]] = {
    "Conversations": (
        "new", "sessions", "open", "search", "rename", "delete", "export", "incognito", "nolearn", "import",
    ),
    "This conversation": (
        "show", "edit", "again", "branch", "why", "context", "thoughts", "links", "copy", "code", "paste",
    ),
    "Memory": ("memory", "remember", "forget", "undo", "review", "learning", "profile"),
    "Times": ("remind", "reminders", "done", "snooze", "calendar", "suggestions"),
    "Doing": ("plan", "plans", "decisions", "decide", "tasks", "notes", "documents", "tools"),
    "Your data": ("data", "where", "backup", "backups", "restore", "encryption", "delete-everything"),
    "Steward": ("model", "help", "quit"),
}  # fmt: skip
_CLOSING = (
    "/help NAME says what a command takes; /help all reads out every one; /help WORD looks for one.",
    "//TEXT: send a message that begins with /. A line that ends with \\ goes on in the next.",
    "Ctrl+C: stop the answer. Everything else: steward --help, in a shell.",
)


def help_lines(uses: Mapping[str, str], wanted: str) -> tuple[str, ...]:
    """`uses`: for each command what it takes and does, in one line. Nothing where nothing fits."""
    words = wanted.strip().lower().removeprefix("/")
    if not words:
        return (*_groups(), *_CLOSING)
    if words == "all":
        return (*uses.values(), *_CLOSING[1:])
    if words in uses:
        return (uses[words],)
    return tuple(line for line in uses.values() if words in line.lower())


def _groups() -> Iterator[str]:
    for name, commands in GROUPS.items():
        yield f"{name}: {', '.join(f'/{command}' for command in commands)}."
