"""Bundles of a build service: asked for, fetched, and not checked here. They are checked like any file."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Annotated

import httpx
import msgspec

from service_nb.core.canonical import write_canonical_bytes
from service_nb.core.digest import FileDigest
from service_nb.errors import RuntimeProvisionError
from service_nb.runtimes.folders import InstallProgress
from service_nb.runtimes.manifest import MAX_TOTAL_BYTES
from service_nb.runtimes.selection import compute_request_key

TIMEOUT_S = 30.0  # without a byte
MAX_ANSWER = 64 * 1024
MAX_BUNDLE = MAX_TOTAL_BYTES + 16 * 1024**2
# What is not packed need not be unpacked.
_HEADERS = {"Content-Type": "application/json", "Accept": "application/json", "Accept-Encoding": "identity"}
_TAKES_NO_POST = (403, 404, 405, 501)  # what servers of files answer


class BuiltBundle(msgspec.Struct, frozen=True):
    """The answer of a build service: the bundle's address, its digest, and the key of its selection."""

    url: str
    sha256: Annotated[str, msgspec.Meta(pattern=r"\A[0-9a-f]{64}\Z")]
    cache_key: Annotated[str, msgspec.Meta(pattern=r"\A[0-9a-f]{64}\Z")]


def fetch_bundle(service: str, wanted: Mapping[str, object], path: Path, progress: InstallProgress) -> BuiltBundle:
    """Ask a service for a bundle (`POST …/v1/runtime/build`) and fetch it into `path`, not checked yet."""
    progress.begin("Asking the build service")
    try:
        with httpx.Client(follow_redirects=True, timeout=TIMEOUT_S, headers=_HEADERS) as client:
            address = _require_web(httpx.URL(f"{service.rstrip('/')}/v1/runtime/build"))
            built, answered = _ask(client, address, wanted)
            place = _require_web(answered.join(built.url))
            with client.stream("GET", place) as response:
                if address.scheme == "https" != response.url.scheme:
                    raise _wrong_answer_error("it names a bundle at an address that is not encrypted")
                sha256 = _download(response, path, progress)
    except httpx.InvalidURL as error:
        raise _wrong_answer_error("an address in it is neither http nor https") from error
    except httpx.HTTPError as error:
        how = f"HTTP {error.response.status_code}" if isinstance(error, httpx.HTTPStatusError) else type(error).__name__
        raise RuntimeProvisionError(
            f"The build service did not answer, or stopped half-way: {how}.",
            reason="build_service_unreachable",
            hint="Try again, or leave SERVICE_BUILD_SERVICE_URL unset: then the package index is used.",
        ) from error
    if sha256 != built.sha256:
        raise RuntimeProvisionError(
            "The bundle is not the one that the build service named.", reason="bundle_digest", hint="Try again."
        )
    return built


def _ask(client: httpx.Client, address: httpx.URL, wanted: Mapping[str, object]) -> tuple[BuiltBundle, httpx.URL]:
    """Ask, and return the answer with the address that it came from. Files of a static export are read instead."""
    with client.stream("POST", address, content=write_canonical_bytes(wanted)) as response:
        if response.status_code not in _TAKES_NO_POST:
            return _parse_answer(b"".join(_read_response(response, MAX_ANSWER))), response.url
    with client.stream("GET", f"{address}/{compute_request_key(wanted)}.json") as response:
        return _parse_answer(b"".join(_read_response(response, MAX_ANSWER))), response.url


def _require_web(url: httpx.URL) -> httpx.URL:
    if url.scheme not in ("http", "https") or not url.host or "%" in url.host:
        raise _wrong_answer_error("an address in it is neither http nor https")
    return url


def _read_response(response: httpx.Response, limit: int) -> Iterable[bytes]:
    response.raise_for_status()
    total = 0
    for piece in response.iter_raw():
        total += len(piece)
        if total > limit:
            raise _wrong_answer_error(f"it has more than {limit} bytes")
        yield piece


def _parse_answer(content: bytes) -> BuiltBundle:
    try:
        return msgspec.json.decode(content, type=BuiltBundle)
    except (msgspec.MsgspecError, UnicodeDecodeError, RecursionError) as error:
        raise _wrong_answer_error("it is not JSON with a url, a sha256 and a cache_key") from error


def _download(response: httpx.Response, path: Path, progress: InstallProgress) -> str:
    length = response.headers.get("Content-Length", "")
    progress.begin("Fetching the bundle", int(length) if re.fullmatch(r"[0-9]{1,12}", length) else 0)
    digest = FileDigest()
    with path.open("xb") as file:
        for piece in _read_response(response, MAX_BUNDLE):
            digest.update(piece)
            file.write(piece)
            progress.grow(len(piece))
    return digest.hexdigest()


def _wrong_answer_error(what: str) -> RuntimeProvisionError:
    return RuntimeProvisionError(
        f"The build service's answer is not used: {what}.",
        reason="build_service_answer",
        hint="Check SERVICE_BUILD_SERVICE_URL, or leave it unset: then the package index is used.",
    )
