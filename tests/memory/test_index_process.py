"""The process of the index: frames, private files, no network, no word of it in the parent, and none left over."""

import os
import stat
import sys
from pathlib import Path

import pytest

from memory.vector_frames import LENGTHS, frame, header_of, sizes
from memory.vector_process import IndexLost, IndexProcess
from tests.support.index_place import Place


@pytest.mark.skipif(sys.platform == "win32", reason="modes")
async def test_its_files_are_for_their_owner_and_hold_no_words(place: Place) -> None:
    umask = os.umask(0)
    try:
        async with place.indexer() as indexer:
            await indexer.settled()
    finally:
        os.umask(umask)
    for path in (place.root, *place.root.rglob("*")):
        assert stat.S_IMODE(path.stat().st_mode) & 0o077 == 0, path
        if path.is_file():
            content = path.read_bytes().lower()
            assert b"coriander" not in content
            assert b"vegetarian" not in content


STAYS_HOME = (
    sys.executable,
    "-c",
    """
import os, sys
def hear(event, arguments):
    if event in ("socket.connect", "socket.getaddrinfo", "socket.sendto"):
        os._exit(3)
sys.addaudithook(hear)
from memory.vector_index import main
main()
""",
)


async def test_it_never_reaches_for_the_network(place: Place) -> None:
    async with place.indexer(command=STAYS_HOME) as indexer:
        await indexer.settled()
        assert indexer.status.stage == "ready"
        await place.answers(indexer)
        assert indexer._index is not None
        assert indexer._index.alive


async def test_this_process_does_not_import_chroma(place: Place) -> None:
    async with place.indexer() as indexer:
        await indexer.settled()
    assert "chromadb" not in sys.modules


async def test_closing_leaves_no_process(place: Place) -> None:
    async with place.indexer() as indexer:
        await indexer.settled()
        assert indexer._index is not None
        process = indexer._index._process
    assert process.returncode is not None


# --- frames --------------------------------------------------------------------------------------------------


def test_a_frame_says_how_long_it_is() -> None:
    made = frame({"do": "search", "limit": 3}, b"1234")
    head, body = sizes(made[: LENGTHS.size])
    assert header_of(made[LENGTHS.size :][:head]) == {"do": "search", "limit": 3}
    assert made[LENGTHS.size + head :] == b"1234"
    assert body == 4


@pytest.mark.parametrize("lengths", [b"Welcome!", LENGTHS.pack(0, 0), LENGTHS.pack(2**31, 0), LENGTHS.pack(9, 2**31)])
def test_what_is_no_frame_is_refused(lengths: bytes) -> None:
    with pytest.raises(ValueError, match="a frame of"):
        sizes(lengths)


async def test_a_question_it_does_not_know_is_an_error_not_an_end(tmp_path: Path) -> None:
    index = await IndexProcess.start(tmp_path / "g")
    with pytest.raises(IndexLost, match="no such question"):
        await index._ask({"do": "dance"})
    assert dict(await index.stamps()) == {}
    await index.close()
    with pytest.raises(IndexLost):
        await index.stamps()
