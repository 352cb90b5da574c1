"""Schema step 9: the moment when a plan's day is over."""

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    import sqlite_utils


def m009_plans(db: "sqlite_utils.Database") -> None:
    """`plan.ends_at`."""
    db.execute("ALTER TABLE plan ADD COLUMN ends_at TEXT")
