"""Taking a profile out, looking at one, taking it in and undoing that: the same acts for the command line, line mode
and the screens. Each method says in its result what a front end shows before it goes on.
"""

import asyncio
import json
import os
import stat
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path
from typing import Any, Literal

from assistant.policies.cleaning import clean
from assistant.policies.imported import Gate, proposals_of
from assistant.policies.language import Language
from assistant.policies.sharing import Shared, Sharing
from assistant.ports import Clock
from memory.changes import EntryId, HistoryEntry
from memory.data_dir import Home, atomic_write, make_private_folder
from memory.errors import ChangeRefused, NotFound, StoreError
from memory.home_key import WrongKey, opened_with, sealed_for
from memory.key_file import key_of
from memory.portable import markdown, own_json, pam
from memory.portable.difference import Difference, Proposal, compare_own, compare_proposals
from memory.portable.drafts import Draft, Foreign
from memory.portable.own_json import Refused
from memory.portable.sections import Json, ProfileSection, SectionRefused
from memory.portable.text_in import MOST_BYTES, Unreadable
from memory.preference_store import PreferenceStore
from memory.preferences import Candidate, Evidence, Item
from ui.errors import UiError
from ui.memory_typed import AS_IT_IS, edited
from ui.profile_reading import read_profile
from ui.wiring import load_language

Format = Literal["json", "pam", "markdown"]
FORMATS: tuple[Format, ...] = ("json", "pam", "markdown")
SUFFIX: Mapping[Format, str] = {"json": ".json", "pam": ".pam.json", "markdown": ".md"}


@dataclass(frozen=True, slots=True, kw_only=True)
class SectionShare:
    title: str
    points: int
    goes: bool


