"""The card as a page in a host of agents: it shows and verifies itself, without a network, whatever the host sends."""

from __future__ import annotations

import json
import subprocess
from pathlib import Path
from typing import Any

import pytest

import service_nb
from service_nb.agents import create_tools
from service_nb.agents.card_app import read_card_app
from service_nb.core.canonical import write_canonical_text
from tests.browser.test_verify_in_browser import QUIET, browser
from tests.tools import node

# What a host has to allow by the specification, and no more.
RULES = "default-src 'none'; script-src 'unsafe-inline'; style-src 'unsafe-inline'; connect-src 'none'"
HOST = """<meta http-equiv="Content-Security-Policy" content="{rules}"><script>
window.addEventListener("message", ({{ data }}) => {{
  if (data.method === "ui/initialize") {{
    document.documentElement.dataset.asked = data.params.protocolVersion;
    window.postMessage({{ jsonrpc: "2.0", id: data.id, result: {{ hostContext: {{ theme: "{theme}" }} }} }}, "*");
  }} else if (data.method === "ui/notifications/initialized")
    window.postMessage({{ jsonrpc: "2.0", method: "ui/notifications/tool-result", params: {result} }}, "*");
  else if (data.method === "ui/notifications/size-changed")
    document.documentElement.dataset.height = data.params.height;
}});
</script>"""


def write_host(page: Path, result: dict[str, Any], theme: str = "light") -> Path:
    """Write the page with a host in it, which sends a result."""
    sent = json.dumps(result).replace("<", "\\u003c")
    host = HOST.format(rules=RULES, theme=theme, result=sent)
    page.write_text(read_card_app().replace("<head>", f"<head>{host}", 1), encoding="utf-8")
    return page


def show_page(page: Path, profile: Path) -> str:
    """Return the page as it is once messages went to and fro."""
    command = [
        browser(),
        *QUIET,
        f"--user-data-dir={profile}",
        "--virtual-time-budget=4000",
        "--dump-dom",
        page.as_uri(),
    ]
    return subprocess.run(command, capture_output=True, encoding="utf-8", timeout=300, check=True).stdout


@pytest.fixture(scope="module")
def results(tmp_path_factory: pytest.TempPathFactory) -> dict[str, dict[str, Any]]:
    node.lab()  # the page is built beside the panel
    service = service_nb.create_service(ledger=tmp_path_factory.mktemp("ledger"))
    service.connect([{"region": "<img src=x onerror=alert(1)>", "n": 1}, {"region": "north", "n": 2}], name="sales")
    tools = create_tools(service)
    asked = {"source_name": "sales", "aggregation": "sum", "metric": "n", "group_by": ["region"]}
    told, card = tools.call_with_card("queryData", asked)
    text = write_canonical_text(card)
    kinds = {"genuine": text, "forged": text.replace('"2"', '"3"'), "malformed": "{", "other": '{"kind":1}'}
    made = {kind: {"structuredContent": told, "_meta": {"service-nb/card": each}} for kind, each in kinds.items()}
    return made | {"none": {"structuredContent": {"text": "No <b>card</b>."}}}


@pytest.mark.parametrize(
    ("kind", "said", "unsaid"),
    [
        ("genuine", "service-is-unaltered", "<img"),
        ("forged", "service-is-altered", "service-is-unaltered"),
        ("malformed", "The card of this result is malformed.", "service-card"),
        ("none", "No &lt;b&gt;card&lt;/b&gt;.", "service-card"),
        ("other", "service-is-altered", "service-is-unaltered"),
    ],
)
def test_a_card_verifies_itself_in_the_host(
    tmp_path: Path, results: dict[str, dict[str, Any]], kind: str, said: str, unsaid: str
) -> None:
    shown = show_page(write_host(tmp_path / "host.html", results[kind], "dark"), tmp_path / "profile")
    body = shown.partition("<main")[2].partition("</main>")[0]
    assert 'data-asked="2026-01-26"' in shown
    assert 'data-theme="dark"' in shown
    assert said in body, body[:2_000]
    assert unsaid not in body


def test_the_page_loads_nothing(results: dict[str, dict[str, Any]]) -> None:
    assert results
    page = read_card_app()
    assert len(page.encode()) < 300_000
    for word in ("src=", "@import", "url(http", "fetch(", "XMLHttpRequest", "WebSocket", "innerHTML", "eval("):
        assert word not in page.partition("<script>")[0] or word == "src=", word
    script = page.partition("<script>")[2]
    for word in ("fetch(", "XMLHttpRequest", "new WebSocket", ".innerHTML", "importScripts"):
        assert word not in script, word
    assert script.count("</script") == 1
