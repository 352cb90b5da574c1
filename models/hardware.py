"""What this machine has: memory, cores, graphics processors, free disk. Nothing is invented: unknown is None."""

from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path, PurePosixPath
from typing import Literal

from models.machine_probe import Backend, Probe, SystemProbe

Vendor = Literal["nvidia", "amd", "intel", "apple"]

_VENDORS: dict[str, Vendor] = {"0x10de": "nvidia", "0x1002": "amd", "0x8086": "intel"}
# What can drive a vendor's device, for llama.cpp.
_DRIVES: dict[Vendor, frozenset[Backend]] = {
    "nvidia": frozenset({"cuda", "vulkan"}),
    "amd": frozenset({"rocm", "vulkan"}),
    "intel": frozenset({"sycl", "vulkan"}),
    "apple": frozenset({"metal"}),
}


@dataclass(frozen=True, slots=True, kw_only=True)
class Gpu:
    name: str
    vendor: Vendor
    memory_total: int | None = None  # bytes; None when unknown
    memory_free: int | None = None
    shared_memory: bool = False  # it uses the machine's RAM


@dataclass(frozen=True, slots=True, kw_only=True)
class Hardware:
    """Sizes in bytes. RAM and cores are what this process may use: cgroup limits are taken into account."""

    system: str  # "Linux", "Darwin", "Windows"
    machine: str  # "x86_64", "arm64"
    ram_total: int | None = None
    ram_available: int | None = None
    cores_physical: int | None = None
    cores_logical: int | None = None
    gpus: tuple[Gpu, ...] = ()
    backends: tuple[Backend, ...] = ()  # offload backends of the installed llama.cpp build
    disk_free: int | None = None

    @property
    def offload_gpu(self) -> Gpu | None:
        """The device the installed build can offload to: the one with the most free memory."""
        usable = [gpu for gpu in self.gpus if _DRIVES[gpu.vendor] & set(self.backends)]
        return max(usable, key=lambda gpu: gpu.memory_free or 0, default=None)


def detect(folder: Path, probe: Probe | None = None) -> Hardware:
    """Look at this machine; `folder` is where models will be kept. Takes a moment where a vendor tool is asked."""
    probe = probe or SystemProbe()
    system = probe.system()
    ram_total, ram_available = _memory(system, probe)
    physical, logical = _cores(system, probe)
    return Hardware(
        system=system,
        machine=probe.machine(),
        ram_total=ram_total,
        ram_available=ram_available,
        cores_physical=physical,
        cores_logical=logical,
        gpus=_gpus(system, probe),
        backends=probe.backends(),
        disk_free=probe.disk_free(folder),
    )


def physical_cores(probe: Probe | None = None) -> int | None:
    """Physical cores this process may use, or logical ones where only those are known; asks no vendor tool."""
    probe = probe or SystemProbe()
    physical, logical = _cores(probe.system(), probe)
    return physical or logical


def _memory(system: str, probe: Probe) -> tuple[int | None, int | None]:
    match system:
        case "Linux":
            return _linux_memory(probe)
        case "Darwin":
            return _number(probe.run("sysctl", "-n", "hw.memsize")), _mac_available(probe.run("vm_stat"))
        case "Windows":
            return probe.windows_memory() or (None, None)
        case _:
            return None, None


def _linux_memory(probe: Probe) -> tuple[int | None, int | None]:
    fields = dict(_fields(probe.read("/proc/meminfo")))
    total, available = _kilobytes(fields.get("MemTotal")), _kilobytes(fields.get("MemAvailable"))
    for limit, used in _cgroup_memory(probe):
        total = _least(total, limit)
        available = _least(available, max(0, limit - used))
    return total, available


def _cgroup_memory(probe: Probe) -> Iterable[tuple[int, int]]:
    """(limit, used without what can be dropped) of every control group above this process, versions 2 and 1."""
    for line in (probe.read("/proc/self/cgroup") or "").splitlines():
        _, controllers, path = (line.split(":", 2) + ["", ""])[:3]
        if controllers == "":
            root, limit_name, used_name, cache = "/sys/fs/cgroup", "memory.max", "memory.current", "inactive_file"
        elif "memory" in controllers.split(","):
            root, limit_name, used_name = "/sys/fs/cgroup/memory", "memory.limit_in_bytes", "memory.usage_in_bytes"
            cache = "total_inactive_file"
        else:
            continue
        for folder in (PurePosixPath(path), *PurePosixPath(path).parents):
            base = f"{root}{folder}".rstrip("/")
            limit = _number(probe.read(f"{base}/{limit_name}"))
            if limit is None or limit >= 1 << 60:  # "max", or version 1's way of saying so
                continue
            used = _number(probe.read(f"{base}/{used_name}")) or 0
            droppable = _number(dict(_pairs(probe.read(f"{base}/memory.stat"))).get(cache)) or 0
            yield limit, max(0, used - droppable)


def _mac_available(text: str | None) -> int | None:
    """Free, inactive and speculative pages of vm_stat, in bytes."""
    if not text or "page size of " not in text:
        return None
    page = _number(text.split("page size of ")[1].split()[0])
    fields = dict(_fields(text))
    counts = [_number(fields.get(name, "").rstrip(".")) for name in ("Pages free", "Pages inactive")]
    if page is None or None in counts:
        return None
    speculative = _number(fields.get("Pages speculative", "").rstrip(".")) or 0
    return page * (sum(count or 0 for count in counts) + speculative)


