"""What a policy denies, attacked in every way that a client or a key has.

Three kinds of tests: nothing that is said holds a denied name or value, or a digest that whoever guesses them could
compute; a right guess is answered as a wrong one; and two projects that differ in what is hidden alone say the same,
whatever digest or length nobody thought of.
"""

from __future__ import annotations

import copy
import json
import re
from collections.abc import Iterator
from itertools import product
from pathlib import Path
from typing import Any

import httpx
import pytest

from service_nb.client.service import Service
from service_nb.core.digest import hash_schema
from service_nb.errors import SourceChangedError
from service_nb.query.inspection import build_form, build_profile
from service_nb.schema.source import Field
from tests.deployment.conftest import REACHABLE
from tests.deployment.served_records import Records, records
from tests.deployment.stand import Stand, key, made, standing
from tests.security.policy_world import (
    ALLOWED,
    HIDDEN_SOURCE,
    MEAN,
    ONE,
    OTHER,
    POLICY,
    WAYS,
    World,
    confirmable,
    found_out,
    owned,
    said,
    world,
)
from tests.tools.sampling import sample

THINGS = [
    *ONE.columns,
    "SALARY",
    "salary_grade",
    "pay",
    HIDDEN_SOURCE,
    "wage",
    "DE8937040044",
    "773311.25",
    "Ottoline Zweig",
]
KINDS = ("narrowed", "owned")


@pytest.fixture(scope="module")
def one(tmp_path_factory: pytest.TempPathFactory) -> Iterator[World]:
    made_world = world(tmp_path_factory.mktemp("one"), ONE)
    yield made_world
    made_world.wide.close()


@pytest.fixture(scope="module")
def digests(one: World) -> dict[str, str]:
    return confirmable(one)


@pytest.fixture(scope="module")
def clients(one: World, tmp_path_factory: pytest.TempPathFactory) -> Iterator[dict[str, Service]]:
    own = owned(one, tmp_path_factory.mktemp("own"))
    yield {"narrowed": one.wide.narrow(POLICY), "owned": own}
    own.close()


@pytest.mark.parametrize(("kind", "way", "thing"), sample(product(KINDS, WAYS, THINGS), 3))
def test_nothing_that_is_said_tells_what_is_denied(  # noqa: PLR0917  # fixtures
    kind: str, way: str, thing: str, clients: dict[str, Service], one: World, digests: dict[str, str]
) -> None:
    text = said(lambda: WAYS[way](clients[kind], one, thing))
    assert text
    assert not found_out(text, one, thing, digests)


def test_what_the_attacks_look_for_would_be_found(one: World, digests: dict[str, str]) -> None:
    assert len(digests) > 100
    for text in (json.dumps(one.wide.source("sales")), json.dumps(one.cards[2]), said(lambda: one.wide.log(10_000))):
        assert found_out(text, one, "nothing", digests)
    assert found_out("the column salary", one, "pay", digests)
    assert not found_out("the column salary", one, "salary", {})


def test_a_narrowed_client_changed_nothing_for_the_one_that_it_came_from(
    one: World, clients: dict[str, Service]
) -> None:
    clients["narrowed"].close()
    assert [source["name"] for source in one.wide.sources()] == ["costs", HIDDEN_SOURCE, "sales"]
    assert one.wide.source("sales")["aliases"] == {"pay": "salary", "turnover": "revenue"}
    assert one.wide.ask("sum pay from sales")["status"] == "ok"
    assert one.wide.stored_sources() == [HIDDEN_SOURCE]


def test_nothing_that_a_client_under_a_policy_wrote_tells_what_is_denied(
    one: World, clients: dict[str, Service], digests: dict[str, str]
) -> None:
    clients["owned"].ask("sum revenue by region from sales")
    clients["owned"].compute("stats.mean", bindings=[MEAN])
    clients["owned"].ask("sum revenue from sales").replay()
    folder = clients["owned"].project
    written = [path for path in folder.rglob("*") if path.is_file() and path.name != "sales.csv"]
    assert {"service.toml", "ledger.sqlite"} <= {path.name for path in written}
    for path in written:
        text = path.read_bytes().decode("latin-1")
        # Names and values that were asked for in questions are in the ledger: what the client said back.
        told = [what for what in found_out(text, one, "nothing", digests) if what in digests]
        assert not told, path.name


