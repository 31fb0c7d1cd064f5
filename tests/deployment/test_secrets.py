from __future__ import annotations

import os
import sqlite3
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path

import pytest

from service_nb.core.secret import Secret
from service_nb.errors import (
    ConnectorNotFoundError,
    DeploymentUnavailableError,
    SecretUnavailableError,
    ServiceError,
)
from service_nb.schema.connector import Descriptor
from service_nb.server import upkeep
from service_nb.server.config import Config
from service_nb.server.deployment_store import FILE, Store
from service_nb.server.secrets import (
    MASTER_PREFIX,
    References,
    Vault,
    create_master_key,
    resolve_reference,
    write_master_key,
)
from service_nb.server.tenant_store import StoredConnector, TenantStore
from service_nb.server.tenants import Deployment
from tests.deployment.deployments import deployed

DEFAULT = Config().secrets.references
WORD = "correct-horse-battery-staple"


def references(folder: Path, tenant: str = "research", patterns: tuple[str, ...] = DEFAULT) -> References:
    return References(patterns=patterns, tenant=tenant, folder=folder)


def private(path: Path, text: str = WORD + "\n", mode: int = 0o600) -> Path:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text)
    path.chmod(mode)
    return path


# --- references -------------------------------------------------------------------------------------------------------


def test_what_is_no_reference_is_the_secret_itself(tmp_path: Path) -> None:
    for text in (WORD, "", "environment", "ENV:X", "vault:x", "file", " env:X"):
        assert references(tmp_path).resolve(Secret(text), "password").reveal() == text


