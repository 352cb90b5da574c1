"""doctor: each check says what it sees and how to mend it; the command runs on any home and changes nothing."""

import json
import os
import sqlite3
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest

from memory.data_dir import Holder, Home, OwnerLock
from memory.database import Database
from memory.errors import StoreDamaged
from memory.preferences import Filter
from memory.sqlite_health import Health, look_over
from memory.sqlite_memory_health import MemoryHealth, look_over_memory
from memory.sqlite_preferences import SqlitePreferences
from memory.sqlite_transcript import SqliteTranscript
from models.crash_memory import CrashRecord
from models.engine_facts import EngineFacts, engine_facts, kernels_in
from models.hardware import Gpu, Hardware
from models.settings import ModelSettings
from models.types import Failure
from tests.support.builders import kept_talk
from tests.support.clock import MONDAY
from tests.support.known_user import get_to_know
from tests.support.tiny_model import write_tiny
from ui.checks.engine import check_engine, check_gpu, check_kernels
from ui.checks.examination import asked
from ui.checks.home import check_clock, check_database, check_modes, check_owner, check_room, check_writable, is_running
from ui.checks.memory import check_memory
from ui.checks.model import check_model, look_at
from ui.checks.result import Check
from ui.checks.terminal import TerminalFacts, check_terminal
from ui.cli import main
from ui.model_choice import FileModel, ServerModel
from ui.redaction import redact
from ui.terminal_probe import TerminalAnswers

BUILD = EngineFacts(engine="llama-cpp-python 1.0", kernels=("AVX", "AVX2"), offloads=False)
MACHINE = Hardware(system="Linux", machine="x86_64", ram_total=16_000_000_000, ram_available=12_000_000_000)
CRASH = CrashRecord(build="b", machine="m", signal="SIGSEGV", at=MONDAY)
HEALTH = Health(
    findings=(),
    broken_references=0,
    sessions=1,
    messages=2,
    unindexed=0,
    schema=1,
    known_schema=1,
    newest=MONDAY,
)
TERMINAL = TerminalFacts(
    interactive=True,
    encoding="utf-8",
    columns=100,
    lines=40,
    answers=TerminalAnswers(answers=True, kitty_keys=True, clipboard=True, wide_cells=4),
)
ENV = {"TERM": "xterm-256color", "COLORTERM": "truecolor"}


def a_home(root: Path) -> Home:
    return Home.resolve(str(root), {})


def states(checks: tuple[Check, ...]) -> dict[str, str]:
    return {check.name: check.state for check in checks}


