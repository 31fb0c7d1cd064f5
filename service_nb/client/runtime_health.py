"""Check the managed runtime: its login, its installed files, its process and the values that it computes."""

from __future__ import annotations

import os
from collections.abc import Iterator
from concurrent.futures import Future, ThreadPoolExecutor
from pathlib import Path

import service_nb
from service_nb.client import user_keys as device
from service_nb.client.health import check_values, compute_contract_hash, find_locked_version
from service_nb.client.health_check import HealthCheck
from service_nb.compute.contract import Contract
from service_nb.core.own_files import can_write_into, describe_place, find_folders
from service_nb.deployment.address import URL
from service_nb.errors import RuntimeProvisionError
from service_nb.runtimes import managed
from service_nb.runtimes.install import Installed, Verified, verify_installed
from service_nb.runtimes.provision import find_installed

CONTRACT = "kernels/service_nb_kernels/contract.json"


class RuntimeCheck:
    """The checks of the managed runtime, each of which builds on the one before; checking installs nothing.

    From the start, a thread of the pool reads all files, most of which is hashing, and then starts the process: both
    need Python for a small part of their time only, and other checks run beside them.
    """

    def __init__(self, packaged: Contract, pool: ThreadPoolExecutor) -> None:
        self._packaged = packaged
        self._reading = pool.submit(_read_bundle)
        self._starting = pool.submit(_start_runtime, self._reading)
        self._bundle: Installed | None = None
        self._living: managed.RuntimeStatus | None = None

    def check_login(self) -> Iterator[HealthCheck]:
        """Look for the device key."""
        found = device.find_device()
        if found is None:
            told = f"none; {_tell_first_step(find_folders().config)}run `service-nb login` to compute on this machine"
            yield HealthCheck(name="login", found=told, warning=True)
        else:
            yield HealthCheck(name="login", found=f"{found.tier} tier, device {found.id}")

    def check_bundle(self) -> Iterator[HealthCheck]:
        """Check the installed bundle by reading all of its files."""
        found, read = self._reading.result()
        self._bundle = found
        if found is None:
            is_remote = bool(os.environ.get(URL))
            does = (
                "computations run at the deployment"
                if is_remote
                else f"{_tell_first_step(find_folders().data)}run `service-nb runtime install`, or compute something"
            )
            yield HealthCheck(name="runtime", found=f"not installed; {does}", warning=not is_remote)
            return
        modules = ", ".join(found.modules) or "all modules"
        yield HealthCheck(name="runtime", found=f"{found.bundle_version}, {modules}, sha256 {found.bundle_sha256}")
        if isinstance(read, Verified):
            yield HealthCheck(
                name="runtime: files", found=f"{read.files:,} of {read.size / 1e6:,.0f} MB, each as signed"
            )
        elif read is not None:
            told = f"{read.message} Run `service-nb runtime install` to repair it."
            yield HealthCheck(name="runtime: files", ok=False, found=told)

    def check_process(self) -> Iterator[HealthCheck]:
        """Compute the known values in the runtime, and check which pins took effect."""
        runtime = self._starting.result()
        if runtime is None or self._bundle is None:
            return
        service = service_nb.create_service(runtime=runtime, ledger="off")
        try:
            yield from check_values(service, "runtime", self._bundle.modules)
        finally:
            service.close()
            runtime.close()
        living = self._living = managed.read_status(self._bundle)
        if living is None:
            yield HealthCheck(name="runtime: process", ok=False, found="it ended right after it computed")
            return
        told = f"{living.memory_bytes / 1e6:,.0f} MB, {living.address}"
        is_that = living.description.bundle_sha256 == self._bundle.bundle_sha256
        yield HealthCheck(
            name="runtime: process",
            ok=is_that,
            found=told if is_that else f"{told}; it belongs to another bundle than the installed one",
        )
        yield from _check_pins(living, self._packaged)

    def check_parity(self) -> Iterator[HealthCheck]:
        """Compare the hashes of all copies of the contract."""
        yield HealthCheck(name="parity: package", found=self._packaged.hash)
        if self._bundle is None:
            yield HealthCheck(name="parity: installed", found="no runtime is installed", warning=True)
        else:
            content = (self._bundle.folder / CONTRACT).read_bytes()
            yield self._compare_hash("installed", compute_contract_hash(content, self._packaged.hash))
        if self._living is None:
            yield HealthCheck(name="parity: running", found="no runtime runs", warning=True)
        else:
            yield self._compare_hash("running", self._living.contract_hash)

    def _compare_hash(self, where: str, met: str) -> HealthCheck:
        if met == self._packaged.hash:
            return HealthCheck(name=f"parity: {where}", found=met)
        return HealthCheck(name=f"parity: {where}", ok=False, found=f"{met}; this package has {self._packaged.hash}")


def _tell_first_step(folder: Path) -> str:
    """Say what has to be done before something can be written into a folder; nothing where it can be."""
    if can_write_into(folder):
        return ""
    return f"{describe_place(folder)} cannot be written: set SERVICE_HOME to a writable folder, then "


_Read = tuple[Installed | None, Verified | RuntimeProvisionError | None]


def _read_bundle() -> _Read:
    """Find the installed bundle and read all of its files; return it, and how much that was or what is wrong."""
    found = find_installed()
    if found is None:
        return None, None
    try:
        return found, verify_installed(found)
    except RuntimeProvisionError as error:
        return found, error


def _start_runtime(reading: Future[_Read]) -> managed.Managed | None:
    """Start the runtime unless it runs; return None without a login, a bundle, or files that are all as signed."""
    found, read = reading.result()
    if found is None or not isinstance(read, Verified) or device.find_device() is None:
        return None
    runtime = managed.Managed(found.modules, admit=device.require_device)
    runtime.describe()
    return runtime


def _check_pins(living: managed.RuntimeStatus, packaged: Contract) -> Iterator[HealthCheck]:
    description = living.description
    profile = str(description.profile)
    told = profile if description.is_pinned else f"{profile}: certified capabilities only"
    yield HealthCheck(name="runtime: profile", found=told, warning=not description.is_pinned)
    for name, version in description.libraries.items():
        expected = find_locked_version(name, version, packaged.runtime)
        note = "" if expected is None else f"; the contract was made with {expected}"
        yield HealthCheck(name=f"runtime: {name}", found=f"{version}{note}", warning=expected is not None)
