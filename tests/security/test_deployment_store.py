"""Whoever reads or writes the file of a deployment without its master key learns nothing and redirects nothing."""

from __future__ import annotations

import os
import shutil
import sqlite3
import subprocess
import sys
from contextlib import closing
from pathlib import Path

import pytest

from service_nb.core.secret import Secret
from service_nb.errors import DeploymentUnavailableError, ServiceError, SourceNotFoundError
from service_nb.schema.connector import Descriptor
from service_nb.schema.source import Content, Field
from service_nb.server import upkeep
from service_nb.server.config import Config
from service_nb.server.deployment_store import FILE, Store
from service_nb.server.secrets import Vault, create_master_key, write_master_key
from service_nb.server.tenant_store import SourceShape, StoredConnector, StoredSource, TenantStore, build_connector
from service_nb.server.tenants import Deployment
from tests.deployment.deployments import deployed

ROOT = Path(__file__).parents[2]
OLD = ROOT / "tests/deployment/store_of_version_1.sql"
SHAPE = SourceShape(
    fields=(Field(name="amount", type="number", physical="float64"),),
    row_count=12,
    content=Content(algorithm="live", sha256=None, size=12),
    engine="postgres 18",
)
PLAIN = ("db.internal", "reader", "open sesame", "orders_2024", "customer_ledger", "warehouse", "amount")


@pytest.fixture
def config(tmp_path: Path) -> Config:
    return deployed(tmp_path)


def vault(config: Config) -> Vault:
    return Vault(config.secrets.master_key, Path(config.folder))


def kept(config: Config, store: Store, tenant: str = "research") -> TenantStore:
    return TenantStore(store, vault(config), tenant, 1_000)


def descriptor(host: str = "db.internal") -> Descriptor:
    return Descriptor(type="postgres", host=host, user="reader", password=Secret("open sesame"), table="orders_2024")


def source(name: str, connector: StoredConnector, table: str | None = None) -> StoredSource:
    return StoredSource(name=name, connector=connector, shape=SHAPE, table=table)


def filled(config: Config, store: Store) -> None:
    """Two sources in each of two tenants: of a connector that is shared, and of one of its own."""
    for tenant in ("research", "sales"):
        mine = kept(config, store, tenant)
        shared = mine.add_connector(descriptor(f"{tenant}.example"), "warehouse")
        mine.add_connector(descriptor("elsewhere.example"), "other")
        mine.add_source(source("customer_ledger", shared, "customer_ledger"))
        mine.add_source(source("orders_2024", build_connector(descriptor(), None, of_source=True)))


def all_kept(config: Config, store: Store) -> dict[str, list[object]]:
    """Everything, as it opens."""
    tenants = {tenant: kept(config, store, tenant) for tenant in ("research", "sales")}
    return {name: [*mine.list_connectors(), *mine.list_sources()] for name, mine in tenants.items()}


def changed(store: Store, *statements: str) -> None:
    with closing(sqlite3.connect(store.folder / FILE)) as connection:
        for statement in statements:
            connection.execute(statement)
        connection.commit()


def bytes_of(folder: Path) -> bytes:
    return b"".join(path.read_bytes() for path in folder.iterdir() if path.is_file())


# --- what can be read -------------------------------------------------------------------------------------------------


def test_no_name_of_a_host_user_table_or_source_stands_in_the_store_or_its_backup(
    config: Config, tmp_path: Path
) -> None:
    store = Store(config.data)
    filled(config, store)
    kept(config, store).update_shape(kept(config, store).find_source("orders_2024"))
    (tmp_path / "copies").mkdir()
    store.back_up(tmp_path / "copies" / "copy.sqlite")
    for folder in (config.data, tmp_path / "copies"):
        content = bytes_of(folder)
        assert [text for text in (*PLAIN, ".example") if text.encode() in content] == []
    store.close()


def old_store(config: Config) -> None:
    """Put a store of the first version in place, and the key that it was sealed with."""
    text = OLD.read_text()
    write_master_key(Path(config.folder) / "master.key", text.split("sealed with ", 1)[1].split()[0], over=True)
    for path in config.data.glob(f"{FILE}*"):
        path.unlink()
    with closing(sqlite3.connect(config.data / FILE)) as connection:
        connection.executescript(text)
    (config.data / FILE).chmod(0o600)


