"""Read what callers may write beside Python's own form: options in an object, camelCase, responses for plans."""

from __future__ import annotations

import json
import os
from collections.abc import Mapping, Sequence
from pathlib import PurePath
from typing import Any, NamedTuple

from service_nb.core.words import describe_value, read_keys, require_object
from service_nb.errors import InvalidIntentError, PlanInvalidError
from service_nb.query.policy import Policy

CONFIG_KEYS = ("policy", "tenant_id", "timeout", "runtime_modules")
CONNECT_KEYS = (
    *("name", "dataset_name", "connector", "persist", "replace", "aliases", "types", "sheet", "delimiter", "encoding"),
    *("nulls", "thousands", "decimal", "date_format", "percent", "trim", "currency", "content"),
)
SELECTION_KEYS = ("table", "query")  # of a descriptor: what a source reads of its connector


class ClientOptions(NamedTuple):
    """The options of a client that the specification names; the same in Python's arguments and in one object."""

    policy: Mapping[str, object] | Policy | None
    tenant_id: str | None
    timeout: float | None
    runtime_modules: Sequence[str]


def read_config(given: ClientOptions, defaults: ClientOptions) -> ClientOptions:
    """Read the options of a client: its arguments, or an object of them all in place of the first, the policy.

    Raises
    ------
    InvalidIntentError [invalid_intent]
        The object has an unknown key, or an option stands in it and in the arguments.
    """
    raw = given.policy
    if not isinstance(raw, Mapping):
        return given
    options = read_keys(raw, "config")
    if not options.keys() & set(CONFIG_KEYS):
        return given
    require_object(options, "config", CONFIG_KEYS)
    beside = {key: value for key, value in given._asdict().items() if key != "policy"}
    told = {key: value for key, value in options.items() if value is not None}
    for key in told.keys() & beside.keys():
        if beside[key] != getattr(defaults, key):
            raise InvalidIntentError(f"`{key}` stands in the object and beside it.", path=key, met=key)
    return ClientOptions(**{"policy": None, **beside, **told})


def read_connect_options(options: object, source: object, *, is_alone: bool) -> dict[str, Any]:
    """Read the object of options that `connect` takes in place of its own arguments.

    Raises
    ------
    InvalidIntentError [invalid_intent]
        It is no object, has an unknown key, or other arguments stand beside it.
    """
    if options is not None and not isinstance(options, Mapping):
        raise _build_order_error(source, options)
    told = require_object(read_keys(options, "options"), "options", CONNECT_KEYS)
    if not is_alone:
        raise InvalidIntentError(
            "connect takes its options in an object or as arguments, not both.",
            hint='Write them all as arguments: connect("sales.csv", name="sales").',
            path="options",
        )
    return {key: value for key, value in told.items() if value is not None}


def _build_order_error(source: object, options: object) -> InvalidIntentError:
    """Build the error of a second argument that is no object: a name, or the source behind its name."""
    is_reversed = isinstance(source, str) and not (isinstance(options, str) and PurePath(source).suffix)
    name, origin = (source, options) if is_reversed else (options, source)
    written = json.dumps(os.fspath(origin), ensure_ascii=False) if isinstance(origin, str | os.PathLike) else "…"
    called = json.dumps(name, ensure_ascii=False) if isinstance(name, str) else '"NAME"'
    return InvalidIntentError(
        f"connect takes the source first, and its name as name=…; its second argument is {describe_value(options)}.",
        hint=f"Write: connect({written}, name={called})",
        path="options",
        met=describe_value(options),
        expected="an object of options",
    )


def read_call(
    spec: Mapping[str, Any] | str | None, name: Mapping[str, object], beside: Mapping[str, object]
) -> tuple[Mapping[str, Any] | str, dict[str, object]]:
    """Read a call: a spec or a line and what stands beside it, or in place of both `module`, `function` and the rest.

    Raises
    ------
    InvalidIntentError [invalid_intent]
        A module or a function stands beside a call that has its own.
    """
    named, given = ({key: each[key] for key in each if each[key] is not None} for each in (name, beside))
    if spec is None:
        return named | given, {}
    for key, value in named.items():
        raise InvalidIntentError(
            f"`{key}` stands beside a call that names its own.", path=key, met=describe_value(value), expected="nothing"
        )
    return spec, given


def find_plan(given: object) -> object:
    """Return the plan of a response of `resolve` or of an outcome; anything else as it is.

    Raises
    ------
    PlanInvalidError [plan_invalid]
        The response is a refusal, which has no plan.
    """
    if not isinstance(given, Mapping) or "version" in given or "status" not in given:
        return given
    resolution = given.get("resolution")
    response = resolution if isinstance(resolution, Mapping) else given
    plan = response.get("plan")
    if isinstance(plan, Mapping):
        return plan
    reason = response.get("reason")
    raise PlanInvalidError(
        f"The response holds no plan: {reason if isinstance(reason, str) else describe_value(given['status'])}",
        hint="Ask one of its candidates, if it has any.",
        met=describe_value(given["status"]),
    )


def split_descriptor(descriptor: object) -> tuple[Any, dict[str, object]]:
    """Split the descriptor of a source into that of its connector and what is read of it, a table or a query."""
    if not isinstance(descriptor, Mapping):
        return descriptor, {}
    selected = {key: descriptor[key] for key in SELECTION_KEYS if descriptor.get(key) is not None}
    return {key: value for key, value in descriptor.items() if key not in SELECTION_KEYS}, selected
