"""What a deployment is, and how a device gets its key."""

from __future__ import annotations

from service_nb._version import __version__
from service_nb.deployment import messages
from service_nb.deployment.messages import DeploymentAnswer, LimitsAnswer, RuntimeAnswer
from service_nb.engines.base import MOST_ROWS
from service_nb.schema.compute import RuntimeDescription
from service_nb.server.answering import Answer
from service_nb.server.errors import no_such_route
from service_nb.server.handlers.call import Call
from service_nb.server.ports import Pending


def deployment(call: Call) -> Answer:
    """Say what this deployment is, and what the key may do."""
    caller, service, bounds = call.caller, call.reach.service, call.deployment.bounds
    if caller is None:
        raise no_such_route()
    runtime = call.deployment.runtime()
    return DeploymentAnswer(
        version=__version__,
        contract_hash=service.contract_hash,
        tenant=caller.tenant,
        key_id=caller.key_id,
        scopes=sorted(caller.scopes),
        policy=caller.policy.to_dict(),
        limits=LimitsAnswer(
            body_bytes=bounds.body_bytes,
            timeout_s=bounds.timeout_s,
            requests_per_s=bounds.requests_per_s,
            burst=bounds.burst,
            calls=messages.MOST_CALLS,
            groups=service.limits.groups,
            rows=MOST_ROWS,
        ),
        connectors=call.deployment.kinds(),
        runtime=None if runtime is None else _runtime(runtime),
    )


def _runtime(told: RuntimeDescription) -> RuntimeAnswer:
    return RuntimeAnswer(
        platform=told.platform,
        architecture=told.architecture,
        kernel_build=told.kernel_build,
        bundle_version=told.bundle_version,
        bundle_sha256=told.bundle_sha256,
        libraries=dict(told.libraries),
        is_pinned=told.is_pinned,
        profile=told.profile,
        modules=list(told.modules),
    )


def device_code(call: Call) -> Answer:
    """Give a device its codes."""
    return call.deployment.enrolment.begin(call.asked.client_id, call.asked.scope or None, call.address)


def device_token(call: Call) -> Answer | Pending:
    """Give a device its key, once it was granted."""
    return call.deployment.enrolment.poll(call.asked.client_id, call.asked.device_code)
