"""The way out of a worker, and how one is started: no process is left, the environment and settings are right."""

import asyncio
import os
import stat
import sys
from collections.abc import Callable
from contextlib import aclosing
from dataclasses import replace
from pathlib import Path

import pytest

from models.launching import engine_of, environment_of, load_frame
from models.settings import ModelSettings
from models.supervision import Limits
from models.types import Cancel
from tests.models.contract import (
    SHORT,
    end_of,
    everything,
    stream,
    until_text,
)
from tests.support.fake_child import Life
from tests.support.waiting import eventually
from tests.support.workers import engine_at, running

pytestmark = pytest.mark.usefixtures("nothing_goes_wrong_unseen")


def is_alive(pid: int) -> bool:
    try:
        fields = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()
    except OSError:
        return False
    return fields[0] != "Z"


# -- the way out --


async def test_close_leaves_no_process(tmp_path: Path) -> None:
    engine, child = engine_at(tmp_path)
    async with running(engine, Limits(farewell=60.0)) as model:
        await everything(model, SHORT)
        await model.close()
    assert child.farewells() == 1, "it was asked to go, not killed"
    assert not any(map(is_alive, child.pids()))


@pytest.mark.parametrize("life", [Life(stubborn=True), Life(stubborn=True, fault="STOP", at="token 1")])
async def test_close_ends_a_child_that_does_not_want_to_go(tmp_path: Path, life: Life) -> None:
    engine, child = engine_at(tmp_path, life)
    async with running(engine, Limits(farewell=0.1)) as model:
        events = stream(model, SHORT, Cancel())
        async with aclosing(events):
            await until_text(events)
            await model.close()
    assert not any(map(is_alive, child.pids()))


async def test_close_while_it_loads(tmp_path: Path) -> None:
    engine, child = engine_at(tmp_path, Life(hold="load"))
    async with running(engine) as model:
        request = asyncio.create_task(everything(model, SHORT))
        await eventually(child.loads)
        await model.close()
        assert end_of(await request).reason == "cancelled"
    assert not any(map(is_alive, child.pids()))


async def test_close_right_after_start(tmp_path: Path) -> None:
    engine, child = engine_at(tmp_path)
    async with running(engine) as model:
        await model.start()
    assert not any(map(is_alive, child.pids()))


async def test_the_log_is_private_and_rotated(tmp_path: Path) -> None:
    engine, _ = engine_at(tmp_path)
    engine.log.parent.mkdir()
    engine.log.write_bytes(b"x" * 3_000_000)
    async with running(engine) as model:
        await model.context_length(Cancel())
    assert stat.S_IMODE(engine.log.stat().st_mode) == 0o600
    assert engine.log.stat().st_size < 100_000
    assert engine.log.with_name("engine.log.1").stat().st_size == 3_000_000


PARENT = """
import asyncio, sys
from pathlib import Path
from models.launching import Engine
from models.types import Cancel
from models.worker import WorkerModel

async def main(path, state, command):
    engine = Engine(path=Path(path), name="x", log=Path(state, "log"), crashes=Path(state, "c"), command=command)
    model = WorkerModel(engine)
    await model.context_length(Cancel())
    print("ready", flush=True)
    await asyncio.sleep(600)

asyncio.run(main(sys.argv[1], sys.argv[2], tuple(sys.argv[3:])))
"""


def misleading_folder(parent: Path) -> Path:
    """A place to stand in whose own `models` must not be taken for ours."""
    package = parent / "here" / "models"
    package.mkdir(parents=True)
    (package / "__init__.py").write_text("raise SystemExit('the wrong models')")
    return package.parent


def children_of(pid: int) -> list[int]:
    return [int(one) for one in Path(f"/proc/{pid}/task/{pid}/children").read_text().split()]


@pytest.mark.parametrize("real", [False, True], ids=["scripted child", "llama"])
async def test_a_killed_parent_leaves_no_orphan(tmp_path: Path, tiny: Path, real: bool) -> None:
    engine, _ = engine_at(tmp_path)
    command, path = ((), tiny) if real else (engine.command, engine.path)
    parent = await asyncio.create_subprocess_exec(
        *(sys.executable, "-P", "-c", PARENT, str(path), str(tmp_path), *command),
        stdout=asyncio.subprocess.PIPE,
        env=environment_of(os.environ),
        cwd=misleading_folder(tmp_path),
    )
    assert parent.stdout is not None
    assert await parent.stdout.readline() == b"ready\n"
    (child,) = children_of(parent.pid)
    assert is_alive(child)
    parent.kill()
    await eventually(lambda: not is_alive(child))
    await parent.communicate()


# -- how it is started --


def test_settings_become_an_engine(tmp_path: Path) -> None:
    settings = ModelSettings(threads=2, gpu_layers=7, keep_prefix_states=True, prefix_states_mb=16)
    engine = engine_of(settings, tmp_path / "m.gguf", "m", state=tmp_path / "s", cache=tmp_path / "c")
    load = load_frame(engine, extra_buffers=False)
    assert (load.threads, load.gpu_layers, load.extra_buffers) == (2, 7, False)
    assert load.state_dir == str(tmp_path / "c" / "kv")
    assert load.state_limit_bytes == 16 * 1024 * 1024
    automatic = load_frame(replace(engine, threads=None, gpu_layers=-1, prefixes=None), extra_buffers=True)
    assert 1 <= automatic.threads <= max(1, (os.cpu_count() or 1))
    assert automatic.gpu_layers == -1
    assert automatic.state_dir == ""


def test_the_environment_is_set_before_libgomp_is_loaded() -> None:
    environment = environment_of({"OMP_WAIT_POLICY": "active", "PATH": "/bin", "PYTHONPATH": "/theirs"})
    assert environment["GOMP_SPINCOUNT"] == "1000"
    assert environment["HF_HUB_OFFLINE"] == "1"
    assert "OMP_WAIT_POLICY" not in environment
    assert environment["PATH"] == "/bin"
    assert environment["PYTHONPATH"].endswith("/theirs")


@pytest.mark.parametrize(
    ("name", "fits"),
    [
        ("", True),
        ("qwen2.5-coder-1.5b", True),
        ("/models/my model.gguf", True),
        ("http://127.0.0.1:8080/v1", True),
        ("https://models.example.org/v1", True),
        ("http://user:secret@host/v1", False),
        ("ftp://host/model", False),
        ("http://host:99999/v1", False),
        ("http:///v1", False),
        ("http://host/v1?key=secret", False),
        ("two\nlines", False),
        ("\x1b[31m", False),
    ],
)
def test_a_model_name_is_checked(name: str, fits: bool) -> None:
    check: Callable[[], object] = lambda: ModelSettings(name=name)  # noqa: E731
    if fits:
        check()
    else:
        with pytest.raises(ValueError):
            check()


def test_every_setting_is_explained() -> None:
    for name, field in ModelSettings.model_fields.items():
        assert field.description, name
        assert field.description.endswith("."), name
