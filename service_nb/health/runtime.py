"""The managed runtime: who may use it, whether it is installed whole, whether it lives and computes what it should."""

from __future__ import annotations

from collections.abc import Iterator

from service_nb import device
from service_nb.compute.contract import Contract
from service_nb.health.check import Check


class Runtime:
    """What is found on the way: each look needs what the one before it has seen."""

    def __init__(self, packaged: Contract) -> None:
        self._packaged = packaged
        self._is_admitted = False

    def login(self) -> Iterator[Check]:
        """Look for the device key."""
        found = device.device()
        if found is None:
            yield Check(name="login", found="none; `service-nb login` opens local computation", warning=True)
            return
        self._is_admitted = True
        yield Check(name="login", found=f"{found.tier} tier, device {found.id}")

    def parity(self) -> Iterator[Check]:
        """Compare the hash of the contract wherever there is one."""
        yield Check(name="parity: package", found=self._packaged.hash)
