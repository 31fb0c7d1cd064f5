"""In a real kernel: what a front end receives."""

from __future__ import annotations

import os
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from jupyter_client.blocking.client import BlockingKernelClient
from jupyter_client.manager import KernelManager

from service_nb.notebook.run_lines import LINES_MIME
from service_nb.notebook.screen import DELAY_S
from service_nb.schema.card import CARD_MIME

WAIT_S = 300
ROOT = Path(__file__).parents[2]
SLOW = """
import numpy, pandas
slow = pandas.DataFrame({"x": numpy.random.default_rng(0).random(16_000_000)})
"""
ENVIRONMENT = {**os.environ, "PYTHONPATH": os.pathsep.join([str(ROOT), os.environ.get("PYTHONPATH", "")])}
# A hundred comparisons a row: a second or two of work on a frame that is quickly made.
LONG = "from slow where " + " and ".join(f"x != 0.{digits}" for digits in range(100, 199))


DELAYED = "import service_nb.notebook.screen\nservice_nb.notebook.screen.DELAY_S = {seconds}"


class Kernel:
    """A kernel and its front end."""

    def __init__(self, manager: KernelManager, client: BlockingKernelClient) -> None:
        self.manager = manager
        self.client = client

    def start(self, code: str) -> str:
        return self.client.execute(code)

    def messages(self, request: str) -> Iterator[dict[str, Any]]:
        """Yield what the kernel publishes for a request until it is idle."""
        while True:
            message = self.client.get_iopub_msg(timeout=WAIT_S)
            if message["parent_header"].get("msg_id") != request:
                continue
            if message["msg_type"] == "status" and message["content"]["execution_state"] == "idle":
                return
            yield message

    def run(self, code: str) -> list[tuple[str, dict[str, Any]]]:
        """Run a cell and return its outputs by type."""
        kinds = ("display_data", "update_display_data", "execute_result", "error", "stream")
        published = self.messages(self.start(code))
        return [(message["msg_type"], message["content"]) for message in published if message["msg_type"] in kinds]


@pytest.fixture(scope="module")
def started_kernel(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Kernel]:
    folder = tmp_path_factory.mktemp("kernel")
    manager = KernelManager(kernel_name="python3")
    manager.start_kernel(cwd=str(folder), env=ENVIRONMENT, extra_arguments=["--HistoryManager.hist_file=:memory:"])
    client = manager.client()
    client.start_channels()
    client.wait_for_ready(timeout=WAIT_S)
    started = Kernel(manager, client)
    ((kind, greeting),) = started.run("%load_ext service_nb")
    assert (kind, LINES_MIME in greeting["data"]) == ("display_data", True)
    started.run("rows = [{'region': 'north', 'revenue': 1.5}, {'region': 'south', 'revenue': 0.25}]")
    started.run("%service_connect sales $rows")
    yield started
    client.stop_channels()
    manager.shutdown_kernel(now=True)


@pytest.fixture
def kernel(started_kernel: Kernel) -> Kernel:
    """A kernel in which nothing takes long, however busy the machine is."""
    assert started_kernel.run(DELAYED.format(seconds=3600)) == []
    return started_kernel


@pytest.fixture(scope="module")
def loaded_kernel(started_kernel: Kernel) -> Kernel:
    assert started_kernel.run(SLOW) == []
    assert [kind for kind, _ in started_kernel.run("%service_connect slow $slow;") if kind == "error"] == []
    return started_kernel


@pytest.fixture
def slow_kernel(loaded_kernel: Kernel) -> Kernel:
    """The same one, as it is shipped, and with a frame that takes long."""
    assert loaded_kernel.run(DELAYED.format(seconds=DELAY_S)) == []
    return loaded_kernel


def test_an_answer_is_one_output_with_every_face(kernel: Kernel) -> None:
    ((kind, content),) = kernel.run("%service_ask sum revenue from sales")
    assert kind == "execute_result"
    assert {CARD_MIME, "text/html", "text/markdown", "text/plain"} <= set(content["data"])


def test_a_silenced_answer_is_no_output(kernel: Kernel) -> None:
    assert kernel.run("%service_ask sum revenue from sales;") == []


def test_an_error_is_an_error_output_of_one_line(kernel: Kernel) -> None:
    (kind, content), (below, ways) = kernel.run("%service_ask sum revenue bye region")
    assert (kind, content["ename"]) == ("error", "InvalidIntentError")
    assert len(content["traceback"]) <= 2
    assert below == "display_data"
    (line,) = [each["line"] for each in ways["data"][LINES_MIME]["lines"]]
    # The source is named where the session has others too.
    assert line.removesuffix(" from sales") == "%service_ask sum revenue by region"


