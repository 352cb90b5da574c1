import subprocess
import sys
from pathlib import Path

import pytest

from models.errors import SourceUnavailable
from models.fetch.pip_command import find_pip

GOOD = (sys.executable, "-I", "-S", "-c", "pass")
BAD = (sys.executable, "-I", "-S", "-c", "raise SystemExit(1)")


def test_the_first_that_works() -> None:
    assert find_pip(None, iter([BAD, ("/no/such/pip",), GOOD])) == GOOD


def test_none_is_said_with_what_was_tried() -> None:
    with pytest.raises(SourceUnavailable) as caught:
        find_pip(None, iter([("/no/such/pip",)]))
    assert "none works here (tried: /no/such/pip)" in caught.value.message
    assert "steward models use PATH" in caught.value.hint


def test_this_python_has_one() -> None:
    assert find_pip(None)[0] == sys.executable


def test_a_python_without_pip_makes_itself_a_private_one(tmp_path: Path) -> None:
    """As in an environment made by pipx: no pip module, none on PATH; the standard library carries one."""
    bare = tmp_path / "bare"
    subprocess.run([sys.executable, "-m", "venv", "--without-pip", str(bare)], check=True)
    python = bare / ("Scripts/python.exe" if sys.platform == "win32" else "bin/python")
    program = (
        "import sys; sys.path[:0] = sys.argv[1].split('|'); from pathlib import Path\n"
        "from models.fetch.pip_command import find_pip\n"
        "import subprocess; command = find_pip(Path(sys.argv[2]))\n"
        "print(command[0]); print(subprocess.run([*command, '--version'], capture_output=True, text=True).stdout)"
    )
    root = str(Path(__file__).parents[2])
    done = subprocess.run(
        [str(python), "-c", program, root, str(tmp_path / "cache")],
        env={"PATH": str(tmp_path), "SYSTEMROOT": ""},
        capture_output=True,
        text=True,
        check=True,
    )
    first, second = done.stdout.splitlines()[:2]
    assert first.startswith(str(tmp_path / "cache" / "pip"))
    assert second.startswith("pip ")
