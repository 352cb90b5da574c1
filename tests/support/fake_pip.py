"""Stands in for pip: `download` copies a wheel from the folder after --find-links; what fails is said in pip's words.

Run as a script; it starts in a tenth of pip's time.
"""

import shutil
import sys
from pathlib import Path

COMMAND = (sys.executable, "-I", "-S", __file__)


def main(arguments: list[str]) -> int:
    if "download" not in arguments:
        return 0
    links = Path(arguments[arguments.index("--find-links") + 1])
    destination = Path(arguments[arguments.index("--dest") + 1])
    wanted = arguments[-1]
    wheel = links / f"{wanted.replace('-', '_').replace('==', '-')}-py3-none-any.whl"
    if not wheel.exists():
        sys.stderr.write(
            f"ERROR: Could not find a version that satisfies the requirement {wanted} (from versions: none)\n"
        )
        sys.stderr.write(f"ERROR: No matching distribution found for {wanted}\n")
        return 1
    try:
        shutil.copyfile(wheel, destination / wheel.name)
    except OSError as error:  # like pip, it leaves what it has written
        sys.stderr.write(f"ERROR: Could not install packages due to an OSError: {error}\n")
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
