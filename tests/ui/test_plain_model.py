"""/model in line mode: what is loaded, the numbered others, and taking one."""

from pathlib import Path

import pytest

from models.types import Ready
from tests.support.pilot import a_desk, a_home
from tests.ui.test_plain_items import talk
from ui.desk import Desk
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


@pytest.mark.parametrize("typed", ["2", "small", "SMALL"])
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
    assert "steward models pull large; then /model large." in said


async def test_a_number_that_is_not_in_the_list(desk: Desk) -> None:
    assert "error: There is no model 7 in the list.\nnext: /model list numbers them.\n" in await talk(desk, "/model 7")


async def test_a_file_that_is_not_there_changes_nothing(desk: Desk) -> None:
    before = desk.model
    assert "error: " in await talk(desk, "/model /no/such.gguf")
    assert desk.model is before