def test_a_source_that_changed_tells_no_digest_of_what_it_was_or_is(tmp_path: Path) -> None:
    made_world = world(tmp_path / "project", ONE)
    own = owned(made_world, tmp_path / "own" / "project")
    told = confirmable(made_world)
    plan = own.resolve("sum revenue from sales")["plan"]
    for folder in (made_world.folder, own.project):
        changed = (folder / "sales.csv").read_text(encoding="utf-8").replace("773311.25", "773311.75")
        (folder / "sales.csv").write_text(changed, encoding="utf-8")
    told |= {f"{what}, changed": digest for what, digest in confirmable(made_world).items()}
    for client in (made_world.wide.narrow(POLICY), own):
        asked = [
            lambda c=client: c.ask("sum revenue from sales"),
            lambda c=client: c.run(plan),
            lambda c=client: c.verify(plan),
            lambda c=client: c.columns(plan),
            lambda c=client: c.compute("stats.mean", bindings=[MEAN]),
            lambda c=client: c.replay(made_world.visible[0], unverified=True, changed_sources=True),
            lambda c=client: c.connect(c.project / "sales.csv"),
        ]
        text = "".join(said(each) for each in asked)
        assert "source_changed" in text
        assert not [what for what in found_out(text, made_world, "nothing", told) if what in told]
    with pytest.raises(SourceChangedError) as caught:
        made_world.wide.ask("sum revenue from sales")
    assert caught.value.details["met"]  # whoever sees all of it is told
    own.close()
    made_world.wide.close()


# --- guesses ----------------------------------------------------------------------------------------------------------


def _answers(client: Service, card: Any, guess: dict[str, Any]) -> str:
    """What is said to whoever puts a guess wherever a digest is taken."""
    plan = client.resolve("sum revenue by region from sales")["plan"]
    told = [
        said(lambda: client.verify(plan | {"schema_revision": guess["schema_revision"]})),
        said(lambda: client.run(plan | {"schema_revision": guess["schema_revision"]})),
        said(lambda: client.columns(plan | {"schema_revision": guess["schema_revision"]})),
    ]
    for content in (guess["sha256"], None):
        forged = copy.deepcopy(card)
        forged.pop("receipt", None)
        source = {"content": {"algorithm": "sha256-file", "sha256": content, "bytes": 1}}
        if content is None:
            source = {"schema_revision": guess["schema_revision"], "source_id": guess["source_id"]}
        forged["view"]["source"] |= source
        text = json.loads(forged["canonical"].get("provenance", "{}"))
        for each in text.get("sources", []):
            each.update(source)
        forged["canonical"]["provenance"] = json.dumps(text, sort_keys=True, separators=(",", ":"))
        told += [
            said(lambda f=forged, c=changed: client.replay(f, unverified=True, changed_sources=c))
            for changed in (False, True)
        ]
    return _timeless("".join(told))


_RANDOM = re.compile(
    r"(?<![a-z])(query|service|refusal|error|replay)_[0-9a-f]{16}(?![0-9a-f])|\d{4}-\d\d-\d\dT[\d:.]+Z?"
    r"|(?<![\w.])[\d.,]+ (ms|s|µs)\b|latency_ms\W{1,4}[\d.e-]+"
)
_SEALED = re.compile(r"[0-9a-f]{12,64}|[A-Za-z0-9+/]{40,}={0,2}")


def _timeless(text: str) -> str:
    return _RANDOM.sub("…", text.replace("\\n", " ").replace("\\", ""))


