"""What is kept: where and how much, backups, encryption, learning, taking out and bringing in, deleting everything."""

import asyncio
import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, ClassVar

from textual import on, work
from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.screen import Screen
from textual.widgets import OptionList
from textual.widgets.option_list import Option

from assistant.policies.cleaning import cut
from memory.backup_names import BackupFile
from memory.backups import Backups
from memory.errors import StoreError
from memory.home_files import HomeFile, files_of, goes
from memory.key_file import is_encrypted
from ui.actions import BY_NAME
from ui.checks.result import size
from ui.data_acts import ERASE_WORDS, erase_and_tell, look_into, restore_and_tell
from ui.data_words import FORGOTTEN_PASSPHRASE, backup_line, backup_words, erase_lines, places_of, preview_lines
from ui.desk import Desk
from ui.errors import UiError
from ui.keys import bindings
from ui.learning_acts import learning_words
from ui.lines import DIM, Look
from ui.rendering import content, one_line
from ui.screens.dialog import Choice, Offer, OneLine, Secret, new_passphrase
from ui.widgets.bars import Foot, Head

if TYPE_CHECKING:
    from ui.app import StewardApp


@dataclass(frozen=True, slots=True, kw_only=True)
class _Row:
    words: str
    backup: BackupFile | None = None
    act: str = ""  # of the screen


@dataclass(frozen=True, slots=True, kw_only=True)
class _Found:
    files: tuple[HomeFile, ...]
    backups: tuple[BackupFile, ...]
    places: Sequence[str]
    encrypted: bool


_FOOT = ("Esc closes", "Enter opens", "b back up", "e sealed", "c encryption", "l learning", "x delete")


