from __future__ import annotations

import json
import re
import sqlite3
import stat
import subprocess
import sys
import threading
from collections.abc import Iterator
from contextlib import closing
from dataclasses import dataclass
from pathlib import Path

import pytest

from service_nb.cli.main import main
from service_nb.core.secret import Secret
from service_nb.deployment.address import delete_stored_key, find_address, read_stored_key, store_key
from service_nb.errors import (
    InvalidIntentError,
    OverloadedError,
    RouteNotFoundError,
    SecretUnavailableError,
    UnauthenticatedError,
)
from service_nb.server.admission import group_address
from service_nb.server.config import EnrolmentSection
from service_nb.server.deployment_store import FILE, Store
from service_nb.server.keys import ALPHABET, DENIED, EXPIRED, PENDING, SLOW, DeviceCodes, Grant, Keys, Pending
from tests.deployment.stand import Stand
from tests.simulators.homes import environment
from tests.tools import node

SECTION = EnrolmentSection(most_pending=4)
CLIENT = "service-nb on a laptop"


@dataclass
class Clock:
    """Seconds that pass when a test says so."""

    now: float = 1_800_000_000.0

    def __call__(self) -> float:
        return self.now


@pytest.fixture
def store(tmp_path: Path) -> Iterator[Store]:
    made = Store(tmp_path / "data")
    yield made
    made.close()


@pytest.fixture
def clock() -> Clock:
    return Clock()


@pytest.fixture
def codes(store: Store, clock: Clock) -> DeviceCodes:
    return DeviceCodes(store, SECTION, "https://service.example", clock)


def reason(codes: DeviceCodes, device_code: str, client: str = CLIENT) -> str:
    answer = codes.poll(client, device_code)
    assert isinstance(answer, Pending)
    return answer.reason


def test_a_device_waits_until_it_is_approved_and_then_has_a_key(codes: DeviceCodes, clock: Clock, store: Store) -> None:
    begun = codes.begin(CLIENT, "query compute")
    assert (begun.expires_in, begun.interval, begun.verification_uri) == (600, 5, "https://service.example")
    assert reason(codes, begun.device_code) == PENDING
    (waiting,) = codes.list_waiting()
    assert (waiting["code"], waiting["client"], waiting["scopes"]) == (begun.user_code, CLIENT, "query compute")
    codes.approve(begun.user_code, Grant(tenant="research", policy={"allowed_sources": ["sales"]}))
    clock.now += 5
    answer = codes.poll(CLIENT, begun.device_code)
    assert not isinstance(answer, Pending)
    assert (answer.token_type, answer.scope) == ("Bearer", "query compute")
    caller = Keys(store).authenticate(answer.access_token)
    assert (caller.tenant, caller.scopes) == ("research", frozenset({"query", "compute"}))
    assert not caller.policy.allows_source("salaries")
    assert codes.list_waiting() == []


def test_a_lost_answer_is_given_again_until_the_key_is_used(codes: DeviceCodes, clock: Clock, store: Store) -> None:
    begun = codes.begin(CLIENT, None)
    codes.approve(begun.user_code, Grant(tenant="t"))
    first = codes.poll(CLIENT, begun.device_code)
    clock.now += 5
    assert codes.poll(CLIENT, begun.device_code) == first
    assert len(Keys(store).list()) == 1
    assert not isinstance(first, Pending)
    Keys(store).authenticate(first.access_token)
    clock.now += 5
    assert reason(codes, begun.device_code) == EXPIRED


def test_a_key_that_was_revoked_before_it_was_fetched_again_is_not_given_again(
    codes: DeviceCodes, clock: Clock, store: Store
) -> None:
    begun = codes.begin(CLIENT, None)
    codes.approve(begun.user_code, Grant(tenant="t"))
    first = codes.poll(CLIENT, begun.device_code)
    assert not isinstance(first, Pending)
    Keys(store).revoke(Keys(store).list()[0]["id"])
    clock.now += 5
    assert reason(codes, begun.device_code) == EXPIRED
    with pytest.raises(UnauthenticatedError):
        Keys(store).authenticate(first.access_token)