@pytest.mark.parametrize("kind", KINDS)
def test_a_right_guess_is_answered_as_a_wrong_one(kind: str, worlds: list[tuple[World, dict[str, Service]]]) -> None:
    made_world, clients = worlds[0]
    source = made_world.wide.source("sales")
    right = {
        "schema_revision": source["schema_revision"],
        "source_id": source["source_id"],
        "sha256": source["content"]["sha256"],
    }
    wrong = {
        name: "0123456789abcdef"[: len(text)] * (len(text) // 16) + "0" * (len(text) % 16)
        for name, text in right.items()
    }
    client = clients[kind]
    card = json.loads(json.dumps(client.ask("sum revenue by region from sales").card))
    # Hashes over what was guessed are of what was asked.
    answers = [_SEALED.sub("#", _answers(client, card, guess)) for guess in (right, wrong)]
    assert answers[0] == answers[1]


# --- two worlds -------------------------------------------------------------------------------------------------------


@pytest.fixture(scope="module")
def worlds(tmp_path_factory: pytest.TempPathFactory) -> Iterator[list[tuple[World, dict[str, Service]]]]:
    folders = tmp_path_factory.mktemp("worlds")
    made_worlds = []
    for number, secrets in enumerate((ONE, OTHER)):
        folder = folders / str(number) / "project"
        made_world = world(folder, secrets, ledger="off")
        own = owned(made_world, folders / str(number) / "own" / "project", ledger="off")
        made_worlds.append((made_world, {"narrowed": made_world.wide.narrow(POLICY), "owned": own}))
    yield made_worlds
    for made_world, known in made_worlds:
        known["owned"].close()
        made_world.wide.close()


NEUTRAL = ["unheard_of", "revenue", "sal", "north"]  # in neither world a secret
# There the worlds hand in what differs, or files are hashed that hold random ids.
OWN_FILES = ("connecting", "replay of the owner's", "exports")


@pytest.mark.parametrize(
    ("kind", "way", "thing"), sample(product(KINDS, [way for way in WAYS if way not in OWN_FILES], NEUTRAL), 3)
)
def test_two_worlds_that_differ_in_what_is_hidden_say_the_same(
    kind: str, way: str, thing: str, worlds: list[tuple[World, dict[str, Service]]]
) -> None:
    told = []
    for made_world, known in worlds:
        text = _timeless(said(lambda: WAYS[way](known[kind], made_world, thing)))  # noqa: B023  # called at once
        told.append(_unhashed(text))
    assert told[0] == told[1]


def _unhashed(text: str) -> str:
    """Leave out hashes over random ids and times, also where the first digits of one stand for it."""
    for digest in set(re.findall(r"(?:view|replay)_?hash\W{1,12}([0-9a-f]{64})", text, re.IGNORECASE)):
        text = text.replace(digest, "#").replace(digest[:16], "#").replace(digest[:12], "#")
    return text


# --- keys of a deployment ---------------------------------------------------------------------------------------------

KEY_POLICY = {"allowed_sources": ["sales"], "allowed_fields": {"sales": ALLOWED}}


@pytest.fixture(scope="module")
def web(one: World) -> Iterator[Records]:
    with records() as served:
        served.rows[:] = one.rows
        yield served


@pytest.fixture(scope="module")
def stand(tmp_path_factory: pytest.TempPathFactory, web: Records) -> Iterator[Stand]:
    with standing(made(tmp_path_factory.mktemp("attacked"), REACHABLE)) as stood:
        with stood.client("one") as wide:
            for name in ("sales", HIDDEN_SOURCE):
                answered = wide.post("/v1/sources", json={"name": name, "descriptor": web.descriptor()})
                assert answered.status_code in (200, 201)
        yield stood


@pytest.fixture(scope="module")
def served(stand: Stand, one: World, digests: dict[str, str]) -> dict[str, str]:
    """What a key could confirm: also what the deployment tells to one that sees everything."""
    with stand.client("one") as wide:
        whole = wide.get("/v1/sources/sales").json()
        asked = {"spec": {"metric": "salary", "aggregation": "sum", "source_name": "sales"}}
        data = wide.post("/v1/query/execute", json=asked).json()["data"]
    seen = [Field(**each) for each in whole["typed_fields"]]
    assert whole["schema_revision"] == hash_schema(seen)
    told = {name: whole[name] for name in ("schema_revision", "source_id")}
    told |= {"content": whole["content"]["sha256"], **{name: data[name] for name in ("plan_hash", "result_hash")}}
    return digests | {f"the deployment's {name}": digest for name, digest in told.items()}


@pytest.fixture(scope="module")
def narrow(stand: Stand) -> Iterator[httpx.Client]:
    with stand.client(None) as client:
        scopes: Any = ("query", "compute", "results", "connectors", "sources")
        client.headers["Authorization"] = f"Bearer {key(stand.deployment, 'one', *scopes, policy=KEY_POLICY)}"
        yield client


def _spec(**changes: Any) -> dict[str, Any]:
    return {
        "spec": {"metric": "revenue", "aggregation": "sum", "group_by": "region", "source_name": "sales", **changes}
    }


def _inspection(key: Any, *fields: str) -> dict[str, Any]:
    plan = build_profile("sales", key.get("/v1/sources/sales").json()["schema_revision"])
    return {**build_form(plan), "source_name": "sales", "plan_hash": plan.plan_hash, "fields": [*fields]}


REQUESTS: dict[str, Any] = {
    "sources": lambda key, _: key.get("/v1/sources"),
    "source": lambda key, _: key.get("/v1/sources/sales"),
    "other source": lambda key, thing: key.get(f"/v1/sources/{thing}"),
    "refresh": lambda key, thing: key.post(f"/v1/sources/{thing}/refresh"),
    "forget": lambda key, thing: key.delete(f"/v1/sources/{thing}"),
    "metric": lambda key, thing: key.post("/v1/query/execute", json=_spec(metric=thing)),
    "group": lambda key, thing: key.post("/v1/query/execute", json=_spec(group_by=thing)),
    "two typing errors": lambda key, thing: key.post("/v1/query/execute", json=_spec(metric="revenu", group_by=thing)),
    "condition": lambda key, thing: key.post(
        "/v1/query/execute", json=_spec(filter={"conditions": [{"column": thing, "op": "is_null"}]})
    ),
    "named source": lambda key, thing: key.post("/v1/query/execute", json=_spec(source_name=thing)),
    "resolve": lambda key, thing: key.post("/v1/query/resolve", json=_spec(metric=thing)),
    "plan": lambda key, thing: key.post(
        "/v1/query/execute",
        json={"plan": key.post("/v1/query/resolve", json=_spec()).json()["plan"] | {"metric": thing}},
    ),
    "verify": lambda key, thing: key.post(
        "/v1/query/verify",
        json={"plan": key.post("/v1/query/resolve", json=_spec()).json()["plan"] | {"group_by": [thing]}},
    ),
    "columns": lambda key, thing: key.post(
        "/v1/query/columns",
        json={"plan": key.post("/v1/query/resolve", json=_spec()).json()["plan"] | {"group_by": [thing]}},
    ),
    "inspect": lambda key, thing: key.post("/v1/query/columns", json={"plan": _inspection(key, thing)}),
    "binding": lambda key, thing: key.post(
        "/v1/libraries/execute", json={"module": "stats", "function": "mean", "bindings": [{**MEAN, "field": thing}]}
    ),
    "bound": lambda key, _: key.post(
        "/v1/libraries/execute", json={"module": "stats", "function": "mean", "bindings": [MEAN]}
    ),
    "answer": lambda key, _: key.post("/v1/query/execute", json=_spec()),
    "stored": lambda key, _: key.get(
        f"/v1/results/{key.post('/v1/query/execute', json=_spec()).json()['data']['query_id']}"
    ),
    "result": lambda key, thing: key.get(f"/v1/results/{thing}"),
    "connector": lambda key, thing: key.post(
        "/v1/connectors/test", json={"descriptor": {"type": "rest", "url": "http://127.0.0.1:9/none", "query": thing}}
    ),
    "connectors": lambda key, _: key.get("/v1/connectors"),
}


@pytest.mark.parametrize("thing", THINGS)
@pytest.mark.parametrize("request_", REQUESTS)
def test_a_key_under_a_policy_is_told_nothing_that_is_denied(
    request_: str, thing: str, narrow: httpx.Client, one: World, served: dict[str, str]
) -> None:
    answered = REQUESTS[request_](narrow, thing)
    text = answered.text + json.dumps(dict(answered.headers))
    assert answered.status_code < 500
    assert not found_out(text, one, thing, served)
