"""Every key of the terminal UI, in one table: bindings, help screen, docs/keys.md and [ui.keys] come from it."""

from collections.abc import Collection, Mapping
from dataclasses import dataclass
from difflib import get_close_matches
from typing import Literal

from textual.binding import Binding

from ui.errors import ConfigError

Place = Literal[
    "everywhere",
    "prompt",
    "messages",
    "sessions",
    "memory",
    "reminders",
    "suggestions",
    "suggestion settings",
    "decision",
    "decisions",
    "plans",
    "data",
    "profile",
    "text",
]

PLACES: Mapping[Place, str] = {
    "everywhere": "Everywhere",
    "prompt": "While writing",
    "messages": "On a message (Tab or click goes there, Esc comes back)",
    "sessions": "In the list of conversations",
    "memory": "On the memory screen",
    "reminders": "On the reminders screen",
    "suggestions": "On the suggestions screen",
    "suggestion settings": "Where it is set when Steward speaks first",
    "decision": "On the card of a decision (F11 goes there, Esc back to writing)",
    "decisions": "In the list of decisions",
    "plans": "On the page of a plan",
    "data": "On the data screen",
    "profile": "On the page of what an import would change",
    "text": "In a long text",
}


@dataclass(frozen=True, slots=True, kw_only=True)
class Key:
    """`name` is what [ui.keys] calls it; `action` is Textual's."""

    name: str
    keys: str
    action: str
    label: str
    place: Place
    priority: bool = False


def _keys(place: Place, *rows: tuple[str, str, str, str], priority: bool = False) -> tuple[Key, ...]:
    return tuple(
        Key(name=name, keys=keys, action=action, label=label, place=place, priority=priority)
        for name, keys, action, label in rows
    )


