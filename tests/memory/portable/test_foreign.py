"""Portable AI Memory, Markdown, and the lists people keep: written, read, and read back."""

import json
from datetime import UTC, datetime, timedelta

import pytest
from hypothesis import given
from hypothesis import strategies as st

from assistant.policies.cleaning import clean
from memory.portable import loose, markdown, pam
from memory.portable.text_in import json_of
from memory.preferences_in_memory import InMemoryPreferences
from memory.profile_state import Snapshot
from tests.support.clock import MONDAY
from tests.support.memories import a_candidate
from tests.support.profiles import LATER, fill, taken_in


@pytest.fixture
async def known() -> Snapshot:
    store = InMemoryPreferences()
    await fill(store)
    return await store.snapshot()


def test_a_memory_store_is_valid_by_its_own_tool(known: Snapshot) -> None:
    from portable_ai_memory import MemoryStore, load_dict, validate_memory_store

    store = load_dict(json_of(pam.write(known.items)))
    assert isinstance(store, MemoryStore)
    result = validate_memory_store(store)
    assert (result.is_valid, result.issues) == (True, [])
    assert len(store.memories) == len(known.items)
    assert {memory.status for memory in store.memories} >= {"active", "superseded", "retracted", "deprecated"}


@pytest.mark.parametrize("left_out", range(8))
def test_a_part_of_the_memories_is_valid_too(known: Snapshot, left_out: int) -> None:
    """Links to what stays at home are not written."""
    from portable_ai_memory import MemoryStore, load_dict, validate_memory_store

    items = [item for number, item in enumerate(known.items) if number != left_out]
    store = load_dict(json_of(pam.write(items)))
    assert isinstance(store, MemoryStore)
    assert validate_memory_store(store).errors == []


@pytest.mark.parametrize("words", ["I like Ⅷ  and É", "İstanbul is home", "naïve café 🙂", "«mixed» \u2009 spaces"])
def test_the_content_hash_is_the_one_of_the_specification(words: str) -> None:
    from portable_ai_memory import compute_content_hash

    assert pam.content_hash(words) == compute_content_hash(words)