def test_a_store_of_the_first_version_is_sealed_as_it_is_now_and_loses_nothing(config: Config) -> None:
    old_store(config)
    assert b"orders_2024" in bytes_of(config.data)
    Deployment(config).close()
    assert [text for text in PLAIN if text.encode() in bytes_of(config.data)] == []
    store = Store(config.data)
    for tenant in ("research", "sales"):
        ledger, orders = kept(config, store, tenant).list_sources()
        assert (ledger.name, ledger.descriptor.table, ledger.connector.of_source) == ("customer_ledger",) * 2 + (True,)
        assert (orders.name, orders.descriptor.table, orders.connector.name) == ("orders_2024",) * 2 + ("warehouse",)
        assert (ledger.types, orders.aliases) == ({"region": "string"}, {"turnover": "amount"})
        for each in (ledger, orders):
            assert (each.descriptor.host, each.descriptor.user) == ("db.internal", "reader")
            assert each.descriptor.password == Secret("open sesame, reader")
            assert [field.name for field in each.shape.fields] == ["region", "amount"]
            assert (each.shape.row_count, each.shape.notes) == (12, ("a note",))
    before = all_kept(config, store)
    store.close()
    Deployment(config).close()  # once more changes nothing
    store = Store(config.data)
    assert all_kept(config, store) == before
    assert upkeep.rotate_master_key(config, store) == 8
    assert all_kept(config, store) == before
    store.close()


def test_a_store_of_the_first_version_is_rotated_before_any_server_saw_it(config: Config) -> None:
    old_store(config)
    store = Store(config.data)
    assert upkeep.rotate_master_key(config, store) == 8
    assert [each.name for each in kept(config, store, "sales").list_sources()] == ["customer_ledger", "orders_2024"]
    store.close()


def test_a_store_of_the_first_version_is_left_alone_without_its_master_key(config: Config) -> None:
    old_store(config)
    path = Path(config.folder) / "master.key"
    right = path.read_text().split()
    write_master_key(path, create_master_key(), over=True)
    with pytest.raises(DeploymentUnavailableError) as caught:
        Deployment(config)
    assert caught.value.details["reason"] == "master_key_wrong"
    write_master_key(path, *right, over=True)
    Deployment(config).close()
    store = Store(config.data)
    assert len(kept(config, store).list_sources()) == 2
    store.close()


# --- what can be written ----------------------------------------------------------------------------------------------

ONE, OTHER = "tenant = 'research'", "tenant = 'sales'"
SWAPS = [
    # A source on another connector of its own tenant, which nothing but the seal tells.
    f"UPDATE source SET connector = (SELECT max(id) FROM connector WHERE {ONE} AND id <> source.connector) WHERE {ONE}",
    # Sources of one tenant handed to another, with their connectors and without.
    f"UPDATE source SET tenant = 'sales' WHERE {ONE}",
    f"UPDATE source SET sealed = (SELECT min(sealed) FROM source WHERE {OTHER}) WHERE {ONE}",
    f"UPDATE connector SET sealed = (SELECT min(sealed) FROM connector WHERE {OTHER}) WHERE {ONE}",
    # One source's seal on another of the same tenant, one kind on the other kind, another id.
    f"UPDATE source SET sealed = (SELECT max(o.sealed) FROM source o WHERE o.{ONE} AND o.id <> source.id) WHERE {ONE}",
    f"UPDATE source SET sealed = (SELECT max(sealed) FROM connector WHERE {ONE}) WHERE {ONE}",
    f"UPDATE connector SET sealed = (SELECT max(sealed) FROM source WHERE {ONE}) WHERE {ONE}",
    f"UPDATE source SET id = 'source_' || substr(id, 8, 15) || '!' WHERE {ONE}",
    f"UPDATE source SET sealed = CAST(substr(sealed, 1, 12) || 'x' AS BLOB) WHERE {ONE}",
    f"UPDATE source SET sealed = CAST(key_id AS BLOB) WHERE {ONE}",
]