KEYS: tuple[Key, ...] = (
    *_keys(
        "everywhere",
        ("help", "f1", "app.help", "Help: the keys of what is open, then every key and command"),
        ("palette", "ctrl+p", "app.command_palette", "Commands, found by typing"),
        ("sessions", "f2", "app.sessions", "Conversations: open, search, rename, export, delete"),
        ("new-session", "ctrl+n", "app.new_session", "New conversation"),
        ("context", "f3", "app.context", "What the model has in front of it"),
        ("theme", "f4", "app.next_theme", "Next theme: dark, light, high contrast"),
        ("models", "f5", "app.models", "Models: what is loaded, choose another, fetch one"),
        ("memory", "f7", "app.memory", "Memory: what is remembered about you; correct it, forget it"),
        ("retry", "f6", "app.retry", "Ask again: another answer to the last message"),
        ("reminders", "f10,alt+r", "app.reminders", "Agenda: reminders, events, tasks; today, this week, later"),
        ("decisions", "f11,alt+a", "app.decisions", "What waits for your decision: its card, then the list"),
        ("plans", "alt+p", "app.plans", "Plans: their steps, where they are; stop, go on, take back"),
        ("data", "f12,alt+k", "app.data", "Your data: where it is, backups, restore, learning, delete"),
        ("suggestions", "alt+s", "app.suggestions", "What Steward says first: what waits, why, settings"),
        ("suggestion-yes", "alt+y", "app.suggestion_yes", "The suggestion that is shown is useful; yes, where it asks"),
        ("suggestion-no", "alt+n", "app.suggestion_no", "It is not, and what was wrong; no, where it asks"),
        ("suggestion-why", "alt+w", "app.suggestion_why", "Why it comes now"),
        ("due-done", "alt+d", "app.due_done", "The reminder that is shown is done"),
        ("due-snooze", "alt+l", "app.due_snooze", "Show that reminder again later"),
        ("mouse", "f8", "app.toggle_mouse", "Release the mouse to the terminal, and take it back"),
        (
            "terminal-copy",
            "f9",
            "app.terminal_copy",
            "Copy what was copied last through the terminal (OSC 52), for SSH",
        ),
        ("interrupt", "ctrl+c", "app.interrupt", "Copy what is selected; else stop the answer; pressed again: quit"),
        ("quit", "ctrl+q", "app.quit", "Quit; what you were writing is kept"),
        priority=True,
    ),
    *_keys(
        "everywhere",
        ("help-here", "question_mark", "app.help", "The same help, also in an empty prompt; in a text it is a letter"),
        ("stop", "escape", "screen.back", "Stop the answer; else leave what is open"),
        ("page-up", "pageup", "screen.page(-1)", "Scroll up"),
        ("page-down", "pagedown", "screen.page(1)", "Scroll down"),
        ("end", "ctrl+end", "screen.to_end", "Go to the end and follow the answer"),
    ),
    *_keys(
        "prompt",
        ("send", "enter", "send", "Send"),
        ("newline", "ctrl+j,alt+enter,shift+enter", "newline", "Line break"),
        ("older", "ctrl+up", "older", "Earlier message of yours (also Up on the first line)"),
        ("newer", "ctrl+down", "newer", "Later message of yours (also Down on the last line)"),
        ("editor", "ctrl+g", "editor", "Write in $VISUAL or $EDITOR"),
        ("unfold", "ctrl+o", "unfold", "Put a folded paste into the text"),
        ("messages", "tab", "messages", "Go to the messages, or take the marked command"),
    ),
    *_keys(
        "messages",
        ("up", "up,k", "mark(-1)", "Message before"),
        ("down", "down,j", "mark(1)", "Message after"),
        ("copy", "y", "wish('copy')", "Copy the message"),
        ("copy-code", "c", "wish('copy-code')", "Copy a code block"),
        ("edit", "e", "wish('edit')", "Edit and send again, as another branch"),
        ("regenerate", "r", "wish('regenerate')", "Another answer"),
        ("branch", "b", "wish('branch')", "Go on differently from here"),
        ("previous", "left,less_than_sign", "wish('previous')", "Alternative before (2/3 becomes 1/3)"),
        ("next", "right,greater_than_sign", "wish('next')", "Alternative after"),
        ("why", "w", "wish('why')", "Why this answer: memory, context, model, speed"),
        ("undo-saved", "u", "wish('undo')", "Take back what this message had saved about you"),
        ("open", "o", "wish('open')", "Whole text, unfolded"),
        ("thoughts", "t", "wish('thoughts')", "Unfold or fold the model's thoughts"),
        ("links", "l", "wish('links')", "Links of the message"),
        ("first", "home,g", "first", "First message"),
        ("last", "end,G", "last", "Last message, and follow the answer"),
        ("write", "enter,i", "wish('write')", "Back to writing"),
    ),
    *_keys(
        "sessions",
        ("open-session", "enter", "open", "Open"),
        ("rename", "ctrl+r", "rename", "Rename"),
        ("export", "ctrl+e", "export", "Export as Markdown"),
        ("delete", "ctrl+d", "delete", "Delete, after a question"),
        priority=True,
    ),
    *_keys(
        "memory",
        ("memory-open", "enter", "open", "Open the conversation where it was said"),
        ("memory-confirm", "ctrl+y", "confirm", "Yes, it is so"),
        ("memory-edit", "ctrl+e", "edit", "Write it differently"),
        ("memory-pin", "ctrl+t", "pin", "Pin it, or take the pin back"),
        ("memory-scope", "ctrl+s", "scope", "Where it holds"),
        ("memory-merge", "ctrl+g", "merge", "Say that another one is the same"),
        ("memory-forget", "ctrl+d", "forget", "Forget it for good, after showing what goes"),
        ("memory-undo", "ctrl+z", "undo", "Undo the last change"),
        ("memory-review", "ctrl+r", "review", "Decide about what was noticed, contradictory or old"),
        ("memory-narrow", "ctrl+f", "narrow", "Show only one status, domain or source"),
        ("memory-why-up", "shift+up", "scroll_why(-1)", "Scroll the reasons up"),
        ("memory-why-down", "shift+down", "scroll_why(1)", "Scroll the reasons down"),
        priority=True,
    ),
    *_keys(
        "reminders",
        ("reminder-done", "enter,d", "done", "Done: this time, or for good"),
        ("reminder-snooze", "s", "snooze", "Snooze, for a time you say"),
        ("reminder-edit", "e", "edit", "Other words, another time, or both"),
        ("reminder-new", "n", "new", "A new reminder"),
        ("reminder-delete", "x,delete", "delete", "Delete"),
        ("reminder-undo", "u,ctrl+z", "undo", "Undo the last change"),
        priority=True,
    ),
    *_keys(
        "suggestions",
        ("suggestion-useful", "y", "rate('y')", "Useful"),
        ("suggestion-not", "n", "rate('n')", "Not useful; t, r, f or s after it says what was wrong"),
        ("suggestion-time", "t", "rate('t')", "A bad time"),
        ("suggestion-topic", "r", "rate('r')", "Not relevant"),
        ("suggestion-often", "f", "rate('f')", "Too often"),
        ("suggestion-style", "s", "rate('s')", "Not how I like it said"),
        ("suggestion-later", "z", "rate('z')", "Again later"),
        ("suggestion-mute", "m", "rate('m')", "Nothing more about this topic"),
        ("suggestion-done", "d", "rate('d')", "It is done"),
        ("suggestion-reasons", "w", "why", "Why it came, and what was held back (also Enter)"),
        ("suggestion-preview", "v", "preview", "What would be said at another time"),
        ("suggestion-settings", "o", "settings", "When, how often, rules, what was learned"),
        priority=True,
    ),
    *_keys(
        "suggestion settings",
        ("rule-add", "a", "add_rule", "A rule in your own words"),
        ("rule-remove", "x,delete", "remove_rule", "Take the marked rule back"),
        ("learned-reset", "r", "reset", "Forget what was learned, after a question"),
        priority=True,
    ),
    *_keys(
        "profile",
        ("profile-take", "enter", "take", "Take it in"),
        priority=True,
    ),
    *_keys(
        "decision",
        ("decision-1", "1", "mark('1')", "Mark the first option; Enter answers"),
        ("decision-2", "2", "mark('2')", "Mark the second"),
        ("decision-3", "3", "mark('3')", "Mark the third"),
        ("decision-4", "4", "mark('4')", "Mark the fourth"),
        ("decision-answer", "enter", "answer", "Answer with what is marked"),
        ("decision-other", "o", "wanted('other')", "Answer in your own words, or fill in a form"),
        ("decision-you-decide", "u", "mark('u')", "Mark: you decide (only what can be taken back)"),
        ("decision-why", "w", "wanted('why')", "Why it is asked, and everything about it"),
        ("decision-later", "l", "wanted('later')", "Later: it stays in the list"),
        ("decision-needless", "n", "wanted('needless')", "That question was not needed: ask such things less"),
        ("decision-always", "a", "wanted('always')", "Always allow, narrowly, after a second question"),
        ("decision-stop", "x", "mark('x')", "Mark: stop it; nothing of it happens"),
        ("decision-list", "i", "wanted('list')", "All decisions"),
        ("decision-up", "up", "scroll(-1)", "Scroll up"),
        ("decision-down", "down", "scroll(1)", "Scroll down"),
    ),
    *_keys(
        "decisions",
        ("decisions-answer", "enter", "answer", "Answer it: goes to its card"),
        ("decisions-whole", "w", "whole", "Everything about it"),
        ("decisions-prices", "p", "prices", "What questions cost you by now"),
        ("decisions-reset", "r", "reset", "Forget what was learned about asking, after a question"),
        ("decisions-grants", "g", "grants", "Standing permissions: see them, take one back"),
        priority=True,
    ),
    *_keys(
        "plans",
        ("plan-stop", "s", "act('stop')", "Stop it; what is done stays"),
        ("plan-resume", "g", "act('resume')", "Go on"),
        ("plan-undo", "u", "act('undo')", "Take back all that it changed"),
        ("plan-next", "n", "turn(1)", "Next plan, an older one"),
        ("plan-before", "p", "turn(-1)", "Plan before"),
        priority=True,
    ),
    *_keys(
        "data",
        ("data-backup", "b", "backup", "Back up now"),
        ("data-encrypted", "e", "seal", "Back up encrypted, with a passphrase"),
        ("data-encryption", "c", "encryption", "Encrypt what is kept, change its key, or decrypt it"),
        ("data-learning", "l", "learning", "Pause learning, or close a domain to it"),
        ("data-delete", "x", "erase", "Delete everything, after typing words"),
        priority=True,
    ),
    *_keys(
        "text",
        ("copy-text", "y", "copy", "Copy all of it"),
    ),
)


