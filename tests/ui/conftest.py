"""What most tests of the ui begin with: a home that is made, and the command in this process."""

from pathlib import Path

import pytest

from memory.data_dir import Home
from tests.support.command_line import Run
from ui.cli import main


@pytest.fixture
def home(own_home: Path) -> Home:
    made = Home.resolve(str(own_home), {})
    made.make()
    return made


@pytest.fixture
def run(capsys: pytest.CaptureFixture[str]) -> Run:
    """Runs `steward ...` in this process: exit code, stdout, stderr."""

    def ran(*args: str) -> tuple[int, str, str]:
        code = main(args)
        said = capsys.readouterr()
        return code, said.out, said.err

    return ran
