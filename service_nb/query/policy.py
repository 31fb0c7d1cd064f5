"""The access policy: allow-lists of sources, fields and functions. Set in code, frozen, and only ever narrowed."""

from __future__ import annotations

from collections.abc import Container, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from types import MappingProxyType
from typing import Any, Literal

from service_nb.core.words import describe_value, misfit_error, read_keys, require_object
from service_nb.errors import InvalidIntentError, PolicyDeniedError, SourceError, SourceNotFoundError
from service_nb.schema.source import Reading

POLICY_KEYS = ("allowed_sources", "allowed_fields", "allowed_functions")
ALL_READONLY: Literal["all-readonly"] = "all-readonly"


@dataclass(frozen=True, slots=True)
class Policy:
    """Allow-lists; None allows everything of its kind.

    A source that `allowed_fields` does not name is not restricted by it.
    """

    sources: frozenset[str] | None = None
    fields: Mapping[str, frozenset[str]] | None = None
    functions: frozenset[str] | None = None

    def __post_init__(self) -> None:
        """Copy the lists: whoever made the policy keeps no hand on it."""
        freeze = object.__setattr__
        for name in ("sources", "functions"):
            listed = getattr(self, name)
            freeze(self, name, None if listed is None else frozenset(listed))
        if self.fields is not None:
            copied = {source: frozenset(names) for source, names in self.fields.items()}
            freeze(self, "fields", MappingProxyType(copied))

    def allows_source(self, name: str) -> bool:
        """Tell whether the source may be connected, listed and asked.

        Parameters
        ----------
        name : str
            A source's name, registered or not.

        Returns
        -------
        bool

        Examples
        --------
        >>> policy = service_nb.Policy(sources={"sales"})
        >>> policy.allows_source("sales"), policy.allows_source("costs")
        (True, False)
        """
        return self.sources is None or name in self.sources

    def restricts_fields(self, source: str) -> bool:
        """Tell whether an allow-list of fields is in force for the source.

        Parameters
        ----------
        source : str
            A source's name, registered or not.

        Returns
        -------
        bool

        Examples
        --------
        >>> policy = service_nb.Policy(fields={"sales": {"region"}})
        >>> policy.restricts_fields("sales"), policy.restricts_fields("costs")
        (True, False)
        """
        return self.fields is not None and source in self.fields

    def allows_field(self, source: str, field: str) -> bool:
        """Tell whether the field may be named, read, filtered by or suggested.

        Parameters
        ----------
        source : str
            A source's name, registered or not.
        field : str
            A column's name.

        Returns
        -------
        bool

        Examples
        --------
        >>> policy = service_nb.Policy(fields={"sales": {"region"}})
        >>> policy.allows_field("sales", "region"), policy.allows_field("sales", "revenue")
        (True, False)
        """
        return self.fields is None or source not in self.fields or field in self.fields[source]

    def require_source(self, name: str) -> None:
        """Raise `policy_denied_source` unless the source is allowed. Whether it exists makes no difference.

        Parameters
        ----------
        name : str
            A source's name, registered or not.

        Examples
        --------
        >>> policy = service_nb.Policy(sources={"sales"})
        >>> policy.require_source("costs")
        Traceback (most recent call last):
            ...
        service_nb.errors.PolicyDeniedError: ...
        """
        if not self.allows_source(name):
            raise PolicyDeniedError(
                f"The policy does not allow the source {describe_value(name)}.",
                denied="source",
                hint="Policies are set in code: create_service(policy=…).",
                met=name,
            )

    def allows_function(self, name: str) -> bool:
        """Tell whether the capability may be called, listed and suggested; `finance.*` allows a whole module.

        Parameters
        ----------
        name : str
            Module and function: ``"stats.mean"``.

        Returns
        -------
        bool

        Examples
        --------
        >>> policy = service_nb.Policy(functions={"stats.*"})
        >>> policy.allows_function("stats.mean"), policy.allows_function("finance.npv")
        (True, False)
        """
        return self.functions is None or not self.functions.isdisjoint((name, _build_module_pattern(name)))

    def require_function(self, name: str) -> None:
        """Raise `policy_denied_function` unless the capability is allowed. Whether it exists makes no difference.

        Parameters
        ----------
        name : str
            Module and function: ``"stats.mean"``.

        Examples
        --------
        >>> policy = service_nb.Policy(functions={"stats.*"})
        >>> policy.require_function("finance.npv")
        Traceback (most recent call last):
            ...
        service_nb.errors.PolicyDeniedError: ...
        """
        if not self.allows_function(name):
            raise PolicyDeniedError(
                f"The policy does not allow the function {describe_value(name)}.",
                denied="function",
                hint="Policies are set in code: create_service(policy=…).",
                met=name,
            )

    def narrow(self, other: Policy) -> Policy:
        """Return the policy that allows only what both allow.

        Parameters
        ----------
        other : Policy
            What else must allow it.

        Returns
        -------
        Policy

        Examples
        --------
        >>> policy = service_nb.Policy(sources={"sales", "costs"}).narrow(service_nb.Policy(sources={"sales"}))
        >>> sorted(policy.sources)
        ['sales']
        """
        return Policy(
            sources=_narrow_names(self.sources, other.sources),
            fields=_narrow_fields(self.fields, other.fields),
            functions=_narrow_functions(self.functions, other.functions),
        )

    def to_dict(self) -> dict[str, Any]:
        """JSON form, sorted; None where nothing is restricted.

        Returns
        -------
        dict
            As `create_service` takes it.

        Examples
        --------
        >>> service_nb.Policy(sources={"sales"}).to_dict()["allowed_sources"]
        ['sales']
        """
        return {
            "allowed_sources": None if self.sources is None else sorted(self.sources),
            "allowed_fields": None if self.fields is None else {s: sorted(f) for s, f in sorted(self.fields.items())},
            "allowed_functions": ALL_READONLY if self.functions is None else sorted(self.functions),
        }


