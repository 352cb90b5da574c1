"""Which model the child loads and how it is started: command, environment, the Load frame."""

import os
import sys
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

from models import hardware
from models.protocol import Load
from models.settings import ModelSettings

CHILD_MODULE = "models.child"
SPIN_COUNT = "1000"  # of libgomp; its default makes a busy neighbour cost 88 % of the speed (docs/decisions/0001)


@dataclass(frozen=True, slots=True, kw_only=True)
class Engine:
    """One GGUF file and how to run it. Building one costs nothing; paths are made absolute when the child starts."""

    path: Path
    name: str  # what the user calls it
    log: Path  # the child's stderr
    crashes: Path  # JSON of models.crash_memory
    prefixes: Path | None = None  # folder of saved prefix states; None keeps none
    prefix_limit_bytes: int = 512 * 1024 * 1024
    context_length: int = 0  # 0: as trained
    threads: int | None = None  # None: all physical cores but one
    gpu_layers: int = -1  # -1: as many as fit
    kv_type: str = "f16"
    flash_attention: bool = True
    command: tuple[str, ...] = ()  # (): this Python with models.child


def engine_of(settings: ModelSettings, path: Path, name: str, *, state: Path, cache: Path) -> Engine:
    """`state` and `cache` are directories of the home."""
    return Engine(
        path=path,
        name=name,
        log=state / "engine.log",
        crashes=state / "engine_crashes.json",
        prefixes=cache / "kv" if settings.keep_prefix_states else None,
        prefix_limit_bytes=settings.prefix_states_mb * 1024 * 1024,
        context_length=settings.context_length,
        threads=None if settings.threads == "auto" else settings.threads,
        gpu_layers=-1 if settings.gpu_layers == "auto" else settings.gpu_layers,
        kv_type=settings.kv_type,
        flash_attention=settings.flash_attention,
    )


def command_of(engine: Engine) -> tuple[str, ...]:
    return engine.command or python_of(CHILD_MODULE)


def python_of(module: str) -> tuple[str, ...]:
    """This Python with one of our modules. -P: the folder the user stands in must not shadow our packages."""
    return (sys.executable, "-P", "-m", module)


def environment_of(base: Mapping[str, str]) -> dict[str, str]:
    """The child's environment; libgomp and Hugging Face code read theirs when they are loaded."""
    own = {
        "GOMP_SPINCOUNT": SPIN_COUNT,
        "GGML_NO_BACKTRACE": "1",  # an abort would start a debugger that holds the pipes
        "HF_HUB_OFFLINE": "1",
        "TRANSFORMERS_OFFLINE": "1",
        "HF_HUB_DISABLE_TELEMETRY": "1",
        "PYTHONUTF8": "1",
    }
    unwanted = ("OMP_WAIT_POLICY", "OMP_NUM_THREADS", "OMP_THREAD_LIMIT", "PYTHONSAFEPATH", "PYTHONSTARTUP")
    kept = {name: value for name, value in base.items() if name not in unwanted}
    return kept | own | _python_path(kept.get("PYTHONPATH"))


def _python_path(present: str | None) -> dict[str, str]:
    """Where our packages lie, unless they are installed like any other."""
    root = Path(__file__).parent.parent
    if root.name in ("site-packages", "dist-packages"):
        return {}
    return {"PYTHONPATH": os.pathsep.join(filter(None, (str(root), present)))}


def load_frame(engine: Engine, *, extra_buffers: bool) -> Load:
    """Looks at the processor: call it from a thread."""
    return Load.model_validate(
        {
            "path": str(engine.path.absolute()),
            "context_length": engine.context_length,
            "threads": engine.threads or default_threads(),
            "gpu_layers": engine.gpu_layers,
            "kv_type": engine.kv_type,
            "flash_attention": engine.flash_attention,
            "extra_buffers": extra_buffers,
            "state_dir": "" if engine.prefixes is None else str(engine.prefixes.absolute()),
            "state_limit_bytes": engine.prefix_limit_bytes,
        }
    )


def default_threads() -> int:
    """All physical cores but one, and at least one."""
    return max(1, (hardware.physical_cores() or 1) - 1)
