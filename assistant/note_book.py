"""The user's notes: a title and a text, found again by any of their words."""

from dataclasses import replace

from assistant.policies.cleaning import clean, clean_line
from assistant.receipts import ItemActs, ItemReceipt, named, new_id
from memory.errors import NotFound
from memory.items import Item, ItemHit, ItemId, Note

TITLE = 120
MOST_TEXT = 100_000


class NoteBook(ItemActs):
    kind = "note"

    async def add(self, text: str, *, title: str = "", request: str = "") -> ItemReceipt:
        """Without a title the first line is it. Raises NotFound for a note of nothing."""
        name, body = titled(text, title)
        if not name:
            raise NotFound("What does the note say?", 'For example: steward notes add "The spare key is at Tom\'s."')
        note = Note(id=ItemId(new_id()), title=name, text=body, created_at=self.now)
        return await self.keep("add", (note,), f"Note: {name}", request=request)

    async def edit(self, wanted: str, text: str, *, title: str = "") -> ItemReceipt:
        def change(item: Item) -> tuple[Item, str]:
            note = note_of(item)
            name, body = titled(text, title or note.title)
            return replace(note, title=name, text=body), f"Changed: {name}"

        return await self.change(wanted, "edit", change)

    async def find(self, wanted: str) -> Note:
        return note_of(await self.store.find("note", wanted))

    async def search(self, words: str, *, limit: int = 20) -> tuple[ItemHit, ...]:
        return await self.store.search(words, ["note"], limit=limit)


def titled(text: str, title: str) -> tuple[str, str]:
    """The title, and the text without the line that became it."""
    body = clean(text)[:MOST_TEXT].strip()
    if title:
        return clean_line(title, TITLE), body
    first, _, rest = body.partition("\n")
    if len(first) <= TITLE:
        return clean_line(first.lstrip("# "), TITLE), rest.strip() if rest.strip() else body
    return clean_line(first, 60), body


def note_of(item: Item) -> Note:
    if not isinstance(item, Note) or item.state == "deleted":
        raise NotFound(f"There is no note {item.id!r}.", "`steward notes list` shows those there are.")
    return item


def note_words(note: Note) -> str:
    rest = "" if clean_line(note.text, TITLE) == note.title else clean_line(note.text, 80)
    return f"{named(note)}: {rest}" if rest else named(note)