def bindings(place: Place) -> list[Binding]:
    """The default bindings of a place; Textual replaces their keys by those of [ui.keys]."""
    return [
        Binding(key.keys, key.action, key.label, id=key.name, show=False, priority=key.priority)
        for key in KEYS
        if key.place == place
    ]


def place_of(names: Collection[str | None]) -> Place | None:
    """What these bindings are of, where it is more than what works everywhere."""
    return next((key.place for key in KEYS if key.name in names and key.place not in ("everywhere", "text")), None)


def check(own: Mapping[str, str]) -> None:
    """Raises ConfigError for a name that is no key, or a key that is empty."""
    names = [key.name for key in KEYS]
    for name, keys in own.items():
        if name not in names:
            near = get_close_matches(name, names, n=1)
            hint = f"Did you mean {near[0]}?" if near else f"Names: {', '.join(names)}"
            raise ConfigError(f"ui.keys: there is no action {name!r}", hint)
        if not all(part.strip() for part in keys.split(",")):
            raise ConfigError(f"ui.keys.{name} names no key", 'Write a key such as "ctrl+s" or "f5".')


def shown(keys: str) -> str:
    """Keys as people write them: "ctrl+j,alt+enter" is "Ctrl+J, Alt+Enter"; a lone letter stays as it is."""
    return ", ".join(_one(key.strip()) for key in keys.split(","))


