"""docs/models.md says what the catalogue and the code say."""

import re
from pathlib import Path

from models import choice
from models.catalog import Entry, load_catalogue, read_entries
from models.settings import DEFAULT_CONTEXT

DOCUMENT = (Path(__file__).parents[2] / "docs" / "models.md").read_text("utf-8")


def amount(size: int) -> str:
    return f"{size / 1e9:.2f} GB" if size >= 1e9 else f"{size / 1e6:.0f} MB"


def row_of(entry: Entry) -> str:
    size = amount(entry.size) + ("" if all(file.size_checked for file in entry.files) else " ~")
    active = f" ({entry.active_parameters / 1e9:.1f} B active)" if entry.active_parameters else ""
    sources = dict.fromkeys(source.kind.replace("_", " ") for file in entry.files for source in file.sources)
    cells = (
        f"`{entry.name}`",
        f"{entry.title}, {entry.quantisation}",
        entry.licence + (" (not open)" if entry.licence_note else ""),
        f"{entry.parameters / 1e9:.2f} B{active}",
        size,
        f"{entry.context:,}",
        amount(entry.memory_needed()),
        ", ".join(sources),
        entry.good_for,
    )
    return f"| {' | '.join(cells)} |"


def test_the_table_is_the_catalogue() -> None:
    block = DOCUMENT.split("<!-- catalogue")[1].split("<!-- end of catalogue")[0]
    rows = [line for line in block.splitlines() if line.startswith("| `")]
    assert rows == [row_of(entry) for entry in load_catalogue().entries]


def test_the_example_of_an_entry_is_one() -> None:
    example = re.search(r"```toml\n(.+?)```", DOCUMENT, re.DOTALL)
    assert example is not None
    (entry,) = read_entries(example.group(1).replace('"..."', f'"{"0" * 64}"'), "docs/models.md")
    assert entry.source_kinds() == {"hub", "package_index"}


def test_numbers_of_the_rules() -> None:
    for said in (
        f"{choice.GPU_MARGIN >> 20} MB",
        f"about {choice.USABLE_WRITING:.0f} tokens a second",
        f"{choice.USABLE_READING:.0f} while reading",
        f"{choice.CORE_BANDWIDTH / 1e9:.0f} GB/s",
        f"{choice.MACHINE_BANDWIDTH / 1e9:.0f} GB/s",
        f"{choice.CORE_WEIGHTS / 1e9:.0f} billion weights",
        f"{choice.DISK_MARGIN >> 20} MB that must stay free",
        f"{DEFAULT_CONTEXT:,}",
    ):
        assert said in " ".join(DOCUMENT.split()), said
