"""Events, tasks, notes and documents of this home, wired: stores for whoever owns it, and for reading beside."""

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import TYPE_CHECKING

from assistant.later import later

if TYPE_CHECKING:
    from assistant.calendar.book import CalendarBook
    from assistant.documents.library import Library
    from assistant.ports import Clock
    from memory.database import Database
    from memory.document_store import DocumentStore
    from memory.item_store import ItemStore
    from models.embedder import MiniLmEmbedder
    from ui.wiring import Options, Services


def no_items() -> "ItemStore":
    """Events, tasks and notes that end with the process."""
    from memory.items_in_memory import InMemoryItems

    return InMemoryItems()


def no_documents() -> "DocumentStore":
    """Documents that end with the process."""
    from memory.documents_in_memory import InMemoryDocuments

    return InMemoryDocuments()


def kept_items(database: "Database") -> "ItemStore":
    from memory.sqlite_items import SqliteItems

    return SqliteItems(database)


def kept_documents(database: "Database") -> "DocumentStore":
    def make() -> "DocumentStore":
        from memory.sqlite_documents import SqliteDocuments

        return SqliteDocuments(database)

    return later(make)


async def erase_deleted(items: "ItemStore", clock: "Clock") -> None:
    """What was deleted a while ago is erased for good."""
    from assistant.receipts import KEPT_WHEN_DELETED

    await items.purge(clock.now() - KEPT_WHEN_DELETED)


@asynccontextmanager
async def reading_documents(options: "Options") -> AsyncIterator["Library"]:
    """For searching only, also while another Steward owns the home. Raises StoreError."""
    import asyncio

    from memory.sqlite_documents import SqliteDocuments
    from ui.reading import store_beside
    from ui.wiring import SystemClock, find_embedder, resolve_home

    async with store_beside(options, SqliteDocuments.open_reading) as documents:
        if options.keeps_nothing:
            yield _library(no_documents(), SystemClock(), None)
            return
        home = await asyncio.to_thread(resolve_home, options)
        embedder = await asyncio.to_thread(find_embedder, home)
        yield _library(documents or no_documents(), SystemClock(), embedder)


def library_of(services: "Services") -> "Library":
    """Looks at the disk for the embedder only when it is used; where it is not, words find."""
    from ui.wiring import find_embedder

    embedder = None if services.options.keeps_nothing else find_embedder(services.home)
    return _library(services.documents, services.clock, embedder)


def _library(store: "DocumentStore", clock: "Clock", embedder: "MiniLmEmbedder | None") -> "Library":
    from assistant.documents.library import Library
    from models.embedder import NAME

    return Library(store=store, clock=clock, embed=None if embedder is None else embedder.embed, model=NAME)


def calendar_of(services: "Services", here: str) -> "CalendarBook":
    from assistant.calendar.book import CalendarBook

    return CalendarBook(services.items, services.clock, here)