_NAMES = {
    "escape": "Esc",
    "pageup": "PageUp",
    "pagedown": "PageDown",
    "less_than_sign": "<",
    "greater_than_sign": ">",
    "question_mark": "?",
}


def _one(key: str) -> str:
    *modifiers, last = key.split("+")
    if last in _NAMES:
        last = _NAMES[last]
    elif modifiers or len(last) > 1:
        last = last.capitalize()
    return "+".join([*(modifier.capitalize() for modifier in modifiers), last])


def with_own(own: Mapping[str, str]) -> tuple[Key, ...]:
    """The table with the user's own keys in it."""
    return tuple(
        Key(
            name=key.name,
            keys=own.get(key.name, key.keys),
            action=key.action,
            label=key.label,
            place=key.place,
            priority=key.priority,
        )
        for key in KEYS
    )


def as_markdown() -> str:
    """docs/keys.md."""
    parts = [
        "# Keys",
        "",
        "Generated from `ui/keys.py` (`python -m tests.support.keys_page`). Change a key in `config.toml`:",
        "",
        "```toml",
        "[ui.keys]",
        'sessions = "ctrl+s"',
        'newline = "ctrl+j,f9"',
        "```",
        "",
        "Keys are written as in the table's second column, several with commas between.",
    ]
    for place, title in PLACES.items():
        parts += ["", f"## {title}", "", "| key | in config.toml | name | what it does |", "|---|---|---|---|"]
        parts += [
            f"| {_escaped(shown(key.keys))} | `{key.keys}` | `{key.name}` | {key.label} |"
            for key in KEYS
            if key.place == place
        ]
    return "\n".join([*parts, ""])


def _escaped(text: str) -> str:
    return text.replace("<", "&lt;").replace(">", "&gt;").replace("|", "\\|")
