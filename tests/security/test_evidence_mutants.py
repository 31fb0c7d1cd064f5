"""T1, T2: evidence edited, re-hashed, re-signed, cut apart, put together anew; three verifiers judge it alike.

The genuine evidence and its mutants are made in `tests/simulators`, with no verifier's code. With the author's key
given, no forged document may verify: it is altered by a named cause, unless nobody else's signature is claimed for it,
which is unaltered, or consistent and unsigned. One from which only texts or rows were taken must not be called altered;
another spelling of the same document must verify. Python, the standalone file and TypeScript must say the same
of all of them, check by check.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator, Sequence
from functools import cache, partial
from itertools import islice
from pathlib import Path
from typing import Any

import pytest
import rfc8785

import service_nb
from service_nb.errors import InvalidIntentError
from service_nb.evidence.verdicts import CAUSES
from tests.simulators import evidence as genuine
from tests.simulators import mutants
from tests.simulators.contracts import CONTRACT
from tests.simulators.evidence import AUTHOR, FORGER
from tests.simulators.mutants import Mutant
from tests.simulators.verifiers import Said, by_python, by_standalone, by_typescript, causes_of, status_of

SAMPLE = 500
KEYS, CONTRACTS = (AUTHOR.public_key,), (CONTRACT,)
Source = Callable[[], Iterator[Mutant]]
Record = Callable[[str, object], None]

UNSIGNED = genuine.cards()
SIGNED = genuine.signed(UNSIGNED)
LOG = genuine.log_of(UNSIGNED[:5])
OTHERS = [
    *genuine.signed([genuine.query_card(2), genuine.computation_card(7.5)], AUTHOR, "f" * 32),
    *genuine.signed([genuine.query_card(2), genuine.error_card()], FORGER),
]


def sources() -> list[Source]:
    by_kind = {card["kind"]: card for card in SIGNED}
    notebook = genuine.sealed_notebook(SIGNED[:3])
    seal, first = ("metadata", "service_nb"), ("cells", 1, "outputs", 0, "data", genuine.MIME)
    return [
        *(partial(mutants.of_bytes, kind, by_kind[kind]) for kind in ("error", "computation")),
        partial(mutants.of_bytes, "ledger", genuine.log_of([genuine.error_card()]).document()),
        partial(mutants.of_bytes, "notebook", genuine.sealed_notebook([by_kind["error"]])),
        *(partial(mutants.of_fields, f"{card['kind']} {at}", card) for at, card in enumerate(SIGNED)),
        partial(mutants.of_fields, "ledger", LOG.document()),
        *(partial(mutants.of_fields, "notebook", notebook, below) for below in (seal, first)),
        *(partial(mutants.of_forgers, f"{card['kind']} {at}", card) for at, card in enumerate(SIGNED)),
        partial(mutants.of_swaps, SIGNED, OTHERS),
        partial(mutants.of_ledgers, LOG),
        partial(mutants.of_ledgers, genuine.log_of(UNSIGNED)),
        partial(mutants.of_notebooks, SIGNED[:7], SIGNED[7]),
    ]


def judged(mutant: Mutant, said: Sequence[Said]) -> str | None:
    """What is wrong with what the verifiers say of a mutant, if anything."""
    if any(each != said[0] for each in said):
        return "disagreement"
    status = status_of(said[0])
    if not causes_of(said[0]) <= CAUSES.keys():
        return "unnamed cause"
    allowed = {"forged": told_of(mutant), "less": ("not_checkable", "consistent", "verified"), "same": ("verified",)}[
        mutant.meant
    ]
    return None if status in allowed else f"{mutant.meant} is {status}"


def told_of(mutant: Mutant) -> tuple[str, ...]:
    """What may be said of a forgery: that it is altered, and where its forger signed it himself, or nobody did, so."""
    try:
        document = json.loads(mutant.content)
        signed = [*signatures(document)]
    except (ValueError, TypeError, AttributeError, KeyError, RecursionError):
        return ("altered",)
    is_foreign = FORGER.public_key in signed
    return ("altered", *(("unaltered",) if is_foreign else ()), *(("consistent",) if None in signed else ()))


def signatures(document: Any) -> Iterator[str | None]:
    """The keys that a document says have signed it, its cards or its entries; None where it says that nobody has."""
    if "nbformat" in document:
        yield from (key for card in mutants.evidence_in(document)["cards"] for key in signatures(card))
        yield from (seal["public_key"] for seal in [document["metadata"].get("service_nb")] if seal)
    elif "service_nb_ledger" in document:
        yield document["public_key"]
        yield from (None for entry in document["entries"] if not entry["signatures"])
    else:
        yield None if document["receipt"] is None else document["receipt"]["public_key"]


def judge_all(
    chosen: list[Mutant], keys: Sequence[str] = KEYS, contracts: Sequence[str] = CONTRACTS
) -> list[tuple[str, str, list[Said]]]:
    by_node = by_typescript((mutant.content for mutant in chosen), keys, contracts)
    wrong = []
    for mutant, third in zip(chosen, by_node, strict=True):
        said = [verifier(mutant.content, keys, contracts) for verifier in (by_python, by_standalone)]
        if (fault := judged(mutant, [*said, third])) is not None:
            wrong.append((mutant.name, fault, [*said, third]))
    return wrong


@cache
def everything() -> list[Mutant]:
    return list(mutants.every(sources()))


def sampled(mutated: list[Mutant], size: int) -> list[Mutant]:
    return list(islice(mutated, 0, None, max(1, len(mutated) // size)))


def count(chosen: list[Mutant], meant: str = "forged") -> int:
    return sum(mutant.meant == meant for mutant in chosen)


# --- made by the simulator --------------------------------------------------------------------------------------------


def test_genuine_evidence_verifies() -> None:
    documents = [*SIGNED, LOG.document(), genuine.sealed_notebook(SIGNED), genuine.notebook(SIGNED)]
    chosen = [Mutant(f"genuine {at}", mutants.written(each), each) for at, each in enumerate(documents)]
    assert judge_all(chosen) == []


def test_a_sample_of_mutants_is_refused_and_the_verifiers_agree(record_property: Record) -> None:
    every = everything()
    chosen = [*sampled(every, SAMPLE), *{mutant.meant: mutant for mutant in every}.values()]
    assert judge_all(chosen) == []
    assert {mutant.meant for mutant in chosen} == set(mutants.MEANT)
    record_property("bad_inputs", count(chosen))


@pytest.mark.slow
def test_all_mutants_are_refused_and_the_verifiers_agree(record_property: Record) -> None:
    chosen = everything()
    assert judge_all(chosen) == []
    assert count(chosen) >= 10_000
    record_property("bad_inputs", count(chosen))


def test_without_trusted_keys_the_verifiers_agree_and_nothing_forged_passes_as_verified() -> None:
    chosen = sampled(everything(), 200)
    assert disagreements(chosen, (), ()) == []
    assert {status_of(by_python(mutant.content, (), ())) for mutant in chosen} == {
        *("altered", "not_checkable", "unaltered")  # of those without a receipt none agrees with itself
    }


# --- signed by the author ---------------------------------------------------------------------------------------------


def oddities() -> list[Mutant]:
    """What the trusted key itself has signed, odd as it is: here it matters that the verifiers agree, and name why."""
    statements = [partial(mutants.of_statements, card["kind"], card) for card in UNSIGNED[:6]]
    return list(
        mutants.every([*statements, partial(mutants.of_seals, SIGNED[:2]), partial(mutants.of_notes, SIGNED[0])])
    )


def disagreements(chosen: list[Mutant], keys: Sequence[str], contracts: Sequence[str]) -> list[tuple[str, list[Said]]]:
    by_node = by_typescript((mutant.content for mutant in chosen), keys, contracts)
    found = []
    for mutant, third in zip(chosen, by_node, strict=True):
        said = [verifier(mutant.content, keys, contracts) for verifier in (by_python, by_standalone)]
        if not said[0] == said[1] == third or not causes_of(third) <= CAUSES.keys():
            found.append((mutant.name, [*said, third]))
    return found


def test_the_verifiers_agree_on_a_sample_of_odd_things_that_the_author_signed() -> None:
    assert disagreements(sampled(oddities(), 150), KEYS, CONTRACTS) == []


@pytest.mark.slow
def test_the_verifiers_agree_on_all_odd_things_that_the_author_signed() -> None:
    assert disagreements(oddities(), KEYS, CONTRACTS) == []


# --- made by a service ------------------------------------------------------------------------------------------------


class Real:
    """What a service has recorded: a card of each kind, the key that signed them, the contract that they ran under."""

    def __init__(self, folder: Path) -> None:
        service = service_nb.create_service(project=folder, ledger=folder / ".service")
        try:
            service.connect([{"carrier": "AA", "flow": 1.5}, {"carrier": "Ü€", "flow": 1e17}], name="flights")
            asked = {"metric": "flow", "aggregation": "sum", "source_name": "flights"}
            above = {"filter": {"conditions": [{"column": "flow", "op": "gte", "value": 1e17}]}}
            answered = service.ask(asked | {"group_by": "carrier"})
            outcomes = [answered, service.ask(asked | above), service.ask({"metric": "flow"}), answered.replay()]
            outcomes += [
                service.ask(asked | {"metric": "nothing"}),
                service.compute("finance.npv", args=[0.1, [-9.5, 1e17]]),
            ]
            with pytest.raises(InvalidIntentError) as caught:
                service.ask({"question": "what?"})
            self.cards = [*(dict(outcome.card) for outcome in outcomes), dict(caught.value.card or {})]
        finally:
            service.close()
        self.keys = (self.cards[0]["receipt"]["public_key"],)
        (computed,) = (card for card in self.cards if card["kind"] == "computation")
        self.contracts = (computed["digests"]["contract_hash"],)

    def fields(self) -> list[Source]:
        return [partial(mutants.of_fields, f"{card['kind']} {at}", card) for at, card in enumerate(self.cards)]

    def more(self) -> list[Source]:
        error = next(card for card in self.cards if card["kind"] == "error")
        return [
            *(partial(mutants.of_forgers, f"{card['kind']} {at}", card) for at, card in enumerate(self.cards)),
            partial(mutants.of_swaps, self.cards, OTHERS),
            partial(mutants.of_bytes, "error", error),
        ]


@pytest.fixture(scope="module")
def real(tmp_path_factory: pytest.TempPathFactory) -> Real:
    return Real(tmp_path_factory.mktemp("real"))


def test_what_a_service_records_verifies_as_it_stands_and_as_a_browser_saves_it(real: Real) -> None:
    assert {card["kind"] for card in real.cards} == {card["kind"] for card in SIGNED}
    as_it_stands = [Mutant(card["kind"], mutants.written(card), card) for card in real.cards]
    saved = [Mutant(f"{card['kind']}, saved", rfc8785.dumps(card), card) for card in real.cards]
    assert judge_all([*as_it_stands, *saved], real.keys, real.contracts) == []


def test_a_sample_of_mutants_of_it_is_refused(real: Real, record_property: Record) -> None:
    chosen = sampled(list(mutants.every(real.fields())), SAMPLE // 4)
    assert judge_all(chosen, real.keys, real.contracts) == []
    record_property("bad_inputs", count(chosen))


@pytest.mark.slow
def test_all_mutants_of_it_are_refused(real: Real, record_property: Record) -> None:
    chosen = list(mutants.every([*real.fields(), *real.more()]))
    assert judge_all(chosen, real.keys, real.contracts) == []
    assert count(chosen) >= 10_000
    record_property("bad_inputs", count(chosen))
