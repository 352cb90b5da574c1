import dataclasses

import pytest
from hypothesis import given
from hypothesis import strategies as st

from models.catalog import Entry, load_catalogue
from models.choice import DISK_MARGIN, GPU_MARGIN, Choice, assess, choose_default, ram_budget
from models.hardware import Gpu, Hardware

ENTRIES = load_catalogue().entries
GIB = 1024**3


def a_machine(
    ram: float | None = 24, cores: int | None = 2, gpu: Gpu | None = None, backend: bool = True, disk: float = 500
) -> Hardware:
    return Hardware(
        system="Linux",
        machine="x86_64",
        ram_total=None if ram is None else int(ram * GIB),
        ram_available=None if ram is None else int(ram * GIB * 0.95),
        cores_physical=cores,
        cores_logical=cores,
        gpus=() if gpu is None else (gpu,),
        backends=("cuda",) if gpu is not None and backend else (),
        disk_free=int(disk * GIB),
    )


def a_gpu(free: float | None) -> Gpu:
    return Gpu(name="Card", vendor="nvidia", memory_free=None if free is None else int(free * GIB))


def chosen(choice: Choice) -> str | None:
    return choice.entry.name if choice.entry is not None else None


@pytest.mark.parametrize(
    ("machine", "expected"),
    [
        (a_machine(ram=24, cores=2), "qwen2.5-coder-1.5b"),  # much memory, but 30B-A3B would crawl on two cores
        (a_machine(ram=8, cores=4), "qwen3-4b-2507"),
        (a_machine(ram=16, cores=8), "qwen3-8b"),
        (a_machine(ram=64, cores=16), "qwen3-30b-a3b"),
        (a_machine(ram=2, cores=2), "qwen2.5-coder-0.5b"),
        (a_machine(ram=32, cores=8, gpu=a_gpu(11.5)), "qwen3-14b"),
        (a_machine(ram=64, cores=16, gpu=a_gpu(79)), "qwen3-30b-a3b"),
        (a_machine(ram=24, cores=2, gpu=a_gpu(11.5), backend=False), "qwen2.5-coder-1.5b"),  # a build without CUDA
        (a_machine(ram=24, cores=2, gpu=a_gpu(None)), "qwen2.5-coder-1.5b"),  # free memory of the card unknown
        (a_machine(ram=None), "smollm2-135m"),
        (a_machine(ram=16, cores=8, disk=2.0), "qwen2.5-coder-1.5b"),
    ],
)
def test_default_of_a_machine(machine: Hardware, expected: str) -> None:
    assert chosen(choose_default(ENTRIES, machine)) == expected


def test_without_the_hub_the_best_of_the_package_index() -> None:
    for cores in (2, 16):
        choice = choose_default(ENTRIES, a_machine(ram=64, cores=cores), reachable=["package_index"])
        assert chosen(choice) == "qwen2.5-coder-1.5b"


def test_what_is_here_goes_first_if_it_runs_well() -> None:
    machine = a_machine(ram=64, cores=16)
    assert chosen(choose_default(ENTRIES, machine, on_disk=["llama-3.2-3b", "smollm2-135m"])) == "llama-3.2-3b"
    assert chosen(choose_default(ENTRIES, machine, on_disk=["llama-3.2-3b"], prefer_available=False)) == "qwen3-30b-a3b"
    small = a_machine(ram=24, cores=2)
    assert chosen(choose_default(ENTRIES, small, on_disk=["qwen3-30b-a3b"])) == "qwen2.5-coder-1.5b"
    assert "already here" in choose_default(ENTRIES, machine, on_disk=["llama-3.2-3b"]).reason


def test_without_any_source_only_what_is_here() -> None:
    machine = a_machine()
    assert chosen(choose_default(ENTRIES, machine, reachable=[])) is None
    assert chosen(choose_default(ENTRIES, machine, reachable=[], on_disk=["qwen3-14b"])) == "qwen3-14b"


