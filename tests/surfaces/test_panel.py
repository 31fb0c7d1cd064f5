"""The panel in a real kernel: what a front end receives, and what its messages may do."""

from __future__ import annotations

import json
import os
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import nbformat
import pytest
from jupyter_client.blocking.client import BlockingKernelClient
from jupyter_client.manager import KernelManager
from nbconvert.exporters import HTMLExporter

from service_nb.evidence.documents import check_card
from service_nb.schema.card import CARD_MIME

WAIT_S = 300
ROOT = Path(__file__).parents[2]
# With a ledger of its own, which keeps where a result was asked for.
ENVIRONMENT = {
    **os.environ,
    "SERVICE_LEDGER": "",
    "PYTHONPATH": os.pathsep.join([str(ROOT), os.environ.get("PYTHONPATH", "")]),
}
CELL = "the-panels-cell"
WIDGET = "application/vnd.jupyter.widget-view+json"
ROWS = [
    {"region": "north", "revenue": 1.5, "secret": "hidden!1"},
    {"region": "south", "revenue": 0.25, "secret": "hidden!2"},
]
SHOWN = ("display_data", "update_display_data", "execute_result", "error", "stream")


class View:
    """A kernel, a panel in it, and a front end that shows it."""

    def __init__(self, client: BlockingKernelClient) -> None:
        self.client = client
        self.comm = ""
        self.name = "v1"
        self.asked = 0

    def messages(self, request: str) -> Iterator[dict[str, Any]]:
        """Yield what the kernel publishes for a request until it is idle."""
        while True:
            message = self.client.get_iopub_msg(timeout=WAIT_S)
            if message["parent_header"].get("msg_id") != request:
                continue
            if message["msg_type"] == "status" and message["content"]["execution_state"] == "idle":
                return
            yield message

    def cell(self, code: str) -> list[dict[str, Any]]:
        """Run a cell as JupyterLab does, which tells its id; return all that is published."""
        content = {"code": code, "silent": False, "store_history": True, "allow_stdin": False, "stop_on_error": True}
        message = self.client.session.msg("execute_request", content, metadata={"cellId": CELL})
        self.client.shell_channel.send(message)
        return list(self.messages(message["header"]["msg_id"]))

    def outputs(self, code: str) -> list[tuple[str, dict[str, Any]]]:
        return [(each["msg_type"], each["content"]) for each in self.cell(code) if each["msg_type"] in SHOWN]

    def printed(self, expression: str) -> str:
        outputs = self.outputs(f"print({expression})")
        return "".join(content["text"] for kind, content in outputs if kind == "stream").rstrip("\n")

    def open(self, code: str = "%service_panel") -> list[dict[str, Any]]:
        """Run a cell that shows a panel; return its outputs."""
        published = self.cell(code)
        outputs = [each["content"] for each in published if each["msg_type"] == "display_data"]
        self.comm = outputs[0]["data"][WIDGET]["model_id"]
        return outputs

    def send(self, content: object) -> tuple[list[Any], list[tuple[str, dict[str, Any]]]]:
        """Send a message of the view; return what the panel answers, and the outputs that it publishes."""
        data = {"method": "custom", "content": content}
        message = self.client.session.msg("comm_msg", {"comm_id": self.comm, "data": data})
        self.client.shell_channel.send(message)
        published = list(self.messages(message["header"]["msg_id"]))
        answers = [
            each["content"]["data"]["content"]
            for each in published
            if each["msg_type"] == "comm_msg" and each["content"]["data"].get("method") == "custom"
        ]
        return answers, [(each["msg_type"], each["content"]) for each in published if each["msg_type"] in SHOWN]

    def link(self, method: str, params: dict[str, Any]) -> dict[str, Any]:
        request = {"service_nb": 1, "id": 7, "method": method, "params": params}
        (answer,), outputs = self.send({"service_nb_panel": 1, "view": self.name, "link": request})
        assert outputs == []
        assert (answer["service_nb_panel"], answer["view"]) == (1, self.name)
        told: dict[str, Any] = answer["link"]
        return told

    def run(self, line: object) -> tuple[dict[str, Any], list[tuple[str, dict[str, Any]]]]:
        self.asked += 1
        request = {"service_nb_panel": 1, "view": self.name, "run": {"id": self.asked, "line": line}}
        (answer,), outputs = self.send(request)
        assert answer["ran"]["id"] == self.asked
        ran: dict[str, Any] = answer["ran"]
        return ran, outputs


