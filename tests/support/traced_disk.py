"""What a program did to a folder, call by call, and what a power cut at any moment could have left of it.

strace records; `Disk` replays. What was written and not synced may be there, or not, or in part, each file for itself;
names made, replaced or removed since their folder was synced may hold or not. Blind to reordering beyond that.
"""

import random
import re
import shutil
import subprocess
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Literal

import pytest

CALLS = (
    "openat,creat,write,writev,pwrite64,pwritev,pwritev2,ftruncate,truncate,fsync,fdatasync,rename,renameat,renameat2,"
    "unlink,unlinkat,link,linkat,lseek,close,copy_file_range,sendfile,fallocate"
)
SECTOR = 512
Loss = Literal["none", "all", "half", "torn"]
LOSSES: tuple[Loss, ...] = ("all", "half", "torn", "none")

_LINE = re.compile(r"^(\d+)\s+(\w+)\((.*)\)\s+=\s+(-?\d+|\?)")
_BEGUN = re.compile(r"^(\d+)\s+(\w+)\((.*) <unfinished \.\.\.>$")
_RESUMED = re.compile(r"^(\d+)\s+<\.\.\. (\w+) resumed>(.*)\)\s+=\s+(-?\d+|\?)")
_STRING = re.compile(r'"((?:\\x[0-9a-f]{2})*)"')
_BYTE = re.compile(r"\\x([0-9a-f]{2})")
_DESCRIPTOR = re.compile(r"^(\d+)<(.*?)>(?:, |$)")


@dataclass(frozen=True, slots=True)
class Call:
    name: str
    arguments: str
    result: int

    @property
    def strings(self) -> list[bytes]:
        return [bytes.fromhex(found.replace("\\x", "")) for found in _STRING.findall(self.arguments)]


