"""Which model fits this machine, and which is the default. Pure; every number here is an estimate and says so.

Writing a token reads all (active) weights once, so its speed is about memory bandwidth divided by those bytes; reading
a prompt is bound by arithmetic on them (the roofline argument of Williams et al. 2009; for language models Pope et al.
2022, section 2). One core of a recent server processor was measured to read 6 to 9 GB/s while writing, and to get
through 35 to 51 billion weights a second while reading a prompt (0.5B and 1.5B at Q4_K_M, AVX2).
`steward models benchmark` measures instead of estimating.
"""

from collections.abc import Collection, Sequence
from dataclasses import dataclass

from models.catalog import Entry, SourceKind
from models.hardware import Gpu, Hardware
from models.settings import DEFAULT_CONTEXT

CORE_BANDWIDTH = 7e9  # bytes a second one core reads
MACHINE_BANDWIDTH = 45e9  # bytes a second all cores together: two channels of DDR4
CORE_WEIGHTS = 40e9  # weights a second one core works through while reading a prompt
SHARED_GPU_BANDWIDTH = 60e9  # of a GPU that uses the machine's RAM; the slowest in use
USABLE_WRITING = 5.0  # tokens a second; about as fast as people read
USABLE_READING = 25.0  # tokens a second; a first question with its 750-token prompt then takes half a minute at most
GPU_MARGIN = 700 * 1024 * 1024  # bytes left free on the device
RAM_MARGIN = 1024 * 1024 * 1024  # bytes left free for everything else...
RAM_MARGIN_SHARE = 0.1  # ...or this share of all, if that is more
DISK_MARGIN = 512 * 1024 * 1024  # bytes left free on disk after a download


@dataclass(frozen=True, slots=True, kw_only=True)
class Fit:
    """How a model would do here. `fits` False: it would swap, or there is no room for it on disk."""

    fits: bool
    usable: bool  # fits, and is quick enough as far as that can be told
    on_gpu: bool
    memory_needed: int  # bytes
    tokens_per_second: float | None  # while writing; an estimate; None when unknown
    reason: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Choice:
    """The default for a machine; `entry` None when not even the smallest fits."""

    entry: Entry | None
    fit: Fit | None
    reason: str


def assess(entry: Entry, hardware: Hardware, *, on_disk: bool = False, context: int = DEFAULT_CONTEXT) -> Fit:
    """Whether and how `entry` runs on `hardware` with a context of `context` tokens."""
    need = entry.memory_needed(context)
    gpu = hardware.offload_gpu
    on_gpu = gpu is not None and _on_gpu(gpu, hardware, need)
    speed = _gpu_speed(entry, gpu) if on_gpu and gpu is not None else _cpu_speed(entry, hardware)
    room = None if on_gpu else ram_budget(hardware)
    shortage = ""
    if not on_gpu and room is None:
        shortage = "this machine's memory is unknown"
    elif room is not None and need > room:
        shortage = f"needs {_gigabytes(need)} of memory, {_gigabytes(max(0, room))} can be used"
    elif not on_disk and hardware.disk_free is not None and entry.size + DISK_MARGIN > hardware.disk_free:
        shortage = f"needs {_gigabytes(entry.size + DISK_MARGIN)} on disk, {_gigabytes(hardware.disk_free)} are free"
    fits = not shortage
    slow = (speed is not None and speed < USABLE_WRITING) or (not on_gpu and _reads_slowly(entry, hardware))
    return Fit(
        fits=fits,
        usable=fits and not slow,
        on_gpu=on_gpu,
        memory_needed=need,
        tokens_per_second=speed,
        reason=shortage or _fitting_reason(gpu if on_gpu else None, speed, slow),
    )


def choose_default(
    entries: Sequence[Entry],
    hardware: Hardware,
    *,
    on_disk: Collection[str] = (),
    reachable: Collection[SourceKind] = ("hub", "package_index"),
    prefer_available: bool = True,
    context: int = DEFAULT_CONTEXT,
) -> Choice:
    """The best chat model that fits and writes fast enough; `on_disk` names entries that are here already.

    With `prefer_available` one that is here goes before any that must be fetched. Where none is quick enough, the
    quickest that fits; where memory is unknown, the smallest."""
    candidates = [
        entry
        for entry in entries
        if entry.role == "chat" and (entry.name in on_disk or entry.source_kinds() & set(reachable))
    ]
    if prefer_available:
        here = [entry for entry in candidates if entry.name in on_disk]
        choice = _best(here, hardware, on_disk, context)
        if choice is not None and choice.fit is not None and choice.fit.usable:
            return choice
    return _best(candidates, hardware, on_disk, context) or _last_resort(candidates, hardware, context)