@pytest.fixture(scope="module")
def view(tmp_path_factory: pytest.TempPathFactory) -> Iterator[View]:
    folder = tmp_path_factory.mktemp("panel")
    manager = KernelManager(kernel_name="python3")
    manager.start_kernel(cwd=str(folder), env=ENVIRONMENT, extra_arguments=["--HistoryManager.hist_file=:memory:"])
    client = manager.client()
    client.start_channels()
    client.wait_for_ready(timeout=WAIT_S)
    started = View(client)
    assert started.cell("%load_ext service_nb")
    started.cell(f"import os\nfrom service_nb.notebook.session import current\nrows = {ROWS!r}")
    started.cell("%service_connect sales $rows")
    yield started
    client.stop_channels()
    manager.shutdown_kernel(now=True)


def test_a_panel_is_a_widget_with_words_for_those_who_cannot_show_it_and_a_place_for_its_cards(view: View) -> None:
    panel, slot = view.open()
    assert panel["data"]["text/plain"] == "Panel: run this cell to use it"
    assert "Panel: run this cell to use it" in panel["data"]["text/html"]
    assert panel["data"]["application/vnd.service-nb.panel.v1+json"] == {"version": 1}  # which our extension chooses
    assert slot["transient"]["display_id"]
    assert set(slot["data"]) == {"text/plain", "text/html"}


def test_what_nbconvert_writes_says_what_to_run_where_a_panel_was_and_has_its_card_below(view: View) -> None:
    panel, _ = view.open()
    _, outputs = view.run("%service_ask sum revenue by region from sales")
    shown = [nbformat.v4.new_output("display_data", data=each["data"]) for each in (panel, outputs[-1][1])]
    notebook = nbformat.v4.new_notebook(cells=[nbformat.v4.new_code_cell("%service_panel", outputs=shown)])
    page, _ = HTMLExporter().from_notebook_node(notebook)
    body = page[page.index("<body") :]
    assert "Panel: run this cell to use it" in body
    assert "Sum of revenue by region in sales" in body
    assert "widget-view" not in body


def test_a_run_puts_an_ordinary_card_into_the_output_below_the_panel(view: View) -> None:
    _, slot = view.open()
    ran, outputs = view.run("%service_ask sum revenue by region from sales")
    assert ran["status"] == "answered"
    kind, content = outputs[-1]
    assert (kind, content["transient"]) == ("update_display_data", slot["transient"])
    assert {CARD_MIME, "text/html", "text/markdown", "text/plain"} <= set(content["data"])
    checks = check_card(content["data"][CARD_MIME]).checks
    assert {check.status for check in checks} == {"passed", "not_checkable"}
    assert [check.name for check in checks if check.status == "not_checkable"] == ["signer"]


def test_what_the_panel_ran_is_a_result_of_the_session_and_is_recorded_with_its_cell(view: View) -> None:
    view.open()
    view.run("%service_ask max revenue from sales")
    (verified,) = [content for kind, content in view.outputs("%service_verify") if kind == "execute_result"]
    assert "Largest revenue" in verified["data"]["text/plain"]
    assert view.printed("current().get_result(current().log(1)[0]['id'])['place']['cell']") == CELL


def test_the_link_answers_through_the_panel(view: View) -> None:
    view.open()
    (source,) = view.link("sources", {})["result"]["sources"]
    assert source["name"] == "sales"
    check = view.link("check_ask", {"spec": {"aggregation": "sum", "metric": "revenue", "source_name": "sales"}})
    ran, _ = view.run(check["result"]["line"])
    assert ran["status"] == "answered"


def test_a_question_that_no_line_can_say_runs_as_a_cell(view: View) -> None:
    view.open()
    odd = {"column": "region", "op": "eq", "value": "a\nb"}
    spec = {"aggregation": "count", "source_name": "sales", "filter": {"conditions": [odd]}}
    line = view.link("check_ask", {"spec": spec})["result"]["line"]
    assert line.startswith("%%service_ask\n")
    assert view.run(line)[0]["status"] == "answered"


@pytest.mark.parametrize(
    ("line", "status"),
    [
        ("%service_ask sum from sales", "unclear"),
        ("%service_ask sum region from sales", "rejected"),
        ("%service_ask sum revenue bye region", "error"),
        ("%service_compute no.such x=1", "error"),
    ],
)
def test_a_refusal_and_an_error_are_cards_too(view: View, line: str, status: str) -> None:
    view.open()
    ran, outputs = view.run(line)
    assert ran["status"] == status
    card = outputs[-1][1]["data"][CARD_MIME]
    assert card["kind"] == {"unclear": "clarification", "rejected": "rejection", "error": "error"}[status]