class TestEngine:
    def test_a_sound_build(self) -> None:
        checks = check_engine(BUILD, None, MACHINE)
        assert states(checks) == {"engine": "ok", "kernels": "ok", "gpu": "ok"}
        assert "AVX2" in checks[0].detail

    def test_an_engine_that_does_not_start_is_broken(self) -> None:
        failure = Failure(kind="model_refused", message="it does not start", hint="build it again")
        assert check_engine(failure, None, MACHINE) == (
            Check(name="engine", state="broken", detail="it does not start", fix="build it again"),
        )

    def test_a_crash_of_amx_kernels_is_named_with_its_cure(self) -> None:
        amx = replace(BUILD, kernels=("AVX2", "AMX_INT8"))
        check = check_kernels(amx, CRASH, MACHINE)
        assert check.state == "note"
        assert "AMX kernels of this build crash here (SIGSEGV, 2026-03-02)" in check.detail
        assert 'CMAKE_ARGS="-DGGML_NATIVE=OFF"' in check.fix
        assert "Repacking" in check_kernels(BUILD, CRASH, MACHINE).detail

    def test_amx_kernels_that_have_not_crashed_are_noted(self) -> None:
        assert check_kernels(replace(BUILD, kernels=("AVX2", "AMX_INT8")), None, MACHINE).state == "note"

    def test_a_build_without_vector_kernels_is_noted_on_a_pc_only(self) -> None:
        slow = replace(BUILD, kernels=())
        assert "AVX2" in check_kernels(slow, None, MACHINE).detail
        assert check_kernels(slow, None, replace(MACHINE, machine="arm64")).state == "ok"

    @pytest.mark.parametrize(
        ("gpu", "flags"),
        [
            (Gpu(name="RTX", vendor="nvidia"), "-DGGML_CUDA=on"),
            (Gpu(name="RX", vendor="amd"), "-DGGML_VULKAN=on"),
            (Gpu(name="Arc", vendor="intel"), "-DGGML_VULKAN=on"),
            (Gpu(name="M4", vendor="apple"), "-DGGML_METAL=on"),
        ],
    )
    def test_a_cpu_build_beside_a_gpu_is_named_with_the_command(self, gpu: Gpu, flags: str) -> None:
        check = check_gpu(BUILD, replace(MACHINE, gpus=(gpu,)))
        assert check.state == "note"
        assert "CPU-only build" in check.detail
        assert flags in check.fix
        assert "llama-cpp-python" in check.fix

    def test_a_build_for_another_gpu_is_named(self) -> None:
        machine = replace(MACHINE, gpus=(Gpu(name="RTX", vendor="nvidia"),), backends=("metal",))
        check = check_gpu(replace(BUILD, offloads=True), machine)
        assert (check.state, "built for Metal" in check.detail) == ("note", True)

    def test_a_usable_gpu_shows_its_free_memory(self) -> None:
        gpu = Gpu(name="RTX", vendor="nvidia", memory_total=8_000_000_000, memory_free=6_000_000_000)
        check = check_gpu(replace(BUILD, offloads=True), replace(MACHINE, gpus=(gpu,), backends=("cuda",)))
        assert (check.state, check.detail) == ("ok", "RTX through CUDA, 6.0 GB free")

    def test_kernels_are_read_from_llama_cpps_own_line(self) -> None:
        line = "CPU : SSE3 = 1 | AVX2 = 1 | AMX_INT8 = 0 | CUDA : ARCHS = 890 | REPACK = 1 | "
        assert kernels_in(line) == ("SSE3", "AVX2", "REPACK")
        assert kernels_in("") == ()

    async def test_the_installed_engine_says_what_it_is(self) -> None:
        facts = await engine_facts()
        assert isinstance(facts, EngineFacts)
        assert facts.engine.startswith("llama-cpp-python ")

    async def test_an_engine_that_ends_badly_is_a_failure_with_its_last_words(self) -> None:
        failure = await engine_facts(("sh", "-c", "echo nothing; echo 'libx.so is missing' >&2; exit 3"))
        assert isinstance(failure, Failure)
        assert "libx.so is missing" in failure.message
        assert "llama-cpp-python" in failure.hint


class TestModel:
    def test_no_model_says_how_to_get_one(self) -> None:
        failure = Failure(kind="model_missing", message="none here", hint="pull one")
        (check,) = check_model(failure, None, ModelSettings(), MACHINE)
        assert (check.state, check.detail, check.fix) == ("broken", "none here", "pull one")

    def test_a_server_says_that_text_leaves(self) -> None:
        (check,) = check_model(ServerModel(url="http://h/v1"), None, ModelSettings(), MACHINE)
        assert check.state == "note"
        assert "leaves this process" in check.detail

    def test_a_sound_file(self, tmp_path: Path) -> None:
        path = write_tiny(tmp_path / "tiny.gguf")
        facts = look_at(path, verify=True)
        checks = check_model(FileModel(name="tiny", path=path), facts, ModelSettings(), MACHINE)
        assert states(checks) == {"model": "ok", "model file": "ok", "context": "ok"}
        assert facts.actual in checks[1].detail

    def test_changed_bytes_are_found(self, tmp_path: Path) -> None:
        path = write_tiny(tmp_path / "tiny.gguf")
        facts = replace(look_at(path, verify=True), recorded="0" * 64)
        checks = check_model(FileModel(name="tiny", path=path), facts, ModelSettings(), MACHINE)
        assert states(checks)["model file"] == "broken"
        assert "models pull tiny" in checks[1].fix

    def test_a_damaged_file_is_broken(self, tmp_path: Path) -> None:
        path = tmp_path / "bad.gguf"
        path.write_bytes(b"GGUF" + b"\xff" * 100)
        (check,) = check_model(FileModel(name="bad", path=path), look_at(path, verify=False), ModelSettings(), MACHINE)
        assert check.state == "broken"
        assert check.fix

    def test_too_little_memory_is_broken_and_little_free_memory_a_note(self, tmp_path: Path) -> None:
        path = write_tiny(tmp_path / "tiny.gguf")
        chosen, facts = FileModel(name="tiny", path=path), look_at(path, verify=False)
        small = replace(MACHINE, ram_total=100_000_000)
        busy = replace(MACHINE, ram_available=100_000_000)
        assert states(check_model(chosen, facts, ModelSettings(), small))["context"] == "broken"
        assert states(check_model(chosen, facts, ModelSettings(), busy))["context"] == "note"


