from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from service_nb.cli.main import main
from service_nb.errors import InvalidIntentError, UnauthenticatedError
from service_nb.server import deployment_store as stores
from service_nb.server import keys as api_keys
from service_nb.server.deployment_store import Store
from service_nb.server.keys import USUAL, Grant, Keys
from tests.deployment.deployments import deployed

POLICY = {"allowed_sources": ["sales"], "allowed_fields": {"sales": ["region"]}, "allowed_functions": ["finance.npv"]}


@pytest.fixture
def store(tmp_path: Path) -> Iterator[Store]:
    made = Store(tmp_path)
    yield made
    made.close()


@pytest.fixture
def keys(store: Store) -> Keys:
    return Keys(store)


def test_a_key_is_its_tenants_with_its_scopes_and_its_policy(keys: Keys) -> None:
    key_id, key = keys.create(Grant(tenant="research", scopes=("query",), policy=POLICY))
    caller = keys.authenticate(key.reveal())
    assert (caller.tenant, caller.key_id, caller.scopes) == ("research", key_id, frozenset({"query"}))
    assert caller.policy.allows_source("sales")
    assert not caller.policy.allows_source("salaries")
    assert caller.policy.to_dict() == {**POLICY}


def test_a_key_has_256_random_bits_and_no_two_are_alike(keys: Keys) -> None:
    made = {keys.create(Grant(tenant="t"))[1].reveal() for _ in range(20)}
    assert len(made) == 20
    assert {len(key) for key in made} == {4 + 43}  # 43 signs of base64 are 256 bits and two more


def test_the_store_has_no_key_and_what_it_has_opens_nothing(keys: Keys, store: Store) -> None:
    _, key = keys.create(Grant(tenant="t"))
    content = b"".join(path.read_bytes() for path in store.folder.iterdir())
    assert key.reveal().encode() not in content
    (row,) = store.select("SELECT hash FROM api_key")
    for text in (row["hash"].hex(), row["hash"].decode("latin-1"), f"snb_{row['hash'].hex()}"):
        with pytest.raises(UnauthenticatedError):
            keys.authenticate(text)


@pytest.mark.parametrize(
    "text",
    ["", " ", "snb_", "snb_" + "A" * 43, "Bearer x", "\0", "é" * 40, "\ud800", "snb_" + "A" * 100_000, "' OR 1=1 --"],
)
def test_what_is_no_key_is_refused(keys: Keys, text: str) -> None:
    keys.create(Grant(tenant="t"))
    with pytest.raises(UnauthenticatedError):
        keys.authenticate(text)


def test_wrong_revoked_and_ended_keys_are_refused_in_the_same_words(
    keys: Keys, monkeypatch: pytest.MonkeyPatch
) -> None:
    revoked_id, revoked = keys.create(Grant(tenant="t"))
    _, ended = keys.create(Grant(tenant="t", expires=stores.read_clock() + 60))
    assert keys.authenticate(ended.reveal()).tenant == "t"
    assert keys.revoke(revoked_id)
    assert not keys.revoke(revoked_id)
    moment = stores.read_clock() + 60
    monkeypatch.setattr(api_keys, "read_clock", lambda: moment)
    refusals = []
    for text in (revoked.reveal(), ended.reveal(), "snb_" + "A" * 43, revoked.reveal()[:-1]):
        with pytest.raises(UnauthenticatedError) as caught:
            keys.authenticate(text)
        refusals.append(caught.value.to_dict())
    assert all(refusal == refusals[0] for refusal in refusals)


def test_each_text_costs_one_look_and_one_comparison(keys: Keys, store: Store, monkeypatch: pytest.MonkeyPatch) -> None:
    _, key = keys.create(Grant(tenant="t"))
    keys.authenticate(key.reveal())  # the day is written
    compared: list[tuple[bytes, bytes]] = []
    real = api_keys.secrets.compare_digest
    monkeypatch.setattr(
        api_keys.secrets, "compare_digest", lambda one, other: compared.append((one, other)) or real(one, other)
    )
    looks: list[str] = []
    select = store.select
    monkeypatch.setattr(store, "select", lambda *asked: looks.append(asked[0]) or select(*asked))
    keys.authenticate(key.reveal())
    known = (len(looks), [len(each) for pair in compared for each in pair])
    looks.clear()
    compared.clear()
    with pytest.raises(UnauthenticatedError):
        keys.authenticate("snb_" + "A" * 43)
    assert (len(looks), [len(each) for pair in compared for each in pair]) == known == (1, [32, 32])


