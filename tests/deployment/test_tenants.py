from __future__ import annotations

import threading
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from service_nb.deployment.messages import SourceRequest
from service_nb.errors import (
    ConnectorError,
    ConnectorNotFoundError,
    ForbiddenError,
    InvalidIntentError,
    LimitExceededError,
    PolicyDeniedError,
    ServiceError,
    SourceAlreadyRegisteredError,
    SourceChangedError,
)
from service_nb.server.config import Config
from service_nb.server.deployment_store import Store
from service_nb.server.keys import Grant, Keys
from service_nb.server.tenants import Deployment, TenantReach, describe_connector
from tests.deployment.deployments import QUIET, deployed
from tests.deployment.served_records import Records, records

ASKED = {"metric": "revenue", "aggregation": "sum", "group_by": "region", "source_name": "sales"}


@pytest.fixture(scope="module")
def web() -> Iterator[Records]:
    with records() as served:
        yield served


@pytest.fixture(autouse=True)
def as_at_first(web: Records) -> None:
    fresh = Records()
    web.rows, web.status, web.text, web.asked = fresh.rows, 200, "", 0


@pytest.fixture
def config(tmp_path: Path, web: Records) -> Config:
    return deployed(tmp_path / "deployment", f'{QUIET}[connectors]\nprivate_hosts = ["{web.host}"]\nmost = 5\n')


@pytest.fixture
def deployment(config: Config) -> Iterator[Deployment]:
    made = Deployment(config)
    yield made
    made.close()


def reach(deployment: Deployment, tenant: str = "one", policy: dict[str, Any] | None = None) -> TenantReach:
    store = Store(deployment.config.data)
    try:
        _, key = Keys(store).create(Grant(tenant=tenant, policy=policy or {}))
    finally:
        store.close()
    return deployment.reach(deployment.authenticate(key.reveal()))


def asked(name: str, web: Records, **more: Any) -> SourceRequest:
    return SourceRequest(name=name, descriptor=web.descriptor(), **more)


def answer(at: TenantReach, name: str = "sales") -> list[dict[str, Any]]:
    outcome = at.service.ask({**ASKED, "source_name": name})
    assert outcome["status"] == "ok"
    return outcome["data"]["result"]


def code(action: Callable[[], object]) -> str:
    with pytest.raises(ServiceError) as caught:
        action()
    return caught.value.code


def refusal(action: Callable[[], object]) -> dict[str, Any]:
    with pytest.raises(ServiceError) as caught:
        action()
    return caught.value.to_dict()


SUMS = [{"region": "north", "revenue": 0.4, "count": 2}, {"region": "south", "revenue": 0.2, "count": 1}]


def test_a_source_of_pages_is_read_once_and_answers_exactly(deployment: Deployment, web: Records) -> None:
    at = reach(deployment)
    source = at.connect(asked("sales", web))
    assert (source["row_count"], source["fields"]) == (3, ["region", "revenue"])
    assert source["content"]["sha256"] is not None
    assert answer(at) == SUMS
    assert answer(at) == SUMS
    assert web.asked == 1


def test_the_same_again_is_the_same_and_anything_else_is_refused(deployment: Deployment, web: Records) -> None:
    at = reach(deployment)
    first = at.connect(asked("sales", web))
    assert at.connect(asked("sales", web)) == first
    assert web.asked == 1
    others = [
        asked("sales", web, types={"revenue": "string"}),
        asked("sales", web, aliases={"turnover": "revenue"}),
        SourceRequest(name="sales", descriptor=web.descriptor(max_pages="2")),
        SourceRequest(name="sales", descriptor=web.descriptor(token="another")),
    ]
    for other in others:
        with pytest.raises(SourceAlreadyRegisteredError):
            at.connect(other)
    assert web.asked == 1


