"""A disk that is soon full: a tmpfs of a few megabytes in a mount namespace of its own."""

import subprocess
import sys
from pathlib import Path

import pytest


def on_a_small_disk(place: Path, script: str, *arguments: str, megabytes: int = 1) -> str:
    """Run a script whose first argument is an empty file system of this size. Skips where none may be mounted."""
    mount = 'place="$1"; mount -t tmpfs -o size="$2" steward "$1" || exit 77; shift 2; exec "$1" -c "$2" "$place" "$3"'
    command = ["unshare", "-rm", "sh", "-c", mount, "sh", str(place), f"{megabytes}m", sys.executable, script]
    try:
        result = subprocess.run([*command, *arguments], capture_output=True, text=True, timeout=600)
    except FileNotFoundError:
        pytest.skip("unshare is not installed")
    if result.returncode == 77 or "unshare" in result.stderr:
        pytest.skip("no mount namespaces here")
    assert result.returncode == 0, result.stderr
    return result.stdout
