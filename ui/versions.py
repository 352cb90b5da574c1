"""Which versions are at work: Steward's own, and those of what it stands on."""

import platform
from importlib.metadata import PackageNotFoundError, version

STANDS_ON = ("llama-cpp-python", "textual", "sqlite-utils", "chromadb", "pydantic", "click")


def steward_version() -> str:
    return _version_of("steward-assistant") or "(not installed: run from its source)"


def versions() -> dict[str, str]:
    """Name to version, "missing" where a distribution is not installed. Reads metadata only; imports none of them."""
    found = {name: _version_of(name) or "missing" for name in STANDS_ON}
    return {"steward": steward_version(), "python": platform.python_version()} | found


def _version_of(name: str) -> str | None:
    try:
        return version(name)
    except PackageNotFoundError:
        return None
