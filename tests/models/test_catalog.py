import re
from pathlib import Path

import pytest

from models.catalog import Catalogue, Entry, HubSource, PackageIndexSource, load_catalogue, read_entries
from models.errors import CatalogueWrong, ModelMissing
from models.installed import installed, locate

CATALOGUE = load_catalogue()
OPEN = {"Apache-2.0", "MIT"}
# The files we hold hashes of: each was compared with its publisher's own file.
CHECKED = {
    "qwen2.5-coder-1.5b-instruct-q4_k_m.gguf": "cc324af070c2ecbfd324a30884d2f951a7ff756aba85cb811a6ec436933bb046",
    "qwen2.5-coder-0.5b-instruct-q4_k_m.gguf": "1d9614638d18024d0fbb36575a15f1302a3adf044df10345688ec4f6e1c4ff32",
    "smollm2-135m-instruct-q4_1.gguf": "b179c9523d0e6a0f98a330c7562b682750a6f8c8c15e5bc70ea373728110db53",
    "all-minilm-l6-v2-int8.onnx": "8199be6f699a395f99f89df973f9dc5285fbcfcdb2ae1a4e1201dab014f3d2a6",
    "all-minilm-l6-v2-tokenizer.json": "be50c3628f2bf5bb5e3a7f17b1f74611b2561a3a27eeab05e5aa30f411572037",
}

ENTRY = """
[[model]]
name = "own"
title = "Own"
licence = "MIT"
good_for = "tests"
quantisation = "Q4_0"
parameters = 100
context = 2048
[[model.files]]
name = "own.gguf"
size = 10
[[model.files.sources]]
kind = "hub"
repository = "me/own"
file = "own.gguf"
"""


def test_reaches_from_135m_to_30b() -> None:
    assert len(CATALOGUE.chat) >= 8
    sizes = sorted(entry.parameters for entry in CATALOGUE.chat)
    assert sizes[0] < 140e6
    assert sizes[-1] > 30e9


@pytest.mark.parametrize("entry", CATALOGUE.entries, ids=lambda entry: entry.name)
def test_every_entry_says_what_a_user_asks(entry: Entry) -> None:
    assert entry.title
    assert entry.good_for
    assert entry.quantisation
    assert bool(entry.licence_note) == (entry.licence not in OPEN), "a licence that is not open says what it binds to"
    assert entry.memory_needed() > entry.size
    if entry.role == "chat":
        assert entry.kv_bytes(1) > 0
        assert entry.rank > 0
    assert entry.active_parameters <= entry.parameters


@pytest.mark.parametrize("entry", CATALOGUE.entries, ids=lambda entry: entry.name)
def test_hashes_are_those_that_were_checked(entry: Entry) -> None:
    for file in entry.files:
        assert file.sha256 == CHECKED.get(file.name)
        assert file.size_checked == (file.name in CHECKED)


def test_the_models_of_the_guide_have_both_sources_in_order() -> None:
    for name in ("qwen2.5-coder-1.5b", "qwen2.5-coder-0.5b", "smollm2-135m"):
        kinds = [source.kind for source in CATALOGUE.get(name).files[0].sources]
        assert kinds == ["hub", "package_index"]


def test_parts_of_the_largest_are_in_order() -> None:
    source = CATALOGUE.get("qwen2.5-coder-1.5b").files[0].sources[1]
    assert isinstance(source, PackageIndexSource)
    numbers = [int(re.findall(r"part(\d+)==", part.distribution)[0]) for part in source.parts]
    assert numbers == list(range(1, 23))
    assert all(f"part{number:02}.bin" in part.member for number, part in zip(numbers, source.parts, strict=True))


def test_memory_is_weights_and_cache_and_overhead() -> None:
    entry = CATALOGUE.get("qwen2.5-coder-1.5b")
    assert entry.kv_bytes(1) == 28_672  # measured in the engine
    assert entry.memory_needed(2048) - entry.memory_needed(1024) == 1024 * 28_672
    assert entry.memory_needed(10**9) == entry.memory_needed(entry.context)


def test_a_mixture_of_experts_reads_only_its_active_part() -> None:
    entry = CATALOGUE.get("qwen3-30b-a3b")
    assert entry.bytes_per_token == pytest.approx(entry.size * 3.3 / 30.53, rel=0.01)


@pytest.mark.parametrize("wrong", ["qwen2.5-coder-1.5", "QWEN3-4B", "lama-3.2-1b"])
def test_an_unknown_name_suggests_near_ones(wrong: str) -> None:
    with pytest.raises(ModelMissing) as caught:
        CATALOGUE.get(wrong)
    assert "Did you mean" in caught.value.failure.hint


def test_a_far_name_suggests_nothing() -> None:
    with pytest.raises(ModelMissing) as caught:
        CATALOGUE.get("zzzz")
    assert caught.value.failure.hint == "steward models list shows all of them."


