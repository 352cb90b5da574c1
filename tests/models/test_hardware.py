from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from types import SimpleNamespace

import pytest

from models.hardware import Gpu, detect, physical_cores
from models.machine_probe import Backend, SystemProbe, installed_backends

GIB = 1024**3
HERE = Path("/models")


@dataclass(frozen=True)
class Described:
    """A machine described by its files and the answers of its commands."""

    os: str = "Linux"
    cpu: str = "x86_64"
    files: Mapping[str, str] = field(default_factory=dict)
    answers: Mapping[str, str] = field(default_factory=dict)
    cores: frozenset[int] | None = None
    memory: tuple[int, int] | None = None
    carried: tuple[Backend, ...] = ()

    def system(self) -> str:
        return self.os

    def machine(self) -> str:
        return self.cpu

    def read(self, path: str) -> str | None:
        return self.files.get(path)

    def names(self, folder: str) -> tuple[str, ...]:
        inside = (path.removeprefix(f"{folder}/").split("/")[0] for path in self.files if path.startswith(f"{folder}/"))
        return tuple(sorted(set(inside)))

    def run(self, *command: str) -> str | None:
        return self.answers.get(" ".join(command[:3])) or self.answers.get(command[0])

    def allowed_cores(self) -> frozenset[int] | None:
        return self.cores

    def windows_memory(self) -> tuple[int, int] | None:
        return self.memory

    def disk_free(self, folder: Path) -> int | None:
        return 5 * GIB if folder == HERE else None

    def backends(self) -> tuple[Backend, ...]:
        return self.carried


MEMINFO = "MemTotal:       16384000 kB\nMemFree:  100 kB\nMemAvailable:   12000000 kB\n"
SIBLINGS = {
    f"/sys/devices/system/cpu/cpu{number}/topology/thread_siblings_list": f"{number % 4},{number % 4 + 4}\n"
    for number in range(8)
}
LAPTOP = {"/proc/meminfo": MEMINFO, "/proc/self/cgroup": "0::/user.slice\n", **SIBLINGS}


def test_linux_laptop() -> None:
    found = detect(HERE, Described(files=LAPTOP, cores=frozenset(range(8))))
    assert (found.ram_total, found.ram_available) == (16384000 * 1024, 12000000 * 1024)
    assert (found.cores_physical, found.cores_logical) == (4, 8)
    assert found.disk_free == 5 * GIB
    assert found.gpus == ()
    assert found.offload_gpu is None


def test_unknown_is_none() -> None:
    for system in ("Linux", "Darwin", "Windows", "Plan9"):
        found = detect(Path("/elsewhere"), Described(os=system))
        assert (found.ram_total, found.ram_available, found.disk_free) == (None, None, None)
        assert (found.cores_physical, found.cores_logical) == (None, None)
        assert found.gpus == ()


def test_affinity_counts_only_cores_this_process_may_use() -> None:
    found = detect(HERE, Described(files=LAPTOP, cores=frozenset({0, 4})))
    assert (found.cores_physical, found.cores_logical) == (1, 2)
    assert physical_cores(Described(files=LAPTOP, cores=frozenset({0, 1, 5}))) == 2


def test_control_group_limits_hold_at_every_level() -> None:
    files = {
        **LAPTOP,
        "/proc/self/cgroup": "0::/box/inner\n",
        "/sys/fs/cgroup/box/inner/memory.max": "max\n",
        "/sys/fs/cgroup/box/memory.max": f"{4 * GIB}\n",
        "/sys/fs/cgroup/box/memory.current": f"{3 * GIB}\n",
        "/sys/fs/cgroup/box/memory.stat": f"anon 5\ninactive_file {GIB}\n",
        "/sys/fs/cgroup/box/cpu.max": "150000 100000\n",
        "/sys/fs/cgroup/cpu.max": "max 100000\n",
    }
    found = detect(HERE, Described(files=files, cores=frozenset(range(8))))
    assert (found.ram_total, found.ram_available) == (4 * GIB, 2 * GIB)
    assert (found.cores_physical, found.cores_logical) == (1, 1)


def test_control_groups_of_version_1() -> None:
    files = {
        **LAPTOP,
        "/proc/self/cgroup": "5:cpu,cpuacct:/d\n4:memory:/d\n",
        "/sys/fs/cgroup/memory/d/memory.limit_in_bytes": f"{2 * GIB}",
        "/sys/fs/cgroup/memory/d/memory.usage_in_bytes": f"{GIB}",
        "/sys/fs/cgroup/memory/memory.limit_in_bytes": "9223372036854771712",
    }
    found = detect(HERE, Described(files=files))
    assert (found.ram_total, found.ram_available) == (2 * GIB, GIB)


