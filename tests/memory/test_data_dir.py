"""The home: private whatever the umask, refused in words when it cannot be used, written whole or not at all."""

import errno
import os
import stat
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from memory.data_dir import Home, atomic_write, make_private_file, restrict_umask, unusable
from memory.errors import HomeUnusable, StoreFull
from tests.support.small_disk import on_a_small_disk

posix_only = pytest.mark.skipif(sys.platform == "win32", reason="modes and links are POSIX's")


def mode_of(path: Path) -> int:
    return stat.S_IMODE(path.stat().st_mode)


@contextmanager
def as_nobody() -> Iterator[None]:
    """Root may write everywhere, so that root's tests act as somebody else."""
    if os.geteuid() != 0:
        yield
        return
    os.seteuid(65534)
    try:
        yield
    finally:
        os.seteuid(0)


def test_one_folder_holds_all_four_when_it_is_named(tmp_path: Path) -> None:
    home = Home.resolve(str(tmp_path), {"STEWARD_HOME": "/elsewhere"})
    assert home.roots == tuple(tmp_path / name for name in ("config", "data", "cache", "state"))
    assert Home.resolve(None, {"STEWARD_HOME": str(tmp_path)}) == home
    assert not home.data.exists()


def test_without_a_name_the_platform_decides() -> None:
    home = Home.resolve(None, {"STEWARD_HOME": ""})
    assert all("steward" in str(root) for root in home.roots)
    assert home.database.name == "steward.db"


def test_a_home_below_the_users_folder_is_understood() -> None:
    assert Home.resolve("~/x", {}).data == Path.home() / "x" / "data"
    assert Home.resolve("x/../y", {}).data == Path.cwd() / "y" / "data"


@posix_only
@pytest.mark.usefixtures("open_umask")
def test_everything_is_private_whatever_the_umask(tmp_path: Path) -> None:
    home = Home.resolve(str(tmp_path / "deep" / "home"), {})
    home.make()
    atomic_write(home.config_file, b"x = 1\n")
    make_private_file(home.database)
    for path in tmp_path.rglob("*"):
        assert mode_of(path) == (0o700 if path.is_dir() else 0o600), path


@posix_only
def test_looser_modes_are_repaired(home: Home) -> None:
    (home.data / "chroma").mkdir(mode=0o755)
    loose = home.data / "chroma" / "index.bin"
    loose.write_bytes(b"x")
    loose.chmod(0o644)
    home.state.chmod(0o755)
    outside = home.data / "link"
    outside.symlink_to("/etc/hosts")
    before = mode_of(Path("/etc/hosts"))
    home.make()
    assert mode_of(loose) == 0o600
    assert mode_of(loose.parent) == mode_of(home.state) == 0o700
    assert mode_of(Path("/etc/hosts")) == before


@posix_only
@pytest.mark.usefixtures("open_umask")
def test_after_restricting_the_umask_libraries_write_privately(tmp_path: Path) -> None:
    restrict_umask()
    (tmp_path / "log").write_text("x")
    assert mode_of(tmp_path / "log") == 0o600


def test_making_a_home_twice_changes_nothing(home: Home) -> None:
    atomic_write(home.config_file, b"kept")
    home.make()
    assert home.config_file.read_bytes() == b"kept"
    assert [path.name for path in home.data.iterdir()] == []


def a_file(place: Path) -> Path:
    (place / "file").write_text("x")
    return place / "file"


def below_a_file(place: Path) -> Path:
    return a_file(place) / "home"


def a_circle(place: Path) -> Path:
    (place / "a").symlink_to(place / "b")
    (place / "b").symlink_to(place / "a")
    return place / "a"


def a_dead_link(place: Path) -> Path:
    (place / "data").symlink_to("/proc/nowhere")
    return place


def kernel_files(place: Path) -> Path:
    return Path("/proc/steward")


def too_long(place: Path) -> Path:
    return place / ("x" * 5_000)


def with_nul(place: Path) -> Path:
    return place / "a\x00b"


@posix_only
@pytest.mark.parametrize("place", [a_file, below_a_file, a_circle, a_dead_link, kernel_files, too_long, with_nul])
def test_a_home_that_cannot_be_is_refused_in_one_line(place: Callable[[Path], Path], tmp_path: Path) -> None:
    with pytest.raises(HomeUnusable) as refused:
        Home.resolve(str(place(tmp_path)), {}).make()
    assert "\n" not in refused.value.message
    assert refused.value.message.endswith(".")
    assert "--home" in refused.value.hint


@posix_only
def test_a_home_without_permission_is_refused(tmp_path: Path) -> None:
    closed = tmp_path / "closed"
    closed.mkdir(mode=0o500)
    with as_nobody(), pytest.raises(HomeUnusable, match="permission denied"):
        Home.resolve(str(closed), {}).make()


@posix_only
def test_an_existing_home_that_became_read_only_is_refused(home: Home) -> None:
    with as_nobody(), pytest.raises(HomeUnusable, match="permission denied"):
        home.make()


@pytest.mark.parametrize("number", [errno.ENOSPC, errno.EDQUOT])
def test_a_full_disk_is_not_an_unusable_home(number: int) -> None:
    assert isinstance(unusable(Path("x"), OSError(number, "no room")), StoreFull)


def test_a_lost_network_drive_is_named() -> None:
    assert "network drive" in unusable(Path("x"), OSError(errno.ESTALE, "Stale file handle")).message


def test_an_atomic_write_replaces_the_whole_file_and_leaves_nothing_beside(tmp_path: Path) -> None:
    target = tmp_path / "config.toml"
    target.write_text("old and longer")
    atomic_write(target, b"new")
    assert target.read_bytes() == b"new"
    assert list(tmp_path.iterdir()) == [target]


@posix_only
def test_an_atomic_write_keeps_a_link_and_replaces_what_it_leads_to(tmp_path: Path) -> None:
    real = tmp_path / "dotfiles" / "steward.toml"
    real.parent.mkdir()
    link = tmp_path / "config.toml"
    link.symlink_to(real)
    atomic_write(link, b"new")
    assert link.is_symlink()
    assert real.read_bytes() == b"new"


@posix_only
def test_a_failed_write_leaves_the_old_file(tmp_path: Path) -> None:
    target = tmp_path / "folder"
    target.mkdir()
    with pytest.raises(HomeUnusable, match="it is a folder"):
        atomic_write(target, b"new")
    assert list(tmp_path.iterdir()) == [target]


@pytest.mark.skipif(sys.platform != "linux", reason="needs Linux namespaces")
def test_a_write_to_a_full_disk_leaves_the_old_file(tmp_path: Path) -> None:
    script = (
        "import sys; from pathlib import Path; from memory.data_dir import atomic_write; from memory.errors import *\n"
        "target = Path(sys.argv[1], 'config.toml'); atomic_write(target, b'old')\n"
        "try: atomic_write(target, b'x' * 4_000_000)\n"
        "except StoreFull as full: print(full.message)\n"
        "assert target.read_bytes() == b'old'; assert [p.name for p in target.parent.iterdir()] == ['config.toml']\n"
    )
    result = on_a_small_disk(tmp_path, script)
    assert "The disk is full" in result