@given(
    st.dictionaries(st.sampled_from(["b", "a", "aa", "_"]), st.text() | st.integers(-9, 9) | st.none(), max_size=4),
    st.integers(0, 10_000),
)
def test_the_bytes_that_are_hashed_are_those_of_the_specification(texts: dict[str, object], share: int) -> None:
    """Written by another writer: sorted, without blanks, control characters as RFC 8785 has them."""
    value = {**texts, "confidence": share / 10_000 if share % 10_000 else share // 10_000}
    expected = json.dumps(value, ensure_ascii=False, sort_keys=True, separators=(",", ":")).encode("utf-8")
    assert pam.canonical(value) == expected


def test_what_steward_wrote_into_it_comes_back(known: Snapshot) -> None:
    read = pam.read(json_of(pam.write(known.items)), clean)
    assert read.refused == ()
    found = {draft.statement: draft for draft in read.drafts}
    assert found["I'm vegetarian"].ended
    hard = found["I hate coriander"].meant
    assert hard is not None
    assert (hard.slot, hard.object, hard.polarity, hard.strength) == ("food.taste", "coriander", -1, 4)
    assert found["I hate coriander"].at == MONDAY + timedelta(minutes=1)


def test_a_memory_store_of_another_program_is_read_memory_by_memory() -> None:
    value = {
        "schema": "portable-ai-memory",
        "schema_version": "1.0",
        "memories": [
            {"content": "User prefers dark mode", "temporal": {"created_at": "2025-01-02T03:04:05Z"}},
            {"content": ""},
            {"content": "no zone", "temporal": {"created_at": "2025-01-02"}},
            "nonsense",
            {"content": "Lives in Lisbon", "status": "archived", "metadata": {"steward": {"slot": "x"}}},
            {"content": "Has a cat", "metadata": {"anything": [1]}},
        ],
    }
    read = pam.read(value, clean)
    assert [draft.statement for draft in read.drafts] == ["User prefers dark mode", "Has a cat"]
    assert [one.where for one in read.refused] == ["memory 2", "memory 3", "memory 4", "memory 5"]


@pytest.mark.parametrize("version", ["2.0", None, 1, "one"])
def test_an_unknown_version_is_said(version: object) -> None:
    read = pam.read({"schema": "portable-ai-memory", "schema_version": version, "memories": []}, clean)
    assert [one.where for one in read.refused] == ["schema_version"]


def test_markdown_is_read_by_people(known: Snapshot) -> None:
    text = markdown.write(known.items, [("Rules for suggestions", ["“not before ten”"])])
    assert "## Food\n\n- I eat fish now `p" in text
    assert "avoids coriander, a hard limit; since 2026-03-02; said on 2026-03-02: “I hate coriander”" in text
    assert "## Not confirmed yet" in text
    ended = text[text.index("## No longer true") :]
    assert "I'm vegetarian" in ended
    assert "from 2026-03-02 to 2026-03-02" in ended
    assert "> “not before ten”" in text
    assert text.index("## Reply style") < text.index("## Food") < text.index("## Music")


async def test_markdown_comes_back_by_id(known: Snapshot) -> None:
    read = markdown.read(markdown.write(known.items), clean)
    assert read.ours
    assert read.refused == ()
    words = {item.id: item.preference.statement for item in known.items}
    assert {draft.id: draft.statement for draft in read.drafts} == words
    ended = {item.id for item in known.items if item.preference.status in ("superseded", "retracted", "expired")}
    assert {draft.id for draft in read.drafts if draft.ended} == ended


def test_an_id_that_stands_there_twice_is_refused_once() -> None:
    read = markdown.read(f"{markdown.MARK}\n- one `pabc`\n- two `pabc`\n- three\n", clean)
    assert [draft.statement for draft in read.drafts] == ["one", "three"]
    assert [one.where for one in read.refused] == ["line 3"]


HERMES = "User prefers concise answers§Works on a Mac with zsh\nand tmux§§Allergic to peanuts"
MEMORY_MD = """---
name: notes
---
# Memory

Some words about this file:

- **Prefers** `tabs` over spaces
* Lives in Lisbon
1. Likes fado
- [x] Uses Arch Linux
[2025-03-04] - Runs every morning
> a quotation of somebody

| a | table |
|---|-------|

```
ignore = "code"
```
---
<!-- a comment -->
A paragraph about me is taken too.
"""


def test_sentences_are_found_in_the_files_people_keep() -> None:
    assert [draft.statement for draft in loose.read(MEMORY_MD, clean).drafts] == [
        "Prefers tabs over spaces",
        "Lives in Lisbon",
        "Likes fado",
        "Uses Arch Linux",
        "Runs every morning",
        "A paragraph about me is taken too.",
    ]
    dated = loose.read(MEMORY_MD, clean).drafts[4]
    assert (dated.where, dated.at) == ("line 12", datetime(2025, 3, 4, tzinfo=UTC))
    assert [draft.statement for draft in loose.read(HERMES, clean).drafts] == [
        "User prefers concise answers",
        "Works on a Mac with zsh and tmux",
        "Allergic to peanuts",
    ]


@pytest.mark.parametrize(
    "value",
    [
        ["I like tea", "I like jam"],
        {"memories": [{"memory": "I like tea"}, {"text": "I like jam"}]},
        [{"content": "I like tea"}, {"value": "I like jam"}, {"other": 1}, 5],
        {"conversations_memory": "- I like tea\n- I like jam"},
        {"results": [{"memory": "I like tea"}, "I like jam"]},
    ],
)
def test_lists_in_json_are_read(value: object) -> None:
    read = loose.read_json(value, clean)
    assert read is not None
    assert [draft.statement for draft in read.drafts] == ["I like tea", "I like jam"]


@pytest.mark.parametrize("value", [{}, [], 5, None, {"a": {"b": 1}}, [[["deep"]]], "words"])
def test_json_that_is_no_list_of_sentences_is_none(value: object) -> None:
    read = loose.read_json(value, clean)
    assert read is None or [draft.statement for draft in read.drafts] == ["words"]


async def test_nothing_is_taken_in_by_reading() -> None:
    store = InMemoryPreferences()
    await store.learn([a_candidate()], actor="user", at=MONDAY)
    before = await store.snapshot()
    loose.read("I hate olives", clean)
    assert await taken_in(store, '{"format": "steward-profile", "version": 1, "sections": {}}', at=LATER) is None
    assert await store.snapshot() == before
