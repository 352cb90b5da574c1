"""Workers on scripted children."""

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path

from models.launching import Engine
from models.supervision import Limits
from models.worker import WorkerModel
from tests.support.fake_child import FaultyChild, Life


def engine_at(folder: Path, *lives: Life) -> tuple[Engine, FaultyChild]:
    model = folder / "model.gguf"
    model.write_bytes(b"not read by the fake child")
    child = FaultyChild(folder=folder, lives=lives)
    engine = Engine(
        path=model,
        name="fake",
        log=folder / "state" / "engine.log",
        crashes=folder / "state" / "crashes.json",
        command=child.command,
    )
    return engine, child


@asynccontextmanager
async def running(engine: Engine, limits: Limits | None = None) -> AsyncIterator[WorkerModel]:
    model = WorkerModel(engine, limits)
    try:
        yield model
    finally:
        await model.close()
