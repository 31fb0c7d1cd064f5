"""T1, T2: evidence edited, re-hashed, re-signed, cut apart, put together anew; three verifiers judge it alike.

The genuine evidence and its mutants are made in `tests/simulators`, with no verifier's code. With the author's key
given, every forged document must be refused by a named cause; one from which only texts or rows were taken must not be
refused; another spelling of the same document must verify. Python, the standalone file and TypeScript must say the same
of all of them, check by check.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from functools import partial
from itertools import islice

import pytest

from service_nb.evidence.causes import CAUSES
from tests.simulators import evidence as genuine
from tests.simulators import mutants
from tests.simulators.evidence import AUTHOR, CONTRACT, FORGER
from tests.simulators.mutants import Mutant
from tests.simulators.verifiers import Said, by_python, by_standalone, by_typescript, causes_of, status_of

SAMPLE = 1_500
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
    allowed = {"forged": ("mismatch",), "less": ("incomplete", "verified"), "same": ("verified",)}[mutant.meant]
    return None if status in allowed else f"{mutant.meant} is {status}"


def judge_all(chosen: list[Mutant]) -> list[tuple[str, str, list[Said]]]:
    by_node = by_typescript((mutant.content for mutant in chosen), KEYS, CONTRACTS)
    wrong = []
    for mutant, third in zip(chosen, by_node, strict=True):
        said = [by_python(mutant.content, KEYS, CONTRACTS), by_standalone(mutant.content, KEYS, CONTRACTS), third]
        if (fault := judged(mutant, said)) is not None:
            wrong.append((mutant.name, fault, said))
    return wrong


def test_genuine_evidence_verifies() -> None:
    documents = [*SIGNED, LOG.document(), genuine.sealed_notebook(SIGNED), genuine.notebook(SIGNED)]
    chosen = [Mutant(f"genuine {at}", mutants.written(each), "same") for at, each in enumerate(documents)]
    assert judge_all(chosen) == []


def test_a_sample_of_mutants_is_refused_and_the_verifiers_agree(record_property: Record) -> None:
    everything = list(mutants.every(sources()))
    chosen = list(islice(everything, 0, None, len(everything) // SAMPLE))
    assert judge_all(chosen) == []
    assert {mutant.meant for mutant in chosen} == set(mutants.MEANT)
    record_property("bad_inputs", sum(mutant.meant == "forged" for mutant in chosen))


@pytest.mark.slow
def test_all_mutants_are_refused_and_the_verifiers_agree(record_property: Record) -> None:
    chosen = list(mutants.every(sources()))
    assert judge_all(chosen) == []
    counts = Counter(mutant.meant for mutant in chosen)
    assert counts["forged"] >= 10_000
    record_property("bad_inputs", counts["forged"])