def test_who_asks_too_often_is_slowed_down_each_time(codes: DeviceCodes, clock: Clock) -> None:
    begun = codes.begin(CLIENT, None)
    assert reason(codes, begun.device_code) == PENDING
    clock.now += 4
    assert reason(codes, begun.device_code) == SLOW
    clock.now += 9  # five were asked for, and five more
    assert reason(codes, begun.device_code) == SLOW
    clock.now += 15
    assert reason(codes, begun.device_code) == PENDING


def test_a_refused_device_is_told_so(codes: DeviceCodes) -> None:
    begun = codes.begin(CLIENT, None)
    codes.deny(begun.user_code)
    assert reason(codes, begun.device_code) == DENIED
    with pytest.raises(InvalidIntentError):
        codes.approve(begun.user_code, Grant(tenant="t"))


def test_codes_end_with_their_time_also_when_they_were_approved(codes: DeviceCodes, clock: Clock, store: Store) -> None:
    late, approved = codes.begin(CLIENT, None), codes.begin(CLIENT, None)
    codes.approve(approved.user_code, Grant(tenant="t"))
    clock.now += 600
    assert reason(codes, late.device_code) == reason(codes, approved.device_code) == EXPIRED
    with pytest.raises(InvalidIntentError):
        codes.approve(late.user_code, Grant(tenant="t"))
    assert codes.list_waiting() == []
    assert Keys(store).list() == []
    codes.begin(CLIENT, None)
    assert store.select("SELECT count(*) FROM device")[0][0] == 1


@pytest.mark.parametrize("code", ["", "x", "A" * 43, "A" * 10_000, "\ud800", "' OR 1=1 --", "\0"])
def test_an_unknown_code_is_one_that_has_ended(codes: DeviceCodes, code: str) -> None:
    codes.begin(CLIENT, None)
    assert reason(codes, code) == EXPIRED


def test_a_code_is_worth_nothing_to_another_client(codes: DeviceCodes) -> None:
    begun = codes.begin(CLIENT, None)
    codes.approve(begun.user_code, Grant(tenant="t"))
    assert reason(codes, begun.device_code, "another") == EXPIRED
    assert not isinstance(codes.poll(CLIENT, begun.device_code), Pending)


def test_no_more_devices_wait_than_may(codes: DeviceCodes, clock: Clock) -> None:
    begun = [codes.begin(CLIENT, None) for _ in range(4)]
    with pytest.raises(OverloadedError) as caught:
        codes.begin(CLIENT, None)
    assert caught.value.details["retry_after_s"] == 5
    codes.deny(begun[0].user_code)
    codes.begin(CLIENT, None)


def test_one_address_cannot_take_all_the_places_of_devices_that_wait(store: Store, clock: Clock) -> None:
    section = EnrolmentSection(most_pending=4, most_pending_per_address=2)
    codes = DeviceCodes(store, section, "https://service.example", clock)
    first = codes.begin(CLIENT, None, "192.0.2.7")
    codes.begin(CLIENT, None, "192.0.2.7")
    with pytest.raises(OverloadedError) as caught:
        codes.begin(CLIENT, None, "192.0.2.7")
    assert caught.value.details["retry_after_s"] == 5
    codes.begin(CLIENT, None, "192.0.2.8")
    codes.approve(first.user_code, Grant(tenant="t"))
    codes.begin(CLIENT, None, "192.0.2.7")
    assert [each["address"] for each in codes.list_waiting()].count("192.0.2.7") == 2


def test_a_network_of_one_ipv6_machine_is_one_address_and_what_is_none_is_cut() -> None:
    assert group_address("2001:db8:1:2::1") == group_address("2001:db8:1:2:ffff:1:2:3%eth0") == "2001:db8:1:2::/64"
    assert group_address("2001:db8:1:3::1") != group_address("2001:db8:1:2::1")
    assert group_address("::ffff:192.0.2.7") == group_address("192.0.2.7") == "192.0.2.7"
    assert group_address("x" * 5_000) == "x" * 64