@pytest.mark.parametrize("swap", SWAPS)
def test_what_was_sealed_for_another_tenant_id_connector_or_column_does_not_open(config: Config, swap: str) -> None:
    store = Store(config.data)
    filled(config, store)
    changed(store, swap)
    mine = kept(config, store, "sales" if "SET tenant = 'sales'" in swap else "research")
    for look in (
        mine.list_sources,
        lambda: mine.find_source("customer_ledger"),
        lambda: mine.find_source("orders_2024"),
    ):
        with pytest.raises(DeploymentUnavailableError) as caught:
            look()
        assert caught.value.details["reason"] == "sealed_altered"
    assert kept(config, store, "nobody").list_sources() == []
    store.close()


def test_an_older_row_of_a_name_does_not_come_back_on_another_connector(config: Config) -> None:
    store = Store(config.data)
    mine = kept(config, store)
    first, second = (mine.add_connector(descriptor(f"{host}.example"), host) for host in ("first", "second"))
    mine.add_source(source("orders", first, "salaries"))
    (old,) = store.select("SELECT * FROM source")
    mine.delete_source("orders")
    mine.add_source(source("orders", second, "orders"))
    changed(store, f"UPDATE source SET sealed = x'{old['sealed'].hex()}', id = '{old['id']}'")  # the old on the new
    with pytest.raises(DeploymentUnavailableError) as caught:
        kept(config, store).find_source("orders")
    assert caught.value.details["reason"] == "sealed_altered"
    store.close()


def test_a_row_of_before_a_rotation_does_not_come_back_after_it(config: Config) -> None:
    store = Store(config.data)
    filled(config, store)
    old = store.select(
        "SELECT * FROM connector UNION ALL SELECT id, tenant, connector, key_id, sealed, created FROM source"
    )
    upkeep.rotate_master_key(config, store)
    after = all_kept(config, store)
    for row in old:
        for table in ("connector", "source"):
            changed(store, f"UPDATE {table} SET sealed = x'{row['sealed'].hex()}' WHERE id = '{row['id']}'")
    for read in (kept(config, store).list_connectors, kept(config, store).list_sources):
        with pytest.raises(DeploymentUnavailableError) as caught:
            read()
        assert caught.value.details["reason"] == "sealed_altered"
    for row in old:
        changed(store, f"UPDATE connector SET key_id = '{row['key_id']}' WHERE id = '{row['id']}'")
    with pytest.raises(DeploymentUnavailableError) as caught:
        Deployment(config)
    assert caught.value.details["reason"] == "master_key_wrong"
    assert len(after["research"]) == 4
    store.close()


def test_an_old_backup_opens_with_the_key_of_its_time_and_with_no_other(config: Config, tmp_path: Path) -> None:
    store = Store(config.data)
    filled(config, store)
    before, path = all_kept(config, store), Path(config.folder) / "master.key"
    then = path.read_text().split()
    store.back_up(tmp_path / "old.sqlite")
    upkeep.rotate_master_key(config, store)
    now = path.read_text().split()
    late = kept(config, store).add_connector(descriptor(), "late")
    store.close()
    for end in ("", "-wal", "-shm"):
        (config.data / f"{FILE}{end}").unlink(missing_ok=True)
    shutil.copy(tmp_path / "old.sqlite", config.data / FILE)
    with pytest.raises(DeploymentUnavailableError) as caught:
        Deployment(config)
    assert caught.value.details["reason"] == "master_key_wrong"
    write_master_key(path, *now, *then, over=True)  # the key of now, and after it that of the backup
    Deployment(config).close()
    store = Store(config.data)
    assert all_kept(config, store) == before
    assert upkeep.rotate_master_key(config, store) == 10
    assert len(path.read_text().split()) == 1
    assert all_kept(config, store) == before
    assert late not in kept(config, store).list_connectors()
    store.close()


# --- rotation that is killed ------------------------------------------------------------------------------------------

