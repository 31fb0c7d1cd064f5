"""Secrets given to a deployment, in every field and form: no answer, error, log, card, ledger or store has one."""

from __future__ import annotations

import base64
import json
import logging
import subprocess
import sys
import traceback
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any
from urllib.parse import quote

import httpx
import pytest

from service_nb import create_service
from service_nb.cli.main import main
from service_nb.errors import ServiceError
from service_nb.server.config import read_config
from service_nb.server.deployment_store import Store
from service_nb.server.upkeep import create_deployment, rotate_master_key
from tests.deployment.served_records import Records, records
from tests.servers.process import free_port
from tests.simulators.homes import environment

# Each is found by its first seven signs, however it is wrapped: quoted, percent-encoded, cut, in the midst of a text.
_NUMBERS = iter(range(1, 1_000))


def plant() -> str:
    """Return a new secret: a word that is found again, and signs that each encoding writes in another way."""
    return f"qzx{next(_NUMBERS):03}k π&%/+ =?'\"\\"


def plain() -> str:
    """Return a secret of plain signs, for what takes no others: then it goes as far as it can."""
    return f"qzx{next(_NUMBERS):03}kPlainSignsOnly0123456789"


def url_safe(secret: str) -> str:
    return quote(secret, safe="")


NOWHERE = {"host": "127.0.0.1"}
SECRETIVE: dict[str, tuple[str, ...]] = {
    "postgres": ("password", "connection_string"),
    "mysql": ("password", "connection_string"),
    "mssql": ("password", "connection_string"),
    "oracle": ("password", "connection_string"),
    "snowflake": ("password", "private_key", "private_key_passphrase", "token"),
    "bigquery": ("credentials",),
    "clickhouse": ("password",),
    "redshift": ("password", "connection_string"),
    "s3": ("password", "session_token"),
    "gcs": ("password",),
    "azure": ("password", "connection_string", "sas_token"),
    "redis": ("password",),
    "neo4j": ("password",),
    "elasticsearch": ("password", "api_key"),
    "rest": ("password", "token", "headers"),
    "github_repo": ("token",),
}
NEEDED: dict[str, dict[str, Any]] = {
    "postgres": {"host": "127.0.0.1", "user": "reader", "database": "shop"},
    "mysql": {"host": "127.0.0.1", "user": "reader", "database": "shop"},
    "mssql": {"host": "127.0.0.1", "user": "reader", "database": "shop"},
    "oracle": {"host": "127.0.0.1", "user": "reader", "database": "shop"},
    "snowflake": {"host": "127.0.0.1", "account": "acc", "user": "reader", "database": "shop", "protocol": "http"},
    "bigquery": {"project": "p", "database": "d", "endpoint": "http://127.0.0.1:{port}"},
    "clickhouse": {"host": "127.0.0.1", "user": "reader", "database": "shop"},
    "redshift": {"host": "127.0.0.1", "user": "reader", "database": "shop"},
    "s3": {"database": "bucket", "user": "AKIA", "endpoint": "http://127.0.0.1:{port}"},
    "gcs": {"database": "bucket", "endpoint": "http://127.0.0.1:{port}"},
    "azure": {"database": "bucket", "user": "account", "endpoint": "http://127.0.0.1:{port}"},
    "redis": {"host": "127.0.0.1"},
    "neo4j": {"host": "127.0.0.1"},
    "elasticsearch": {"host": "127.0.0.1"},
    "rest": {"url": "http://127.0.0.1:{port}/x", "user": "reader"},
    "github_repo": {"url": "http://127.0.0.1:{port}/a/b.git"},
}
PLAIN = ("s3", "gcs", "azure", "elasticsearch", "rest", "github_repo")
PAGES = (*PLAIN, "redis", "neo4j")  # a test of any other starts a process
DSN = {
    "postgres": "postgresql://reader:{}@127.0.0.1:{port}/shop",
    "mysql": "mysql://reader:{}@127.0.0.1:{port}/shop",
    "mssql": "Server=127.0.0.1,{port};Uid=reader;Pwd={};Database=shop",
    "oracle": "reader/{}@127.0.0.1:{port}/shop",
    "redshift": "host=127.0.0.1 port={port} user=reader password={} dbname=shop",
    "azure": "DefaultEndpointsProtocol=http;AccountName=a;AccountKey={};BlobEndpoint=http://127.0.0.1:{port}/a",
}
# Where no secret belongs, people put one all the same. An answer may not repeat it, and the store may not show it.
MISPLACED: tuple[tuple[str, dict[str, Any]], ...] = (
    ("host", {"type": "postgres", "host": "reader:{}@127.0.0.1"}),
    ("host as URL", {"type": "postgres", "host": "postgresql://reader:{}@127.0.0.1/shop"}),
    ("database as URL", {"type": "mysql", "host": "127.0.0.1", "database": "mysql://reader:{}@127.0.0.1/shop"}),
    ("url", {"type": "rest", "url": "http://reader:{}@127.0.0.1:{port}/x"}),
    ("url's query", {"type": "rest", "url": "http://127.0.0.1:{port}/x?api_key={}"}),
    ("an unknown key's value", {"type": "postgres", "host": "127.0.0.1", "pass": "{}"}),
    ("a password of another type", {"type": "postgres", "host": "127.0.0.1", "password": ["{}"]}),
    ("a query", {"type": "postgres", "host": "127.0.0.1", "query": "SELECT 1 AS a WHERE 'x' = '{}'"}),
    ("a reference", {"type": "postgres", "host": "127.0.0.1", "password": "env:{}"}),
    ("a file's reference", {"type": "postgres", "host": "127.0.0.1", "password": "file:/{}"}),
)