def _cores(system: str, probe: Probe) -> tuple[int | None, int | None]:
    """Physical and logical cores this process may use."""
    match system:
        case "Linux":
            return _linux_cores(probe)
        case "Darwin":
            return (
                _number(probe.run("sysctl", "-n", "hw.physicalcpu")),
                _number(probe.run("sysctl", "-n", "hw.logicalcpu")),
            )
        case "Windows":
            return _windows_cores(probe)
        case _:
            allowed = probe.allowed_cores()
            return None, len(allowed) if allowed else None


def _linux_cores(probe: Probe) -> tuple[int | None, int | None]:
    allowed = probe.allowed_cores()
    if not allowed:
        return None, None
    base = "/sys/devices/system/cpu/cpu{}/topology/thread_siblings_list"
    siblings = [probe.read(base.format(number)) for number in sorted(allowed)]
    physical = len(set(siblings)) if None not in siblings else None
    logical = len(allowed)
    quota = _cpu_quota(probe)
    if quota is not None:
        logical = min(logical, quota)
        physical = min(physical, quota) if physical else None
    return physical, logical


def _cpu_quota(probe: Probe) -> int | None:
    """Whole cores the control groups (version 2) grant, at least 1; None without a limit."""
    granted: float | None = None
    for line in (probe.read("/proc/self/cgroup") or "").splitlines():
        if not line.startswith("0::"):
            continue
        path = PurePosixPath(line[3:])
        for folder in (path, *path.parents):
            words = (probe.read(f"/sys/fs/cgroup{folder}".rstrip("/") + "/cpu.max") or "").split()
            if len(words) == 2 and words[0].isdigit() and words[1].isdigit() and int(words[1]):
                share = int(words[0]) / int(words[1])
                granted = share if granted is None else min(granted, share)
    return None if granted is None else max(1, int(granted))


def _windows_cores(probe: Probe) -> tuple[int | None, int | None]:
    query = (
        "Get-CimInstance Win32_Processor | "
        "ForEach-Object { '{0} {1}' -f $_.NumberOfCores, $_.NumberOfLogicalProcessors }"
    )
    rows = [row.split() for row in (probe.run("powershell", "-NoProfile", "-Command", query) or "").splitlines()]
    pairs = [(int(row[0]), int(row[1])) for row in rows if len(row) == 2 and row[0].isdigit() and row[1].isdigit()]
    if not pairs:
        return None, None
    return sum(physical for physical, _ in pairs), sum(logical for _, logical in pairs)


def _gpus(system: str, probe: Probe) -> tuple[Gpu, ...]:
    if system == "Darwin":
        chip = (probe.run("sysctl", "-n", "machdep.cpu.brand_string") or "").strip()
        apple = probe.machine() == "arm64"
        return (Gpu(name=chip or "Apple GPU", vendor="apple", shared_memory=True),) if apple else ()
    nvidia = _nvidia(probe)
    others = _drm(probe) if system == "Linux" else ()
    if nvidia:
        others = tuple(gpu for gpu in others if gpu.vendor != "nvidia")
    return (*nvidia, *others)


def _nvidia(probe: Probe) -> tuple[Gpu, ...]:
    text = probe.run("nvidia-smi", "--query-gpu=name,memory.total,memory.free", "--format=csv,noheader,nounits")
    rows = [[cell.strip() for cell in row.rsplit(",", 2)] for row in (text or "").splitlines()]
    found = tuple(
        Gpu(name=row[0], vendor="nvidia", memory_total=_megabytes(row[1]), memory_free=_megabytes(row[2]))
        for row in rows
        if len(row) == 3 and row[0]
    )
    if found:
        return found
    base = "/proc/driver/nvidia/gpus"
    cards = [dict(_fields(probe.read(f"{base}/{name}/information"))) for name in probe.names(base)]
    return tuple(Gpu(name=card.get("Model", "NVIDIA GPU"), vendor="nvidia") for card in cards)


def _drm(probe: Probe) -> tuple[Gpu, ...]:
    """Cards the Linux kernel drives. Only amdgpu says how much memory there is and how much of it is used."""
    found: list[Gpu] = []
    for card in probe.names("/sys/class/drm"):
        if not card.startswith("card") or not card[4:].isdigit():
            continue
        device = f"/sys/class/drm/{card}/device"
        vendor = _VENDORS.get((probe.read(f"{device}/vendor") or "").strip())
        if vendor is None:
            continue
        total = _number(probe.read(f"{device}/mem_info_vram_total"))
        used = _number(probe.read(f"{device}/mem_info_vram_used"))
        free = total - used if total is not None and used is not None else None
        found.append(Gpu(name=f"{vendor.upper()} GPU ({card})", vendor=vendor, memory_total=total, memory_free=free))
    return tuple(found)


def _fields(text: str | None) -> Iterable[tuple[str, str]]:
    """Lines such as `Name:   value`."""
    for line in (text or "").splitlines():
        name, colon, value = line.partition(":")
        if colon:
            yield name.strip(), value.strip()


def _pairs(text: str | None) -> Iterable[tuple[str, str]]:
    """Lines such as `name value`."""
    for line in (text or "").splitlines():
        name, _, value = line.partition(" ")
        yield name, value


def _number(text: str | None) -> int | None:
    words = (text or "").split()
    return int(words[0]) if words and words[0].isdigit() else None


def _kilobytes(text: str | None) -> int | None:
    number = _number(text)
    return None if number is None else number * 1024


def _megabytes(text: str) -> int | None:
    number = _number(text)
    return None if number is None else number * 1024 * 1024


def _least(known: int | None, limit: int) -> int:
    return limit if known is None else min(known, limit)
