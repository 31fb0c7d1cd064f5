"""The errors of service_nb: one tree, drawn here.

    ServiceError
    ├── InvalidIntentError              invalid_intent               a spec, a line or an argument is malformed
    ├── PolicyDeniedError               policy_denied_source | policy_denied_field | policy_denied_function
    ├── SourceError
    │   ├── SourceNotFoundError         source_not_found             no source of that name, no file at that path
    │   ├── SourceUnreadableError       source_unreadable            not a regular file, no permission, a device …
    │   ├── SourceMalformedError        source_malformed             the content breaks the rules of its format
    │   ├── UnsupportedSourceError      unsupported_source           a form of input that nothing here reads
    │   ├── SourceAlreadyRegisteredError source_already_registered   the name is bound to other data
    │   ├── SourceChangedError          source_changed               the file is not what was registered
    │   └── DeploymentRequiredError     deployment_required          a live source, but no deployment is configured
    ├── PlanInvalidError                plan_invalid                 a stored plan is malformed or was altered
    ├── SchemaRevisionMismatchError     schema_revision_mismatch     a stored plan meets another schema
    ├── ComputationError
    │   ├── UnsupportedOperationError   unsupported_operation        no capability of that name; nearest_matches
    │   ├── DuplicateArgumentBindingError duplicate_argument_binding a parameter is given more than once
    │   ├── SeedRequiredError           seed_required                a simulation without a seed
    │   ├── DomainError                 domain_error                 an argument is outside of where the formula holds
    │   ├── UndecidedError              undecided                    the one right double could not be proven
    │   ├── LoginRequiredError          login_required               local computation before `service-nb login`
    │   ├── RuntimeProvisionError       runtime_provision_failed     no runtime could be installed or started; reason
    │   ├── UnsupportedPlatformError    unsupported_platform         no bundle, or no pinned tier, for this platform
    │   └── ComputeRuntimeUnavailableError compute_runtime_unavailable nothing here can run the computation now
    ├── ConnectorError                  connector_failed             a live source cannot be reached or refuses; reason
    ├── ConnectorNotFoundError          connector_not_found          no connector of that id
    ├── SecretUnavailableError          secret_unavailable           a secret's reference leads nowhere
    ├── UnauthenticatedError            unauthenticated              a deployment wants a key that it knows
    ├── ForbiddenError                  forbidden                    the key may not do this
    ├── RouteNotFoundError              route_not_found              a deployment has nothing at that path
    ├── RateLimitedError                rate_limited                 the key asked more often than it may
    ├── OverloadedError                 overloaded                   the deployment takes on no more now
    ├── DeploymentUnavailableError      deployment_unavailable       no answer of the deployment arrived
    ├── AnswerMismatchError             answer_mismatch              an answer does not have the hash that it carries
    ├── ReasonedError                                                an error whose `reason` names its cause
    │   ├── EvidenceError               evidence_invalid             a card, receipt, key file or index does not hold
    │   └── LedgerError                 ledger_unavailable           the ledger cannot be read or written; reason
    ├── ResultNotFoundError             result_not_found             no stored result of that id for this tenant
    ├── CanonicalJsonError              canonical_json_invalid       a value or text has no canonical JSON form
    ├── LimitExceededError              limit_exceeded               an input or a result is beyond a configured limit
    ├── QueryTimeoutError               timeout                      the run was stopped at its deadline
    ├── QueryInterruptedError           interrupted                  the run was stopped by the user
    ├── DriverMissingError              driver_missing               an optional library is not installed
    └── EngineError                     engine_failed                the engine failed where it never should

Every error carries a stable `code`, a `source` (`engine` for faults of data, plans and runs; `service` for faults of
the surrounding service), `retryable`, and `details`: a flat dict a program can read. Messages say what was met, where,
what was expected and, in `hint`, what to do. They never hold absolute paths, secrets or values of denied fields.
"""

from __future__ import annotations

from typing import Literal

from service_nb.errors.base import ErrorSource as ErrorSource
from service_nb.errors.base import ReasonedError as ReasonedError
from service_nb.errors.base import ServiceError as ServiceError
from service_nb.errors.deployment import AnswerMismatchError as AnswerMismatchError
from service_nb.errors.deployment import ConnectorError as ConnectorError
from service_nb.errors.deployment import ConnectorNotFoundError as ConnectorNotFoundError
from service_nb.errors.deployment import DeploymentUnavailableError as DeploymentUnavailableError
from service_nb.errors.deployment import ForbiddenError as ForbiddenError
from service_nb.errors.deployment import OverloadedError as OverloadedError
from service_nb.errors.deployment import RateLimitedError as RateLimitedError
from service_nb.errors.deployment import RouteNotFoundError as RouteNotFoundError
from service_nb.errors.deployment import SecretUnavailableError as SecretUnavailableError
from service_nb.errors.deployment import UnauthenticatedError as UnauthenticatedError


class InvalidIntentError(ServiceError):
    """A spec, an ask line or an argument is malformed; nothing was resolved."""

    code = "invalid_intent"


