"""The client of a build service, which makes bundles of some fields only; what it sends is checked like any file.

`POST {SERVICE_BUILD_SERVICE_URL}/v1/runtime/build` with modules, platform, Python and contract; the answer names `url`,
`sha256` and `cache_key`.
"""

from __future__ import annotations

import http.client
import re
import urllib.error
import urllib.request
from collections.abc import Mapping
from pathlib import Path
from typing import Any, NamedTuple
from urllib.parse import urljoin, urlsplit

from service_nb.core.canonical import canonical_bytes
from service_nb.core.digest import FileDigest
from service_nb.core.parse import parse_strict
from service_nb.errors import RuntimeProvisionError, ServiceError
from service_nb.runtimes.manifest import MAX_TOTAL_BYTES
from service_nb.runtimes.progress import Progress

TIMEOUT_S = 30.0  # without a byte
MAX_ANSWER = 64 * 1024
MAX_BUNDLE = MAX_TOTAL_BYTES + 16 * 1024**2
_PIECE = 256 * 1024
_SHA256 = re.compile(r"[0-9a-f]{64}")
_CACHE_KEY = re.compile(r"[A-Za-z0-9][A-Za-z0-9_-]{7,127}")
_WEB = ("http", "https")


class Answer(NamedTuple):
    """A bundle that was fetched; what is in it is still to be checked."""

    path: Path
    sha256: str
    cache_key: str


def fetched_bundle(service: str, wanted: Mapping[str, Any], path: Path, progress: Progress) -> Answer:
    """Ask a service for a bundle and fetch it into `path`.

    Raises
    ------
    RuntimeProvisionError [runtime_provision_failed]
        Reasons `build_service_unreachable`, `build_service_answer`, `bundle_digest`.
    """
    address = f"{_web(service).rstrip('/')}/v1/runtime/build"
    progress.begin("Asking the build service")
    request = urllib.request.Request(  # noqa: S310  # http and https only: see _web and _opener
        address, canonical_bytes(wanted), {"Content-Type": "application/json", "Accept": "application/json"}
    )
    try:
        with _opener().open(request, timeout=TIMEOUT_S) as answer:
            told = _told(answer.read(MAX_ANSWER + 1))
        place = _web(urljoin(address, told["url"]))
        if urlsplit(address).scheme == "https" != urlsplit(place).scheme:
            raise _wrong("it names a bundle at an address that is not encrypted")
        with _opener().open(place, timeout=TIMEOUT_S) as answer:
            sha256 = _download(answer, path, progress)
    except (OSError, http.client.HTTPException, ValueError) as error:
        said = type(error).__name__
        if isinstance(error, urllib.error.HTTPError):
            said = f"HTTP {error.code}"
            error.close()  # it is an open answer too
        raise RuntimeProvisionError(
            f"The build service did not answer, or stopped half-way: {said}.",
            reason="build_service_unreachable",
            hint="Try again, or leave SERVICE_BUILD_SERVICE_URL unset: then the package index is used.",
        ) from error
    if sha256 != told["sha256"]:
        raise RuntimeProvisionError(
            "The bundle is not the one that the build service named.", reason="bundle_digest", hint="Try again."
        )
    return Answer(path, sha256, told["cache_key"])


def _told(content: bytes) -> dict[str, str]:
    try:
        told = parse_strict(content, max_bytes=MAX_ANSWER, max_depth=4)
    except ServiceError as error:
        raise _wrong("it is not JSON, or very long") from error
    if not isinstance(told, dict) or not all(
        isinstance(told.get(name), str) for name in ("url", "sha256", "cache_key")
    ):
        raise _wrong("it lacks url, sha256 or cache_key")
    if not _SHA256.fullmatch(told["sha256"]) or not _CACHE_KEY.fullmatch(told["cache_key"]):
        raise _wrong("its sha256 or cache_key is none")
    return {name: told[name] for name in ("url", "sha256", "cache_key")}


def _download(answer: http.client.HTTPResponse, path: Path, progress: Progress) -> str:
    length = answer.headers.get("Content-Length", "")
    progress.begin("Fetching the bundle", int(length) if re.fullmatch(r"\d{1,12}", length, re.ASCII) else 0)
    digest = FileDigest()
    with path.open("xb") as file:
        while piece := answer.read(_PIECE):
            digest.update(piece)
            if digest.size > MAX_BUNDLE:
                raise _wrong(f"the bundle has more than {MAX_BUNDLE} bytes")
            file.write(piece)
            progress.grow(len(piece))
    return digest.hexdigest()


def _web(address: str) -> str:
    """The address, if it is one of the web: a file, or another scheme, is never opened."""
    try:
        parts = urlsplit(address)
        is_web = parts.scheme in _WEB and bool(parts.hostname)
    except ValueError:
        is_web = False
    if not is_web:
        raise _wrong("an address in it is neither http nor https")
    return address


def _opener() -> urllib.request.OpenerDirector:
    """Opens http and https, through the user's proxy, and follows to nothing else."""
    opener = urllib.request.OpenerDirector()
    for handler in (
        urllib.request.ProxyHandler(),
        urllib.request.HTTPHandler(),
        urllib.request.HTTPSHandler(),
        urllib.request.HTTPDefaultErrorHandler(),
        urllib.request.HTTPRedirectHandler(),
        urllib.request.HTTPErrorProcessor(),
    ):
        opener.add_handler(handler)
    return opener


def _wrong(what: str) -> RuntimeProvisionError:
    return RuntimeProvisionError(
        f"The build service's answer is not used: {what}.",
        reason="build_service_answer",
        hint="Check SERVICE_BUILD_SERVICE_URL, or leave it unset: then the package index is used.",
    )
