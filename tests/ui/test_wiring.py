"""The composition root: who owns the home, what a run keeps, which model it gets."""

import asyncio
import os
import stat
import subprocess
import sys
from dataclasses import replace
from pathlib import Path

import pytest

from assistant.ports import ChatModel, Clock, Transcript
from memory.data_dir import Home, OwnerLock
from memory.errors import HomeInUse, HomeUnusable, StoreDamaged
from models.absent import AbsentModel
from models.catalog import load_catalogue
from models.errors import ModelError
from models.server import ServerModel as Server
from models.settings import ModelSettings
from models.types import Absent, Cancel, Failure, Finished, GenerationRequest
from models.worker import WorkerModel
from tests.support.builders import kept_talk
from tests.support.clock import MONDAY
from ui.configuration import load
from ui.errors import ConfigError
from ui.model_choice import FileModel, ServerModel, which_model
from ui.model_wiring import build_model
from ui.reading import reading
from ui.wiring import Options, SystemClock, build_session, in_memory, owned

ROOT = Path(__file__).resolve().parents[2]
SETTINGS = ModelSettings()


@pytest.fixture
def options(tmp_path: Path) -> Options:
    return Options(home_override=str(tmp_path / "home"))


@pytest.fixture
def home(options: Options) -> Home:
    home = Home.resolve(options.home_override, {})
    home.make()
    home.models.mkdir(mode=0o700)
    return home


def test_implementations_fit_the_ports() -> None:
    """Assignments that mypy checks; at run time they say that construction needs no disk and no engine."""
    clock: Clock = SystemClock()
    transcript: Transcript = in_memory()
    missing: ChatModel = AbsentModel(Failure(kind="model_missing", message="m", hint="h"))
    server: ChatModel = Server("http://127.0.0.1:1/v1", SETTINGS)
    assert clock.now().tzinfo is not None
    assert isinstance(missing.status, Absent)
    assert all(thing is not None for thing in (transcript, server))


class TestOwning:
    async def test_what_was_written_is_there_for_the_next_owner_and_for_readers(self, options: Options) -> None:
        async with owned(options) as services:
            session, _ = await kept_talk(services.transcript, ["Hello", "Hi"])
        async with owned(options) as services:
            assert (await services.transcript.session(session.id)).title == "A talk"
        async with reading(options) as transcript:
            assert [found.id for found in await transcript.sessions()] == [session.id]

    async def test_everything_is_private_whatever_the_umask(self, options: Options, home: Home) -> None:
        before = os.umask(0)
        try:
            async with owned(options) as services:
                await kept_talk(services.transcript, ["Hello"])
                modes = {
                    path: stat.S_IMODE(path.stat().st_mode) for root in home.roots for path in (root, *root.rglob("*"))
                }
        finally:
            os.umask(before)
        assert home.database in modes
        assert home.log in modes
        assert {path: oct(mode) for path, mode in modes.items() if mode & 0o077} == {}

    async def test_a_second_owner_is_refused_naming_the_first_and_readers_go_on(self, options: Options) -> None:
        async with owned(options, "chat") as services:
            await kept_talk(services.transcript, ["Hello"])
            with pytest.raises(HomeInUse, match=rf"process {os.getpid()}.*\(chat\)"):
                async with owned(options):
                    raise AssertionError("two owners")
            async with reading(options) as transcript:
                assert len(await transcript.sessions()) == 1

    async def test_the_lock_is_free_after_an_error(self, options: Options) -> None:
        with pytest.raises(ZeroDivisionError):
            async with owned(options):
                raise ZeroDivisionError
        async with owned(options):
            pass

    async def test_unfinished_answers_are_marked_at_the_start(self, options: Options) -> None:
        async with owned(options) as services:
            _, path = await kept_talk(services.transcript, ["Hello"])
            begun = await services.transcript.begin_reply(path[-1].id, at=MONDAY, model="m")
        async with owned(options) as services:
            assert (await services.transcript.message(begun.id)).status == "interrupted"

    async def test_a_damaged_database_lets_the_lock_go(self, options: Options, home: Home) -> None:
        home.database.write_bytes(b"not a database" * 500)
        with pytest.raises(StoreDamaged):
            async with owned(options):
                raise AssertionError("opened")
        (await asyncio.to_thread(OwnerLock(home, what="test", at=MONDAY).acquire)).release()

    async def test_wrong_settings_are_named_before_anything_is_locked(self, options: Options, home: Home) -> None:
        home.config_file.write_text("[ui]\ntheme = 'pink'\n")
        with pytest.raises(ConfigError, match=r"ui\.theme"):
            async with owned(options):
                raise AssertionError("opened")
        assert not home.database.exists()

    async def test_a_home_that_cannot_be_made(self, tmp_path: Path) -> None:
        (tmp_path / "file").write_text("x")
        with pytest.raises(HomeUnusable):
            async with owned(Options(home_override=str(tmp_path / "file" / "home"))):
                raise AssertionError("opened")

    @pytest.mark.parametrize("how", ["incognito", "demo"])
    async def test_a_run_that_keeps_nothing_writes_nothing(self, options: Options, tmp_path: Path, how: str) -> None:
        quiet = replace(options, incognito=how == "incognito", demo=how == "demo")
        async with owned(quiet) as services:
            await kept_talk(services.transcript, ["a secret"])
        assert list(tmp_path.iterdir()) == []

    async def test_incognito_runs_beside_an_owner(self, options: Options) -> None:
        async with owned(options), owned(replace(options, incognito=True)) as services:
            assert await services.transcript.sessions() == ()

    async def test_reading_where_nothing_was_kept_makes_nothing(self, options: Options, tmp_path: Path) -> None:
        async with reading(options) as transcript:
            assert await transcript.sessions() == ()
        assert list(tmp_path.iterdir()) == []


