"""The command doctor: it runs on any home, beside another Steward, and changes nothing."""

import json
import os
from pathlib import Path

import pytest

from memory.data_dir import OwnerLock
from tests.support.clock import MONDAY
from tests.support.pilot import a_home
from tests.support.tiny_model import write_tiny
from ui.checks.examination import asked
from ui.checks.result import Check
from ui.cli import main


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