def test_references_lead_to_a_variable_and_a_file_of_the_tenants_own(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("SERVICE_SECRET__RESEARCH__DB", WORD)
    private(tmp_path / "secrets" / "research" / "db")
    for text in ("env:SERVICE_SECRET__RESEARCH__DB", "file:secrets/research/db"):
        assert references(tmp_path).resolve(Secret(text), "password").reveal() == WORD


ELSEWHERE = [
    "env:PATH",
    "env:SERVICE_API_KEY",
    "env:SERVICE_DEVICE_KEY",
    "env:SERVICE_SECRET__OTHER__DB",
    "env:SERVICE_SECRET__RESEARCH_LAB__DB",
    "env:service_secret__research__db",
    "file:master.key",
    "file:secrets/other/db",
    "file:secrets/research/../other/db",
    "file:secrets/research/../../master.key",
    "file:secrets/research/deeper/db",
    "file:/etc/passwd",
    "file:~/.ssh/id_rsa",
    "file:./secrets/research/db",
    "file:secrets/research/db\0",
    "file:",
    "env:",
    "keyring:other/name",
    "keyring:service-nb-other/name",
]


@pytest.mark.parametrize("text", ELSEWHERE)
def test_a_tenants_references_lead_nowhere_else(
    tmp_path: Path, text: str, monkeypatch: pytest.MonkeyPatch, record_property: pytest.RecordProperty
) -> None:
    monkeypatch.setenv("SERVICE_SECRET__OTHER__DB", WORD)
    monkeypatch.setenv("SERVICE_SECRET__RESEARCH_LAB__DB", WORD)
    for path in ("master.key", "secrets/other/db", "secrets/research/deeper/db"):
        private(tmp_path / path)
    with pytest.raises(SecretUnavailableError) as caught:
        references(tmp_path).resolve(Secret(text), "password")
    assert caught.value.details["reason"] == "not_allowed"
    assert text not in str(caught.value.to_dict())
    record_property("bad_inputs", 1)


def test_no_tenants_variables_are_the_beginning_of_anothers(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("SERVICE_SECRET__A_B__C", WORD)
    assert references(tmp_path, "a-b").resolve(Secret("env:SERVICE_SECRET__A_B__C"), "p").reveal() == WORD
    with pytest.raises(SecretUnavailableError):
        references(tmp_path, "a").resolve(Secret("env:SERVICE_SECRET__A_B__C"), "p")


@pytest.mark.parametrize(
    ("make", "reason"),
    [
        (lambda path: None, "missing"),
        (lambda path: private(path, ""), "empty"),
        (lambda path: private(path, mode=0o644), "exposed"),
        (lambda path: private(path, mode=0o640), "exposed"),
        (lambda path: path.mkdir(parents=True), "no_file"),
        (lambda path: path.symlink_to(private(path.with_name("real"))), "no_file"),
        (os.mkfifo, "no_file"),
        (lambda path: private(path, "x" * 100_000), "too_large"),
        (lambda path: (private(path), path.write_bytes(b"\xff\xfe\xff")), "unreadable"),
    ],
)
def test_a_file_that_may_not_be_used_is_refused_by_its_reason(tmp_path: Path, make: object, reason: str) -> None:
    path = tmp_path / "secrets" / "research" / "db"
    path.parent.mkdir(parents=True)
    make(path)  # type: ignore[operator]
    with pytest.raises(SecretUnavailableError) as caught:
        references(tmp_path).resolve(Secret("file:secrets/research/db"), "password")
    assert caught.value.details["reason"] == reason
    assert WORD not in str(caught.value.to_dict())


def test_a_keyring_that_is_not_there_is_said(tmp_path: Path) -> None:
    with pytest.raises(ServiceError) as caught:
        references(tmp_path).resolve(Secret("keyring:service-nb-research/db"), "password")
    assert (caught.value.code, caught.value.details.get("reason")) in (
        ("secret_unavailable", "no_keyring"),
        ("driver_missing", None),
    )


def test_a_keyring_gives_what_it_holds(tmp_path: Path) -> None:
    import keyring
    from keyring.backend import KeyringBackend

    before = keyring.get_keyring()  # asked first: the next class would be chosen as soon as it is there

    class Held(KeyringBackend):
        priority = 1.0

        def get_password(self, service: str, username: str) -> str | None:
            return WORD if (service, username) == ("service-nb-research", "db") else None

        def set_password(self, service: str, username: str, password: str) -> None:
            raise NotImplementedError

    keyring.set_keyring(Held())
    try:
        assert references(tmp_path).resolve(Secret("keyring:service-nb-research/db"), "p").reveal() == WORD
        with pytest.raises(SecretUnavailableError) as caught:
            references(tmp_path).resolve(Secret("keyring:service-nb-research/other"), "p")
        assert caught.value.details["reason"] == "missing"
    finally:
        keyring.set_keyring(before)


# --- sealing ----------------------------------------------------------------------------------------------------------

DESCRIPTOR = Descriptor(
    type="postgres", host="db.internal", user="reader", password=Secret(WORD), options={"token": Secret(WORD[::-1])}
)


@pytest.fixture
def config(tmp_path: Path) -> Config:
    return deployed(tmp_path / "deployment")


@pytest.fixture
def store(config: Config) -> Iterator[Store]:
    made = Store(config.data)
    yield made
    made.close()


def vault(config: Config) -> Vault:
    return Vault(config.secrets.master_key, Path(config.folder))


def kept(config: Config, store: Store, tenant: str = "research") -> TenantStore:
    return TenantStore(store, vault(config), tenant, 1_000)


def bytes_of(config: Config) -> bytes:
    return b"".join(path.read_bytes() for path in config.data.rglob("*") if path.is_file())


def test_a_connector_comes_back_as_it_was_and_stands_nowhere_in_the_store(config: Config, store: Store) -> None:
    made = kept(config, store).add_connector(DESCRIPTOR, "warehouse")
    found = kept(config, store).find_connector(made.id)
    assert found == made
    assert found.descriptor == DESCRIPTOR
    content = bytes_of(config)
    for text in (WORD, WORD[::-1], "db.internal", "reader", "warehouse"):
        assert text.encode() not in content


def test_the_same_connector_is_kept_once_and_another_tenant_finds_none(config: Config, store: Store) -> None:
    made = kept(config, store).add_connector(DESCRIPTOR, "warehouse")
    assert kept(config, store).add_connector(DESCRIPTOR, "warehouse") == made
    assert kept(config, store).add_connector(DESCRIPTOR, "other").id != made.id
    other = kept(config, store, "other")
    assert other.list_connectors() == []
    refusals = []
    for connector_id in (made.id, "connector_0000000000000000"):
        with pytest.raises(ConnectorNotFoundError) as caught:
            other.find_connector(connector_id)
        refusals.append(str(caught.value))
        with pytest.raises(ConnectorNotFoundError):
            other.delete_connector(connector_id)
    assert refusals[0] == refusals[1]
    assert kept(config, store).find_connector(made.id) == made


def test_the_same_text_is_sealed_to_other_bytes_each_time(config: Config, store: Store) -> None:
    for name in "abcdefgh":
        kept(config, store).add_connector(DESCRIPTOR, name)
    sealed = [row["sealed"] for row in store.select("SELECT sealed FROM connector")]
    assert len({each[:12] for each in sealed}) == len({each[12:28] for each in sealed}) == 8


def moved(store: Store, statement: str) -> None:
    with closing(sqlite3.connect(store.folder / FILE)) as connection:
        connection.execute(statement)
        connection.commit()


@pytest.mark.parametrize(
    "change",
    [
        "UPDATE connector SET sealed = (SELECT sealed FROM connector WHERE id = '{second}') WHERE id = '{first}'",
        "UPDATE connector SET tenant = 'research' WHERE id = '{foreign}'",
        "UPDATE connector SET id = 'connector_ffffffffffffffff' WHERE id = '{first}'",
        "UPDATE connector SET sealed = x'00' WHERE id = '{first}'",
        "UPDATE connector SET sealed = x'' WHERE id = '{first}'",
        "UPDATE connector SET sealed = CAST(substr(sealed, 1, 30) || x'00' AS BLOB) WHERE id = '{first}'",
        "UPDATE connector SET sealed = zeroblob(100000) WHERE id = '{first}'",
    ],
)
def test_what_was_sealed_for_another_place_or_was_altered_does_not_open(
    config: Config, store: Store, change: str
) -> None:
    mine, other = kept(config, store), kept(config, store, "other")
    first, second = mine.add_connector(DESCRIPTOR, "a"), mine.add_connector(DESCRIPTOR, "b")
    foreign = other.add_connector(DESCRIPTOR, "c")
    moved(store, change.format(first=first.id, second=second.id, foreign=foreign.id))
    with pytest.raises(DeploymentUnavailableError) as caught:
        mine.list_connectors()
    assert caught.value.details["reason"] == "sealed_altered"
    assert WORD not in str(caught.value.to_dict())


def test_another_master_key_is_told_when_the_server_starts_and_changes_nothing(config: Config, store: Store) -> None:
    kept(config, store).add_connector(DESCRIPTOR, None)
    before = store.select("SELECT * FROM connector")
    path = Path(config.folder) / "master.key"
    right = path.read_text().split()
    write_master_key(path, create_master_key(), over=True)
    with pytest.raises(DeploymentUnavailableError) as caught:
        Deployment(config)
    assert caught.value.details["reason"] == "master_key_wrong"
    assert [tuple(row) for row in store.select("SELECT * FROM connector")] == [tuple(row) for row in before]
    write_master_key(path, *right, over=True)
    Deployment(config).close()


@pytest.mark.parametrize("text", ["", "x", MASTER_PREFIX, MASTER_PREFIX + "A" * 42, "snb_" + "A" * 43, "é" * 48])
def test_what_is_no_master_key_is_refused_without_its_text(config: Config, text: str) -> None:
    private(Path(config.folder) / "master.key", text)
    with pytest.raises(SecretUnavailableError) as caught:
        vault(config)
    assert caught.value.details["reason"] in ("malformed", "empty")
    assert not text or len(text) < 3 or text not in str(caught.value.to_dict())


def test_a_master_key_that_others_may_read_is_refused(config: Config) -> None:
    (Path(config.folder) / "master.key").chmod(0o644)
    with pytest.raises(SecretUnavailableError) as caught:
        Deployment(config)
    assert caught.value.details["reason"] == "exposed"


# --- rotation ---------------------------------------------------------------------------------------------------------


def test_rotation_seals_everything_anew_while_a_server_goes_on(config: Config, store: Store) -> None:
    server = kept(config, store)
    made: list[StoredConnector] = [server.add_connector(DESCRIPTOR, name) for name in "ab"]
    path = Path(config.folder) / "master.key"
    old = path.read_text()
    beside = Store(config.data)
    try:
        assert upkeep.rotate_master_key(config, beside) == 2
    finally:
        beside.close()
    assert path.read_text() != old
    assert len(path.read_text().split()) == 1
    assert server.list_connectors() == made  # opened with the key that it finds by itself
    late = server.add_connector(DESCRIPTOR, "c")  # and sealed with it
    assert kept(config, store).find_connector(late.id) == late
    assert len({row["key_id"] for row in store.select("SELECT key_id FROM connector")}) == 1


def test_rotation_that_dies_in_the_midst_loses_nothing(
    config: Config, store: Store, monkeypatch: pytest.MonkeyPatch
) -> None:
    made = kept(config, store).add_connector(DESCRIPTOR, None)

    class DiedError(BaseException):
        pass

    calls = []

    def dies_at(number: int) -> None:
        real = write_master_key

        def write(path: Path, *keys: str, over: bool = False) -> bool:
            calls.append(keys)
            if len(calls) >= number:
                raise DiedError
            return real(path, *keys, over=over)

        monkeypatch.setattr(upkeep, "write_master_key", write)

    for number in (1, 2):  # before both keys are written; after all is sealed, before the old one goes
        calls.clear()
        monkeypatch.undo()
        dies_at(number)
        with pytest.raises(DiedError):
            upkeep.rotate_master_key(config, store)
        assert kept(config, store).find_connector(made.id) == made
    monkeypatch.undo()
    assert upkeep.rotate_master_key(config, store) == 1
    assert kept(config, store).find_connector(made.id) == made


def test_rotation_of_what_does_not_open_changes_nothing(config: Config, store: Store) -> None:
    made = kept(config, store).add_connector(DESCRIPTOR, "a")
    broken = kept(config, store).add_connector(DESCRIPTOR, "b")
    moved(store, f"UPDATE connector SET sealed = x'00' WHERE id = '{broken.id}'")
    before = (Path(config.folder) / "master.key").read_text()
    with pytest.raises(DeploymentUnavailableError):
        upkeep.rotate_master_key(config, store)
    assert (Path(config.folder) / "master.key").read_text() == before
    assert kept(config, store).find_connector(made.id) == made


def test_a_key_elsewhere_is_rotated_by_giving_both(
    config: Config, store: Store, monkeypatch: pytest.MonkeyPatch
) -> None:
    old, new = create_master_key(), create_master_key()
    monkeypatch.setenv("MASTER", old)
    made = TenantStore(store, Vault("env:MASTER", Path()), "t", 10).add_connector(DESCRIPTOR, None)
    monkeypatch.setenv("MASTER", f"{new} {old}")
    elsewhere = Config(secrets=type(config.secrets)(master_key="env:MASTER"), folder=config.folder)
    assert upkeep.rotate_master_key(elsewhere, store) == 1
    monkeypatch.setenv("MASTER", new)
    assert TenantStore(store, Vault("env:MASTER", Path()), "t", 10).find_connector(made.id) == made
    monkeypatch.setenv("MASTER", old)
    with pytest.raises(DeploymentUnavailableError) as caught:
        TenantStore(store, Vault("env:MASTER", Path()), "t", 10).find_connector(made.id)
    assert caught.value.details["reason"] == "master_key_wrong"


def test_no_print_of_a_vault_or_of_what_is_kept_shows_a_secret(config: Config, store: Store) -> None:
    made = kept(config, store).add_connector(DESCRIPTOR, None)
    text = (Path(config.folder) / "master.key").read_text().strip()
    for shown in (repr(vault(config)), repr(made), str(made.descriptor), f"{made}"):
        assert WORD not in shown
        assert text not in shown


def test_a_reference_of_the_operator_leads_anywhere(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("ANYWHERE", WORD)
    assert resolve_reference("env:ANYWHERE", "secrets.master_key", tmp_path).reveal() == WORD
