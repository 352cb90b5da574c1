"""Schema step 4: which messages are still to be read for what the user lets slip.

Only numbers are queued. A message that is deleted leaves the queue with it.
"""

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    import sqlite_utils

_TABLE = """
    CREATE TABLE learning(
      message_id INTEGER PRIMARY KEY REFERENCES message(id) ON DELETE CASCADE,
      queued_at TEXT NOT NULL
    ) STRICT
    """


def m004_learning(db: "sqlite_utils.Database") -> None:
    db.execute(_TABLE)
