"""Writes docs/keys.md: `python -m tests.support.keys_page`."""

from pathlib import Path

from ui.keys import as_markdown

PAGE = Path(__file__).parent.parent.parent / "docs" / "keys.md"

if __name__ == "__main__":
    PAGE.write_text(as_markdown(), encoding="utf-8")