@dataclass
class Place:
    """A deployment in a process of its own, and everything that it says or keeps."""

    url: str
    key: str
    config: Path
    folder: Path
    log: Path
    closed: int
    web: Records


@contextmanager
def running(folder: Path, web: Records) -> Iterator[Place]:
    """Serve a deployment that may reach this machine, with all that it writes kept."""
    port, closed = free_port(), free_port()
    home = folder / "home"
    home.mkdir()
    config = folder / "deployment.toml"
    config.write_text(
        f'[server]\ndata = "data"\nbind = "127.0.0.1:{port}"\n[runtime]\nkind = "in_process"\nallow_in_process = true\n'
        f'[timeouts]\nconnect_s = 4\n[connectors]\nprivate_hosts = ["127.0.0.1:{closed}", "{web.host}"]\n'
    )
    create_deployment(config)
    log = folder / "log"
    with log.open("wb") as output:
        command = [sys.executable, "-m", "service_nb.cli.main", "serve", "--config", str(config)]
        process = subprocess.Popen(command, cwd=folder, env=environment(home), stdout=output, stderr=output)
        try:
            _wait(f"http://127.0.0.1:{port}/healthz", process)
            yield Place(f"http://127.0.0.1:{port}", _key(config), config, folder, log, closed, web)
        finally:
            process.terminate()
            process.wait(60)


def _wait(url: str, process: subprocess.Popen[bytes]) -> None:
    import time

    for _ in range(2_400):
        assert process.poll() is None
        try:
            if httpx.get(url, trust_env=False, timeout=120).status_code == 200:
                return
        except httpx.TransportError:
            time.sleep(0.05)
    raise AssertionError(url)


def _key(config: Path) -> str:
    from service_nb.server.keys import SCOPES, Grant, Keys

    store = Store(read_config(config).data)
    try:
        return Keys(store).create(Grant(tenant="one", scopes=SCOPES))[1].reveal()
    finally:
        store.close()


@pytest.fixture(scope="module")
def web() -> Iterator[Records]:
    with records() as served:
        yield served


@pytest.fixture(scope="module")
def place(tmp_path_factory: pytest.TempPathFactory, web: Records) -> Iterator[Place]:
    with running(tmp_path_factory.mktemp("deployment"), web) as stood:
        yield stood


def filled(value: Any, secret: str, port: int) -> Any:
    if isinstance(value, str):
        return value.replace("{port}", str(port)).replace("{}", secret)
    if isinstance(value, list):
        return [filled(each, secret, port) for each in value]
    return value