class DataScreen(Screen[None]):
    BINDINGS: ClassVar[list[BindingType]] = [*bindings("data"), Binding("escape", "leave", "Close", show=False)]
    app: "StewardApp"

    def __init__(self, desk: Desk) -> None:
        super().__init__()
        self._desk = desk
        self._rows: tuple[_Row | None, ...] = ()  # None: a heading or a line to read

    def compose(self) -> ComposeResult:
        yield Head(id="data-head")
        yield OptionList(id="data-list", compact=True)
        yield Foot(id="data-foot")

    def on_mount(self) -> None:
        self._list.focus()
        self._foot()
        self._read()

    @property
    def _list(self) -> OptionList:
        return self.query_one("#data-list", OptionList)

    @work(exclusive=True, group="read")
    async def _read(self) -> None:
        await self._show()

    async def _show(self) -> None:
        try:
            found = await asyncio.to_thread(self._look)
        except StoreError as error:
            self._say(error.message, error.hint)
            return
        if self.query("#data-list"):
            self._put(found)

    def _look(self) -> _Found:
        home = self._desk.home
        files, backups = files_of(home), Backups(home).list()
        places = [
            f"{name:<9} {size(total):>9}  {one_line(str(where), 300)}" for name, where, total in places_of(home, files)
        ]
        return _Found(files=files, backups=backups, places=places, encrypted=is_encrypted(home))

    def _put(self, found: _Found) -> None:
        at, options = self._list.highlighted, self._list
        rows: list[_Row | None] = []
        options.clear_options()

        def part(name: str, lines: Sequence[_Row]) -> None:
            options.add_option(Option(content(name, "bold $accent"), disabled=True))
            rows.append(None)
            for row in lines:
                chosen = row.backup is not None or bool(row.act)
                words = cut(row.words, max(self.size.width - 6, 20))
                options.add_option(Option(content(f"  {words}"), disabled=not chosen))
                rows.append(row if chosen else None)

        part("Where it is", [_Row(words=words) for words in found.places])
        part("What can be done", self._acts(found.encrypted))
        kept = [_Row(words=backup_words(one), backup=one) for one in found.backups]
        part("Backups (Enter restores one)", kept or [_Row(words="none yet; b makes one")])
        self._rows = tuple(rows)
        first = next(number for number, row in enumerate(rows) if row is not None)
        options.highlighted = at if at is not None and at < len(rows) and rows[at] is not None else first
        self._head(found)

    def _acts(self, is_encrypted: bool) -> list[_Row]:
        encrypted = "What is kept is encrypted" if is_encrypted else "What is kept is not encrypted"
        learning = re.split("[:.]", learning_words(self._desk.services))[0]
        rows = [
            _Row(words="Back up now", act="backup"),
            _Row(words="Back up encrypted, with a passphrase", act="seal"),
            _Row(words=f"{learning}; change it", act="learning"),
        ]
        if "profile" in BY_NAME:
            rows.append(_Row(words="Take out what is known about you, or bring it in", act="profile"))
        rows.append(_Row(words=f"{encrypted}; change it", act="encryption"))
        rows.append(_Row(words="Delete everything ...", act="erase"))
        return rows

    def _head(self, found: _Found) -> None:
        total = sum(one.size for one in found.files)
        runs = [(" Your data", Look(bold=True)), (f"  {len(found.files):,} files, {size(total)}", DIM)]
        if open_ones := [one for one in found.files if not one.private]:
            runs.append((f"  {len(open_ones)} can be read by others", Look(tone="error", bold=True)))
        keeper = self._desk.services.keeper
        if keeper is not None and keeper.trouble is not None:
            runs.append(("  the daily backup fails", Look(tone="error", bold=True)))
            self._say(keeper.trouble.message, keeper.trouble.hint)
        self.query_one("#data-head", Head).show_runs(runs)

    def _foot(self) -> None:
        self.query_one("#data-foot", Foot).show_keys(_FOOT)

    def _say(self, message: str, hint: str = "") -> None:
        self.query_one("#data-foot", Foot).say(message, hint)

    # what can be done

    def action_leave(self) -> None:
        self.dismiss(None)

    @on(OptionList.OptionSelected)
    def selected(self, event: OptionList.OptionSelected) -> None:
        event.stop()
        row = self._rows[event.option_index]
        if row is None:
            return
        if row.backup is not None:
            self._restore(row.backup)
        else:
            acts: dict[str, Callable[[], object]] = {
                "backup": self.action_backup,
                "seal": self.action_seal,
                "learning": self.action_learning,
                "encryption": self.action_encryption,
                "profile": self.action_profile,
                "erase": self.action_erase,
            }
            acts[row.act]()

    @work(group="backup", exclusive=True)
    async def action_backup(self) -> None:
        await self._back_up(None)

    @work(group="backup", exclusive=True)
    async def action_seal(self) -> None:
        passphrase, why_not = await new_passphrase(self.app, FORGOTTEN_PASSPHRASE)
        if not passphrase:
            self._say(why_not)
            return
        await self._back_up(passphrase)

    async def _back_up(self, passphrase: str | None) -> None:
        self._say("Backing up ...")
        try:
            words = await self.app.back_up(passphrase=passphrase)
        except (StoreError, UiError) as error:
            self._say(error.message, error.hint)
            return
        await self._show()
        self._say(words)

    @work(group="learning", exclusive=True)
    async def action_learning(self) -> None:
        from ui.learning_acts import set_learning

        offers = (
            Offer(name="", words="Leave it as it is"),
            Offer(name="off", words="Pause: learn nothing from what I write"),
            Offer(name="on", words="Go on learning"),
            Offer(name="domain", words="Close a domain, or open it again"),
        )
        services = self._desk.services
        answer = await self.app.push_screen_wait(Choice("Learning", (learning_words(services),), offers))
        if answer == "domain":
            hint = "off health closes it, on health opens it. Esc leaves it."
            answer = await self.app.push_screen_wait(OneLine("Which domain", "off ", hint))
        if not answer or not answer.strip():
            return
        try:
            said = await asyncio.to_thread(set_learning, services, answer)
        except (StoreError, UiError) as error:
            self._say(error.message, error.hint)
            return
        self.app.chat.refresh_bars()
        await self._show()
        self._say(said)

    @work(group="encryption", exclusive=True)
    async def action_encryption(self) -> None:
        from ui.screens.encryption import encryption_wished

        try:
            act, said = await encryption_wished(self.app, self._desk)
        except (StoreError, UiError) as error:
            self._say(error.message, error.hint)
            return
        if act is not None:
            self.app.leave_for(act)
        elif said:
            self._say(said)

    @work(group="profile", exclusive=True)
    async def action_profile(self) -> None:
        app = self.app
        self.dismiss(None)
        await app.run_command(BY_NAME["profile"], "")

    @work(group="restore", exclusive=True)
    async def _restore(self, backup: BackupFile) -> None:
        passphrase = ""
        if backup.encrypted:
            typed = await self.app.push_screen_wait(Secret("Passphrase of this backup", "Esc leaves it."))
            if not typed:
                return
            passphrase = typed
        home, source = self._desk.home, Backups(self._desk.home).folder / backup.name
        try:
            found = await asyncio.to_thread(look_into, home, source, passphrase)
        except (StoreError, UiError) as error:
            self._say(error.message, error.hint)
            return
        offers = (Offer(name="", words="Leave it"), Offer(name="yes", words="Put the backup in its place"))
        text = (*preview_lines(found), "Steward closes for a moment and opens again.")
        if await self.app.push_screen_wait(Choice(f"Restore: {backup_line(backup)}", text, offers)):
            self.app.leave_for(lambda: restore_and_tell(home, source, passphrase))

    @work(group="erase", exclusive=True)
    async def action_erase(self) -> None:
        home = self._desk.home
        files = await asyncio.to_thread(files_of, home)
        offers = (
            Offer(name="", words="Leave everything as it is"),
            Offer(name="data", words="Delete everything but the models"),
            Offer(name="models", words="Delete everything and the models"),
        )
        going = [one for one in files if goes(one, models=False)]
        answer = await self.app.push_screen_wait(Choice("Delete everything?", tuple(erase_lines(home, going)), offers))
        if not answer:
            return
        hint = f'Type "{ERASE_WORDS}" and press Enter. Steward ends then. Esc leaves everything as it is.'
        typed = await self.app.push_screen_wait(OneLine("There is no undo", "", hint))
        if typed is None or typed.strip() != ERASE_WORDS:
            self._say("Nothing was deleted.")
            return
        self.app.leave_for(lambda: erase_and_tell(home, models=answer == "models"))
