"""Guards of the whole suite: no network, no home of the user, no model download, no blocked event loop."""

import os
import signal
import socket
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from blockbuster import BlockBuster, blockbuster_ctx
from hypothesis import HealthCheck, settings

settings.register_profile("ci", derandomize=True, deadline=None, suppress_health_check=[HealthCheck.too_slow])
settings.register_profile("search", max_examples=2_000, deadline=None)
settings.load_profile(os.environ.get("HYPOTHESIS_PROFILE", "ci"))

LOOPBACK = ("127.", "::1", "localhost")
ROOMS_WITH_A_LOOP = ("tests/assistant/", "tests/ui/")
OUR_PACKAGES = ["assistant", "memory", "models", "ui"]


class NetworkUsed(BaseException):
    """A test tried to leave this machine. No except clause of the code under test may swallow it."""


@pytest.fixture(scope="session", autouse=True)
def interrupts_arrive() -> None:
    """A suite that a shell began in the background ignores Ctrl+C, and so would every program the tests start."""
    if signal.getsignal(signal.SIGINT) is signal.SIG_IGN:
        signal.signal(signal.SIGINT, signal.default_int_handler)


@pytest.fixture(scope="session", autouse=True)
def no_network() -> Iterator[None]:
    """In this process only loopback and Unix sockets connect; child processes get no index and no hub."""
    real_connect, real_connect_ex = socket.socket.connect, socket.socket.connect_ex

    def allowed(address: Any) -> bool:
        return not isinstance(address, tuple) or str(address[0]).startswith(LOOPBACK)

    def connect(self: socket.socket, address: Any) -> None:
        if not allowed(address):
            raise NetworkUsed(f"a test connects to {address!r}")
        real_connect(self, address)

    def connect_ex(self: socket.socket, address: Any) -> int:
        if not allowed(address):
            raise NetworkUsed(f"a test connects to {address!r}")
        return real_connect_ex(self, address)

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(socket.socket, "connect", connect)
        patch.setattr(socket.socket, "connect_ex", connect_ex)
        patch.setenv("HF_HUB_OFFLINE", "1")
        patch.setenv("PIP_INDEX_URL", "http://127.0.0.1:9/simple")
        for name in ("PIP_EXTRA_INDEX_URL", "PIP_FIND_LINKS", "HTTP_PROXY", "HTTPS_PROXY", "http_proxy", "https_proxy"):
            patch.delenv(name, raising=False)
        yield


@pytest.fixture(autouse=True)
def own_home(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Path]:
    """STEWARD_HOME names a fresh place for every test; it is not made until something makes it."""
    home = tmp_path_factory.getbasetemp() / "homes" / f"{abs(hash(request.node.nodeid)):x}"
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("STEWARD_HOME", str(home))
        for name in ("NO_COLOR", "STEWARD_DEBUG", "COLUMNS", "LINES"):  # a shell may have said how wide it is
            patch.delenv(name, raising=False)
        yield home


@pytest.fixture(autouse=True)
def loop_never_blocks(request: pytest.FixtureRequest) -> Iterator[BlockBuster | None]:
    """In the tests of rooms that live on an event loop, a blocking call of our code on the loop is an error."""
    if not request.node.nodeid.startswith(ROOMS_WITH_A_LOOP):
        yield None
        return
    with blockbuster_ctx(OUR_PACKAGES) as blockbuster:
        yield blockbuster
