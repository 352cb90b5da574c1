"""Files that are broken or spiteful: each is read to its end, and what is whole in it comes out."""

from pathlib import Path

import pytest

from assistant.policies.cleaning import clean
from memory.importing.reading import read_export
from memory.importing.types import ImportedConversation, Limits, Unread
from tests.support.hostile_json import HostileJson, hostile_jsons

FILES = list(hostile_jsons())


def test_there_are_more_than_thirty() -> None:
    assert len(FILES) >= 40


@pytest.mark.parametrize("hostile", FILES, ids=lambda one: one.name)
def test_the_rest_is_read(tmp_path: Path, hostile: HostileJson) -> None:
    path = tmp_path / "conversations.json"
    path.write_bytes(hostile.data)
    reads = list(read_export(path, clean, Limits(longest=4 * 1024 * 1024)))
    found = [one for one in reads if isinstance(one, ImportedConversation)]
    assert hostile.titles <= {one.title for one in found}, [one for one in reads if isinstance(one, Unread)]
    for one in found:
        assert one.title == clean(one.title)
        assert len(one.title) <= 200
        assert all(message.content == clean(message.content) for message in one.messages)
        assert all(message.parent is None or message.parent < at for at, message in enumerate(one.messages))