@pytest.mark.parametrize("line", ["%service_connect sales $rows --replace", "%service_sources sales"])
def test_the_lines_to_go_on_with_from_a_source_stand_below_it_with_buttons(kernel: Kernel, line: str) -> None:
    (_, page), (_, below) = kernel.run(line)
    lines = [each["line"] for each in below["data"][LINES_MIME]["lines"]]
    assert lines[0].startswith("%service_preview ")
    assert not any(each in page["data"]["text/plain"] for each in lines)
    assert kernel.run(f"told = {line}") == []
    ((_, shown),) = kernel.run("told")
    assert all(each in shown["data"]["text/plain"] for each in lines)


def inspect(kernel: Kernel, code: str) -> str | None:
    """Press Shift+Tab where `|` stands."""
    at = code.index("|")
    content = kernel.client.inspect(code.replace("|", ""), at, reply=True, timeout=WAIT_S)["content"]
    return str(content["data"]["text/plain"]) if content["found"] else None


@pytest.mark.parametrize(
    ("code", "said"),
    [
        ("%service_compute finance.npv rate=|", ("rate", "discount rate per period", "(-1, inf)")),
        ("%service_compute finance.npv ra|te=0.1", ("discount rate per period",)),
        ("x = %service_compute finance.npv rate=0.1 cashflows=[1, |", ("cash flows", "money")),
        ("%service_compute finance.n|pv", ("finance.npv", "net present value")),
        ("%service_compute stats.mean values=sales.reven|ue", ("column of sales", "number")),
        ("%service_ask sum reve|nue by region", ("column of sales", "number", "rows")),
        ("%%service_ask\nsum revenue by reg|ion", ("column of sales", "string", "north")),
        ("%service_ask su|m revenue", ("sum", "aggregation")),
        ("%service_ask count from sal|es --rows none", ("sales",)),
        ("%service_ask count --ro|ws none", ("the card holds no values",)),
        ("len(ro|ws)", ("list",)),
        ("%service_as|k count", ("AGGREGATION",)),
    ],
)
def test_the_word_under_the_cursor_is_explained(kernel: Kernel, code: str, said: tuple[str, ...]) -> None:
    shown = inspect(kernel, code)
    assert shown is not None
    assert [part for part in said if part.lower() not in shown.lower()] == []


def test_what_nobody_knows_is_explained_by_nobody(kernel: Kernel) -> None:
    assert inspect(kernel, "%service_ask sum nothing_of_the_kind|") is None
    assert inspect(kernel, "nothing_of_the_kind|") is None


def test_reloading_keeps_the_sources_and_doubles_nothing(kernel: Kernel) -> None:
    assert kernel.run("%reload_ext service_nb") == []
    assert kernel.run("%reload_ext service_nb") == []
    ((_, content),) = kernel.run("%service_ask sum revenue from sales?")
    assert CARD_MIME in content["data"]
    assert [kind for kind, _ in kernel.run("%service_ask summ revenue")] == ["error", "display_data"]
    assert inspect(kernel, "%service_ask sum reve|nue") is not None
    assert (
        len(kernel.client.complete("%service_ask sum rev", 20, reply=True, timeout=WAIT_S)["content"]["matches"]) == 1
    )


def count_outputs(kernel: Kernel, cell: str) -> int:
    """Count the outputs of a cell; a progress line, which slow work shows, ends as the card or as `Done in …`."""
    told = [content for kind, content in kernel.run(cell) if kind != "update_display_data"]
    progress = ("Connecting", "Reading", "Done in")
    return sum(not str(each["data"]["text/plain"]).startswith(progress) for each in told)


def test_run_all_after_a_restart_finds_the_sources_that_are_kept(tmp_path: Path) -> None:
    (tmp_path / "orders.csv").write_text("city,amount\nOslo,1\nBonn,2\n")
    cells = [
        "%load_ext service_nb",
        "%service_connect orders orders.csv --persist;",
        "%service_ask sum amount from orders",
    ]
    manager = KernelManager(kernel_name="python3")
    manager.start_kernel(cwd=str(tmp_path), env=ENVIRONMENT, extra_arguments=["--HistoryManager.hist_file=:memory:"])
    client = manager.client()
    client.start_channels()
    client.wait_for_ready(timeout=WAIT_S)
    fresh = Kernel(manager, client)
    try:
        assert [count_outputs(fresh, cell) for cell in cells] == [1, 0, 1]
        assert [count_outputs(fresh, cell) for cell in cells[1:]] == [0, 1]  # Run all, once more
        manager.restart_kernel(now=True)
        client.wait_for_ready(timeout=WAIT_S)
        fresh.run(cells[0])
        shown = [content["data"] for _, content in fresh.run(cells[2]) if "data" in content]
        (ways,) = (data[LINES_MIME] for data in shown if LINES_MIME in data)
        assert ways["lines"][0]["line"] == "%service_connect orders"  # a file that is kept is connected by a line
        assert count_outputs(fresh, "%service_connect orders;") == 0
        assert [count_outputs(fresh, cell) for cell in cells[1:]] == [0, 1]
    finally:
        client.stop_channels()
        manager.shutdown_kernel(now=True)


