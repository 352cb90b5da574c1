"""`steward doctor --repair`: what can be put right without losing anything is put right; the rest is offered."""

from collections.abc import Callable
from datetime import datetime

from memory.backup_names import BEFORE_REPAIR
from memory.backups import Backups
from memory.data_dir import Home
from memory.errors import StoreDamaged
from memory.key_file import key_of
from memory.sqlite_health import Health, look_over_now
from memory.sqlite_mend import full_text_is_whole, mend
from ui.data_acts import restore_now
from ui.data_words import contents_words
from ui.handover import take_home
from ui.rescue import Choose, carry_out, look_for_help

Say = Callable[[str], None]


def repair(home: Home, at: datetime, choose: Choose, say: Say) -> bool:
    """Whether nothing is left broken. Blocks. Raises HomeInUse, HomeUnusable, StoreFull, SchemaTooNew."""
    home.make()
    say("Folders and files are readable only by you.")
    try:
        found = look_over_now(home.database, key_of(home))
    except StoreDamaged as error:
        say(error.message)
        return carry_out(home, look_for_help(home, at), choose, say)
    if found is None:
        say("There is no history yet, so there is nothing to repair.")
        return True
    if found.findings:
        return _repair_damage(home, at, found, choose, say)
    with take_home(home, what="repair", at=at):
        if found.broken_references or found.unindexed or not full_text_is_whole(home.database, key_of(home)):
            _repair_content(home, at, say)
        else:
            say(f"The history is whole: {found.sessions:,} conversations, {found.messages:,} messages.")
    return True


def _repair_content(home: Home, at: datetime, say: Say) -> None:
    kept, _ = Backups(home).make(BEFORE_REPAIR, at)
    done = mend(home.database, key_of(home))
    say(f"What was there before is kept: {kept}")
    if done.references:
        say(f"{done.references:,} rows pointed to rows that are not there; they were mended.")
    say(f"{done.indexes} full-text indexes were written anew.")


def _repair_damage(home: Home, at: datetime, found: Health, choose: Choose, say: Say) -> bool:
    """The file opens, and parts of it are damaged. If every row is there, the rest is made anew."""
    say(f"The history is damaged: {found.findings[0][:200]}")
    offers = look_for_help(home, at)
    saved = offers.salvaged
    if saved is not None and not saved.lost_rows and not saved.bad_pages and not saved.mended:
        say(f"Every row can be read: {contents_words(saved.contents)}. Only what is made from them was damaged.")
        done = restore_now(home, saved.path, at)
        say(f"It was written anew. The damaged file is kept: {done.aside}")
        return True
    return carry_out(home, offers, choose, say)
