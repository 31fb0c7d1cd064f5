"""The deployment, where one is configured: whether it is reached, knows the key, and is of this release."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import closing

from service_nb._version import __version__
from service_nb.client.doctor.check import Check
from service_nb.core.words import make_visible
from service_nb.deployment.address import find_address

LOOK_S = 10.0


def deployment(contract_hash: str) -> Iterator[Check]:
    """Look at the deployment that SERVICE_DEPLOYMENT_URL names; at nothing where it names none.

    Raises
    ------
    ServiceError
        The address or the key is malformed, or the deployment is not reached or refuses the key.
    """
    address = find_address()
    if address is None:
        return
    from service_nb.deployment.http import DeploymentClient  # noqa: PLC0415  # lazy: HTTP loads with it
    from service_nb.deployment.messages import DeploymentAnswer  # noqa: PLC0415

    with closing(DeploymentClient(address)) as reached:
        told = reached.get("/v1/deployment", DeploymentAnswer, timeout_s=LOOK_S)
    version, key = make_visible(told.version[:40]), make_visible(told.key_id[:80])
    yield Check(name="deployment", found=f"{address.host} answers")
    yield Check(
        name="deployment: key",
        found=f"{key} of {make_visible(told.tenant[:80])}, for {', '.join(told.scopes) or 'nothing'}",
        warning=not {"query", "compute"} <= set(told.scopes),
    )
    is_same = told.contract_hash == contract_hash
    same = "the same contract" if is_same else f"another contract, {make_visible(told.contract_hash[:80])}"
    yield Check(
        name="deployment: release", ok=is_same, warning=version != __version__, found=f"service_nb {version}, {same}"
    )
    run = told.runtime
    found = (
        "no runtime installed; run service-nb runtime install on its machine"
        if run is None
        else f"{make_visible(run.kernel_build[:80])} on {make_visible(run.platform[:40])}"
    )
    yield Check(name="deployment: runtime", warning=run is None, found=found)