def test_a_store_of_before_learns_whence_devices_ask(tmp_path: Path, clock: Clock) -> None:
    folder = tmp_path / "data"
    Store(folder).close()
    with closing(sqlite3.connect(folder / FILE)) as connection:
        connection.execute("ALTER TABLE device DROP COLUMN address")
        connection.execute("PRAGMA user_version = 2")
        connection.commit()
    with closing(Store(folder)) as store:
        codes = DeviceCodes(store, SECTION, "https://service.example", clock)
        codes.begin(CLIENT, None, "192.0.2.7")
        assert [each["address"] for each in codes.list_waiting()] == ["192.0.2.7"]


def test_codes_can_be_read_aloud_and_are_taken_as_they_are_typed(codes: DeviceCodes) -> None:
    assert not set(ALPHABET) & set("AEIOUY0123456789")
    begun = codes.begin(CLIENT, None)
    assert re.fullmatch(f"[{ALPHABET}]{{4}}-[{ALPHABET}]{{4}}", begun.user_code)
    codes.approve(f" {begun.user_code.lower().replace('-', ' ')} ", Grant(tenant="t"))
    assert not isinstance(codes.poll(CLIENT, begun.device_code), Pending)


def test_a_device_gets_no_scope_that_it_did_not_ask_for_and_none_that_was_not_granted(
    codes: DeviceCodes, store: Store
) -> None:
    begun = codes.begin(CLIENT, "query")
    codes.approve(begun.user_code, Grant(tenant="t"))
    answer = codes.poll(CLIENT, begun.device_code)
    assert not isinstance(answer, Pending)
    assert Keys(store).authenticate(answer.access_token).scopes == {"query"}
    other = codes.begin(CLIENT, "query compute")
    with pytest.raises(InvalidIntentError):
        codes.approve(other.user_code, Grant(tenant="t", scopes=("connectors",)))
    with pytest.raises(InvalidIntentError):
        codes.begin(CLIENT, "everything")


def test_the_store_has_neither_code_nor_key(codes: DeviceCodes, store: Store) -> None:
    begun = codes.begin(CLIENT, None)
    codes.approve(begun.user_code, Grant(tenant="t"))
    answer = codes.poll(CLIENT, begun.device_code)
    assert not isinstance(answer, Pending)
    content = b"".join(path.read_bytes() for path in store.folder.iterdir())
    assert begun.device_code.encode() not in content
    assert answer.access_token.encode() not in content


def test_where_it_is_turned_off_there_is_no_such_route(store: Store) -> None:
    codes = DeviceCodes(store, EnrolmentSection(device_code=False), "https://service.example")
    with pytest.raises(RouteNotFoundError):
        codes.begin(CLIENT, None)


def test_two_polls_at_once_make_one_key(store: Store, clock: Clock) -> None:
    codes = DeviceCodes(store, EnrolmentSection(interval_s=1), "https://service.example", clock)
    begun = codes.begin(CLIENT, None)
    codes.approve(begun.user_code, Grant(tenant="t"))
    others = [Store(store.folder) for _ in range(4)]
    answers: list[object] = []

    def poll(at: Store) -> None:
        answers.append(DeviceCodes(at, SECTION, "x", clock).poll(CLIENT, begun.device_code))

    threads = [threading.Thread(target=poll, args=(at,)) for at in others]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    for at in others:
        at.close()
    assert len([answer for answer in answers if not isinstance(answer, Pending)]) == 1
    assert len(Keys(store).list()) == 1


# --- kept on the client -----------------------------------------------------------------------------------------------


@pytest.fixture
def home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("SERVICE_HOME", str(tmp_path / "home"))
    return tmp_path / "home"


BASE = "https://service.example"


