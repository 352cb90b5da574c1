"""The draft on disk: private, whole, and honest about what was pasted."""

from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ui.drafts import NOTHING, Draft, Drafts, together

DRAFTS = st.builds(Draft, text=st.text(max_size=20), origin=st.sampled_from(["typed", "pasted"]))


@pytest.mark.parametrize("draft", [Draft(text="half a thought"), Draft(text="é\n漢字 👩\u200d🚀", origin="pasted")])
async def test_what_is_saved_comes_back(tmp_path: Path, draft: Draft) -> None:
    await Drafts(tmp_path).save(draft)
    assert await Drafts(tmp_path).load() == draft
    assert (tmp_path / "draft.json").stat().st_mode & 0o077 == 0


async def test_an_empty_draft_leaves_no_file(tmp_path: Path) -> None:
    drafts = Drafts(tmp_path)
    await drafts.save(Draft(text="x"))
    await drafts.save(NOTHING)
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize("content", [b"", b"{", b"[]", b'{"text": 3}', b"\xff\xfe", b'{"text": "a"}'])
async def test_a_damaged_file_is_no_draft(tmp_path: Path, content: bytes) -> None:
    (tmp_path / "draft.json").write_bytes(content)
    assert await Drafts(tmp_path).load() == NOTHING


async def test_control_characters_from_the_disk_are_cleaned(tmp_path: Path) -> None:
    (tmp_path / "draft.json").write_text('{"text": "a\\u001b[2Jb", "origin": "typed"}')
    assert (await Drafts(tmp_path).load()).text == "a\ufffd[2Jb"


async def test_without_a_folder_nothing_is_kept() -> None:
    drafts = Drafts(None)
    await drafts.save(Draft(text="secret"))
    assert await drafts.load() == NOTHING


@given(st.lists(DRAFTS, max_size=4))
def test_together_loses_nothing_and_one_paste_makes_all_of_it_pasted(drafts: list[Draft]) -> None:
    whole = together(*drafts)
    assert all(draft.text in whole.text for draft in drafts)
    assert (whole.origin == "pasted") == any(draft.text and draft.origin == "pasted" for draft in drafts)