def test_nvidia_says_what_is_free() -> None:
    said = "NVIDIA GeForce RTX 4070, 12282, 11000\nNVIDIA A100, 40GB, 81920, 500\n"
    files = {"/sys/class/drm/card0/device/vendor": "0x10de\n"}
    found = detect(HERE, Described(answers={"nvidia-smi": said}, files=files, carried=("cuda",)))
    assert found.gpus == (
        Gpu(name="NVIDIA GeForce RTX 4070", vendor="nvidia", memory_total=12282 << 20, memory_free=11000 << 20),
        Gpu(name="NVIDIA A100, 40GB", vendor="nvidia", memory_total=81920 << 20, memory_free=500 << 20),
    )
    assert found.offload_gpu == found.gpus[0]


def test_nvidia_in_use_by_others_or_silent() -> None:
    found = detect(HERE, Described(answers={"nvidia-smi": "Tesla, [N/A], [N/A]\n"}))
    assert found.gpus == (Gpu(name="Tesla", vendor="nvidia"),)
    files = {"/proc/driver/nvidia/gpus/0000:01:00.0/information": "Model: \t NVIDIA RTX A2000\nIRQ: 3\n"}
    assert detect(HERE, Described(files=files)).gpus == (Gpu(name="NVIDIA RTX A2000", vendor="nvidia"),)


def test_amd_and_intel_cards() -> None:
    base = "/sys/class/drm/card{}/device"
    files = {
        base.format(0) + "/vendor": "0x8086\n",
        base.format(1) + "/vendor": "0x1002\n",
        base.format(1) + "/mem_info_vram_total": "1000\n",
        base.format(1) + "/mem_info_vram_used": "300\n",
        base.format(2) + "/vendor": "0x1af4\n",
        "/sys/class/drm/card0-HDMI-A-1/status": "connected",
    }
    found = detect(HERE, Described(files=files, carried=("vulkan",)))
    assert [(gpu.vendor, gpu.memory_free) for gpu in found.gpus] == [("intel", None), ("amd", 700)]
    assert found.offload_gpu == found.gpus[1]


def test_a_card_the_build_cannot_use_is_no_offload() -> None:
    described = Described(answers={"nvidia-smi": "Card, 1000, 900\n"}, carried=("rocm",))
    assert detect(HERE, described).offload_gpu is None


VM_STAT = """Mach Virtual Memory Statistics: (page size of 16384 bytes)
Pages free:                               10000.
Pages active:                            200000.
Pages inactive:                           20000.
Pages speculative:                         1000.
"""


def test_apple_silicon() -> None:
    answers = {
        "sysctl -n hw.memsize": "17179869184\n",
        "sysctl -n hw.physicalcpu": "8\n",
        "sysctl -n hw.logicalcpu": "8\n",
        "sysctl -n machdep.cpu.brand_string": "Apple M2\n",
        "vm_stat": VM_STAT,
    }
    found = detect(HERE, Described(os="Darwin", cpu="arm64", answers=answers, carried=("metal",)))
    assert (found.ram_total, found.ram_available) == (16 * GIB, 31000 * 16384)
    assert (found.cores_physical, found.cores_logical) == (8, 8)
    assert found.offload_gpu == Gpu(name="Apple M2", vendor="apple", shared_memory=True)
    assert detect(HERE, Described(os="Darwin", cpu="x86_64", answers=answers)).gpus == ()


def test_windows_machine() -> None:
    described = Described(os="Windows", cpu="AMD64", answers={"powershell": "8 16\r\n8 16\r\n"}, memory=(GIB, GIB // 2))
    found = detect(HERE, described)
    assert (found.ram_total, found.ram_available) == (GIB, GIB // 2)
    assert (found.cores_physical, found.cores_logical) == (16, 32)


def test_backends_are_read_off_the_libraries(tmp_path: Path) -> None:
    (tmp_path / "lib").mkdir()
    for name in ("libggml-base.so", "libggml-cuda.so.0", "ggml-vulkan.dll"):
        (tmp_path / "lib" / name).touch()
    spec = SimpleNamespace(submodule_search_locations=[str(tmp_path)])
    assert installed_backends(lambda _: spec) == ("cuda", "vulkan")
    assert installed_backends(lambda _: None) == ()


def test_this_machine(tmp_path: Path) -> None:
    found = detect(tmp_path / "not" / "made")
    assert found.system
    assert found.disk_free is None or found.disk_free > 0
    if found.system == "Linux":
        assert found.ram_total is not None
        assert found.ram_available is not None
        assert 0 <= found.ram_available <= found.ram_total


def test_commands_that_fail_say_nothing() -> None:
    probe = SystemProbe()
    assert probe.run("steward-no-such-program") is None
    assert probe.read("/no/such/file") is None
    assert probe.names("/no/such/folder") == ()
    assert probe.run("false") is None


@pytest.mark.parametrize("text", ["", "garbage", "MemTotal:\nMemAvailable: lots kB", "MemTotal: -5 kB"])
def test_unreadable_memory_is_unknown(text: str) -> None:
    found = detect(HERE, Described(files={"/proc/meminfo": text}))
    assert found.ram_total is None
