"""The engine: does llama.cpp start, which kernels are in it, can it use the graphics processor of this machine."""

import sys

from models.crash_memory import CrashRecord
from models.engine_facts import EngineFacts
from models.hardware import Hardware, Vendor
from models.machine_probe import Backend
from models.types import Failure
from ui.checks.result import Check, broken, note, ok

PACKAGE = "--force-reinstall --no-cache-dir --no-deps llama-cpp-python"
# What must be installed first, and the flags of the build. None of these GPU builds has been run by us.
RECIPES: dict[Vendor, tuple[str, str]] = {
    "nvidia": ("with the CUDA toolkit (nvcc) installed", "-DGGML_NATIVE=OFF -DGGML_CUDA=on"),
    "amd": ("with the Vulkan SDK (glslc) installed", "-DGGML_NATIVE=OFF -DGGML_VULKAN=on"),
    "intel": ("with the Vulkan SDK (glslc) installed", "-DGGML_NATIVE=OFF -DGGML_VULKAN=on"),
    "apple": ("with the Xcode command line tools installed", "-DGGML_METAL=on"),
}
BACKEND_NAMES: dict[Backend, str] = {
    "cuda": "CUDA",
    "metal": "Metal",
    "vulkan": "Vulkan",
    "rocm": "ROCm",
    "sycl": "SYCL",
}
_SHOWN_KERNELS = ("AVX", "AVX2", "AVX512", "AMX_INT8", "NEON", "DOTPROD", "SVE")


def check_engine(facts: EngineFacts | Failure, crash: CrashRecord | None, hardware: Hardware) -> tuple[Check, ...]:
    if isinstance(facts, Failure):
        return (broken("engine", facts.message, facts.hint),)
    shown = [kernel for kernel in _SHOWN_KERNELS if kernel in facts.kernels]
    built = ok("engine", f"{facts.engine}, {hardware.machine}, kernels: {' '.join(shown) or 'generic'}")
    return built, check_kernels(facts, crash, hardware), check_gpu(facts, hardware)


def check_kernels(facts: EngineFacts, crash: CrashRecord | None, hardware: Hardware) -> Check:
    """The crash of AMX and repacking kernels that this home has seen, or may see."""
    amx = "AMX_INT8" in facts.kernels
    if crash is not None:
        return note(
            "kernels",
            f"{'AMX' if amx else 'Repacking'} kernels of this build crash here ({crash.signal}, {crash.at:%Y-%m-%d}); "
            "Steward runs without them and answers.",
            f"For full speed build without them: {rebuild('-DGGML_NATIVE=OFF')}",
        )
    if amx:
        return note(
            "kernels",
            "This build has AMX kernels, which crash on some virtual machines. Then Steward goes on without them.",
            f"To be rid of them: {rebuild('-DGGML_NATIVE=OFF')}",
        )
    if hardware.machine in ("x86_64", "AMD64") and "AVX2" not in facts.kernels:
        return note(
            "kernels",
            "This build has no AVX2 kernels, so it is several times slower than it needs to be.",
            f"Build again without SOURCE_DATE_EPOCH in the environment: {rebuild('-DGGML_NATIVE=OFF')}",
        )
    return ok("kernels", "none that are known to crash")


def check_gpu(facts: EngineFacts, hardware: Hardware) -> Check:
    if not hardware.gpus:
        return ok("gpu", "none found; the processor does the work")
    names = ", ".join(gpu.name for gpu in hardware.gpus)
    before, flags = RECIPES[hardware.gpus[0].vendor]
    fix = f"Build it for the GPU, {before}: {rebuild(flags)}"
    if not facts.offloads:
        return note("gpu", f"{names} is here, but this llama.cpp is a CPU-only build.", fix)
    built_for = ", ".join(BACKEND_NAMES[backend] for backend in hardware.backends) or "something unknown"
    usable = hardware.offload_gpu
    if usable is None:
        return note("gpu", f"{names} is here, but this llama.cpp is built for {built_for}.", fix)
    free = "" if usable.memory_free is None else f", {usable.memory_free / 1e9:.1f} GB free"
    return ok("gpu", f"{usable.name} through {built_for}{free}")


def rebuild(flags: str, python: str = sys.executable) -> str:
    """The command that builds llama.cpp again in this environment."""
    return f'CMAKE_ARGS="{flags}" {python} -m pip install {PACKAGE}'