def ram_budget(hardware: Hardware) -> int | None:
    """Bytes of RAM a model may take without swapping; None when unknown."""
    if hardware.ram_available is None:
        return None
    margin = max(RAM_MARGIN, int(RAM_MARGIN_SHARE * (hardware.ram_total or 0)))
    return hardware.ram_available - margin


def _best(entries: Sequence[Entry], hardware: Hardware, on_disk: Collection[str], context: int) -> Choice | None:
    fits = [(entry, assess(entry, hardware, on_disk=entry.name in on_disk, context=context)) for entry in entries]
    usable = [(entry, fit) for entry, fit in fits if fit.usable]
    if usable:
        entry, fit = max(
            usable, key=lambda pair: (pair[1].on_gpu, pair[0].rank, pair[0].instruct, not pair[0].licence_note)
        )
        here = "already here, and " if entry.name in on_disk else ""
        return Choice(entry=entry, fit=fit, reason=f"{here}the best that runs well on this machine: {fit.reason}")
    fitting = [(entry, fit) for entry, fit in fits if fit.fits]
    if fitting:
        entry, fit = max(fitting, key=lambda pair: pair[1].tokens_per_second or 0.0)
        return Choice(entry=entry, fit=fit, reason=f"the quickest that fits this machine: {fit.reason}")
    return None


def _last_resort(entries: Sequence[Entry], hardware: Hardware, context: int) -> Choice:
    if not entries:
        return Choice(entry=None, fit=None, reason="no source that can be reached has a model")
    smallest = min(entries, key=lambda entry: entry.memory_needed(context))
    fit = assess(smallest, hardware, context=context)
    if ram_budget(hardware) is None and hardware.offload_gpu is None:
        return Choice(entry=smallest, fit=fit, reason="the smallest, because this machine's memory is unknown")
    return Choice(entry=None, fit=fit, reason=f"not even the smallest, {smallest.title}, fits: it {fit.reason}")


def _on_gpu(gpu: Gpu, hardware: Hardware, need: int) -> bool:
    if gpu.shared_memory:
        budget = ram_budget(hardware)
        return budget is not None and need <= budget
    return gpu.memory_free is not None and need + GPU_MARGIN <= gpu.memory_free


def _gpu_speed(entry: Entry, gpu: Gpu | None) -> float | None:
    """Unknown for a device with its own memory: all of those are quicker than people read."""
    if gpu is None or not gpu.shared_memory:
        return None
    return SHARED_GPU_BANDWIDTH / entry.bytes_per_token


def _cpu_speed(entry: Entry, hardware: Hardware) -> float | None:
    threads = _threads(hardware)
    if threads is None:
        return None
    return min(threads * CORE_BANDWIDTH, MACHINE_BANDWIDTH) / entry.bytes_per_token


def _reads_slowly(entry: Entry, hardware: Hardware) -> bool:
    threads = _threads(hardware)
    weights = entry.active_parameters or entry.parameters
    return threads is not None and threads * CORE_WEIGHTS / weights < USABLE_READING


def _threads(hardware: Hardware) -> int | None:
    """Those the engine takes by default: all physical cores but one."""
    cores = hardware.cores_physical or hardware.cores_logical
    return None if cores is None else max(1, cores - 1)


def _fitting_reason(gpu: Gpu | None, speed: float | None, slow: bool) -> str:
    where = f"fits on {gpu.name}" if gpu is not None else "fits in memory"
    if speed is None:
        return where
    pace = f"about {speed:.0f} tokens a second" if speed >= 1 else "under one token a second"
    return f"{where}, {'but slowly: ' if slow else ''}{pace} (estimate)"


def _gigabytes(size: int) -> str:
    return f"{size / 1e9:.1f} GB"
