"""Commands of the full screen, typed as /name or found in the palette. Line mode has the same names where it has the
same thing (ui/plain_commands.py); a test compares them.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from difflib import get_close_matches


@dataclass(frozen=True, slots=True, kw_only=True)
class ScreenCommand:
    """`action` is the app's; `takes` names what may be typed after the name, in brackets when it may be left out."""

    name: str
    takes: str
    label: str
    action: str


COMMANDS: tuple[ScreenCommand, ...] = tuple(
    ScreenCommand(name=name, takes=takes, label=label, action=action)
    for name, takes, label, action in (
        ("new", "", "New conversation", "new_session"),
        ("sessions", "[WORDS]", "Conversations: open, search, rename, export, delete", "sessions"),
        ("search", "WORDS", "Find words in every conversation", "sessions"),
        ("rename", "TITLE", "Give this conversation a title", "rename_session"),
        ("export", "[FILE]", "Write this conversation as Markdown", "export_session"),
        ("delete", "", "Delete this conversation, after a question", "delete_session"),
        ("again", "", "Another answer to the last message", "retry"),
        ("edit", "", "Say your last message differently, as another branch", "wish_last('edit')"),
        ("branch", "[previous]", "Show another alternative of the last answer", "branch"),
        ("why", "", "Why the last answer: memory, context, model, speed", "wish_last('why')"),
        ("context", "", "What the model has in front of it, and what was left out", "context"),
        ("show", "", "The whole text of the last answer", "wish_last('open')"),
        ("thoughts", "", "Unfold or fold what the model thought", "wish_last('thoughts')"),
        ("links", "", "Links of the last answer", "wish_last('links')"),
        ("copy", "", "Copy the last answer", "wish_last('copy')"),
        ("code", "", "Copy a code block of the last answer", "wish_last('copy-code')"),
        ("incognito", "", "New conversation that is not kept", "incognito"),
        ("import", "[FILE|stop|learn]", "Bring in what you said to ChatGPT or Claude", "import"),
        ("memory", "[WORDS]", "What is remembered about you: see, correct, forget", "memory"),
        ("remember", "TEXT", "Keep something about you, in your own words", "remember"),
        ("forget", "WORDS", "Erase a memory for good, after showing what goes", "forget"),
        ("undo", "[CHANGE]", "Take back what was last done or remembered", "undo_memory"),
        ("review", "", "Decide about what was noticed, contradictory or old", "review_memory"),
        ("remind", "TEXT", "Remind me: call mum on Sunday at 6pm", "remind"),
        ("reminders", "", "Agenda: what waits, today, this week, later; done, snooze, delete", "reminders"),
        ("suggestions", "[ACT]", "What Steward says first: answer, why, preview, rules, settings", "suggestions"),
        ("calendar", "[DAY|ACT]", "Your calendar: what takes place; add, import, export, delete, undo", "calendar"),
        ("tasks", "[ACT]", "What you have to do; add, done, edit, delete, undo", "tasks"),
        ("notes", "[ACT]", "Your notes; add, show, search, edit, delete, undo", "notes"),
        ("documents", "[ACT]", "Your documents; add, search with citations, remove", "documents"),
        ("tools", "[ACT]", "What Steward can do, MCP servers and permissions; add, approve, remove", "tools"),
        ("done", "", "The reminder that is shown is done", "due_done"),
        ("snooze", "[FOR]", "Show that reminder again later: an hour, tomorrow at 9", "due_snooze"),
        (
            "decisions",
            "[prices|reset]",
            "What waits for your decision, what was decided, what questions cost",
            "decisions_list",
        ),
        ("decide", "ID [ANSWER]", "Answer a decision; without an answer its card is shown", "decide"),
        ("plan", "TEXT", "Make a plan of several things, and go through it step by step", "plan"),
        ("plans", "[ACT] [ID]", "Plans: their steps, where they are; stop, resume, undo", "plans"),
        ("profile", "[export|import|undo]", "Take what is known about you out, or bring it in", "profile"),
        ("nolearn", "", "New conversation that nothing is learned from", "nolearn"),
        ("model", "", "The model: what is loaded, choose another, fetch one", "models"),
        ("theme", "[NAME]", "Theme: dark, light or high-contrast", "choose_theme"),
        ("mouse", "", "Release the mouse to the terminal, or take it back", "toggle_mouse"),
        ("data", "", "What is kept: where, backups, restore, learning, delete everything", "data"),
        ("encryption", "", "Encrypt what is kept, change its key, or decrypt it", "data"),
        ("backup", "[FILE]", "Back up everything that is kept", "backup"),
        ("backups", "", "Backups: make one, restore one", "data"),
        ("restore", "", "Put a backup in the place of what is kept, after a preview", "data"),
        ("learning", "[on|off [DOMAIN]]", "Pause learning, or close a domain to it", "learning"),
        ("delete-everything", "", "Delete all that is kept, after typing words", "data"),
        ("where", "", "Where Steward keeps its files", "where"),
        ("help", "", "Every key and command", "help"),
        ("quit", "", "Quit; what you were writing is kept", "quit"),
    )
)
BY_NAME = {command.name: command for command in COMMANDS}


def matching(text: str) -> Sequence[ScreenCommand]:
    """The commands that a beginning "/re" may become; none once there is a space or a second line."""
    if not text.startswith("/") or any(character in text for character in " \n\t"):
        return ()
    begun = text[1:].lower()
    return tuple(command for command in COMMANDS if command.name.startswith(begun))


def nearest(name: str) -> str:
    """A command that `name` may have meant, or ""."""
    near = get_close_matches(name, BY_NAME, n=1)
    return near[0] if near else ""
