"""Commands in tests: the arguments behind `steward` in, the exit code, stdout and stderr out."""

from collections.abc import Callable

Run = Callable[..., tuple[int, str, str]]
