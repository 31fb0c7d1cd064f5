"""No leaf of a card can be altered unseen, whoever signs it: every leaf, every kind of card, every verifier.

The cards are real: a client made them of real data. Each leaf is altered in several ways, one at a time, everything is
hashed anew by the simulator, and signed with the key of an attacker or of the author. What may be altered unseen by an
author is listed here, leaf by leaf: it is what the handbook calls the author's words, and what is hashed, not shown.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Iterator
from pathlib import Path

import pytest
from cryptography.exceptions import InvalidSignature
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PublicKey

import service_nb
from service_nb.errors import InvalidIntentError
from tests.simulators import altered
from tests.simulators.altered import Altered, Json
from tests.simulators.evidence import AUTHOR, FORGER
from tests.simulators.verifiers import Said, by_python, by_standalone, by_typescript, status_of

KEYS = (AUTHOR.public_key,)
Record = Callable[[str, object], None]

# Of the view, what nothing can be compared with. (An id is compared with the statement.)
WORDS_OF_VIEWS = {"view.latency_ms"}
# Of the statement: when, for whom, where and by which version it was made. A refusal, an error and a replay do not show
# their id, and record no sources of their own.
WORDS_OF_STATEMENTS = {f"statement.predicate.{name}" for name in ("time", "tenant", "place", "made_by")}
WITHOUT_PROVENANCE = {"statement.predicate.id", "statement.predicate.inputs"}
# Of the texts, what no card shows: nobody reads there another thing than was recorded. A replay reads it.
NOT_SHOWN = {
    "query": {"provenance.sources.origin", "provenance.shown_rows"},
    "computation": {"definition.size"}
    | {f"provenance.sources.{name}" for name in ("source_id", "content", "row_count", "origin", "reading")},
    "clarification": {"resolution.approved"},
    "rejection": {"resolution.approved"},
    "error": {"error.approved", "error.retryable", "error.source"},
    "replay": {f"report.{name}" for name in ("approved", "kind", "signer", "time", "verified")},
}
# The same number: one beyond 2**53 stands there as a text of its digits, and any may.
SAME = {("result.count", "of another kind")}
# What is tried always, and what with all the rest takes minutes.
EACH = pytest.mark.parametrize("step", [pytest.param(1, marks=pytest.mark.slow), 19], ids=["all", "a sample"])


def made_cards(folder: Path) -> Iterator[Json]:
    """Real cards of every kind, of sums, counts and means, of numbers, records, arrays and simulations."""
    path = folder / "orders.csv"
    rows = ["North,10.25,4,2026-01-02", "South,20.5,2,2026-01-03", "North,0.1,9,2026-02-01", "East,7.125,1,2026-03-05"]
    path.write_text("\n".join(["region,amount,units,day", *rows]) + "\n")
    service = service_nb.create_service(project=folder, ledger=folder / ".service", runtime="in_process")
    try:
        service.connect(path, name="orders")
        filtered = "where day >= 2026-01-01 and region in ('North', 'South') order asc limit 2"
        first = service.ask(f"sum amount by region from orders {filtered}")
        outcomes = [first, service.ask("count from orders"), service.ask("avg units by region, day from orders")]
        outcomes.append(service.ask("min day from orders"))
        outcomes.append(service.compute("finance.npv rate=0.1 cashflows=orders.amount"))
        outcomes.append(service.compute("finance.npv", args=[0.1, [-9.5, 1e17]]))
        outcomes.append(service.compute("calculus.gauss_hermite n=3"))
        outcomes.append(service.compute("linalg.solve", args=[[[2.0, 1.0], [1.0, 3.0]], [3.0, 5.0]]))
        seeded = "simulation.bootstrap_mean values=orders.amount confidence=0.9 replicates=100 seed=7"
        outcomes.append(service.compute(seeded))
        outcomes += [service.ask("sum amout by region"), service.ask("sum day from orders"), first.replay()]
        yield from (json.loads(json.dumps(outcome.card)) for outcome in outcomes)
        path.write_text("\n".join(["region,amount,units,day", *rows[:-2]]) + "\n")
        yield json.loads(json.dumps(service.replay(dict(first.card)).card))
        with pytest.raises(InvalidIntentError) as caught:
            service.ask("drop table orders")
        yield json.loads(json.dumps(caught.value.card))
    finally:
        service.close()


@pytest.fixture(scope="module")
def cards(tmp_path_factory: pytest.TempPathFactory) -> list[Json]:
    """The cards as their author signs them, in the name of the simulator's key."""
    made = list(made_cards(tmp_path_factory.mktemp("real")))
    assert all(card["receipt"] is not None for card in made)
    return [altered.resigned(card, altered.statement_of(card), AUTHOR) for card in made]


@pytest.fixture(autouse=True)
def quick_signatures(monkeypatch: pytest.MonkeyPatch) -> None:
    """Signatures by a library: how the file verifies them alone is tested elsewhere, and takes 20 times as long."""

    def verify(key: bytes, message: bytes, signature: bytes) -> bool:
        try:
            Ed25519PublicKey.from_public_bytes(key).verify(signature, message)
        except (InvalidSignature, ValueError):
            return False
        return True

    monkeypatch.setattr("tests.simulators.verifiers._verify_ed25519", verify)


def contracts_of(cards: Iterable[Json]) -> tuple[str, ...]:
    return tuple({card["digests"]["contract_hash"] for card in cards if card["kind"] == "computation"})


