"""In a real kernel: front ends that open comms, ask, send nonsense, and go away."""

from __future__ import annotations

import itertools
from collections.abc import Iterator
from typing import Any

import pytest
from jupyter_client.manager import KernelManager

from service_nb.notebook.link_message import TARGET, VERSION
from tests.surfaces.hostile_messages import HOSTILE
from tests.surfaces.test_kernel import ENVIRONMENT, WAIT_S, Kernel

ROWS = [{"region": "north", "revenue": 1.5, "secret": "s1"}, {"region": "south", "revenue": 0.25, "secret": "s2"}]
REFUSED = ("invalid_intent", "limit_exceeded", "unknown_version", "unsupported_operation")


class FrontEnd:
    """A comm to a kernel, as a front end has one."""

    names = (f"comm-{number}" for number in itertools.count())

    def __init__(self, kernel: Kernel, *, subshell: str | None = None) -> None:
        self.kernel = kernel
        self.subshell = subshell
        self.name = next(self.names)
        self.ids = itertools.count(1)
        self.opening = self.send("comm_open", target_name=TARGET, data={})

    def send(self, kind: str, **content: Any) -> list[dict[str, Any]]:
        """Send a message and return what the kernel publishes on this comm until it has dealt with it."""
        session = self.kernel.client.session
        message = session.msg(kind, {"comm_id": self.name, **content})
        if self.subshell is not None:
            message["header"]["subshell_id"] = self.subshell
        self.kernel.client.shell_channel.send(message)
        published = self.kernel.messages(message["header"]["msg_id"])
        return [each for each in published if each["content"].get("comm_id") == self.name]

    def sent(self, data: Any) -> dict[str, Any]:
        """Send anything and return the one answer."""
        (told,) = self.send("comm_msg", data=data)
        assert told["msg_type"] == "comm_msg"
        answer: dict[str, Any] = told["content"]["data"]
        return answer

    def ask(self, method: str, **params: Any) -> dict[str, Any]:
        """Ask and return the result."""
        number = next(self.ids)
        answer = self.sent({"service_nb": VERSION, "id": number, "method": method, "params": params})
        assert (answer["service_nb"], answer["id"]) == (VERSION, number)
        assert "error" not in answer, answer
        result: dict[str, Any] = answer["result"]
        return result


@pytest.fixture(scope="module")
def kernel(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Kernel]:
    folder = tmp_path_factory.mktemp("linked")
    manager = KernelManager(kernel_name="python3")
    environment = {**ENVIRONMENT, "SERVICE_LEDGER": str(folder / ".service")}
    manager.start_kernel(cwd=str(folder), env=environment, extra_arguments=["--HistoryManager.hist_file=:memory:"])
    client = manager.client()
    client.start_channels()
    client.wait_for_ready(timeout=WAIT_S)
    started = Kernel(manager, client)
    try:
        ((kind, _),) = started.run(f"%load_ext service_nb\nfrom service_nb import notebook\nrows = {ROWS!r}")
        assert kind == "display_data"
        started.run("%service_connect sales $rows;")
        yield started
    finally:
        client.stop_channels()
        manager.shutdown_kernel(now=True)


def value(kernel: Kernel, expression: str) -> str:
    ((_, content),) = kernel.run(expression)
    return str(content["data"]["text/plain"])


def test_from_hello_to_a_replay(kernel: Kernel) -> None:
    front = FrontEnd(kernel)
    hello = front.ask("hello")
    assert (hello["version"], hello["project"][:6]) == (VERSION, "linked")
    source = next(each for each in front.ask("sources")["sources"] if each["name"] == "sales")
    assert [field["name"] for field in source["fields"]] == ["region", "revenue", "secret"]
    assert front.ask("values", source="sales", field="region") == {"values": ["north", "south"]}
    checked = front.ask("check_ask", spec={"aggregation": "sum", "metric": "revenue", "source_name": "sales"})
    assert checked["status"] == "ok"
    kernel.run(f"answer = {checked['line']}")
    replayed = front.ask("replay", id=value(kernel, "answer['data']['query_id']").strip("'"))
    assert replayed == {"status": "identical", "message": replayed["message"], "cause": None}


def test_a_call_that_was_checked_can_be_made_as_it_stands(kernel: Kernel) -> None:
    front = FrontEnd(kernel)
    checked = front.ask("check_call", name="finance.npv", arguments={"rate": "0.1", "cashflows": "-1000, 300, 420"})
    assert checked["status"] == "ok"
    explained = value(kernel, f"notebook.current().compute({checked['line'].partition(' ')[2]!r})['value']")
    assert explained.startswith("-380.16")