def denied_field_error(source: str, field: str, near: Sequence[str], **where: object) -> PolicyDeniedError:
    """Return the error of a field that is not allowed: the same for one that exists and for one that does not."""
    return PolicyDeniedError(
        describe_denied_field(source, field),
        denied="field",
        hint=f"Did you mean {describe_value(near[0])}?" if near else None,
        met=field,
        did_you_mean=list(near) or None,
        **where,
    )


def describe_denied_field(source: str, field: str) -> str:
    """Return the sentence in which a field is denied, in errors and in refusals."""
    return f"The policy does not allow the field {describe_value(field)} of {source}."


@contextmanager
def hide_column_names(policy: Policy, source: str, action: str) -> Iterator[None]:
    """Remove names of columns and values from the block's errors if the policy hides fields of the source.

    Whoever reads knows no policy: what it says of columns and values may name what the policy hides.
    """
    try:
        yield
    except (SourceError, InvalidIntentError) as error:
        if not policy.restricts_fields(source):
            near = error.details.get("did_you_mean") or ()
            if isinstance(error, SourceNotFoundError) and not all(map(policy.allows_source, near)):
                raise SourceNotFoundError(error.message, met=error.details.get("met")) from None
            raise
        place = {key: error.details[key] for key in ("line", "row", "changed") if key in error.details}
        raise type(error)(
            f"The source {describe_value(source)} cannot be {action} ({error.code}).",
            hint="The policy restricts its fields, so columns and values are not named.",
            **place,
        ) from None


def hide_test_message(policy: Policy, tested: Mapping[str, object]) -> dict[str, object]:
    """Return a connector's test result, without the remote message if it may name what the policy hides."""
    if policy.sources is None and policy.fields is None:
        return dict(tested)
    failed = f"{tested.get('code', 'service_error')}: the policy hides the message of the other side."
    told = "It answers." if tested["success"] else failed
    return {**tested, "message": told}


def parse_policy(raw: Mapping[str, object] | Policy | None) -> Policy:
    """Return the policy that a caller's dict describes.

    Raises
    ------
    InvalidIntentError [invalid_intent]
        An unknown key or a value of the wrong type: a policy with a typing error must not become a wider one.
    """
    if raw is None:
        return Policy()
    if isinstance(raw, Policy):
        return raw
    lists = require_object(read_keys(raw, "policy"), "policy", POLICY_KEYS)
    functions = lists.get("allowed_functions")
    return Policy(
        sources=_read_names(lists.get("allowed_sources"), "policy.allowed_sources"),
        fields=_read_fields(lists.get("allowed_fields")),
        functions=None if functions == ALL_READONLY else _read_names(functions, "policy.allowed_functions"),
    )


def _read_fields(raw: object) -> Mapping[str, frozenset[str]] | None:
    if raw is None:
        return None
    if not isinstance(raw, Mapping):
        raise InvalidIntentError(
            "`policy.allowed_fields` must map each source to a list of fields.", path="policy.allowed_fields"
        )
    restricted = {}
    for source, names in raw.items():
        path = f"policy.allowed_fields[{describe_value(source)}]"
        checked = _read_names(names, path)
        if not isinstance(source, str) or checked is None:
            raise misfit_error(path, names, "a list of field names")
        restricted[source] = checked
    return restricted


def _read_names(raw: object, path: str) -> frozenset[str] | None:
    if raw is None:
        return None
    if isinstance(raw, str) or not isinstance(raw, Sequence | set | frozenset):
        raise misfit_error(path, raw, "a list of names")
    if not all(isinstance(name, str) for name in raw):
        raise InvalidIntentError(f"{path} holds something that is not a name.", path=path)
    return frozenset(raw)


def _narrow_names(one: frozenset[str] | None, other: frozenset[str] | None) -> frozenset[str] | None:
    if one is None:
        return other
    return one if other is None else one & other


def _build_module_pattern(name: str) -> str:
    return f"{name.partition('.')[0]}.*"


def _narrow_functions(one: frozenset[str] | None, other: frozenset[str] | None) -> frozenset[str] | None:
    if one is None or other is None:
        return other if one is None else one
    # A module on one list and functions of it on the other: the functions are what both allow.
    return frozenset(
        name
        for mine, theirs in ((one, other), (other, one))
        for name in mine
        if name in theirs or (not name.endswith(".*") and _build_module_pattern(name) in theirs)
    )


def _narrow_fields(
    one: Mapping[str, frozenset[str]] | None, other: Mapping[str, frozenset[str]] | None
) -> Mapping[str, frozenset[str]] | None:
    if one is None or other is None:
        return other if one is None else one
    merged = {source: _narrow_names(one.get(source), other.get(source)) for source in {*one, *other}}
    return {source: names for source, names in merged.items() if names is not None}


def narrow_reading(reading: Reading, fields: Container[str]) -> Reading:
    """Return the reading options that a caller limited to `fields` may see: no other field's type, no null texts.

    The texts that stand for null stand in any column, so one of them may be what a hidden column holds.
    """
    told = reading.copy()
    told.pop("nulls", None)
    types = {name: kind for name, kind in told.pop("types", {}).items() if name in fields}
    return {**told, "types": types} if types else told