class TestSecondProcess:
    @pytest.mark.parametrize("arguments", [("--plain",), ("ask", "hello")])
    async def test_it_says_who_holds_the_home_and_exits_3(self, options: Options, arguments: tuple[str, ...]) -> None:
        async with owned(options, "chat"):
            done = self.steward(options, *arguments)
        assert done.returncode == 3
        assert done.stdout == ""
        first, hint = done.stderr.splitlines()
        assert first.startswith(f"steward: Steward is already running here: process {os.getpid()}")
        assert hint.startswith("  ")

    async def test_sessions_list_still_works(self, options: Options) -> None:
        async with owned(options) as services:
            await kept_talk(services.transcript, ["Hello", "Hi"], title="About greetings")
            done = self.steward(options, "sessions", "list")
        assert (done.returncode, done.stderr) == (0, "")
        assert "About greetings" in done.stdout

    def steward(self, options: Options, *arguments: str) -> "subprocess.CompletedProcess[str]":
        return subprocess.run(
            [sys.executable, "-m", "ui", "--home", str(options.home_override), *arguments],
            stdin=subprocess.DEVNULL,
            capture_output=True,
            text=True,
            cwd=ROOT,
            timeout=60,
            check=False,
        )


class TestWhichModel:
    def test_none_is_here(self, home: Home) -> None:
        chosen = which_model(SETTINGS, home)
        assert isinstance(chosen, Failure)
        assert chosen.kind == "model_missing"
        assert "steward models pull" in chosen.hint

    def test_the_only_one_that_is_here(self, home: Home) -> None:
        (home.models / "mine.gguf").write_bytes(b"x")
        assert which_model(SETTINGS, home) == FileModel(name="mine.gguf", path=home.models / "mine.gguf")

    def test_a_catalogue_model_goes_before_an_unknown_file(self, home: Home) -> None:
        entry = load_catalogue().chat[0]
        for file in entry.files:
            (home.models / file.name).write_bytes(b"x")
        (home.models / "aaa.gguf").write_bytes(b"x")
        chosen = which_model(SETTINGS, home)
        assert chosen == FileModel(name=entry.name, path=home.models / entry.files[0].name)

    def test_without_catalogue_models_the_first_file_by_name(self, home: Home) -> None:
        for name in ("b.gguf", "a.gguf"):
            (home.models / name).write_bytes(b"x")
        assert which_model(SETTINGS, home) == FileModel(name="a.gguf", path=home.models / "a.gguf")

    def test_the_setting_decides_and_the_option_decides_over_it(self, home: Home, tmp_path: Path) -> None:
        for name in ("a.gguf", "b.gguf"):
            (home.models / name).write_bytes(b"x")
        elsewhere = tmp_path / "c.gguf"
        elsewhere.write_bytes(b"x")
        settings = ModelSettings(name="b.gguf")
        assert which_model(settings, home) == FileModel(name="b.gguf", path=home.models / "b.gguf")
        assert which_model(settings, home, str(elsewhere)) == FileModel(name="c.gguf", path=elsewhere)
        assert which_model(settings, home, "http://h/v1") == ServerModel(url="http://h/v1")

    @pytest.mark.parametrize("wanted", ["/nowhere/x.gguf", "no-such-model", "x.gguf"])
    def test_a_named_model_that_is_not_here_is_a_failure_that_names_it(self, home: Home, wanted: str) -> None:
        (home.models / "a.gguf").write_bytes(b"x")
        chosen = which_model(ModelSettings(name=wanted), home)
        assert isinstance(chosen, Failure)
        assert wanted in chosen.message
        assert chosen.hint

    def test_a_catalogue_model_that_was_not_fetched_says_how_to_fetch_it(self, home: Home) -> None:
        entry = load_catalogue().chat[0]
        chosen = which_model(ModelSettings(name=entry.name), home)
        assert isinstance(chosen, Failure)
        assert f"steward models pull {entry.name}" in chosen.hint

    def test_an_embedding_model_is_not_one_to_chat_with(self, home: Home) -> None:
        embedding = next(entry for entry in load_catalogue().entries if entry.role == "embedding")
        for file in embedding.files:
            (home.models / file.name).write_bytes(b"x")
        assert isinstance(which_model(SETTINGS, home), Failure)


class TestModel:
    def test_what_is_chosen_is_what_is_built(self, home: Home, options: Options) -> None:
        configuration = load(home.config_file)
        assert isinstance(build_model(configuration, home, options), AbsentModel)
        (home.models / "a.gguf").write_bytes(b"x")
        assert isinstance(build_model(configuration, home, options), WorkerModel)
        assert isinstance(build_model(configuration, home, replace(options, model="http://h/v1")), Server)

    async def test_a_missing_model_answers_with_the_way_to_get_one(self) -> None:
        failure = Failure(kind="model_missing", message="none", hint="pull")
        model = AbsentModel(failure)
        await model.start()
        assert model.status == Absent(failure=failure)
        model.on_status(lambda status: None)()
        events = [event async for event in model.stream(GenerationRequest(messages=()), Cancel())]
        assert events == [Finished(reason="failed", failure=failure)]
        with pytest.raises(ModelError):
            await model.context_length(Cancel())
        with pytest.raises(ModelError):
            await model.count(())
        await model.close()

    async def test_a_session_uses_what_the_services_hold(self, options: Options) -> None:
        async with owned(options) as services:
            demo = replace(options, demo=True)
            model = await asyncio.to_thread(build_model, services.configuration, services.home, demo)
            session = await asyncio.to_thread(build_session, services, model)
            await model.start()
            session.new("normal")
            async for _ in session.say("hello"):
                pass
            await model.close()
            assert len(await services.transcript.sessions()) == 1
