"""A child that dies before its SQL statement of a given number. POSIX only: it forks."""

import os
import signal
import sqlite3
import traceback
from collections.abc import Callable
from itertools import count


def killed_at(statement: int, work: Callable[[], None]) -> bool:
    """`work` in a child that dies before its statement of this number. Whether it had so many."""
    child = os.fork()
    if child == 0:
        code = 1
        try:
            _count_and_die(statement)
            work()
            code = 0
        finally:
            if code:
                traceback.print_exc()
            os._exit(code)
    _, status = os.waitpid(child, 0)
    assert os.WIFSIGNALED(status) or os.WEXITSTATUS(status) == 0
    return os.WIFSIGNALED(status)


def _count_and_die(statement: int) -> None:
    connect, numbers = sqlite3.connect, count(1)

    def die(_: str) -> None:
        if next(numbers) == statement:
            os.kill(os.getpid(), signal.SIGKILL)

    def traced(*args: object, **options: object) -> sqlite3.Connection:
        connection: sqlite3.Connection = connect(*args, **options)  # type: ignore[call-overload]  # passed on
        connection.set_trace_callback(die)
        return connection

    sqlite3.connect = traced  # type: ignore[assignment]  # in the child only