@pytest.mark.parametrize("is_kept", [False, True])
def test_several_that_connect_the_same_at_once_have_one_source(
    deployment: Deployment, web: Records, *, is_kept: bool
) -> None:
    at = reach(deployment)
    connector = at.tenant.create_connector(web.descriptor(), None)["id"]
    request = SourceRequest(name="sales", connector_id=connector) if is_kept else asked("sales", web)
    met: list[Any] = []
    threads = [threading.Thread(target=lambda: met.append(at.connect(request))) for _ in range(6)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert met == [met[0]] * 6
    assert list(at.tenant._engines) == ["sales"]
    assert len(deployment._store.select("SELECT * FROM connector")) == (1 if is_kept else 2)
    assert answer(at) == SUMS


def test_after_a_restart_sources_are_there_before_they_are_reached(config: Config, web: Records) -> None:
    first = Deployment(config)
    told = reach(first).connect(asked("sales", web, aliases={"turnover": "revenue"}))
    first.close()
    second = Deployment(config)
    try:
        at = reach(second)
        assert at.list_sources() == [told]
        assert at.describe_source("sales") == told
        assert web.asked == 1
        assert answer(at) == SUMS
        assert web.asked == 2
    finally:
        second.close()


def test_content_that_differs_after_a_restart_is_a_changed_source(config: Config, web: Records) -> None:
    first = Deployment(config)
    reach(first).connect(asked("sales", web))
    first.close()
    web.rows[0]["revenue"] = 0.7
    second = Deployment(config)
    try:
        at = reach(second)
        with pytest.raises(SourceChangedError):
            at.service.ask(ASKED)
        at.forget_source("sales")
        at.connect(asked("sales", web))
        assert answer(at)[0]["revenue"] == 1.0
    finally:
        second.close()


def test_two_servers_on_one_store_see_what_the_other_did(config: Config, web: Records) -> None:
    first, second = Deployment(config), Deployment(config)
    try:
        reach(first).connect(asked("sales", web))
        assert answer(reach(second)) == SUMS
        reach(second).forget_source("sales")
        web.rows = web.rows[:1]
        reach(second).connect(asked("sales", web))
        assert answer(reach(first)) == [{"region": "north", "revenue": 0.1, "count": 1}]
        reach(first).forget_source("sales")
        assert reach(second).list_sources() == []
    finally:
        first.close()
        second.close()


def test_a_source_that_was_forgotten_is_gone_with_its_connector(deployment: Deployment, web: Records) -> None:
    at = reach(deployment)
    at.connect(asked("sales", web))
    at.forget_source("sales")
    assert at.list_sources() == []
    assert code(lambda: at.describe_source("sales")) == code(lambda: at.forget_source("sales")) == "source_not_found"
    assert deployment._store.select("SELECT * FROM connector") == []


def test_what_nobody_uses_is_closed_and_read_again_when_it_is_asked(deployment: Deployment, web: Records) -> None:
    at = reach(deployment)
    at.connect(asked("sales", web))
    assert answer(at) == SUMS
    at.tenant.close_idle(0.0)
    at.service.ask({**ASKED, "order": "asc"})
    assert web.asked == 2


def test_a_kept_connector_serves_several_sources_and_is_not_forgotten_under_them(
    deployment: Deployment, web: Records
) -> None:
    at = reach(deployment)
    made = at.tenant.create_connector(web.descriptor(token="abc"), "api")
    assert made["descriptor"] == {"type": "rest", "url": f"http://{web.host}/records"}
    assert [describe_connector(each) for each in at.tenant.store.list_connectors()] == [made]
    assert describe_connector(at.tenant.store.find_connector(made["id"])) == made
    for name in ("sales", "again"):
        at.connect(SourceRequest(name=name, connector_id=made["id"]))
    assert {row["Authorization"] for row in web.seen[-2:]} == {"Bearer abc"}
    with pytest.raises(ForbiddenError):
        at.tenant.store.delete_connector(made["id"])
    for name in ("sales", "again"):
        at.forget_source(name)
    at.tenant.store.delete_connector(made["id"])
    with pytest.raises(ConnectorNotFoundError):
        at.tenant.store.find_connector(made["id"])


def test_a_kept_connector_has_no_table_of_its_own(deployment: Deployment, web: Records) -> None:
    with pytest.raises(InvalidIntentError):
        reach(deployment).tenant.create_connector(web.descriptor(table="x"), None)


# --- tenants and policies ---------------------------------------------------------------------------------------------


def test_no_tenant_sees_anything_of_another(deployment: Deployment, web: Records) -> None:
    one, two = reach(deployment, "one"), reach(deployment, "two")
    made = one.tenant.create_connector(web.descriptor(), "api")
    one.connect(asked("sales", web))
    assert two.list_sources() == []
    assert two.tenant.store.list_connectors() == []
    tried: list[tuple[Callable[[], object], Callable[[], object]]] = [
        (lambda: two.describe_source("sales"), lambda: two.describe_source("other")),
        (lambda: two.forget_source("sales"), lambda: two.forget_source("other")),
        (
            lambda: two.tenant.store.find_connector(made["id"]),
            lambda: two.tenant.store.find_connector("connector_0000000000000000"),
        ),
        (
            lambda: two.tenant.store.delete_connector(made["id"]),
            lambda: two.tenant.store.delete_connector("connector_0000000000000000"),
        ),
        (
            lambda: two.connect(SourceRequest(name="x", connector_id=made["id"])),
            lambda: two.connect(SourceRequest(name="x", connector_id="connector_0000000000000000")),
        ),
    ]
    for theirs, nobodys in tried:
        met, expected = refusal(theirs), refusal(nobodys)
        for told in (met, expected):  # but for the name that the caller gave
            told["details"].pop("met")
        text = str(met).replace("sales", "other")
        assert text == str(expected)
    web.rows = web.rows[:1]
    two.connect(asked("sales", web))
    assert answer(one) == SUMS
    assert answer(two) == [{"region": "north", "revenue": 0.1, "count": 1}]
    two.forget_source("sales")
    assert answer(one) == SUMS


def test_a_question_to_another_tenants_source_is_one_to_none(deployment: Deployment, web: Records) -> None:
    one, two = reach(deployment, "one"), reach(deployment, "two")
    one.connect(asked("sales", web))
    met = two.service.ask(ASKED)
    expected = two.service.ask({**ASKED, "source_name": "other"})
    assert met["status"] == expected["status"] == "rejected"
    assert str(met["resolution"]).replace("sales", "other") == str(expected["resolution"])


def test_a_key_sees_what_its_policy_allows_and_no_more(deployment: Deployment, web: Records) -> None:
    reach(deployment).connect(asked("sales", web))
    reach(deployment).connect(asked("salaries", web))
    fields = {"sales": ["region"]}
    narrow = reach(deployment, policy={"allowed_sources": ["sales"], "allowed_fields": fields})
    assert [source["name"] for source in narrow.list_sources()] == ["sales"]
    assert narrow.describe_source("sales")["fields"] == ["region"]
    denied, nowhere = (
        refusal(lambda: narrow.describe_source("salaries")),
        refusal(lambda: narrow.describe_source("elsewhere")),
    )
    assert str(denied).replace("salaries", "elsewhere") == str(nowhere)
    assert code(lambda: narrow.forget_source("salaries")) == "source_not_found"
    assert answer(reach(deployment), "salaries") == SUMS
    with pytest.raises(PolicyDeniedError):
        narrow.connect(asked("mine", web))
    assert narrow.service.ask(ASKED)["status"] != "ok"


def test_one_policy_is_one_service(deployment: Deployment) -> None:
    policy = {"allowed_sources": ["sales"]}
    assert reach(deployment, policy=policy).service is reach(deployment, policy=policy).service
    assert reach(deployment, "two", policy=policy).service is not reach(deployment, policy=policy).service


def test_a_tenant_keeps_no_more_than_it_may(deployment: Deployment, web: Records) -> None:
    at = reach(deployment)
    for number in range(5):
        at.tenant.create_connector(web.descriptor(), f"c{number}")
    with pytest.raises(LimitExceededError):
        at.tenant.create_connector(web.descriptor(), "c5")
    reach(deployment, "two").tenant.create_connector(web.descriptor(), "c5")


# --- what may be reached ----------------------------------------------------------------------------------------------


def test_what_cannot_be_reached_is_not_kept(deployment: Deployment, web: Records) -> None:
    at = reach(deployment)
    web.status = 503
    with pytest.raises(ConnectorError):
        at.connect(asked("sales", web))
    assert at.list_sources() == []
    web.status = 200
    at.connect(asked("sales", web))


def test_an_alias_of_no_column_leaves_no_source(deployment: Deployment, web: Records) -> None:
    at = reach(deployment)
    with pytest.raises(InvalidIntentError):
        at.connect(asked("sales", web, aliases={"turnover": "nothing"}))
    assert at.list_sources() == []
    at.connect(asked("sales", web))


@pytest.mark.parametrize("path", ["/etc/passwd", "../deployment/master.key", "open/../master.key", "open/link.sqlite"])
@pytest.mark.parametrize("type_", ["sqlite"])
def test_no_file_of_the_server_is_read_outside_of_the_folders_that_are_allowed(
    tmp_path: Path, path: str, type_: str
) -> None:
    folder = tmp_path / "deployment"
    config = deployed(folder, f'{QUIET}[connectors]\nfolders = ["open"]\n')
    (folder / "open").mkdir()
    (folder / "open" / "link.sqlite").symlink_to(folder / "data" / "server.sqlite")
    deployment = Deployment(config)
    try:
        descriptor = {"type": type_, "path": path, "table": "api_key"}
        at = reach(deployment)
        with pytest.raises(ForbiddenError):
            at.connect(SourceRequest(name="x", descriptor=descriptor))
        assert at.tenant.test_connector(descriptor, 5.0)["success"] is False
    finally:
        deployment.close()


def test_types_and_hosts_are_those_of_the_configuration(tmp_path: Path, web: Records) -> None:
    text = '[connectors]\ntypes = ["rest"]\nhosts = ["*.example"]\n'
    deployment = Deployment(deployed(tmp_path / "deployment", QUIET + text))
    try:
        at = reach(deployment)
        assert [kind.type for kind in deployment.list_kinds()] == ["rest"]
        for descriptor in (
            {"type": "postgres", "host": "db.example"},
            {"type": "rest", "url": "http://127.0.0.1:1/x"},
            {"type": "rest", "url": "http://example/x"},
        ):
            assert code(lambda given=descriptor: at.connect(SourceRequest(name="x", descriptor=given))) == "forbidden"
    finally:
        deployment.close()


@pytest.mark.parametrize("text", ["not json", "[", '{"a": 1}', "null", '[{"a": 1}, 2]'])
def test_a_test_ends_in_a_sentence_whatever_answers(deployment: Deployment, web: Records, text: str) -> None:
    web.text = text
    told = reach(deployment).tenant.test_connector(web.descriptor(), 10.0)
    assert told.keys() - {"code"} == {"success", "message"}
    assert told.get("code", "") in told["message"]
    assert isinstance(told["success"], bool)
    web.text = ""
    assert reach(deployment).tenant.test_connector(web.descriptor(), 10.0)["success"] is True


def test_every_kind_that_there_is_is_listed_with_its_secrets(deployment: Deployment) -> None:
    kinds = {kind.type: kind for kind in deployment.list_kinds()}
    assert {"postgres", "mysql", "rest"} <= set(kinds)
    assert "password" in kinds["postgres"].secrets
    assert set(kinds["rest"].secrets) >= {"token", "headers"}
