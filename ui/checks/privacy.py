"""`steward doctor --privacy`: every address that could ever be talked to, and what could talk by itself and does not.

Reads only. What the files hold is said by memory/home_files.py.
"""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass

from memory.data_dir import Home
from memory.vector_process import quiet_environment
from models.launching import environment_of
from models.settings import ModelSettings
from ui.checks.result import Check, broken, ok
from ui.model_choice import ServerModel, which_model

_PROXIES = ("HTTP_PROXY", "HTTPS_PROXY", "http_proxy", "https_proxy")


@dataclass(frozen=True, slots=True, kw_only=True)
class Destination:
    """`now`: whether it is talked to without a further command, as things are set."""

    where: str
    when: str
    now: bool


def destinations(
    home: Home, settings: ModelSettings, wished: str | None, env: Mapping[str, str]
) -> Iterator[Destination]:
    """Every place outside this machine's Steward that any part of it can talk to. Raises CatalogueWrong."""
    chosen = which_model(settings, home, wished)
    if isinstance(chosen, ServerModel):
        yield Destination(where=chosen.url, when="with every question: it is the model that is chosen", now=True)
    else:
        yield Destination(where="a server of your choice", when="after `steward models use http://...`", now=False)
    hub = env.get("HF_ENDPOINT", "https://huggingface.co")
    index = env.get("PIP_INDEX_URL", "the package index that pip is set to")
    yield Destination(where=hub, when="`steward models pull`, or when you choose to fetch a model", now=False)
    yield Destination(where=index, when="the same, where the hub cannot be reached", now=False)
    yield Destination(where="what a link names", when="when you open a link and confirm it, in your browser", now=False)


def quiet_parts(env: Mapping[str, str]) -> tuple[Check, ...]:
    """What libraries could do by themselves, looked up where it is switched off."""
    engine, index = environment_of(env), quiet_environment(env)
    offline = engine.get("HF_HUB_OFFLINE") == "1" and engine.get("HF_HUB_DISABLE_TELEMETRY") == "1"
    silent = index.get("ANONYMIZED_TELEMETRY") == "False"
    return (
        _quiet("chroma", silent, "no telemetry; it gets numbers, never texts, in a process of its own"),
        _quiet("hub", offline, "the engine is told to stay offline; only `models pull` talks to the hub"),
        ok("onnxruntime", "its telemetry is switched off before its first use; the embedder's files are on this disk"),
        ok("steward", "no telemetry, no check for updates, no open port"),
        *_proxies(env),
    )


def _quiet(name: str, is_quiet: bool, detail: str) -> Check:
    if is_quiet:
        return ok(name, detail)
    return broken(name, "could talk by itself", "Install Steward again: its own settings are missing.")


def _proxies(env: Mapping[str, str]) -> tuple[Check, ...]:
    found = [name for name in _PROXIES if env.get(name)]
    return (ok("proxy", f"{', '.join(found)} is set; only fetching a model uses it"),) if found else ()
