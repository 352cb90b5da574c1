"""What encryption of the home means, in the words that every front end uses."""

from typing import Literal

How = Literal["keyring", "passphrase"]
BackupsTo = Literal["encrypt", "remove", "keep"]

ENCRYPT_WORDS = "encrypt my data"
DECRYPT_WORDS = "decrypt my data"
NOBODY = {
    "passphrase": (
        "Nobody can open it without the passphrase, we cannot either: there is no reset and no second key. "
        "Write it down."
    ),
    "keyring": (
        "The key goes into the keyring of this system. Nobody can open it without that keyring, we cannot either. For "
        "another machine, or a new one, keep a backup made with `steward backup --encrypt`."
    ),
}
COVERED = (
    "Covered: conversations, memories, reminders, tasks, notes, documents, decisions, drafts, backups. Not covered: "
    "settings, tool servers, models, and what you export."
)
COSTS = (
    "It costs some time at every start, and at the first answer: what the model has read is no longer kept on the disk."
)
OFFER = "Encrypt what is kept on this disk? You can do it later, too: steward encryption on"
WHOLE_DISK = "For a lost or stolen machine the encryption of the whole disk helps as well, and covers everything on it."
CHANGED = "Changed. Nothing else was written."
BACKUPS_TO: dict[BackupsTo, str] = {
    "keep": "Keep them as they are",
    "encrypt": "Encrypt them too",
    "remove": "Remove them",
}
TRACES = "A drive may hold traces of what was deleted until it writes over them."
IN_THE_CLEAR = "Anybody who has this disk or a copy of it can read it then."


def backups_left(number: int) -> str:
    """About those that are in the clear."""
    if number == 1:
        return "One backup is in the clear, and anybody who has the file can read it."
    return f"{number:,} backups are in the clear, and anybody who has the files can read them."