def test_own_entries_are_added_and_replace(tmp_path: Path) -> None:
    own = tmp_path / "models.toml"
    own.write_text(ENTRY + ENTRY.replace('"own"', '"qwen3-8b"').replace('"own.gguf"', '"other.gguf"'))
    catalogue = load_catalogue(own)
    assert len(catalogue.entries) == len(CATALOGUE.entries) + 1
    assert catalogue.get("own").title == "Own"
    assert catalogue.get("qwen3-8b").title == "Own"
    assert load_catalogue(tmp_path / "gone.toml") == CATALOGUE


PARTS = 'parts = [{ distribution = "a==1", member = "a/b" }]'
WRONG = {
    "not_toml": ("[[model", "TOML"),
    "unknown_key": (ENTRY + "\nsomething = 1", "something"),
    "unknown_section": ("[other]\na = 1", "other"),
    "path_as_file_name": (ENTRY.replace('name = "own.gguf"', 'name = "../own.gguf"'), "plain file name"),
    "hidden_file_name": (ENTRY.replace('name = "own.gguf"', 'name = ".own"'), "plain file name"),
    "no_size": (ENTRY.replace("size = 10\n", ""), "size"),
    "negative_size": (ENTRY.replace("size = 10", "size = -1"), "size"),
    "no_files": (ENTRY.split("[[model.files]]")[0], "files"),
    "twice": (ENTRY + ENTRY, "twice"),
    "file_twice": (ENTRY + ENTRY.replace('"own"', '"own2"'), "twice"),
    "option_as_distribution": (
        ENTRY.split('kind = "hub"')[0] + 'kind = "package_index"\n' + PARTS.replace("a==1", "--index-url=x==1"),
        "distribution",
    ),
    "unfixed_distribution": (
        ENTRY.split('kind = "hub"')[0] + 'kind = "package_index"\n' + PARTS.replace("a==1", "a>=1"),
        "distribution",
    ),
    "package_index_without_hash": (ENTRY.split('kind = "hub"')[0] + 'kind = "package_index"\n' + PARTS, "sha256"),
    "hub_url_as_repository": (ENTRY.replace("me/own", "https://x/y"), "repository"),
    "unknown_source": (ENTRY.replace('kind = "hub"', 'kind = "torrent"'), "kind"),
}


@pytest.mark.parametrize(("text", "said"), WRONG.values(), ids=WRONG.keys())
def test_a_wrong_catalogue_is_one_line(text: str, said: str) -> None:
    with pytest.raises(CatalogueWrong) as caught:
        read_entries(text, "models.toml")
    assert said in caught.value.message
    assert caught.value.message.startswith("models.toml")


def test_an_own_catalogue_that_is_no_text(tmp_path: Path) -> None:
    own = tmp_path / "models.toml"
    own.write_bytes(b"\xff\xfe\x00")
    with pytest.raises(CatalogueWrong):
        load_catalogue(own)


def test_what_is_installed(tmp_path: Path) -> None:
    assert installed(CATALOGUE, tmp_path / "gone") == ()
    (tmp_path / "smollm2-135m-instruct-q4_1.gguf").write_bytes(b"12345")
    (tmp_path / "all-minilm-l6-v2-int8.onnx").write_bytes(b"1")  # one of two files: not whole
    (tmp_path / "mine.gguf").write_bytes(b"123")
    (tmp_path / "notes.txt").write_bytes(b"1")
    (tmp_path / "qwen3-8b-q4_k_m.gguf.partial").mkdir()
    assert [(found.name, found.size) for found in installed(CATALOGUE, tmp_path)] == [
        ("smollm2-135m", 5),
        ("mine.gguf", 3),
    ]


def test_a_name_a_path_or_neither(tmp_path: Path) -> None:
    file = tmp_path / "smollm2-135m-instruct-q4_1.gguf"
    with pytest.raises(ModelMissing) as caught:
        locate("smollm2-135m", CATALOGUE, tmp_path)
    assert caught.value.failure.hint == "Fetch it: steward models pull smollm2-135m"
    file.write_bytes(b"1")
    assert locate("smollm2-135m", CATALOGUE, tmp_path) == file
    assert locate(file.name, CATALOGUE, tmp_path) == file
    assert locate(str(file), CATALOGUE, tmp_path / "elsewhere") == file
    for wrong, said in (("/no/such.gguf", "no file"), ("such.gguf", "no file"), ("such", "no model")):
        with pytest.raises(ModelMissing) as caught:
            locate(wrong, CATALOGUE, tmp_path)
        assert said in caught.value.failure.message


def test_every_name_is_one_word_of_a_command_line() -> None:
    assert Catalogue(entries=()).find("x") is None
    for entry in CATALOGUE.entries:
        assert CATALOGUE.find(entry.name.upper()) is entry
        assert all(isinstance(source, HubSource | PackageIndexSource) for f in entry.files for source in f.sources)