def judged(tried: list[Altered], contracts: tuple[str, ...]) -> list[tuple[Altered, str]]:
    """The verdict on each, after all verifiers have said the same of it, check by check."""
    contents = [json.dumps(each.card).encode() for each in tried]
    said: list[list[Said]] = [
        [by_python(content, KEYS, contracts) for content in contents],
        [by_standalone(content, KEYS, contracts) for content in contents],
        by_typescript(contents, KEYS, contracts),
    ]
    differing = [
        (each.path, each.how, heard) for each, *heard in zip(tried, *said, strict=True) if heard[1:] != heard[:-1]
    ]
    assert differing[:3] == []
    return [(each, status_of(heard)) for each, heard in zip(tried, said[0], strict=True)]


def told(title: str, tried: list[tuple[Altered, str]], unseen: list[Altered], record: Record) -> None:
    leaves = {(each.card["kind"], each.path) for each, _ in tried}
    record("bad_inputs", len(tried))
    print(f"{title}: {len(leaves)} leaves altered in {len(tried)} ways, {len(unseen)} unseen")


def test_the_real_cards_verify_as_they_stand(cards: list[Json]) -> None:
    kinds = {"query", "computation", "clarification", "rejection", "error", "replay"}
    assert {card["kind"] for card in cards} == kinds
    genuine = [Altered((), "as it is", card) for card in cards]
    assert [status for _, status in judged(genuine, contracts_of(cards))] == ["verified"] * len(cards)


@pytest.mark.parametrize("count", ["2", "one", "3", 2.5, True, None, [2], {}])
def test_a_count_of_rows_is_a_number_or_its_digits_to_all_verifiers(cards: list[Json], count: object) -> None:
    card = json.loads(json.dumps(cards[0]))
    rows = json.loads(card["canonical"]["result"])
    rows[0]["count"] = count
    card["canonical"]["result"] = json.dumps(rows, separators=(",", ":"), sort_keys=True, ensure_ascii=False)
    rehashed = altered.rehashed(card)
    signed = altered.resigned(rehashed, altered.statement_of(rehashed), AUTHOR)
    ((_, status),) = judged([Altered(("result", 0, "count"), repr(count), signed)], contracts_of(cards))
    assert status == ("verified" if count == "2" else "altered")


@EACH
def test_no_leaf_can_be_altered_and_verify_under_an_attackers_key(
    cards: list[Json], record_property: Record, step: int
) -> None:
    made = []
    for card in cards:
        forges = (altered.of_views, altered.of_texts, altered.of_digests, altered.of_statements)
        made += [each for forge in forges for each in forge(card, FORGER)]
        made += altered.of_receipts(card)
    tried = judged(made[::step], contracts_of(cards))
    unseen = [each for each, status in tried if status == "verified"]
    told("signed by an attacker", tried, unseen, record_property)
    assert [(each.path, each.how) for each in unseen] == []


@EACH
def test_no_leaf_can_be_altered_and_agree_with_itself_where_nobody_signed(
    cards: list[Json], record_property: Record, step: int
) -> None:
    made = [altered.unsigned(each) for card in cards for each in altered.of_views(card, FORGER)]
    tried = judged(made[::step], contracts_of(cards))
    words = WORDS_OF_VIEWS | {"view.query_id", "view.request_id"}
    unseen = [each for each, status in tried if status != "altered" and each.name not in words]
    told("not signed", tried, unseen, record_property)
    assert {status for _, status in tried} == {"altered", "consistent"}
    assert [(each.path, each.how) for each in unseen] == []


@EACH
def test_no_shown_leaf_can_be_altered_unseen_even_by_the_author(
    cards: list[Json], record_property: Record, step: int
) -> None:
    made = [each for card in cards for each in altered.of_views(card, AUTHOR)]
    tried = judged(made[::step], contracts_of(cards))
    unseen = [each for each, status in tried if status != "altered" and each.name not in WORDS_OF_VIEWS]
    told("shown, and signed by the author", tried, unseen, record_property)
    assert [(each.card["kind"], each.path, each.how) for each in unseen] == []


@EACH
def test_no_recorded_leaf_that_a_card_shows_can_be_altered_unseen_even_by_the_author(
    cards: list[Json], record_property: Record, step: int
) -> None:
    made = [each for card in cards for each in altered.of_texts(card, AUTHOR)]
    tried = judged(
        [each for each in made if len(each.path) > 1 or each.how != "taken out"][::step], contracts_of(cards)
    )
    unseen = []
    for each, status in tried:
        hidden = tuple(NOT_SHOWN[each.card["kind"]])
        if status != "altered" and not each.name.startswith(hidden) and (each.name, each.how) not in SAME:
            unseen.append(each)
    told("recorded, and signed by the author", tried, unseen, record_property)
    assert [(each.card["kind"], each.path, each.how) for each in unseen] == []


def test_a_text_that_is_taken_out_leaves_a_card_open_unless_nothing_shown_depends_on_it(cards: list[Json]) -> None:
    made = [each for card in cards for each in altered.of_texts(card, AUTHOR)]
    tried = judged([each for each in made if len(each.path) == 1 and each.how == "taken out"], contracts_of(cards))
    assert {each.name for each, status in tried if status == "verified"} == {"arguments"}
    assert {status for _, status in tried} == {"verified", "not_checkable"}


@EACH
def test_what_an_author_may_state_at_will_is_listed(cards: list[Json], record_property: Record, step: int) -> None:
    made = [each for card in cards for each in altered.of_statements(card, AUTHOR)]
    tried = judged(made[::step], contracts_of(cards))
    unseen = []
    for each, status in tried:
        words = WORDS_OF_STATEMENTS | (set() if each.card["kind"] in ("query", "computation") else WITHOUT_PROVENANCE)
        if status != "altered" and not each.name.startswith(tuple(words)):
            unseen.append(each)
    told("stated, and signed by the author", tried, unseen, record_property)
    assert [(each.card["kind"], each.path, each.how) for each in unseen] == []
