"""Slash commands: what can be typed in place of a message. One table for every front end and its help."""

from dataclasses import dataclass


@dataclass(frozen=True, slots=True, kw_only=True)
class Slash:
    name: str
    argument: str  # "" takes none; [..] may be left out
    does: str


SLASHES: tuple[Slash, ...] = tuple(
    Slash(name=name, argument=argument, does=does)
    for name, argument, does in (
        ("help", "", "These commands"),
        ("new", "", "New conversation"),
        ("sessions", "[WORDS]", "Conversations, newest first; with words only those named so"),
        ("open", "NUMBER|ID", "Open a conversation of the last list"),
        ("search", "WORDS", "Find words in every conversation"),
        ("rename", "TITLE", "Rename this conversation"),
        ("delete", "[NUMBER|ID]", "Delete a conversation, after a question; this one without a number"),
        ("show", "[NUMBER]", "The messages of this conversation, or one of them whole"),
        ("edit", "[NUMBER] TEXT", "Say your last message (or that one) differently, as another branch"),
        ("again", "[NUMBER]", "Another answer to your last message (or that one)"),
        ("branch", "[NUMBER] [next|previous]", "Show another alternative of a message"),
        ("why", "[NUMBER]", "Why this answer: context, model, speed"),
        ("context", "", "What the model has in front of it"),
        ("thoughts", "[NUMBER]", "What the model thought before it answered"),
        ("links", "[NUMBER]", "Links of an answer with their true targets"),
        ("copy", "[NUMBER]", "Copy an answer"),
        ("code", "[NUMBER]", "Copy a code block of the last answer"),
        ("export", "[FILE]", "Write this conversation as Markdown"),
        ("paste", "", "Take every line up to a line with only a full stop as one message"),
        ("model", "", "The model and where it runs"),
        ("quit", "", "End; everything is kept"),
    )
)