@pytest.mark.parametrize(
    "line",
    [
        "import os",
        "!touch pwned",
        "%run pwned.py",
        "%%bash\ntouch pwned",
        "%service_connect x /etc/passwd",
        "%service_ask count from sales --as get_ipython",
        "%service_ask count from sales --rows none",
        "%service_ask count from sales;",
        "%service_ask count from sales\nopen('pwned', 'w')",
        "%%service_ask --as x\n{}",
        "%%service_ask count from sales\n{}",
        "%%service_ask\naggregation: count",
        "%%service_compute --over region\nstats.median values=sales.revenue",
        "%service_asksum revenue from sales",
        " %service_ask count from sales",
        "x = %service_ask count from sales",
        "%service_ask",
        "",
        None,
        7,
        ["%service_ask count from sales"],
        {"line": "%service_ask count from sales"},
        "%service_ask " + "x" * 200_000,
    ],
)
def test_a_line_that_no_form_writes_is_refused_and_nothing_is_run(view: View, line: object) -> None:
    view.open()
    ran, outputs = view.run(line)
    assert ran["status"] == "error"
    assert outputs[-1][1]["data"][CARD_MIME]["kind"] == "error"
    assert view.printed("os.path.exists('pwned')") == "False"


@pytest.mark.parametrize(
    "content",
    [
        None,
        [],
        "run",
        {},
        {"service_nb_panel": 2, "view": "v", "run": {"id": 1, "line": "%service_ask count from sales"}},
        {"service_nb_panel": 1, "view": "v" * 65, "link": {}},
        {"service_nb_panel": 1, "view": 7, "run": {"id": 1, "line": "%service_ask count from sales"}},
        {"service_nb_panel": 1, "view": "v", "run": {"id": "1", "line": "%service_ask count from sales"}},
        {"service_nb_panel": 1, "view": "v", "run": "%service_ask count from sales"},
        {"service_nb_panel": 1, "view": "v"},
    ],
)
def test_what_is_no_message_of_a_view_is_answered_with_nothing(view: View, content: object) -> None:
    view.open()
    assert view.send(content) == ([], [])


def test_a_panel_of_a_narrowed_client_sees_and_runs_no_more_than_that_client(view: View) -> None:
    narrowed = "current().narrow({'allowed_fields': {'sales': ['region', 'revenue']}})"
    view.open(f"{narrowed}.panel()")
    (source,) = view.link("sources", {})["result"]["sources"]
    assert [field["name"] for field in source["fields"]] == ["region", "revenue"]
    assert view.link("values", {"source": "sales", "field": "secret"})["result"]["values"] == []
    ran, outputs = view.run("%service_ask count by secret from sales")
    assert ran["status"] == "rejected"
    assert "hidden!" not in json.dumps(outputs)  # no signature in base64 holds this by chance


def test_a_panel_shown_twice_shows_its_last_card_in_both_places(view: View) -> None:
    _, slot = view.open("panel = %service_panel\npanel")
    view.run("%service_ask count from sales")
    again = [content for kind, content in view.outputs("panel") if kind == "display_data"]
    assert CARD_MIME in again[1]["data"]
    assert again[1]["transient"] == slot["transient"]


def test_a_message_that_comes_on_a_subshell_runs_where_cells_run(view: View) -> None:
    view.open()
    control = view.client.control_channel
    control.send(view.client.session.msg("create_subshell_request", {}))
    subshell = control.get_msg(timeout=WAIT_S)["content"]["subshell_id"]
    run = {"service_nb_panel": 1, "view": "v1", "run": {"id": 99, "line": "%service_ask count from sales"}}
    message = view.client.session.msg("comm_msg", {"comm_id": view.comm, "data": {"method": "custom", "content": run}})
    message["header"]["subshell_id"] = subshell
    view.client.shell_channel.send(message)
    seen: list[Any] = []
    while not seen or seen[-1]["msg_type"] != "comm_msg":  # after the idle of the subshell, which did not wait
        seen.append(view.client.get_iopub_msg(timeout=WAIT_S))
    assert seen[-1]["content"]["data"]["content"]["ran"]["status"] == "answered"
    cards = [each["content"] for each in seen if each["msg_type"] == "update_display_data"]
    assert CARD_MIME in cards[-1]["data"]
    control.send(view.client.session.msg("delete_subshell_request", {"subshell_id": subshell}))
    assert control.get_msg(timeout=WAIT_S)["content"]["status"] == "ok"