class PolicyDeniedError(ServiceError):
    """The policy forbids the request. The message names only what the caller named."""

    def __init__(
        self,
        message: str,
        *,
        denied: Literal["source", "field", "function"],
        hint: str | None = None,
        **details: object,
    ) -> None:
        super().__init__(message, hint=hint, **details)
        self.code = f"policy_denied_{denied}"


class SourceError(ServiceError):
    """The base class of errors about a source."""

    code = "source_error"


class SourceNotFoundError(SourceError):
    """No source of that name is registered, or no file is at that path."""

    code = "source_not_found"


class SourceUnreadableError(SourceError):
    """The path is no regular file, or may not be read."""

    code = "source_unreadable"


class SourceMalformedError(SourceError):
    """The content breaks the rules of its format; details name place, met and expected."""

    code = "source_malformed"


class UnsupportedSourceError(SourceError):
    """A form of input that no connector reads."""

    code = "unsupported_source"


class SourceAlreadyRegisteredError(SourceError):
    """The name is bound to other data; sources are immutable."""

    code = "source_already_registered"


class SourceChangedError(SourceError):
    """The file behind a source is no longer what was registered."""

    code = "source_changed"


class DeploymentRequiredError(SourceError):
    """A live source needs a private deployment, and none is configured."""

    code = "deployment_required"
    source = "service"


class PlanInvalidError(ServiceError):
    """A stored plan is malformed, or its content does not match its hash."""

    code = "plan_invalid"


class SchemaRevisionMismatchError(ServiceError):
    """A stored plan is replayed against a source with a different schema."""

    code = "schema_revision_mismatch"


class ComputationError(ServiceError):
    """The base class of errors about a computation; details name `parameter`, `met` and `expected` if known."""

    code = "computation_error"


class UnsupportedOperationError(ComputationError):
    """The contract has no capability of that name, or none that the policy lets this client see."""

    code = "unsupported_operation"

    def __init__(
        self, message: str, *, nearest_matches: list[str] | None = None, hint: str | None = None, **details: object
    ) -> None:
        super().__init__(message, hint=hint, nearest_matches=nearest_matches or [], **details)

    @property
    def nearest_matches(self) -> list[str]:
        """Names that the caller may have meant, the likeliest first."""
        matches: list[str] = self.details["nearest_matches"]
        return matches


class DuplicateArgumentBindingError(ComputationError):
    """A parameter is given more than once: by place, by name or by a binding."""

    code = "duplicate_argument_binding"


class SeedRequiredError(ComputationError):
    """A simulation was called without a seed, so it could not be repeated."""

    code = "seed_required"


class DomainError(ComputationError):
    """An argument is outside of where the formula is defined, or the value itself is not finite."""

    code = "domain_error"


class UndecidedError(ComputationError):
    """At the highest precision two neighbouring doubles were still both possible; none is returned."""

    code = "undecided"


class LoginRequiredError(ComputationError):
    """Local computation needs a device key, which `service-nb login` makes: once, free, without a network."""

    code = "login_required"
    source = "service"


class RuntimeProvisionError(ReasonedError, ComputationError):
    """The managed runtime could not be installed, verified or started; nothing of it was kept.

    Parameters
    ----------
    reason : str
        The stable name of the cause, such as `signature_invalid`, `auto_install_disabled`, `index_unreachable`.
    """

    code = "runtime_provision_failed"
    source = "service"


class UnsupportedPlatformError(ComputationError):
    """No runtime bundle is published for this platform, or it cannot keep what the capability's tier promises."""

    code = "unsupported_platform"
    source = "service"


class ComputeRuntimeUnavailableError(ComputationError):
    """No runtime can be reached, or it ended during the call; the same call may succeed later."""

    code = "compute_runtime_unavailable"
    source = "service"
    retryable = True


class EvidenceError(ReasonedError):
    """A card, a receipt, a key file or a stored ledger is invalid; `details["reason"]` names the cause.

    Parameters
    ----------
    reason : str
        The stable name of the cause, such as `signature_invalid`, `malformed_json`.
    """

    code = "evidence_invalid"


class LedgerError(ReasonedError):
    """The ledger cannot be read or written; entries committed earlier are intact.

    Parameters
    ----------
    reason : str
        The stable name of the cause, such as `disk_full`, `busy`, `rolled_back`, `damaged`.
    """

    code = "ledger_unavailable"
    source = "service"


class ResultNotFoundError(ServiceError):
    """No stored result of that id for this tenant; whether another tenant has one is not told."""

    code = "result_not_found"


class CanonicalJsonError(ServiceError):
    """A value or a text has no canonical JSON form."""

    code = "canonical_json_invalid"


class LimitExceededError(ServiceError):
    """An input or a result is beyond a configured limit; details name `limit` and `value`."""

    code = "limit_exceeded"


class QueryTimeoutError(ServiceError):
    """The run was stopped at its deadline; the service stays usable."""

    code = "timeout"
    retryable = True


class QueryInterruptedError(ServiceError):
    """The run was stopped by the user; the service stays usable."""

    code = "interrupted"
    retryable = True


class DriverMissingError(ServiceError):
    """An optional library is not installed; the hint names the extra to install."""

    code = "driver_missing"
    source = "service"


class EngineError(ServiceError):
    """The engine failed on a validated plan: a defect worth reporting, never a user's fault."""

    code = "engine_failed"
    source = "service"