class TestTerminal:
    def test_a_good_terminal(self) -> None:
        assert set(states(check_terminal(TERMINAL, ENV)).values()) == {"ok"}

    @pytest.mark.parametrize(
        ("facts", "env", "name", "words"),
        [
            (replace(TERMINAL, interactive=False), ENV, "terminal", "a pipe"),
            (replace(TERMINAL, columns=40), ENV, "terminal", "is small"),
            (replace(TERMINAL, lines=10), ENV, "terminal", "is small"),
            (TERMINAL, {"TERM": "dumb"}, "terminal", "no full screen"),
            (replace(TERMINAL, encoding="ascii"), ENV, "text", "encoding ascii"),
            (replace(TERMINAL, answers=None), ENV, "keys", "does not say"),
            (TERMINAL, {"TERM": "vt100"}, "colour", "few colours"),
        ],
    )
    def test_what_is_less_good_is_noted(self, facts: TerminalFacts, env: dict[str, str], name: str, words: str) -> None:
        found = [check for check in check_terminal(facts, env) if check.name == name]
        assert [(check.state, words in check.detail) for check in found] == [("note", True)]

    def test_wrong_widths_are_noted(self) -> None:
        answers = TerminalAnswers(answers=True, kitty_keys=False, clipboard=False, wide_cells=3)
        checks = check_terminal(replace(TERMINAL, answers=answers), ENV)
        assert states(checks)["text"] == "note"

    def test_no_colour_is_respected(self) -> None:
        checks = check_terminal(TERMINAL, ENV | {"NO_COLOR": "1"})
        assert [check.detail for check in checks if check.name == "colour"] == ["off (NO_COLOR)"]


class TestHome:
    def test_open_modes_are_broken_and_the_fix_works(self, tmp_path: Path) -> None:
        home = a_home(tmp_path)
        home.make()
        assert check_modes(home).state == "ok"
        home.database.write_text("x")
        home.database.chmod(0o644)
        check = check_modes(home)
        assert check.state == "broken"
        assert str(home.database) in check.detail
        assert os.system(check.fix) == 0
        assert check_modes(home).state == "ok"

    def test_a_link_out_of_the_home_is_not_followed(self, tmp_path: Path) -> None:
        home = a_home(tmp_path / "home")
        home.make()
        outside = tmp_path / "outside"
        outside.mkdir(mode=0o755)
        (outside / "file").write_text("x")
        (home.data / "link").symlink_to(outside)
        assert check_modes(home).state == "ok"

    def test_an_owner_that_lives_is_named(self) -> None:
        here = Holder(pid=os.getpid(), started=MONDAY, what="chat")
        check = check_owner(here, alive=is_running(here))
        assert f"process {os.getpid()} (chat" in check.detail
        gone = replace(here, pid=2**22 + 1)
        assert "no Steward" in check_owner(gone, alive=is_running(gone)).detail
        assert "no Steward" in check_owner(None, alive=False).detail

    def test_room_on_disk(self) -> None:
        assert [check_room(free).state for free in (10**12, 10**8, 10**6, None)] == ["ok", "note", "broken", "note"]

    def test_a_home_that_cannot_be_made(self, tmp_path: Path) -> None:
        (tmp_path / "file").write_text("x")
        check = check_writable(a_home(tmp_path / "file" / "home"))
        assert check.state == "broken"
        assert "--home" in check.fix
        assert check_writable(a_home(tmp_path / "new")).state == "ok"
        assert not (tmp_path / "new").exists()

    @pytest.mark.parametrize(
        ("found", "state", "words"),
        [
            (None, "ok", "not made yet"),
            (HEALTH, "ok", "1 conversations, 2 messages"),
            (replace(HEALTH, findings=("row 3 missing from index",)), "broken", "row 3 missing"),
            (replace(HEALTH, broken_references=2), "broken", "2 rows"),
            (replace(HEALTH, unindexed=5), "broken", "search misses 5"),
            (replace(HEALTH, schema=9), "broken", "written by a newer Steward (schema 9; this one knows 1)"),
            (StoreDamaged("it is damaged", "keep it"), "broken", "it is damaged"),
        ],
    )
    def test_database(self, found: Health | StoreDamaged | None, state: str, words: str) -> None:
        check = check_database(found)[0]
        assert check.state == state
        assert words in check.detail
        assert bool(check.fix) == (state == "broken")

    def test_clock(self) -> None:
        now = datetime(2026, 12, 1, tzinfo=UTC)
        assert check_clock(now, now - timedelta(days=1), "UTC").state == "ok"
        assert check_clock(now, now + timedelta(days=1), "UTC").state == "note"
        assert check_clock(datetime(1970, 1, 1, tzinfo=UTC), None, "UTC").state == "broken"