def descriptors(port: int) -> Iterator[tuple[str, dict[str, Any], str]]:
    """Every field of every type that is a secret, in each form that it may have; and where none belongs."""
    for type_, fields in SECRETIVE.items():
        needed = {key: filled(value, "", port) for key, value in NEEDED[type_].items()}
        if "host" in needed:
            needed["port"] = port
        for field in fields:
            secret = plain() if type_ in PLAIN else plant()
            if field == "connection_string":
                text = DSN[type_].replace("{port}", str(port)).replace("{}", url_safe(secret))
                yield f"{type_}.{field}", {"type": type_, field: text, "table": "t"}, secret
                secret = plant()
                text = DSN[type_].replace("{port}", str(port)).replace("{}", secret)
                yield f"{type_}.{field} as it is", {"type": type_, field: text, "table": "t"}, secret
                continue
            value = json.dumps({"X-Api-Key": secret[:7], "Authorization": secret}) if field == "headers" else secret
            if field == "credentials":
                value = json.dumps({"type": "service_account", "private_key": secret, "client_email": "a@b"})
            if field == "private_key":
                value = f"-----BEGIN PRIVATE KEY-----\n{base64.b64encode(secret.encode()).decode()}\n{secret}\n"
            if (type_, field) in (("rest", "token"), ("elasticsearch", "api_key")):  # instead of an account
                needed.pop("user", None)
            table = {"redis": "hashes", "neo4j": "Label", "github_repo": "files", "rest": None}.get(type_, "t")
            given = {"type": type_, **needed, field: value, "table": table}
            yield f"{type_}.{field}", {key: each for key, each in given.items() if each is not None}, secret
    for what, given in MISPLACED:
        secret = plant()
        form = url_safe(secret) if "URL" in what or what.startswith("url") else secret
        wanted = {key: filled(each, form, port) for key, each in given.items()}
        if wanted["type"] != "rest":
            wanted.setdefault("query" if "query" in wanted else "table", "t")
        if "host" in wanted:
            wanted["port"] = port
        yield what, wanted, secret


def found_in(content: bytes, secrets: list[str]) -> list[str]:
    """The secrets that stand in it: as they are, in base64 at each place, or in hexadecimal digits."""
    met = []
    for secret in secrets:
        word = secret[:7].encode()
        forms = [word, word.hex().encode()]
        forms += [base64.b64encode(b"." * shift + word)[4 if shift else 0 : 8] for shift in range(3)]
        if any(form in content for form in forms if len(form) >= 6):
            met.append(secret[:7])
    return met


def everything(place: Place) -> dict[str, bytes]:
    """What the deployment has written anywhere, and what it tells of itself."""
    kept = {
        str(path.relative_to(place.folder)): path.read_bytes() for path in place.folder.rglob("*") if path.is_file()
    }
    headers = {"Authorization": f"Bearer {place.key}"}
    for path in ("/metrics", "/openapi.json", "/v1/connectors", "/v1/sources", "/v1/deployment", "/healthz", "/readyz"):
        kept[path] = httpx.get(place.url + path, headers=headers, trust_env=False, timeout=120).content
    return kept


@pytest.mark.parametrize("tests_all", [False, pytest.param(True, marks=pytest.mark.slow)])
def test_no_secret_of_any_field_or_form_is_seen_again(
    place: Place, record_property: pytest.RecordProperty, *, tests_all: bool
) -> None:
    told: dict[str, bytes] = {}
    planted: list[tuple[str, dict[str, Any], str]] = list(descriptors(place.closed))
    headers = {"Authorization": f"Bearer {place.key}"}
    with httpx.Client(base_url=place.url, headers=headers, timeout=60, trust_env=False) as client:
        for number, (what, given, _) in enumerate(planted):
            bare = {key: value for key, value in given.items() if key not in ("table", "query")}
            bodies = [
                ("/v1/sources", {"name": f"s{number}", "descriptor": given}),
                ("/v1/connectors", {"descriptor": bare, "name": what}),
            ]
            if tests_all or given["type"] in PAGES or what in ("postgres.password", "a query", "a reference"):
                bodies.append(("/v1/connectors/test", {"descriptor": given}))
            answers = [client.post(path, json=body) for path, body in bodies]
            for answer in answers:
                assert answer.status_code not in (500, 502), (what, answer.text)
                told[f"{what} {answer.request.url.path}"] = answer.content + str(answer.headers).encode()
            assert answers[0].status_code >= 400, what
            for tested in answers[2:]:
                assert tested.status_code >= 400 or tested.json()["success"] is False, what
    told |= everything(place)
    secrets = [secret for _, _, secret in planted]
    assert len(secrets) >= 40
    seen = {where: met for where, content in told.items() if (met := found_in(content, secrets))}
    assert seen == {}
    record_property("bad_inputs", len(secrets) * 3)


