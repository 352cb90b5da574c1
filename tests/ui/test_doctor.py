"""doctor: each check of the engine, the model and the terminal says what it sees and how to mend it."""

from dataclasses import replace
from pathlib import Path

import pytest

from models.crash_memory import CrashRecord
from models.engine_facts import EngineFacts, engine_facts, kernels_in
from models.hardware import Gpu, Hardware
from models.settings import ModelSettings
from models.types import Failure
from tests.support.clock import MONDAY
from tests.support.tiny_model import write_tiny
from ui.checks.engine import check_engine, check_gpu, check_kernels
from ui.checks.model import check_model, look_at
from ui.checks.result import Check
from ui.checks.terminal import TerminalFacts, check_terminal
from ui.model_choice import FileModel, ServerModel
from ui.terminal_probe import TerminalAnswers

BUILD = EngineFacts(engine="llama-cpp-python 1.0", kernels=("AVX", "AVX2"), offloads=False)

MACHINE = Hardware(system="Linux", machine="x86_64", ram_total=16_000_000_000, ram_available=12_000_000_000)

CRASH = CrashRecord(build="b", machine="m", signal="SIGSEGV", at=MONDAY)

TERMINAL = TerminalFacts(
    interactive=True,
    encoding="utf-8",
    columns=100,
    lines=40,
    answers=TerminalAnswers(answers=True, kitty_keys=True, clipboard=True, wide_cells=4),
)

ENV = {"TERM": "xterm-256color", "COLORTERM": "truecolor"}


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