def recorded(command: Sequence[str], trace: Path, env: dict[str, str]) -> Iterator[Call]:
    """Every call of a program in the order in which they were over. Skips where nothing may be traced."""
    if shutil.which("strace") is None:
        pytest.skip("strace is not installed")
    options = ["-f", "-y", "-xx", "-s", "16000000", "-e", f"trace={CALLS}", "-o", str(trace)]
    if subprocess.run(["strace", "-o", str(trace), "true"], capture_output=True).returncode:
        pytest.skip("strace may not trace here")
    done = subprocess.run(["strace", *options, *command], env=env, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    begun: dict[str, str] = {}
    with trace.open(encoding="utf-8", errors="replace") as lines:
        for line in lines:
            if found := _BEGUN.match(line):
                begun[found[1]] = found[3]
            elif found := _RESUMED.match(line):
                yield Call(found[2], begun.pop(found[1], "") + found[3], _number(found[4]))
            elif found := _LINE.match(line):
                yield Call(found[2], found[3], _number(found[4]))


def _number(text: str) -> int:
    return -1 if text == "?" else int(text)


def _plain(text: str) -> str:
    """With the bytes that strace writes as numbers as letters."""
    return _BYTE.sub(lambda found: chr(int(found[1], 16)), text)


@dataclass(frozen=True, slots=True)
class Write:
    at: int
    data: bytes | None  # None: cut to `at`

    def on(self, content: bytearray) -> None:
        if self.data is None:
            del content[self.at :]
            return
        content.extend(bytes(max(self.at - len(content), 0)))
        content[self.at : self.at + len(self.data)] = self.data


@dataclass(slots=True)
class File:
    durable: bytearray = field(default_factory=bytearray)
    pending: list[Write] = field(default_factory=list)

    def sync(self) -> None:
        for write in self.pending:
            write.on(self.durable)
        self.pending.clear()

    @property
    def size(self) -> int:
        content = bytearray(self.durable)
        for write in self.pending:
            write.on(content)
        return len(content)

    def left(self, loss: Loss, chance: random.Random) -> bytes:
        content = bytearray(self.durable)
        match loss:
            case "all":
                kept: Sequence[Write] = ()
            case "half":
                kept = [write for write in self.pending if chance.random() < 0.5]
            case "torn" if self.pending:
                last = self.pending[-1]
                whole = len(last.data or b"") // SECTOR
                cut = None if last.data is None else last.data[: SECTOR * chance.randint(0, max(whole - 1, 0))]
                kept = [*self.pending[:-1], replace(last, data=cut)]
            case _:
                kept = self.pending
        for write in kept:
            write.on(content)
        return bytes(content)


@dataclass(slots=True)
class Disk:
    """The folder `root` as the calls leave it. `said`: what the program wrote to its standard output so far."""

    root: str
    names: dict[str, File] = field(default_factory=dict)
    durable_names: dict[str, File] = field(default_factory=dict)
    said: str = ""
    _offsets: dict[int, int] = field(default_factory=dict)

    def take(self, call: Call) -> bool:
        """Whether the call changed what a power cut would leave, or what was said."""
        if call.result < 0:
            return False
        handler: dict[str, Callable[[Call], bool]] = {
            "openat": self._open,
            "write": self._write,
            "pwrite64": self._write_at,
            "ftruncate": self._cut,
            "fsync": self._sync,
            "fdatasync": self._sync,
            "rename": self._rename,
            "renameat": self._rename,
            "renameat2": self._rename,
            "unlink": self._unlink,
            "unlinkat": self._unlink,
            "lseek": self._seek,
            "close": lambda call: False,
        }
        if call.name in handler:
            return handler[call.name](call)
        assert self.root not in _plain(call.arguments), f"nobody replays {call.name}"
        return False

    def image(self, folder: Path, loss: Loss, chance: random.Random, *, old_names: bool = False) -> None:
        """What a power cut now could leave, as files in `folder`."""
        folder.mkdir(mode=0o700)
        for name, file in (self.durable_names if old_names else self.names).items():
            if name.endswith("-shm"):
                continue  # SQLite makes it anew
            target = folder / name
            target.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
            target.touch(mode=0o600)
            target.write_bytes(file.left(loss, chance))

    def _below(self, path: str) -> str | None:
        return path.removeprefix(self.root + "/") if path.startswith(self.root + "/") else None

    def _of_descriptor(self, call: Call) -> tuple[int, str | None]:
        found = _DESCRIPTOR.match(call.arguments)
        return (-1, None) if found is None else (int(found[1]), _plain(found[2]))

    def _file(self, call: Call) -> tuple[int, File | None]:
        descriptor, path = self._of_descriptor(call)
        name = self._below(path or "")
        return descriptor, None if name is None else self.names.get(name)

    def _open(self, call: Call) -> bool:
        name = self._below(call.strings[0].decode())
        self._offsets[call.result] = 0
        if name is None or "O_DIRECTORY" in call.arguments or not ("O_CREAT" in call.arguments or name in self.names):
            return False
        made = name not in self.names
        if made:
            self.names[name] = File()
        if "O_TRUNC" in call.arguments:
            self.names[name].pending.append(Write(0, None))
        if "O_APPEND" in call.arguments:
            self._offsets[call.result] = self.names[name].size
        return made or "O_TRUNC" in call.arguments

    def _write(self, call: Call) -> bool:
        descriptor, file = self._file(call)
        if file is None:
            if descriptor == 1:
                self.said += call.strings[0].decode()
            return descriptor == 1
        at = self._offsets.get(descriptor, 0)
        file.pending.append(Write(at, call.strings[0][: call.result]))
        self._offsets[descriptor] = at + call.result
        return True

    def _write_at(self, call: Call) -> bool:
        _, file = self._file(call)
        if file is not None:
            file.pending.append(Write(int(call.arguments.rsplit(", ", 1)[1]), call.strings[0][: call.result]))
        return file is not None

    def _cut(self, call: Call) -> bool:
        _, file = self._file(call)
        if file is not None:
            size = int(call.arguments.rsplit(", ", 1)[1])
            grown = size - file.size
            file.pending.append(Write(size, None) if grown <= 0 else Write(size - grown, bytes(grown)))
        return file is not None

    def _sync(self, call: Call) -> bool:
        _, path = self._of_descriptor(call)
        name = self._below(path or "")
        if name is not None and name in self.names:
            self.names[name].sync()
            return True
        if path is None or not f"{path}/".startswith(self.root + "/"):
            return False
        inside = f"{self._below(path)}/" if path != self.root else ""
        here = {
            key
            for key in (*self.names, *self.durable_names)
            if key.startswith(inside) and "/" not in key[len(inside) :]
        }
        for key in here:
            self.durable_names.pop(key, None)
            if key in self.names:
                self.durable_names[key] = self.names[key]
        return True

    def _rename(self, call: Call) -> bool:
        old, new = (self._below(path.decode()) for path in call.strings[:2])
        assert (old is None) == (new is None), "a file crosses the border of the folder"
        if old is None or new is None or old not in self.names:
            return False
        self.names[new] = self.names.pop(old)
        return True

    def _unlink(self, call: Call) -> bool:
        name = self._below(call.strings[0].decode())
        return name is not None and self.names.pop(name, None) is not None

    def _seek(self, call: Call) -> bool:
        descriptor, _ = self._of_descriptor(call)
        self._offsets[descriptor] = call.result
        return False
