"""The profile in the terminal UI: /profile export, import and undo. The data screen calls the same actions."""

import asyncio
from pathlib import Path
from typing import TYPE_CHECKING

from textual import work

from memory.errors import StoreError
from ui.errors import UiError
from ui.reminder_app import ReminderApp
from ui.screens.dialog import Choice, Offer, OneLine

if TYPE_CHECKING:
    from ui.profile_acts import Export, Format, Plan, ProfileActs

_FORMAT_WORDS: dict["Format", str] = {
    "json": "Steward's own JSON: whole, for another home of yours",
    "pam": "Portable AI Memory 1.0: for another assistant",
    "markdown": "Markdown: to read",
}


class ProfileApp(ReminderApp):
    @property
    def _profile(self) -> "ProfileActs":
        from ui.profile_wiring import acts_of

        acts = acts_of(self.desk.services)
        conversation = self.desk.conversation
        return acts.forgetful(conversation.preferences) if conversation.incognito else acts

    def action_profile(self, words: str = "") -> None:
        what, _, rest = words.strip().partition(" ")
        match what.lower():
            case "export":
                self.export_profile(rest.strip())
            case "import":
                self.import_profile(rest.strip())
            case "undo":
                self.undo_profile()
            case _:
                self._ask_profile()

    @work(group="profile", exclusive=True)
    async def _ask_profile(self) -> None:
        offers = (
            Offer(name="", words="Leave it"),
            Offer(name="export", words="Export: take what is known about you with you"),
            Offer(name="import", words="Import: bring it in from elsewhere, after a look at what changes"),
            Offer(name="undo", words="Undo the last import"),
        )
        answer = await self.push_screen_wait(Choice("Your profile", (), offers))
        if answer:
            self.action_profile(answer)

    # out

    @work(group="profile", exclusive=True)
    async def export_profile(self, words: str = "") -> None:
        """ "markdown sensitive encrypted FILE", each of which may be left out; what is left out is asked."""
        from ui.profile_acts import default_name
        from ui.profile_words import export_wish

        wish = export_wish(words)
        format = wish.format or await self._ask_format()
        if format is None:
            return
        try:
            export = await self._profile.export(format, everything=wish.everything)
            wanted = await self._ask_what(export)
            if wanted is None:
                return
            export, encrypted = wanted[0], wanted[1] or wish.encrypted
            name = default_name(format, encrypted=encrypted)
            path = wish.file or await self._line("Where to?", name, "The name of a file.")
            sealed = await self._sealed(export.text) if path and encrypted else None
            if path and (sealed is not None or not encrypted):
                await self._write(export, Path(path), sealed)
        except (UiError, StoreError) as error:
            self.say(f"{error.message} {error.hint}".rstrip(), "warning")

    async def _line(self, title: str, value: str, hint: str) -> str:
        return await self.push_screen_wait(OneLine(title, value, f"{hint} Enter takes it, Esc leaves it.")) or ""

    async def _ask_format(self) -> "Format | None":
        offers = [Offer(name=one, words=words) for one, words in _FORMAT_WORDS.items()]
        answer = await self.push_screen_wait(Choice("Export as what?", (), offers))
        return next((one for one in _FORMAT_WORDS if one == answer), None)

    async def _sealed(self, text: str) -> bytes | None:
        """Encrypted, after a passphrase was typed twice; None without one. Raises StoreError."""
        from memory.sealed import seal
        from ui.data_words import FORGOTTEN_PASSPHRASE
        from ui.screens.dialog import Secret

        first = await self.push_screen_wait(Secret("Passphrase", FORGOTTEN_PASSPHRASE))
        if not first:
            return None
        if await self.push_screen_wait(Secret("The passphrase once more", FORGOTTEN_PASSPHRASE)) != first:
            self.say("The two were not the same, so nothing was written.", "warning")
            return None
        self.say("Encrypting it, which takes some seconds ...")
        return await asyncio.to_thread(seal, text.encode(), first)

    async def _ask_what(self, export: "Export") -> "tuple[Export, bool] | None":
        """The preview by category; with everything only after a typed yes. And whether to encrypt it."""
        from ui.profile_words import ASK_EVERYTHING, export_lines

        lines = [line for line in export_lines(export) if not line.startswith("--")]
        offers = [
            Offer(name="leave", words="Leave it"),
            Offer(name="write", words="Write this"),
            Offer(name="seal", words="Write this encrypted, with a passphrase"),
        ]
        if not export.everything and any(reach != "secret" for reach, _ in export.shared.staying):
            offers.append(Offer(name="all", words="Put in what stays here as well"))
        if export.everything:
            typed = await self._line(ASK_EVERYTHING, "", " ".join(lines))
            if typed.strip().lower() != "yes":
                return None
        answer = await self.push_screen_wait(Choice("Export your profile", lines, offers))
        if answer == "all":
            return await self._ask_what(await self._profile.export(export.format, everything=True))
        return (export, answer == "seal") if answer in ("write", "seal") else None

    async def _write(self, export: "Export", path: Path, sealed: bytes | None) -> None:
        from ui.profile_acts import FileThere
        from ui.profile_words import written_line

        try:
            await self._profile.save(export, path, overwrite=False, sealed=sealed)
        except FileThere as error:
            offers = (Offer(name="leave", words="Leave it"), Offer(name="replace", words="Replace it"))
            if await self.push_screen_wait(Choice(error.message, (), offers)) != "replace":
                return
            await self._profile.save(export, path, overwrite=True, sealed=sealed)
        where = await asyncio.to_thread(path.absolute)  # where a program was started is soon forgotten
        self.say(f"{written_line(export, str(where))}{'' if sealed is None else ' Encrypted.'}")

    # in

    @work(group="profile", exclusive=True)
    async def import_profile(self, name: str = "") -> None:
        """The diff first; Enter on it takes it in."""
        from ui.profile_acts import read_file
        from ui.screens.profile_import import ProfileImport

        if self.desk.conversation.incognito:
            self.say("Nothing is kept in an incognito conversation; Ctrl+N begins one that is.", "warning")
            return
        path = name or await self._line("Import which file?", "", "The path of a file.")
        if not path:
            return
        try:
            content = await self._opened(await asyncio.to_thread(read_file, Path(path)))
            if content is None:
                return
            plan = await self._profile.look(content)
        except (UiError, StoreError) as error:
            self.say(f"{error.message} {error.hint}".rstrip(), "warning")
            return

        def take() -> None:
            self._take_profile(plan)

        await self.push_screen(ProfileImport(plan, take))

    async def _opened(self, content: bytes) -> bytes | None:
        """Decrypted, where it is encrypted; None when no passphrase was given. Raises StoreError."""
        from memory.sealed import is_sealed, unseal
        from ui.screens.dialog import Secret

        if not is_sealed(content):
            return content
        typed = await self.push_screen_wait(Secret("Passphrase of this file", "Esc leaves it."))
        return await asyncio.to_thread(unseal, content, typed) if typed else None

    @work(group="profile", exclusive=True)
    async def _take_profile(self, plan: "Plan") -> None:
        from ui.profile_words import taken_line

        try:
            taken = await self._profile.take_in(plan)
        except (UiError, StoreError) as error:
            self.say(f"{error.message} {error.hint}".rstrip(), "warning")
            return
        self.say(f"{taken_line(taken)} /profile undo takes it back.")
        self.refresh_memory()

    @work(group="profile", exclusive=True)
    async def undo_profile(self) -> None:
        from ui.profile_words import undone_line

        try:
            self.say(undone_line(await self._profile.undo()))
        except (UiError, StoreError) as error:
            self.say(f"{error.message} {error.hint}".rstrip(), "warning")
        self.refresh_memory()
