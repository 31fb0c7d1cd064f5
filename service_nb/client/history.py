"""Read the ledger through a client's policy: stored results, and the list of them."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from functools import cache
from itertools import chain, islice
from typing import TYPE_CHECKING, Any, get_args
from weakref import WeakKeyDictionary, WeakValueDictionary

from service_nb.client.record import Recorder, build_stored_card, raise_off
from service_nb.client.registry import MOST_INPUTS, Sources
from service_nb.client.results import Replayable, StoredResult, get_result_id
from service_nb.core.canonical import parse_strict
from service_nb.core.words import describe_value
from service_nb.errors import EvidenceError, InvalidIntentError, ResultNotFoundError
from service_nb.query.condition_groups import list_form_leaves
from service_nb.query.policy import Policy
from service_nb.schema.card import Card, CardKind

if TYPE_CHECKING:
    from service_nb.client.service import Service
    from service_nb.ledger.entries import StoredEntry
    from service_nb.ledger.store import Ledger


# Outcomes by client and id, while somebody holds them: what was answered under one policy is found under no other.
_in_memory: WeakKeyDictionary[Service, WeakValueDictionary[str, Replayable]] = WeakKeyDictionary()


def remember_outcome(client: Service, outcome: Replayable) -> None:
    """Remember an outcome of a client for as long as somebody else holds both."""
    _in_memory.setdefault(client, WeakValueDictionary())[get_result_id(outcome)] = outcome


def find_outcome(client: Service, result_id: str) -> Replayable:
    """Return an outcome of this client that is still in memory, else the stored one as `Service.get_result` does."""
    found = _in_memory[client].get(result_id) if client in _in_memory else None
    return client.get_result(result_id) if found is None else found


def get_result(sources: Sources, recorder: Recorder, result_id: str) -> StoredResult:
    """Return a stored result; one that the policy hides is not found."""
    from service_nb.ledger.entries import raise_not_found  # noqa: PLC0415  # lazy: as the ledger

    ledger, stored = recorder.find_entry(result_id)
    predicate = _read_predicate(stored)
    if not _is_allowed(sources, predicate, lambda: build_stored_card(stored, None)):
        raise_not_found()  # in the words for one that is not there
    return StoredResult(
        {
            "id": stored.id,
            "kind": stored.kind,
            "time": stored.time,
            "index": stored.index,
            "inputs": predicate["inputs"],
            "place": predicate["place"],
        },
        card=build_stored_card(stored, ledger.read_receipt(stored.index)),
        texts=stored.texts,
    )


def has_result(sources: Sources, recorder: Recorder, result_id: str) -> bool:
    """Tell whether this client can read a stored result with that id."""
    if not recorder.list_ledgers():
        return False
    try:
        get_result(sources, recorder, result_id)
    except (ResultNotFoundError, EvidenceError):
        return False
    return True


def list_log(
    sources: Sources, recorder: Recorder, limit: int, kind: str | None, *, own: bool = False
) -> list[dict[str, Any]]:
    """List the latest entries of the project's ledger, or of the user's own, newest first."""
    if type(limit) is not int or limit < 1:
        raise InvalidIntentError(
            f"`limit` must be a whole number of at least 1, not {describe_value(limit)}.", path="limit"
        )
    if kind is not None and kind not in get_args(CardKind):
        expected = ", ".join(get_args(CardKind))
        raise InvalidIntentError(
            f"kind is {describe_value(kind)}.", path="kind", met=describe_value(kind), expected=expected
        )
    ledger = recorder.own_ledger if own else recorder.ledger or raise_off()
    if ledger is None:
        raise InvalidIntentError(
            "A ledger is named here, and takes every entry.",
            hint="Leave out `own`, or unset SERVICE_LEDGER.",
            path="own",
        )
    return list(islice(_list_allowed(sources, recorder, ledger, kind), limit))


def _list_allowed(
    sources: Sources, recorder: Recorder, ledger: Ledger, kind: str | None
) -> Iterator[dict[str, object]]:
    for stored in ledger.iter_entries(newest_first=True):
        if stored.tenant != recorder.tenant or kind not in (None, stored.kind):
            continue

        @cache  # it takes longer to read than all the rest
        def read_card(stored: StoredEntry = stored) -> Card:
            return build_stored_card(ledger.get(stored.id, stored.tenant), None)

        if _is_allowed(sources, _read_predicate(stored), read_card):
            yield _describe_entry(stored, read_card())


# --- what the policy allows -------------------------------------------------------------------------------------------


def _is_allowed(sources: Sources, predicate: Mapping[str, Any], card: Callable[[], Card]) -> bool:
    """Tell whether the policy allows the sources, columns and function that an entry names.

    What may name anything, an error or why something was not replayed, is for clients without any list.
    """
    policy = sources.policy
    if policy == Policy():
        return True
    if not all(policy.allows_source(each["name"]) for each in predicate["inputs"]):
        return False
    match predicate["kind"]:
        case "query":
            return _allows_columns(sources, predicate, card())
        case "computation":
            return policy.allows_function(card()["view"]["call"]) and _allows_columns(sources, predicate, card())
        case "clarification" | "rejection":
            return _allows_refusal(policy, predicate, card())
        case "replay":
            return _allows_replay(policy, predicate, card())
        case _:
            return False


def _allows_columns(sources: Sources, predicate: Mapping[str, Any], card: Card) -> bool:
    """Tell whether the policy allows each column that an entry names, also in the origins of its sources."""
    policy = sources.policy
    listed = [each for each in predicate["inputs"] if policy.restricts_fields(each["name"])]
    if not listed:
        return True
    if not all(map(sources.can_tell, listed)):
        return False
    named = {"query": "plan", "computation": "identity"}[card["kind"]]
    if named not in card["canonical"]:
        return False  # what it names is not known without reading words
    if any("query" in (each["origin"] or {}) or "nulls" in (each["reading"] or {}) for each in listed):
        return False  # they name columns, or values, in a language of their own
    if any("filter" in binding and binding["filter"] is None for binding in predicate["bindings"]):
        return False  # one that was too long to be recorded
    columns = chain(_list_columns(predicate, card), _list_typed(listed))
    return all(policy.allows_field(source, column) for source, column in columns)


def _allows_refusal(policy: Policy, predicate: Mapping[str, Any], card: Card) -> bool:
    """Tell whether the policy allows all that a refusal may mention: the named source and the listed sources."""
    if policy.sources is None and policy.fields is None:
        return True
    if "spec" not in card["canonical"]:
        return False
    there = [each["name"] for each in predicate["inputs"]]
    named = parse_strict(card["canonical"]["spec"]).get("source_name")
    if named not in there and (len(there) >= MOST_INPUTS or (named is None and not there)):
        return False  # there were others, or none that the words of the question could be about
    spoken_of = there if named is None else [*there, named]
    return all(policy.allows_source(name) and not policy.restricts_fields(name) for name in spoken_of)


def _allows_replay(policy: Policy, predicate: Mapping[str, Any], card: Card) -> bool:
    view = card["view"]
    if view["status"] not in ("identical", "differs"):
        return False
    if any(policy.restricts_fields(each["name"]) for each in predicate["inputs"]):
        return False
    match view["digest"]:
        case "result_hash":
            return True
        case "computation_hash":
            return policy.functions is None
        case _:
            return policy.sources is None and policy.fields is None


def _describe_entry(stored: StoredEntry, card: Card) -> dict[str, object]:
    view = card["view"]
    return {
        "index": stored.index,
        "id": stored.id,
        "time": stored.time,
        "kind": stored.kind,
        "status": view["status"],
        "question": view.get("question") or view.get("message", ""),
        "digests": card["digests"],
        "signed": stored.keyid,
    }


def _list_columns(predicate: Mapping[str, Any], card: Card) -> Iterator[tuple[str, str]]:
    """Yield every column that a stored question or computation names, with its source."""
    if card["kind"] == "query":
        plan = parse_strict(card["canonical"]["plan"])
        source = predicate["inputs"][0]["name"]
        metrics = [each.get("metric") for each in plan.get("measures") or [plan]]
        keys = [key if isinstance(key, str) else key["column"] for key in plan.get("group_by", ())]
        compared = [each.get("metric") for each in list_form_leaves(plan.get("having", {}).get("conditions", ()))]
        named = [*metrics, *compared, *keys, *_list_filtered(plan.get("filter"))]
        yield from ((source, column) for column in named if column is not None)
    for binding in predicate["bindings"]:
        for column in (*binding["fields"], *_list_filtered(binding.get("filter"))):
            yield binding["source_name"], column


def _list_typed(inputs: Iterable[Mapping[str, Any]]) -> Iterator[tuple[str, str]]:
    """Yield every column whose type was declared when a source was read."""
    for each in inputs:
        yield from ((each["name"], column) for column in (each["reading"] or {}).get("types", ()))


def _list_filtered(filter_: Mapping[str, Any] | None) -> list[str]:
    return [condition["column"] for condition in list_form_leaves((filter_ or {}).get("conditions", ()))]


def _read_predicate(stored: StoredEntry) -> Mapping[str, Any]:
    predicate: Mapping[str, object] = parse_strict(stored.payload.decode())["predicate"]
    return predicate