def test_the_day_of_use_is_written_once_a_day(keys: Keys) -> None:
    _, key = keys.create(Grant(tenant="t"))
    assert keys.list()[0]["last_used"] is None
    keys.authenticate(key.reveal())
    day = keys.list()[0]["last_used"]
    assert day is not None
    assert len(day) == 10
    keys.authenticate(key.reveal())
    assert keys.list()[0]["last_used"] == day


@pytest.mark.parametrize(
    "tenant", ["", "A", "a b", "../a", "a--b", "-a", "a-", "a" * 64, "a_b", "ä", "a\n", "a/b", "a.b", "tenant\0"]
)
def test_a_tenant_is_named_so_that_folders_and_variables_can_be(tenant: str) -> None:
    with pytest.raises(InvalidIntentError) as caught:
        Grant(tenant=tenant)
    assert caught.value.details["path"] == "tenant"


@pytest.mark.parametrize(
    "more", [{"scopes": ("querry",)}, {"policy": {"allowed_source": []}}, {"label": "a\x1b[2J"}, {"label": "x" * 201}]
)
def test_a_grant_that_no_key_can_have_is_refused(more: dict[str, Any]) -> None:
    with pytest.raises(InvalidIntentError):
        Grant(tenant="t", **more)


def test_metrics_are_not_among_what_a_key_usually_may() -> None:
    assert "metrics" not in USUAL


# --- the command ------------------------------------------------------------------------------------------------------


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    deployed(tmp_path / "deployment")
    monkeypatch.chdir(tmp_path / "deployment")
    return tmp_path / "deployment"


def said(capsys: pytest.CaptureFixture[str], *arguments: str) -> dict[str, Any]:
    code = main(["serve", *arguments, "--json"])
    told: dict[str, Any] = json.loads(capsys.readouterr().out)
    assert code == (0 if told["status"] == "ok" else 1)
    return told


def test_the_command_makes_lists_and_revokes_keys(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (folder / "policy.json").write_text(json.dumps(POLICY))
    arguments = ("--tenant", "research", "--scopes", "query,results", "--policy", "policy.json", "--days", "3")
    made = said(capsys, "key", "create", *arguments)
    listed = said(capsys, "key", "list")
    (key,) = listed["keys"]
    assert (key["id"], key["tenant"], key["scopes"]) == (made["id"], "research", ["query", "results"])
    assert key["policy"] == POLICY
    assert str(made["key"]) not in json.dumps(listed)
    assert said(capsys, "key", "list", "--tenant", "other")["keys"] == []
    assert said(capsys, "key", "revoke", str(made["id"]))["status"] == "ok"
    assert said(capsys, "key", "revoke", str(made["id"]))["status"] == "unknown"
    store = Store(folder / "data")
    try:
        with pytest.raises(UnauthenticatedError):
            Keys(store).authenticate(str(made["key"]))
    finally:
        store.close()


def test_the_list_says_which_keys_a_policy_binds_and_that_there_are_none(
    folder: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["serve", "key", "list"]) == 0
    assert len(capsys.readouterr().out.splitlines()) == 1
    (folder / "policy.json").write_text(json.dumps(POLICY))
    said(capsys, "key", "create", "--tenant", "research", "--policy", "policy.json")
    said(capsys, "key", "create", "--tenant", "research")
    assert main(["serve", "key", "list"]) == 0
    assert ["policy" in line for line in capsys.readouterr().out.splitlines()] == [True, False]


def test_a_policy_that_is_no_json_is_named(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (folder / "policy.json").write_text('{"allowed_sources": ["sales"')
    assert main(["serve", "key", "create", "--tenant", "research", "--policy", "policy.json"]) == 2
    told = capsys.readouterr().err
    assert ("invalid_intent" in told, "policy.json" in told) == (True, True)


def test_a_key_with_a_policy_makes_no_sources_unless_it_is_told_to(
    folder: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (folder / "policy.json").write_text(json.dumps(POLICY))
    said(capsys, "key", "create", "--tenant", "research", "--policy", "policy.json")
    said(capsys, "key", "create", "--tenant", "research")
    bound, free = said(capsys, "key", "list")["keys"]
    assert bound["scopes"] == ["compute", "query", "results"]
    assert set(free["scopes"]) == set(USUAL)
