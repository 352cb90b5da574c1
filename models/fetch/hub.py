"""The model hub: huggingface_hub says where a file is, how large, and its LFS SHA-256; its settings hold.

The bytes are streamed here, so that progress, resuming, cancelling and disk use are in one hand.
"""

import re
import time
from dataclasses import dataclass

from models.catalog import HubSource, ModelFile
from models.errors import SourceUnavailable
from models.fetch.partial import BLOCK, Partial
from models.fetch.types import Cancelled, FetchProgress, FetchSettings, Watch

SOURCE = "model hub"
METADATA_SECONDS = 10.0
CONNECT_SECONDS = 10.0
STALL_SECONDS = 20.0  # without a byte: ask again from where we are
COMMIT_BYTES = 32 * BLOCK  # a crash costs at most this much of a download
POLL_SECONDS = 0.1


@dataclass(frozen=True, slots=True, kw_only=True)
class Remote:
    """A file on the hub as it is now."""

    url: str
    size: int
    sha256: str


def describe(source: HubSource, file: ModelFile, settings: FetchSettings) -> Remote:
    """Ask the hub for size and hash. Raises SourceUnavailable."""
    from huggingface_hub import get_hf_file_metadata, hf_hub_url
    from huggingface_hub.errors import EntryNotFoundError, GatedRepoError, OfflineModeIsEnabled, RepositoryNotFoundError

    url = hf_hub_url(source.repository, source.file, revision=source.revision, endpoint=settings.hub_endpoint)
    where = f"{source.repository}/{source.file}"
    try:
        found = get_hf_file_metadata(url, timeout=METADATA_SECONDS, endpoint=settings.hub_endpoint)
    except OfflineModeIsEnabled as error:
        raise _unavailable("is switched off by HF_HUB_OFFLINE", "Unset HF_HUB_OFFLINE to use it.") from error
    except GatedRepoError as error:
        raise _unavailable(
            f"wants you to accept the licence of {source.repository} first",
            "Accept it on the hub's page and set HF_TOKEN.",
        ) from error
    except (RepositoryNotFoundError, EntryNotFoundError) as error:
        raise _unavailable(f"has no {where}", "Look for the file on the hub; its name may have changed.") from error
    except _hub_errors() as error:
        raise _unavailable(f"cannot be reached ({_brief(error)})", "Check the network, or HF_ENDPOINT.") from error
    listed = found.etag if found.etag and re.fullmatch(r"[0-9a-f]{64}", found.etag) else None
    expected = file.sha256 or listed
    if expected is None or found.size is None:
        raise _unavailable(f"does not say size and SHA-256 of {where}", "Take another source, or a file of your own.")
    if listed is not None and listed != expected:
        raise _unavailable(f"has another {where} now than the catalogue knows", "A newer Steward may know it.")
    return Remote(url=url, size=found.size, sha256=expected)


def download(remote: Remote, partial: Partial, settings: FetchSettings, watch: Watch, cancelled: Cancelled) -> bool:
    """Append until the file is whole; False when cancelled. `partial.begin` comes before. Raises SourceUnavailable."""
    import httpx

    delays = list(settings.retry_delays)
    try:
        while partial.done < remote.size and not cancelled():
            before = partial.done
            try:
                _stream(remote, partial, watch, cancelled)
            except httpx.HTTPError as error:
                if partial.done > before:
                    delays = list(settings.retry_delays)
                if not delays:
                    raise _broken(remote, partial, error) from error
                _wait(delays.pop(0), cancelled)
    finally:
        if partial.done > partial.kept:
            partial.commit()
    return partial.done >= remote.size


def _stream(remote: Remote, partial: Partial, watch: Watch, cancelled: Cancelled) -> None:
    """One request, from where the partial ends. Raises httpx.HTTPError when it breaks off."""
    import httpx

    timeout = httpx.Timeout(STALL_SECONDS, connect=CONNECT_SECONDS)
    with httpx.stream(
        "GET", remote.url, headers=_headers(partial.done), timeout=timeout, follow_redirects=True
    ) as response:
        response.raise_for_status()
        if partial.done and response.status_code != httpx.codes.PARTIAL_CONTENT:
            _restart(partial, cancelled)
        for block in response.iter_bytes(BLOCK):
            if cancelled():
                return
            partial.append(block[: remote.size - partial.done])
            if partial.done - partial.kept >= COMMIT_BYTES:
                partial.commit()
            watch(_progress(remote, partial))
            if partial.done >= remote.size:
                return


def _headers(start: int) -> dict[str, str]:
    """The user's hub token goes along where there is one; httpx drops it when redirected to another host."""
    from huggingface_hub import get_token

    headers = {"User-Agent": "steward", "Accept-Encoding": "identity"}
    token = get_token()
    if token:
        headers["Authorization"] = f"Bearer {token}"
    if start:
        headers["Range"] = f"bytes={start}-"
    return headers


def _restart(partial: Partial, cancelled: Cancelled) -> None:
    """The server does not continue a file: take it from the start."""
    partial.close()
    for _ in partial.begin(0, cancelled):
        pass


def _progress(remote: Remote, partial: Partial) -> FetchProgress:
    return FetchProgress(file=partial.name, stage="fetching", done=partial.done, total=remote.size, source=SOURCE)


def _wait(seconds: float, cancelled: Cancelled) -> None:
    end = time.monotonic() + seconds
    while not cancelled() and (left := end - time.monotonic()) > 0:
        time.sleep(min(POLL_SECONDS, left))


def _hub_errors() -> tuple[type[Exception], ...]:
    """What asking can end in: wrong values, and the root error of the HTTP client this huggingface_hub is built on."""
    from huggingface_hub.errors import HfHubHTTPError

    return (OSError, ValueError, *HfHubHTTPError.__bases__)


def _broken(remote: Remote, partial: Partial, error: Exception) -> SourceUnavailable:
    return _unavailable(
        f"stopped answering at {partial.done:,} of {remote.size:,} bytes ({_brief(error)})",
        "Run it again when the network is back.",
    )


def _unavailable(what: str, hint: str) -> SourceUnavailable:
    return SourceUnavailable(f"the {SOURCE} {what}", hint)


def _brief(error: BaseException) -> str:
    """The cause in one short line."""
    status = getattr(getattr(error, "response", None), "status_code", None)
    if status is not None:
        return f"HTTP {status}"
    text = re.sub(r"\[Errno -?\d+\] ", "", " ".join(str(error).split())) or type(error).__name__
    return text if len(text) <= 120 else f"{text[:117]}..."