def test_front_ends_do_not_hear_each_other(kernel: Kernel) -> None:
    first, second = FrontEnd(kernel), FrontEnd(kernel)
    assert first.ask("hello") == second.ask("hello")
    first.send("comm_close")
    assert second.ask("sources")["sources"]


def test_a_front_end_is_answered_while_a_cell_runs(kernel: Kernel) -> None:
    client = kernel.client
    client.control_channel.send(client.session.msg("create_subshell_request", {}))
    front = FrontEnd(kernel, subshell=client.get_control_msg(timeout=WAIT_S)["content"]["subshell_id"])
    kernel.run("import threading; told = threading.Event()")
    # Until something beside it has been answered: the comm's own messages are dealt with while this waits.
    running = kernel.start("print(told.wait(30))")
    assert front.ask("search", query="net present value", limit=1)["hits"][0]["name"] == "finance.npv"
    assert front.ask("check_ask", spec={"aggregation": "count", "source_name": "sales"})["status"] == "ok"
    beside = client.session.msg("execute_request", {"code": "told.set()", "silent": True, "allow_stdin": False})
    beside["header"]["subshell_id"] = front.subshell
    client.shell_channel.send(beside)
    printed = [each["content"]["text"] for each in kernel.messages(running) if each["msg_type"] == "stream"]
    assert "".join(printed) == "True\n"
    kernel.run("answer = %service_ask max revenue from sales")
    told = front.ask("replay", id=value(kernel, "answer['data']['query_id']").strip("'"))
    assert told["status"] == "identical"


def test_hostile_messages_get_an_error_and_the_kernel_lives(kernel: Kernel) -> None:
    front = FrontEnd(kernel)
    for name, message in HOSTILE.items():
        answer = front.sent(message)
        assert set(answer) == {"service_nb", "id", "error"}, name
        assert answer["error"]["code"] in REFUSED, (name, answer)
        assert len(answer["error"]["message"]) < 2_000, name
    assert front.ask("hello")["version"] == VERSION
    assert len(HOSTILE) >= 60


def test_nothing_that_a_policy_denies_is_told(kernel: Kernel) -> None:
    rules = (
        "{'allowed_sources': ['sales'], 'allowed_fields': {'sales': ['region']}, 'allowed_functions': ['finance.npv']}"
    )
    kernel.run("whole = notebook.current(); whole.connect(rows, name='hidden')")
    kernel.run(f"notebook.use(whole.narrow({rules}))")
    try:
        front = FrontEnd(kernel)
        assert front.ask("hello")["capabilities"] == 1
        (source,) = front.ask("sources")["sources"]
        assert [field["name"] for field in source["fields"]] == ["region"]
        assert front.ask("values", source="sales", field="secret") == {"values": []}
        assert [hit["name"] for hit in front.ask("search", query="value", limit=9)["hits"]] == ["finance.npv"]
        asked: dict[str, dict[str, Any]] = {
            "capability": {"name": "finance.irr"},
            "check_ask": {"spec": {"aggregation": "sum", "metric": "revenue"}},
            "check_call": {"name": "finance.npv", "arguments": {"rate": "0", "cashflows": "hidden.revenue"}},
        }
        told = [front.sent(message(method, **params)) for method, params in asked.items()]
        assert told[0]["error"]["code"] == "policy_denied_function"
        assert told[1]["result"]["status"] == "rejected"
        assert told[2]["result"]["status"] == "invalid"
        assert not any(word in str(told) for word in ("s1", "0.25", "internal rate"))
    finally:
        kernel.run("notebook.use(whole)")


def message(method: str, **params: Any) -> dict[str, Any]:
    return {"service_nb": VERSION, "id": 1, "method": method, "params": params}


def test_unloading_closes_every_comm_and_leaves_no_trace(kernel: Kernel) -> None:
    fronts = [FrontEnd(kernel), FrontEnd(kernel)]
    assert not any(front.opening for front in fronts)
    request = kernel.start("%unload_ext service_nb")
    closed = {each["content"]["comm_id"] for each in kernel.messages(request) if each["msg_type"] == "comm_close"}
    try:
        assert {front.name for front in fronts} <= closed
        assert value(kernel, "'service_nb' in get_ipython().kernel.comm_manager.targets") == "False"
        (refused,) = FrontEnd(kernel).opening
        assert refused["msg_type"] == "comm_close"
    finally:
        kernel.run(f"%load_ext service_nb\nrows = {ROWS!r}")
        kernel.run("%service_connect sales $rows;")
