"""`python -m models.child.template_reader`: renders one chat template over the probes and prints the results.

Reads {"template", "eos"} on stdin. Jinja2's immutable sandbox keeps the template from Python; limits on processor
time, memory and output keep it from the machine. Whatever happens here ends with this process.
"""

import ctypes
import json
import signal
import sys
from collections.abc import Sequence
from datetime import datetime
from typing import Any, NoReturn

CPU_SECONDS = 2
MEMORY_BYTES = 512 * 1024 * 1024
MAX_RENDERED_CHARS = 64 * 1024
_PR_SET_PDEATHSIG = 1


class _Refused(Exception):
    """raise_exception(...) of the template."""


def main() -> None:
    _limit()
    request = json.loads(sys.stdin.buffer.read())
    from models.templates import PROBE, PROBE_WITH_SYSTEM

    def rendered(probe: Sequence[Any], *, think: bool) -> str | None:
        messages = [{"role": one.role, "content": one.content} for one in probe]
        return _render(request["template"], request["eos"], messages, think=think)

    results = {
        "plain": rendered(PROBE, think=False),
        "with_system": rendered(PROBE_WITH_SYSTEM, think=False),
        "thinking": rendered(PROBE, think=True),
    }
    sys.stdout.write(json.dumps(results))


def _render(template: str, eos: str, messages: list[dict[str, str]], *, think: bool) -> str | None:
    """None when the template fails in any way that leaves this process alive."""
    from jinja2 import TemplateError
    from jinja2.sandbox import ImmutableSandboxedEnvironment

    def refuse(message: object = "") -> NoReturn:
        raise _Refused(str(message))

    environment = ImmutableSandboxedEnvironment(
        trim_blocks=True, lstrip_blocks=True, extensions=["jinja2.ext.loopcontrols"], autoescape=False
    )
    environment.globals["raise_exception"] = refuse
    environment.globals["strftime_now"] = lambda form: datetime.now().astimezone().strftime(str(form))
    try:
        text = environment.from_string(template).render(
            messages=messages, add_generation_prompt=True, enable_thinking=think, bos_token="", eos_token=eos
        )
    except (TemplateError, _Refused, ArithmeticError, AttributeError, LookupError, TypeError, ValueError):
        return None
    except (MemoryError, RecursionError, RuntimeError):
        return None
    return text if len(text) <= MAX_RENDERED_CHARS else None


def _limit() -> None:
    if sys.platform != "win32":
        import resource

        resource.setrlimit(resource.RLIMIT_CPU, (CPU_SECONDS, CPU_SECONDS))
        resource.setrlimit(resource.RLIMIT_AS, (MEMORY_BYTES, MEMORY_BYTES))
        resource.setrlimit(resource.RLIMIT_FSIZE, (0, 0))
        resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
    if sys.platform == "linux":
        ctypes.CDLL(None).prctl(_PR_SET_PDEATHSIG, signal.SIGKILL, 0, 0, 0)


if __name__ == "__main__":
    main()
