"""Cards that a forger changed anywhere, and whose hashes he made anew: replayed, they end, and lie about no value."""

from __future__ import annotations

import copy
import json
import random
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

from service_nb.core.canonical import write_canonical_text
from service_nb.core.digest import (
    COMPUTATION_DOMAIN,
    INVOCATION_DOMAIN,
    PLAN_DOMAIN,
    REFUSAL_DOMAIN,
    RESULT_DOMAIN,
    ROWS_DOMAIN,
    VIEW_DOMAIN,
    digest,
)
from service_nb.errors import ServiceError
from service_nb.evidence.documents import check_card
from tests.security.conftest import snapshot
from tests.simulators.replays import client, replaying

CSV = "region,flow\nnorth,1.5\nsouth,0.1\nsouth,0.2\n"
JUNK: list[Any] = [
    *(None, True, 0, -1, 1.5, 2**53 - 1, "", "x", [], {}, [[]], {"a": 1}),
    *("../../etc/passwd", "/etc/passwd", "\u202e", "NaN", "1e999", "'; drop table budget; --", "<script>"),
]
MUTANTS = 600


def places(value: Any, path: tuple[Any, ...] = ()) -> Iterator[tuple[Any, ...]]:
    yield path
    steps = value.items() if isinstance(value, dict) else enumerate(value) if isinstance(value, list) else ()
    for step, item in steps:
        yield from places(item, (*path, step))


def put(value: Any, path: tuple[Any, ...], junk: Any) -> Any:
    if not path:
        return junk
    changed = copy.copy(value)
    changed[path[0]] = put(value[path[0]], path[1:], junk)
    return changed


def resealed(card: dict[str, Any]) -> dict[str, Any]:
    """Every hash made anew, as far as there is still something to hash."""
    texts, digests, view = card["canonical"], card["digests"], card["view"]
    try:
        if "plan" in texts:
            digests["plan_hash"] = digest(PLAN_DOMAIN, texts["plan"])
            digests["schema_revision"] = json.loads(texts["plan"])["schema_revision"]
            digests["result_hash"] = digest(RESULT_DOMAIN, digests["plan_hash"], texts["result"])
        elif "identity" in texts:
            digests["invocation_hash"] = digest(INVOCATION_DOMAIN, texts["identity"])
            digests["contract_hash"] = json.loads(texts["identity"])["contract_hash"]
            digests["computation_hash"] = digest(COMPUTATION_DOMAIN, digests["invocation_hash"], texts["value"])
        else:
            codes = {key: value for key, value in json.loads(texts["resolution"]).items() if key != "reason"}
            hashed = write_canonical_text(codes)
            digests["refusal_hash"] = digest(REFUSAL_DOMAIN, texts["spec"], b"\0", hashed)
        digests["view_hash"] = digest(
            VIEW_DOMAIN, write_canonical_text({key: view[key] for key in view if key != "rows"})
        )
        if "rows" in view:
            digests["rows_hash"] = digest(ROWS_DOMAIN, write_canonical_text(view["rows"]))
    except (KeyError, TypeError, ValueError, AttributeError, ServiceError):
        pass  # there is nothing left that could be hashed: it stays a card that does not verify
    return card


def mutant(card: dict[str, Any], chance: random.Random) -> dict[str, Any]:
    card = copy.deepcopy(card)
    if chance.random() < 0.6:
        name = chance.choice(sorted(card["canonical"]))
        value = json.loads(card["canonical"][name])
        changed = put(value, chance.choice(list(places(value))), chance.choice(JUNK))
        card["canonical"][name] = write_canonical_text(changed)
    else:
        part = chance.choice(["view", "digests", "canonical"])
        path = chance.choice(list(places(card[part]))[1:])
        card[part] = put(card[part], path, chance.choice(JUNK))
    return resealed(card)


def test_no_forged_value_is_called_identical_and_no_replay_crashes(
    tmp_path: Path, record_property: Callable[[str, object], None]
) -> None:
    (tmp_path / "budget.csv").write_text(CSV, encoding="utf-8")
    service = client(tmp_path)
    service.connect(tmp_path / "budget.csv")
    cards: list[Any] = [
        service.ask("sum flow by region from budget where flow > -5").card,
        service.compute("finance.npv rate=0.1 cashflows=budget.flow where region = 'south'").card,
        service.compute("words.join words=['a', 'b'] separator='-'").card,
        service.ask("sum flwo by region from budget").card,
    ]
    genuine = {json.dumps(each["canonical"], sort_keys=True) for each in cards}
    before = snapshot(tmp_path)
    chance = random.Random(2026)
    replays, forced = replaying(service), replaying(service, is_forced=True)
    for _ in range(MUTANTS):
        card = mutant(chance.choice(cards), chance)
        outcomes = [replays.replay_card(card).replay, forced.replay_card(card).replay]
        for outcome in outcomes:
            assert outcome.status in ("identical", "differs", "refused")
            assert (outcome.cause is None) == (outcome.status == "identical")
            assert str(tmp_path) not in outcome.message
        if check_card(card).status == "altered":
            assert outcomes[0].cause == "evidence_invalid"
        elif outcomes[0].status == "identical":
            assert_true(card, cards, genuine)
    assert snapshot(tmp_path) == before
    record_property("bad_inputs", MUTANTS)


def assert_true(card: dict[str, Any], cards: list[Any], genuine: set[str]) -> None:
    """What is identical asks another question truly answered, or shows its genuine rows under another decoration."""
    same = [each for each in cards if each["kind"] == card["kind"]]
    if json.dumps(card["canonical"], sort_keys=True) in genuine:
        assert any(card["view"].get("rows") in (each["view"].get("rows"), []) for each in same)
    else:
        # The texts are others, and were run: their result is the one that their own plan or call gives.
        results = {name: text for name, text in card["canonical"].items() if name in ("result", "value", "resolution")}
        assert results.items() <= {item for each in same for item in each["canonical"].items()} or not results