class TestHealth:
    async def test_nothing_was_kept(self, tmp_path: Path) -> None:
        assert await look_over(tmp_path / "steward.db") is None

    async def test_counts_and_the_newest_moment_beside_an_owner(self, tmp_path: Path) -> None:
        transcript = await SqliteTranscript.open(tmp_path / "steward.db")
        try:
            await kept_talk(transcript, ["one", "two", "three"])
            health = await look_over(tmp_path / "steward.db")
        finally:
            await transcript.close()
        assert health is not None
        assert (health.findings, health.broken_references, health.unindexed) == ((), 0, 0)
        assert (health.sessions, health.messages) == (1, 3)
        assert health.newest is not None
        assert health.newest.tzinfo is not None

    async def test_rows_that_search_cannot_find_are_counted(self, tmp_path: Path) -> None:
        path = tmp_path / "steward.db"
        transcript = await SqliteTranscript.open(path)
        await kept_talk(transcript, ["one", "two"])
        await transcript.close()
        with sqlite3.connect(path) as connection:
            connection.execute("INSERT INTO message_fts(message_fts, rowid, content) VALUES('delete', 1, 'one')")
        connection.close()
        health = await look_over(path)
        assert health is not None
        assert health.unindexed == 1


class TestExamination:
    def test_what_cannot_be_looked_at_is_a_finding(self) -> None:
        def refused() -> Check:
            raise PermissionError(13, "Permission denied")

        (check,) = asked("modes", refused)
        assert (check.name, check.state, check.detail) == ("modes", "broken", "cannot be looked at: Permission denied")
        assert check.fix


