"""An object that is made, and its module imported, when it is first used: a start pays only for what it shows."""

from collections.abc import Callable
from threading import Lock
from typing import Any, TypeVar, cast

T = TypeVar("T")


def later(make: Callable[[], T]) -> T:
    """What `make` makes, at its first use; once, also when two threads use it first. `make` does no more than import
    and construct: what it raises is raised where the object is used. Not for what `isinstance` or `len` is asked
    about, nor for what attributes are set on."""
    return cast(T, _Later(make))


class _Later:
    __slots__ = ("_lock", "_make", "_made")

    def __init__(self, make: Callable[[], Any]) -> None:
        self._make = make
        self._made: list[Any] = []
        self._lock = Lock()

    def __getattr__(self, name: str) -> Any:
        if not self._made:
            with self._lock:
                if not self._made:
                    self._made.append(self._make())
        return getattr(self._made[0], name)