def test_no_secret_of_a_source_that_works_is_in_what_comes_of_it(
    place: Place,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    caplog: pytest.LogCaptureFixture,
    capsys: pytest.CaptureFixture[str],
) -> None:
    token, header = plant()[:7] + "-token", plant()[:7] + "-header"
    monkeypatch.setenv("SERVICE_DEPLOYMENT_URL", place.url)
    monkeypatch.setenv("SERVICE_API_KEY", place.key)
    monkeypatch.chdir(tmp_path)
    caplog.set_level(logging.DEBUG)
    service = create_service(project=tmp_path, ledger=tmp_path / "ledger")
    said: list[str] = []
    try:
        connector = place.web.descriptor(token=token, headers=json.dumps({"X-Api-Key": header}))
        source = service.connect(connector=connector, dataset_name="sales", persist=True)
        outcome = service.ask({"metric": "revenue", "aggregation": "sum", "source_name": "sales"})
        assert outcome["status"] == "ok"
        assert {"Bearer " + token, header} <= {text for row in place.web.seen for text in row.values()}
        said += [repr(source), repr(outcome), str(outcome.card), repr(service), repr(service.sources())]
        said += [str(each) for each in outcome._repr_mimebundle_()]
        said.append(repr(service.create_connector({"type": "rest", "url": connector["url"], "token": token})))
        for given in ({**connector, "token": token + "x"}, {**connector, "tokens": token}, {**connector, "url": token}):
            with pytest.raises(ServiceError) as caught:
                service.connect(connector=given, dataset_name="sales")
            said += [str(caught.value), repr(caught.value), json.dumps(caught.value.to_dict())]
            said += ["".join(caught.value._render_traceback_())]
            said += ["".join(traceback.format_exception(caught.value, chain=True, limit=None))]
    finally:
        service.close()
    printed = capsys.readouterr()
    said += [printed.out, printed.err, caplog.text]
    mine = {str(path): path.read_bytes() for path in tmp_path.rglob("*") if path.is_file()}
    assert any(name.endswith("service.toml") for name in mine)
    told = {**mine, **everything(place), "what is said": "\n".join(said).encode()}
    # A traceback shows the lines of this file, which name variables; their values are what is looked for.
    assert {where: met for where, content in told.items() if (met := found_in(content, [token, header]))} == {}


def test_neither_api_keys_nor_the_master_key_nor_codes_are_seen_again(
    place: Place, capsys: pytest.CaptureFixture[str]
) -> None:
    master = (place.folder / "master.key").read_text().strip()
    begun = httpx.post(f"{place.url}/v1/device/code", json={"client_id": "laptop"}, trust_env=False, timeout=120).json()
    arguments = ["--config", str(place.config), "--json"]
    assert main(["serve", "approve", begun["user_code"], "--tenant", "one", *arguments]) == 0
    token = httpx.post(
        f"{place.url}/v1/device/token",
        json={
            "grant_type": "urn:ietf:params:oauth:grant-type:device_code",
            "device_code": begun["device_code"],
            "client_id": "laptop",
        },
        trust_env=False,
        timeout=120,
    ).json()["access_token"]
    wrong = "snb_" + plant()[:7] + "A" * 36
    told: dict[str, bytes] = {}
    for key in (place.key, token, wrong):
        for path in ("/v1/sources", "/v1/nothing", "/v1/results/query_0000000000000000", f"/v1/sources/{key}"):
            headers = {"Authorization": f"Bearer {key}"}
            answer = httpx.get(place.url + path, headers=headers, trust_env=False, timeout=120)
            if not path.endswith(key):  # who asks for a source of that name is told that there is none of that name
                told[f"{path} {answer.status_code}"] = answer.content
    for verb in (("key", "list"), ("connector", "list", "--tenant", "one")):
        assert main(["serve", *verb, *arguments]) == 0
    told["printed"] = capsys.readouterr().out.encode()
    store = Store(read_config(place.config).data)
    try:
        rotate_master_key(read_config(place.config), store)
        store.back_up(place.folder / "backup.sqlite")
    finally:
        store.close()
    rotated = (place.folder / "master.key").read_text().strip()
    told |= {where: content for where, content in everything(place).items() if where != "master.key"}
    log = told.pop("log")  # what is asked for by name is in the log of requests as it was asked, but no key is
    secrets = {"key": place.key, "token": token, "wrong": wrong, "device code": begun["device_code"]}
    secrets |= {"master": master, "rotated": rotated}
    for where, content in {**told, "log": log}.items():
        for what, secret in secrets.items():
            assert secret.encode() not in content, (where, what)