class TestCommand:
    def test_a_home_inside_a_file_is_examined_whole(self, capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
        (tmp_path / "file").write_text("x")
        code, checks = self.run(capsys, "--home", str(tmp_path / "file" / "home"))
        assert code == 1
        assert checks["home"]["state"] == "broken"
        assert {"engine", "model", "modes", "database", "disk", "clock"} <= set(checks)

    def run(self, capsys: pytest.CaptureFixture[str], *args: str) -> tuple[int, dict[str, dict[str, str]]]:
        code = main([*args, "doctor", "--json"])
        found = json.loads(capsys.readouterr().out)
        assert found["sound"] == (code == 0)
        assert {"steward", "python", "llama-cpp-python"} <= set(found["versions"])
        return code, {check["name"]: check for check in found["checks"]}

    def test_a_home_that_does_not_exist_is_not_made(self, capsys: pytest.CaptureFixture[str], own_home: Path) -> None:
        code, checks = self.run(capsys)
        assert code == 1
        assert [name for name, check in checks.items() if check["state"] == "broken"] == ["model"]
        assert not own_home.exists()

    def test_with_a_model_everything_works(self, capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
        path = write_tiny(tmp_path / "tiny.gguf")
        code, checks = self.run(capsys, "--model", str(path))
        assert code == 0
        assert checks["model"]["state"] == "ok"

    def test_it_runs_beside_another_steward(self, capsys: pytest.CaptureFixture[str], own_home: Path) -> None:
        home = a_home(own_home)
        home.make()
        with OwnerLock(home, what="chat", at=MONDAY):
            _, checks = self.run(capsys)
        assert f"process {os.getpid()}" in checks["owner"]["detail"]

    def test_a_damaged_database_and_wrong_settings_are_reported_and_left_alone(
        self, capsys: pytest.CaptureFixture[str], own_home: Path
    ) -> None:
        home = a_home(own_home)
        home.make()
        home.database.write_bytes(b"this was a database once" * 100)
        home.database.chmod(0o600)
        home.config_file.write_text("[ui]\ntheme = 'pink'\n")
        home.config_file.chmod(0o600)
        before = {path: path.read_bytes() for path in own_home.rglob("*") if path.is_file()}
        code, checks = self.run(capsys)
        assert code == 1
        broken = {name for name, check in checks.items() if check["state"] == "broken"}
        assert broken == {"model", "database", "settings"}
        assert all(checks[name]["fix"] for name in broken)
        assert {path: path.read_bytes() for path in own_home.rglob("*") if path.is_file()} == before

    def test_the_plain_text_names_state_and_fix(self, capsys: pytest.CaptureFixture[str]) -> None:
        assert main(["doctor"]) == 1
        lines = capsys.readouterr().out.splitlines()
        assert lines[0].startswith("steward ")
        at = next(index for index, line in enumerate(lines) if line.startswith("broken  model"))
        assert "-> Fetch the one that fits: steward models pull" in lines[at + 1]
        assert lines[-1] == "Something is broken; the arrows say how to mend it."


class TestRedaction:
    @pytest.mark.parametrize(
        "secret",
        [
            "api_key = abcdefgh12345678",
            "Authorization: Bearer abcdefgh12345678",
            "https://user:abcdefgh12345678@host/v1",
            "sk-abcdefgh12345678",
            "hf_abcdefgh12345678",
            'token: "abcdefgh12345678"',
            "PASSWORD=abcdefgh12345678",
        ],
    )
    def test_secrets_are_taken_out(self, secret: str) -> None:
        assert "abcdefgh12345678" not in redact(f"before {secret} after")
        assert "before " in redact(f"before {secret} after")

    def test_the_home_directory_becomes_a_tilde(self, monkeypatch: pytest.MonkeyPatch) -> None:
        monkeypatch.setenv("HOME", "/home/margaret")
        assert redact("/home/margaret/x and /mnt/margaret/y") == "~/x and /mnt/user/y"

    @pytest.mark.parametrize(
        "text", ["tokens: 123 of 456", "SHA-256 " + "a" * 64, "steward config set model.context_length 2048"]
    )
    def test_harmless_text_stays(self, text: str) -> None:
        assert redact(text) == text


class TestMemory:
    SOUND = MemoryHealth(
        in_force=12,
        to_review=2,
        unsearchable=0,
        owed=0,
        failing=0,
        vectors=12,
        missing=0,
        strangers=0,
        tombstones=3,
        generation=1,
        model="all-minilm-l6-v2",
    )

    def test_nothing_remembered_is_sound(self) -> None:
        assert check_memory(None, embedder=False).state == "ok"

    def test_an_index_in_step_is_sound(self) -> None:
        check = check_memory(self.SOUND, embedder=True)
        assert check.state == "ok"
        assert "12 vectors, generation 1" in check.detail

    @pytest.mark.parametrize(
        ("change", "embedder", "state", "words"),
        [
            ({"unsearchable": 1}, True, "broken", "search misses 1"),
            ({"vectors": 0}, False, "note", "steward models pull all-minilm-l6-v2"),
            ({"owed": 4}, True, "note", "4 changes to be indexed"),
            ({"owed": 4, "failing": 4}, True, "note", "several tries"),
            ({"missing": 1, "strangers": 2}, True, "note", "out of step by 3"),
        ],
    )
    def test_what_is_out_of_step_is_named(self, change: dict[str, int], embedder: bool, state: str, words: str) -> None:
        check = check_memory(replace(self.SOUND, **change), embedder=embedder)  # type: ignore[arg-type]
        assert check.state == state
        assert words in f"{check.detail} {check.fix}"

    def test_trouble_with_the_database_is_told_once(self) -> None:
        assert check_memory(StoreDamaged("broken", "mend it"), embedder=True).state == "note"

    async def test_a_real_store_is_counted(self, tmp_path: Path) -> None:
        path = tmp_path / "steward.db"
        async with await Database.open(path) as database:
            store = SqlitePreferences(database)
            await get_to_know(store, SqliteTranscript(database))
            await store.forget([(await store.list(Filter(statuses=("active",))))[-1].id], at=MONDAY)
        found = await look_over_memory(path)
        assert found is not None
        assert (found.in_force, found.to_review, found.unsearchable) == (10, 3, 0)
        assert found.owed >= found.in_force
        assert found.tombstones > 0
        assert (found.missing, found.strangers) == (0, 0)

    async def test_a_home_without_a_database_has_none(self, tmp_path: Path) -> None:
        assert await look_over_memory(tmp_path / "steward.db") is None