def test_a_key_is_kept_for_its_deployment_alone_and_privately(home: Path) -> None:
    assert read_stored_key(BASE) is None
    store_key(BASE, Secret("snb_one"))
    store_key(BASE, Secret("snb_two"))
    store_key(BASE + "/other", Secret("snb_other"))
    assert read_stored_key(BASE) == Secret("snb_two")
    (folder,) = (home / "config").iterdir()
    assert stat.S_IMODE(folder.stat().st_mode) == 0o700
    assert {stat.S_IMODE(path.stat().st_mode) for path in folder.iterdir()} == {0o600}
    assert delete_stored_key(BASE)
    assert not delete_stored_key(BASE)
    assert read_stored_key(BASE) is None
    assert read_stored_key(BASE + "/other") == Secret("snb_other")


@pytest.mark.parametrize(
    ("harm", "reason"),
    [
        (lambda path: path.chmod(0o644), "exposed"),
        (lambda path: (path.rename(path.with_suffix(".x")), path.symlink_to(path.with_suffix(".x"))), "no_file"),
        (lambda path: path.write_text("snb_key"), "malformed"),
        (lambda path: path.write_text('{"deployment": "https://evil.example", "key": "snb_key"}'), "malformed"),
        (lambda path: path.write_text("[" * 20_000), "too_large"),
        (lambda path: path.parent.chmod(0o777), "unsafe"),
    ],
)
def test_a_kept_key_that_may_not_be_used_is_refused(home: Path, harm: object, reason: str) -> None:
    store_key(BASE, Secret("snb_key"))
    (path,) = (home / "config" / "deployments").iterdir()
    harm(path)  # type: ignore[operator]
    with pytest.raises(SecretUnavailableError) as caught:
        read_stored_key(BASE)
    assert caught.value.details["reason"] == reason
    assert "snb_key" not in str(caught.value.to_dict())


def test_a_kept_key_is_sent_where_the_environment_has_none(home: Path) -> None:
    store_key(BASE, Secret("snb_kept"))
    told = find_address({"SERVICE_DEPLOYMENT_URL": BASE + "/"})
    assert told is not None
    assert told.key == Secret("snb_kept")
    told = find_address({"SERVICE_DEPLOYMENT_URL": BASE, "SERVICE_API_KEY": "snb_told"})
    assert told is not None
    assert told.key == Secret("snb_told")
    told = find_address({"SERVICE_DEPLOYMENT_URL": "https://other.example"})
    assert told is not None
    assert told.key is None


# --- all of it, over a real server ------------------------------------------------------------------------------------


@pytest.mark.parametrize("language", ["Python", "TypeScript"])
def test_login_over_a_real_server_ends_in_a_key_that_works(
    language: str, stand: Stand, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    start = [sys.executable, "-m", "service_nb.cli.main"]
    if language == "TypeScript":
        start = [str(node.NODE.program), str(node.built() / "packages/client/dist/command/main.js")]
    command = [*start, "login", "--deployment", stand.url, "--json"]
    process = subprocess.Popen(
        command, cwd=tmp_path, env=environment(tmp_path), stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True
    )
    try:
        assert process.stderr is not None
        waiting = json.loads(process.stderr.readline())
        config = Path(stand.deployment.config.folder) / "deployment.toml"
        approve = ["serve", "approve", waiting["user_code"], "--tenant", "one", "--config", str(config), "--json"]
        assert main(approve) == 0
        capsys.readouterr()
        told, _ = process.communicate(timeout=300)
    finally:
        process.kill()
        process.communicate()
    assert json.loads(told) == {"status": "ok", "deployment": stand.url, "in_force": True}
    assert "snb_" not in told
    monkeypatch.setenv("SERVICE_HOME", str(tmp_path / "kept"))
    monkeypatch.setenv("SERVICE_DEPLOYMENT_URL", stand.url)
    monkeypatch.delenv("SERVICE_API_KEY", raising=False)
    from service_nb import create_service

    service = create_service()
    try:
        assert "sales" in service.live_sources()
    finally:
        service.close()
    assert main(["logout", "--deployment", stand.url, "--json"]) == 0
    assert json.loads(capsys.readouterr().out)["removed"] is True
    assert list((tmp_path / "kept" / "config" / "deployments").iterdir()) == []