# Rotates a copy of a store in a process of its own, which is killed at the Nth of the calls that change a file; N grows
# until one is not killed. After each the store is opened with what lies there, and rotated once more.
KILLER = """
import os, shutil, signal, stat, sys
from pathlib import Path
from service_nb.server import upkeep
from service_nb.server.config import read_config
from service_nb.server.tenant_store import TenantStore
from service_nb.server.secrets import Vault
from service_nb.server.deployment_store import Store

CALLS = {"open", "write", "fsync", "replace", "rename", "link", "unlink", "chmod", "execute", "mkstemp", "fchmod"}
pristine, work = Path(sys.argv[1]), Path(sys.argv[2])

def everything(config, store):
    vault = Vault(config.secrets.master_key, Path(config.folder))
    stores = {tenant: TenantStore(store, vault, tenant, 99) for tenant in ("research", "sales")}
    return {tenant: [*each.list_connectors(), *each.list_sources()] for tenant, each in stores.items()}

def rotated(config, stop):
    seen = 0
    def watch(frame, event, what):
        nonlocal seen
        if event in ("c_call", "c_return") and getattr(what, "__name__", "") in CALLS:
            seen += 1
            if seen == stop:
                os.kill(os.getpid(), signal.SIGKILL)
    store = Store(config.data)
    sys.setprofile(watch)
    upkeep.rotate_master_key(config, store)
    sys.setprofile(None)
    os._exit(0)

store = Store(read_config(pristine / "deployment.toml").data)
expected = everything(read_config(pristine / "deployment.toml"), store)
store.close()
stop, killed, states = 0, 0, set()
while True:
    stop += 1
    shutil.rmtree(work, ignore_errors=True)
    shutil.copytree(pristine, work)
    config = read_config(work / "deployment.toml")
    child = os.fork()
    if child == 0:
        try:
            rotated(config, stop)
        finally:
            os._exit(1)
    _, status = os.waitpid(child, 0)
    assert os.WIFSIGNALED(status) or os.WEXITSTATUS(status) == 0, status
    store = Store(config.data)
    assert everything(config, store) == expected, stop
    keys = len((work / "master.key").read_text().split())
    sealed = store.select("SELECT key_id FROM connector UNION SELECT key_id FROM source")
    assert len(sealed) == 1, stop  # all of it or nothing
    assert {stat.S_IMODE(path.stat().st_mode) for path in work.iterdir() if "key" in path.name} == {0o600}, stop
    states.add(keys)
    upkeep.rotate_master_key(config, store)
    assert everything(config, store) == expected, stop
    assert len((work / "master.key").read_text().split()) == 1, stop
    store.close()
    if os.WIFEXITED(status):
        break
    killed += 1
print(killed, sorted(states))
"""


@pytest.mark.slow
def test_a_rotation_that_is_killed_at_any_step_loses_nothing(config: Config, tmp_path: Path) -> None:
    store = Store(config.data)
    filled(config, store)
    store.close()
    path = os.pathsep.join([str(ROOT), str(ROOT / "kernels")])
    done = subprocess.run(
        [sys.executable, "-c", KILLER, str(config.folder), str(tmp_path / "work")],
        capture_output=True,
        text=True,
        timeout=600,
        check=False,
        env={**os.environ, "PYTHONPATH": path},
    )
    assert (done.returncode, done.stderr) == (0, "")
    killed, _, states = done.stdout.partition(" ")
    assert int(killed) >= 40
    assert states.strip() == "[1, 2]"  # before both keys were written, with both, and after the old one went


def test_nothing_of_a_forgotten_source_is_found_under_its_name(config: Config) -> None:
    store = Store(config.data)
    filled(config, store)
    first, second = kept(config, store), kept(config, store)
    assert first.find_source("orders_2024") == second.find_source("orders_2024")
    first.delete_source("orders_2024")
    with pytest.raises(SourceNotFoundError):
        second.find_source("orders_2024")
    again = source("orders_2024", second.list_connectors()[0], "orders_2024")
    assert second.add_source(again) == again
    assert first.find_source("orders_2024").connector == again.connector
    assert first.list_names() == ["customer_ledger", "orders_2024"]
    with pytest.raises(ServiceError):
        first.add_source(source("orders_2024", second.list_connectors()[1], "another"))
    store.close()
