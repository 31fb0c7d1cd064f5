"""Bundles that a deployment has, and the selections of them that it hands out. It signs nothing."""

from __future__ import annotations

import threading
from pathlib import Path
from typing import NamedTuple

from service_nb.core.own_files import make_private
from service_nb.errors import RouteNotFoundError, UnsupportedPlatformError
from service_nb.runtimes.archive import open_members
from service_nb.runtimes.manifest import Manifest, parse_base_version
from service_nb.runtimes.selection import BuiltSelection, build_selection, compute_cache_key

MOST_KEPT = 64  # selections; what was made longest ago is made again when it is wanted


class ShelvedBundle(NamedTuple):
    """A bundle's file, and what it is for."""

    path: Path
    manifest: Manifest


class BundleShelf:
    """The bundles of a folder, and a folder of selections that were made of them."""

    def __init__(self, bundles: Path | None, made: Path) -> None:
        self._bundles = bundles
        self._made = made
        self._lock = threading.Lock()
        self._known: dict[str, BuiltSelection] = {}
        self._manifests: dict[tuple[str, int, int], Manifest] = {}

    def select(self, *, modules: list[str], platform: str, python: str, contract_hash: str) -> BuiltSelection:
        """Make the selection of some modules, unless it is there.

        Raises
        ------
        RouteNotFoundError [route_not_found]
            This deployment has no folder of bundles.
        UnsupportedPlatformError [unsupported_platform]
            It has none for this platform, Python and contract.
        InvalidIntentError [invalid_intent]
            There is no such module.
        """
        if self._bundles is None:
            raise RouteNotFoundError(
                "This deployment builds no runtimes.", hint="Set `bundles` below [runtime] in deployment.toml."
            )
        with self._lock:
            wanted = (platform, python, contract_hash)
            found = [each for each in self._list(self._bundles) if _get_purpose(each.manifest) == wanted]
            if not found:
                raise UnsupportedPlatformError(
                    f"There is no bundle for {platform} and {python} under this contract.",
                    hint="Leave SERVICE_BUILD_SERVICE_URL unset: then the package index is used.",
                    platform=platform,
                    python=python,
                )
            newest = max(found, key=lambda each: parse_base_version(each.manifest.version))
            known = self._known.get(compute_cache_key(newest.manifest, modules))
            if known is not None and known.path.is_file():
                return known
            make_private(self._made)
            built = build_selection(newest.path, modules, self._made)
            self._known[built.cache_key] = built
            self._drop_oldest()
            return built

    def find(self, cache_key: str) -> Path:
        """Find the archive of a selection that was made; raises `route_not_found`."""
        built = self._known.get(cache_key)
        if built is None or not built.path.is_file():
            raise RouteNotFoundError("There is no such selection.", hint="Ask for it: POST /v1/runtime/build.")
        return built.path

    def _list(self, folder: Path) -> list[ShelvedBundle]:
        found = []
        for path in sorted(folder.glob("*.tar")):
            state = path.stat()
            known = self._manifests.get(key := (path.name, state.st_size, state.st_mtime_ns))
            manifest = self._manifests[key] = known or open_members(path).manifest
            found.append(ShelvedBundle(path, manifest))
        return found

    def _drop_oldest(self) -> None:
        while len(self._known) > MOST_KEPT:
            self._known.pop(next(iter(self._known))).path.unlink(missing_ok=True)


def _get_purpose(manifest: Manifest) -> tuple[str, str, str]:
    return manifest.platform, manifest.python, manifest.contract_hash