@dataclass(frozen=True, slots=True, kw_only=True)
class Export:
    """A document, not yet written, and what is in it and what is not."""

    format: Format
    everything: bool
    text: str
    shared: Shared
    sections: tuple[SectionShare, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class SectionChange:
    """`value` takes the place of `before`; `added` and `gone` are its points in words."""

    section: ProfileSection
    value: Json
    before: Json
    added: tuple[str, ...]
    gone: tuple[str, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class Plan:
    """What an import would do. Nothing is stored yet. `broken`: what was wrong with the file as a whole."""

    kind: str
    difference: Difference
    sections: tuple[SectionChange, ...] = ()
    notes: tuple[str, ...] = ()

    @property
    def empty(self) -> bool:
        return self.difference.parcel.empty and not self.sections


@dataclass(frozen=True, slots=True, kw_only=True)
class Taken:
    """`entry` is the change of memory; None when only something else came."""

    memories: int
    entry: EntryId | None
    sections: tuple[str, ...]
    backup: Path | None = None  # of what was here before; None when nothing was


class ProfileActs:
    """Raises UiError for what cannot be done, StoreError for the store's refusals. `home` None: nothing is kept of how
    to undo an import but the change of memory."""

    def __init__(
        self, store: PreferenceStore, clock: Clock, home: Home | None = None, sections: Sequence[ProfileSection] = ()
    ) -> None:
        self._store = store
        self._clock = clock
        self._home = home
        self._sections = tuple(sections)

    def forgetful(self, store: PreferenceStore) -> "ProfileActs":
        """Over what an incognito conversation knows, and nothing else."""
        return ProfileActs(store, self._clock)

    # --- out ---

    async def export(self, format: Format, *, everything: bool) -> Export:
        snapshot = await self._store.snapshot()
        language = await self._language()
        sharing = Sharing(language=language, everything=everything)
        shared = await asyncio.to_thread(sharing.share, snapshot)
        values = {one.name: await one.dump() for one in self._sections}
        going = {one.name: sharing.value(values[one.name]) for one in self._sections if everything or not one.private}
        text = await asyncio.to_thread(self._written, format, shared, going, everything)
        sections = tuple(
            SectionShare(title=one.title, points=len(one.lines(values[one.name])), goes=one.name in going)
            for one in self._sections
            if values[one.name] is not None
        )
        return Export(format=format, everything=everything, text=text, shared=shared, sections=sections)

    def _written(self, format: Format, shared: Shared, values: Mapping[str, Json], everything: bool) -> str:
        match format:
            case "json":
                return own_json.write(shared.snapshot, values, everything=everything)
            case "pam":
                return pam.write(shared.snapshot.items)
            case "markdown":
                others = [(one.title, one.lines(values[one.name])) for one in self._sections if one.name in values]
                return markdown.write(shared.snapshot.items, others)

    async def save(self, export: Export, path: Path, *, overwrite: bool, sealed: bytes | None = None) -> None:
        """The text, or `sealed`, what it was encrypted to. Private (0600), whole or not at all. Raises UiError when it
        is there and may not be written over."""
        await asyncio.to_thread(_save, path, export.text.encode() if sealed is None else sealed, overwrite)

    # --- in ---

    async def look(self, content: bytes) -> Plan:
        """What is in a file, compared with what is here."""
        language = await self._language()
        here = await self._store.snapshot()
        try:
            read = await asyncio.to_thread(read_profile, content)
        except Unreadable as error:
            raise UiError(error.message, error.hint) from error
        now, gate = self._clock.now(), Gate(language=language)
        if isinstance(read.document, own_json.OwnProfile):
            reason = "from a profile of Steward's"
            own = await asyncio.to_thread(compare_own, here, read.document, gate.unfit, now, reason=reason)
            changes, notes = await self._section_changes(read.document.others or {})
            return Plan(kind=read.kind, difference=own, sections=changes, notes=(*read.notes, *notes))
        known = {item.id: item for item in here.items}
        proposals, refused = await asyncio.to_thread(self._proposals, read.document, known, language)
        difference = await asyncio.to_thread(
            compare_proposals, here, proposals, refused, now, reason=f"from {read.kind}"
        )
        return Plan(kind=read.kind, difference=difference, notes=read.notes)

    def _proposals(
        self, foreign: Foreign, known: Mapping[Any, Item], language: Language
    ) -> tuple[list[Proposal], list[Refused]]:
        found: list[Proposal] = []
        refused = list(foreign.refused)
        now = self._clock.now()
        for draft in foreign.drafts:
            old = known.get(draft.id) if foreign.ours else None
            if old is not None and draft.statement == " ".join(old.preference.statement.split()):
                found.append(_unchanged(draft, old))
                continue
            understood = proposals_of(draft, language, now)
            if isinstance(understood, Refused):
                refused.append(understood)
                continue
            found += understood if old is None else (_edited(understood[0], old, language, refused),)
        return found, refused

    async def _section_changes(self, values: Mapping[str, Json]) -> tuple[tuple[SectionChange, ...], tuple[str, ...]]:
        changes: list[SectionChange] = []
        notes: list[str] = []
        by_name = {one.name: one for one in self._sections}
        for name, value in values.items():
            section = by_name.get(name)
            if section is None:
                notes.append(f"The section {clean(name)[:40]} is not known here and is left out.")
                continue
            try:
                checked = section.check(value)
            except SectionRefused as error:
                notes.append(f"{section.title}: left out, {error}.")
                continue
            mine, then = await section.dump(), await section.merged(checked)
            if then != mine:
                changes.append(_section_change(section, mine, then))
        return tuple(changes), tuple(notes)

    async def take_in(self, plan: Plan) -> Taken:
        """Do what the plan says. One undo takes all of it back."""
        now = self._clock.now()
        if self._home is not None:
            await asyncio.to_thread(make_private_folder, self._home.state)
        parcel = plan.difference.parcel
        own = plan.difference.own or any(line.verdict == "changed" for line in plan.difference.lines)
        backup = None if self._home is None else await asyncio.to_thread(_back_up, self._home, now)
        entry = await self._store.take_in(parcel, actor="user" if own else "import", at=now)
        before = {change.section.name: change.before for change in plan.sections}
        if self._home is not None and (entry is not None or before):  # first, so that undo works whatever comes
            number = None if entry is None else entry.id
            record = json.dumps({"entry": number, "sections": before}, ensure_ascii=False)
            await asyncio.to_thread(_keep_record, self._home, record.encode())
        await self._load_sections(plan.sections, entry)
        return Taken(
            memories=0 if entry is None else len(entry.deltas),
            entry=None if entry is None else entry.id,
            sections=tuple(change.section.title for change in plan.sections),
            backup=backup,
        )

    async def _load_sections(self, changes: Sequence[SectionChange], entry: HistoryEntry | None) -> None:
        """All of them, or everything of this import is taken back. Raises UiError."""
        now = self._clock.now()
        loaded: list[SectionChange] = []
        for change in changes:
            try:
                await change.section.load(change.value, at=now)
                loaded.append(change)
            except StoreError as error:
                what = f"{change.section.title} could not be taken in: {error.message}"
                try:
                    for one in reversed(loaded):
                        await one.section.load(one.before, at=now)
                    if entry is not None:
                        await self._store.undo(entry.id, at=now)
                except StoreError as second:
                    hint = "Part of the import is here. One step takes it back: steward profile undo"
                    raise UiError(what, hint) from second
                if self._home is not None:
                    await asyncio.to_thread(_record_of(self._home).unlink, missing_ok=True)
                raise UiError(f"{what} Nothing of the import was kept.", error.hint) from error

    async def undo(self) -> Taken:
        """The last import of this home. Raises UiError when there is none, or memory has changed too much since."""
        if self._home is None:
            raise UiError("There is no import to undo.", "/undo takes back the last change of memory.")
        path = _record_of(self._home)
        record = await asyncio.to_thread(_read_record, self._home)
        if record is None:
            raise UiError("There is no import to undo.", "See: steward memory history")
        now = self._clock.now()
        number, before = record
        memories = 0
        if number is not None:
            try:
                memories = len((await self._store.undo(EntryId(number), at=now)).deltas)
            except (ChangeRefused, NotFound) as error:
                raise UiError(f"The import cannot be undone: {error.message}", error.hint) from error
        loaded = []
        for section in self._sections:
            if section.name in before:
                await section.load(before[section.name], at=now)
                loaded.append(section.title)
        await asyncio.to_thread(path.unlink, missing_ok=True)
        entry = None if number is None else EntryId(number)
        return Taken(memories=memories, entry=entry, sections=tuple(loaded))

    async def _language(self) -> Language:
        return await asyncio.to_thread(load_language)


def _unchanged(draft: Draft, old: Item) -> Proposal:
    """The line of a memory that is here, in the same words."""
    one = old.preference
    candidate = Candidate(
        statement=draft.statement,
        kind=one.kind,
        domain=one.domain,
        slot=one.slot,
        source="imported",
        evidence=Evidence(quote=draft.statement, at=one.recorded_at),
    )
    return Proposal(candidate=candidate, where=draft.where, known_id=old.id)


def _edited(proposal: Proposal, old: Item, language: Language, refused: list[Refused]) -> Proposal:
    """The line of a memory that is here, in other words: an edit by its reader."""
    edit = None
    try:
        edit = edited(old.id, proposal.candidate.statement, AS_IT_IS, language)
    except UiError as error:
        refused.append(Refused(where=proposal.where, why=error.message))
    return Proposal(candidate=proposal.candidate, where=proposal.where, known_id=old.id, edit=edit)


def _section_change(section: ProfileSection, mine: Json, theirs: Json) -> SectionChange:
    ours, new = section.lines(mine), section.lines(theirs)
    return SectionChange(
        section=section,
        value=theirs,
        before=mine,
        added=tuple(line for line in new if line not in ours),
        gone=tuple(line for line in ours if line not in new),
    )


# --- files -----------------------------------------------------------------------------------------------------


def read_file(path: Path) -> bytes:
    """A regular file within the limit. Blocks. Raises UiError."""
    try:
        descriptor = os.open(path.expanduser(), os.O_RDONLY | getattr(os, "O_NONBLOCK", 0) | getattr(os, "O_BINARY", 0))
    except OSError as error:
        hint = "Give the path of a file, or - for standard input."
        raise UiError(f"{clean(str(path))} cannot be read: {error.strerror}.", hint) from error
    if not stat.S_ISREG(os.fstat(descriptor).st_mode):
        os.close(descriptor)
        raise UiError(f"{clean(str(path))} is no file.", "Give the path of a file, or - for standard input.")
    with os.fdopen(descriptor, "rb") as file:
        return file.read(MOST_BYTES + 1)


def default_name(format: Format, *, encrypted: bool = False) -> str:
    return f"steward-profile{SUFFIX[format]}{'.age' if encrypted else ''}"


def _save(path: Path, content: bytes, overwrite: bool) -> None:
    path = path.expanduser()
    if path.is_dir():
        raise UiError(f"{clean(str(path))} is a folder.", "Give the name of a file.")
    if not overwrite and (path.exists() or path.is_symlink()):
        raise FileThere(f"{clean(str(path))} is there already.", "Choose another name, or say that it may be replaced.")
    if not path.parent.is_dir():
        raise UiError(f"There is no folder {clean(str(path.parent))}.", "Make it first, or choose another place.")
    atomic_write(path, content)


class FileThere(UiError):
    """It would be written over."""


def _back_up(home: Home, at: datetime) -> Path | None:
    from ui.data_acts import before_import

    return before_import(home, at)


def _record_of(home: Home) -> Path:
    return home.state / "last-import.json"


def _keep_record(home: Home, record: bytes) -> None:
    atomic_write(_record_of(home), sealed_for(record, key_of(home)))


def _read_record(home: Home) -> tuple[int | None, dict[str, Any]] | None:
    try:
        found = json.loads(opened_with(_record_of(home).read_bytes(), key_of(home)))
        number, sections = found["entry"], found["sections"]
        return (None if number is None else int(number)), dict(sections)
    except (OSError, ValueError, KeyError, TypeError, WrongKey):
        return None