def test_the_kernel_completes_columns_with_their_types(kernel: Kernel) -> None:
    code = "x = %service_ask sum rev"
    reply = kernel.client.complete(code, len(code), reply=True, timeout=WAIT_S)["content"]
    assert reply["matches"] == ["revenue"]
    assert (reply["cursor_start"], reply["cursor_end"]) == (len(code) - 3, len(code))
    offered = reply["metadata"]["_jupyter_types_experimental"]
    assert [(offer["text"], offer["type"]) for offer in offered] == [("revenue", "number")]


def test_long_work_shows_a_line_that_its_card_replaces(slow_kernel: Kernel) -> None:
    outputs = slow_kernel.run(f"%service_ask sum x {LONG}")
    kinds = [kind for kind, _ in outputs]
    assert kinds[0] == "display_data"
    assert set(kinds[1:]) == {"update_display_data"}
    first, last = outputs[0][1], outputs[-1][1]
    assert set(first["data"]) == {"text/plain", "text/html"}
    assert first["transient"]["display_id"] == last["transient"]["display_id"]
    assert CARD_MIME in last["data"]
    ((kind, _),) = slow_kernel.run("_")  # the value is the cell's value all the same
    assert kind == "execute_result"


def test_long_work_that_is_assigned_leaves_a_line(slow_kernel: Kernel) -> None:
    outputs = slow_kernel.run(f"answer = %service_ask avg x {LONG}")
    assert [kind for kind, _ in outputs][-1] == "update_display_data"
    assert CARD_MIME not in outputs[-1][1]["data"]
    ((kind, content),) = slow_kernel.run("answer")
    assert kind == "execute_result"
    assert CARD_MIME in content["data"]


def test_the_card_of_a_chart_replaces_the_line_too(slow_kernel: Kernel) -> None:
    outputs = slow_kernel.run(f"%service_ask count {LONG} --chart")
    shown = [content for kind, content in outputs if kind != "stream"]  # a first picture may speak of fonts
    last_in = {content["transient"].get("display_id"): content["data"] for content in shown}
    assert [CARD_MIME in data for place, data in last_in.items() if place is not None] == [True]
    assert "image/png" in outputs[-1][1]["data"]


def test_an_interrupt_stops_at_once_and_leaves_all_intact(slow_kernel: Kernel) -> None:
    request = slow_kernel.start(f"%service_ask max x {LONG}")
    published = slow_kernel.messages(request)
    while next(published)["msg_type"] != "display_data":  # the progress line: it runs
        pass
    slow_kernel.manager.interrupt_kernel()
    outputs = list(published)
    (error,) = [message["content"] for message in outputs if message["msg_type"] == "error"]
    assert error["ename"] == "QueryInterruptedError"
    assert [kind for kind, _ in slow_kernel.run("%service_ask count from slow") if kind == "error"] == []


def test_a_timeout_stops_too(slow_kernel: Kernel) -> None:
    outputs = slow_kernel.run(f"%service_ask min x {LONG} --timeout 0.1")
    assert [content["ename"] for kind, content in outputs if kind == "error"] == ["QueryTimeoutError"]
    last_in = {
        content["transient"]["display_id"]: content["data"] for _, content in outputs if content.get("transient")
    }
    assert list(last_in.values()) in ([], [{"text/plain": ""}]), "the error says it, and no line of progress stays"


def test_loading_the_extension_loads_no_driver(tmp_path: Path) -> None:
    manager = KernelManager(kernel_name="python3")
    manager.start_kernel(cwd=str(tmp_path), env=ENVIRONMENT, extra_arguments=["--HistoryManager.hist_file=:memory:"])
    client = manager.client()
    client.start_channels()
    client.wait_for_ready(timeout=WAIT_S)
    fresh = Kernel(manager, client)
    try:
        code = "import sys; get_ipython().run_line_magic('load_ext', 'service_nb'); "
        heavy = "{'cryptography', 'duckdb', 'grpc', 'matplotlib', 'openpyxl', 'pandas', 'scipy', 'sqlglot'}"
        _, (_, content) = fresh.run(f"{code}sorted({heavy} & sys.modules.keys())")
        assert content["data"]["text/plain"] == "[]"
    finally:
        client.stop_channels()
        manager.shutdown_kernel(now=True)