def test_a_machine_too_small_for_all_gets_none_and_is_told() -> None:
    choice = choose_default(ENTRIES, a_machine(ram=1))
    assert choice.entry is None
    assert "SmolLM2" in choice.reason


def test_among_equals_instruct_and_open_licences() -> None:
    first = next(entry for entry in ENTRIES if entry.name == "qwen3-8b")
    base = dataclasses.replace(first, name="base", instruct=False)
    bound = dataclasses.replace(first, name="bound", licence_note="not open")
    assert chosen(choose_default([bound, base, first], a_machine(ram=64, cores=16))) == "qwen3-8b"


def test_apple_devices_share_the_memory() -> None:
    mac = Hardware(
        system="Darwin",
        machine="arm64",
        ram_total=16 * GIB,
        ram_available=9 * GIB,
        cores_physical=8,
        cores_logical=8,
        gpus=(Gpu(name="Apple M1", vendor="apple", shared_memory=True),),
        backends=("metal",),
    )
    choice = choose_default(ENTRIES, mac)
    assert chosen(choice) == "qwen3-8b"
    assert choice.fit is not None
    assert choice.fit.on_gpu


def test_reasons_are_words() -> None:
    big, small = (next(entry for entry in ENTRIES if entry.name == name) for name in ("qwen3-30b-a3b", "smollm2-135m"))
    assert "but slowly: about 3 tokens a second (estimate)" in assess(big, a_machine()).reason
    assert assess(big, a_machine(ram=8)).reason == "needs 19.7 GB of memory, 7.1 GB can be used"
    assert "on disk" in assess(small, a_machine(disk=0.1)).reason
    assert assess(small, a_machine(disk=0.1), on_disk=True).fits
    assert assess(small, a_machine(gpu=a_gpu(8))).reason == "fits on Card"
    assert assess(small, a_machine(ram=None)).reason == "this machine's memory is unknown"
    assert assess(small, a_machine(cores=None)).reason == "fits in memory"


machines = st.builds(
    a_machine,
    ram=st.none() | st.floats(0.1, 512),
    cores=st.none() | st.integers(1, 128),
    gpu=st.none() | st.builds(a_gpu, st.none() | st.floats(0, 192)),
    backend=st.booleans(),
    disk=st.floats(0, 1000),
)
names = st.sets(st.sampled_from([entry.name for entry in ENTRIES]))


@given(machine=machines, here=names, context=st.sampled_from([512, 8192, 131072]))
def test_the_default_never_swaps(machine: Hardware, here: set[str], context: int) -> None:
    choice = choose_default(ENTRIES, machine, on_disk=here, context=context)
    if choice.entry is None:
        return
    assert choice.entry.role == "chat"
    need = choice.entry.memory_needed(context)
    budget, gpu = ram_budget(machine), machine.offload_gpu
    on_card = gpu is not None and gpu.memory_free is not None and need + GPU_MARGIN <= gpu.memory_free
    assert on_card or budget is None or need <= budget
    if choice.entry.name not in here and budget is not None:
        assert choice.entry.size + DISK_MARGIN <= (machine.disk_free or 0)


@given(machine=machines, here=names)
def test_more_memory_never_makes_the_default_worse(machine: Hardware, here: set[str]) -> None:
    if machine.ram_available is None or machine.ram_total is None:
        return
    more = dataclasses.replace(machine, ram_total=machine.ram_total * 2, ram_available=machine.ram_available * 2)

    def rank(of: Hardware) -> tuple[bool, bool, int]:
        choice = choose_default(ENTRIES, of, on_disk=here, prefer_available=False)
        entry: Entry | None = choice.entry
        if entry is None or choice.fit is None:
            return False, False, 0
        return choice.fit.usable, choice.fit.on_gpu, entry.rank if choice.fit.usable else 0

    assert rank(more) >= rank(machine)
