"""The client's core in a page of a browser: bytes are connected, questions asked, cards verified, nothing is loaded."""

from __future__ import annotations

import gzip
import html
import json
import re
from pathlib import Path
from typing import Any

import pytest

import service_nb
from tests.browser.test_verify_in_browser import opened
from tests.tools import node

MOST = 120_000  # bytes of the core, compressed
# Neither a network nor `eval`: a page may hold the client to this.
RULES = "default-src 'none'; script-src 'unsafe-inline'; connect-src 'none'"
CSV = "region,revenue,day\nnorth,0.1,2024-01-31\nsouth,0.2,2024-02-01\nnorth,0.2,2024-02-29\nwest,,2024-03-01\n"
QUESTIONS = [
    "sum revenue by region from sales order desc",
    "median revenue, count by month of day from sales",
    "count from sales where region = 'north' or revenue > 0.15",
    "sum profit from sales",
]
PAGE = """<!doctype html><meta charset="utf-8"><title>core</title>
<meta http-equiv="Content-Security-Policy" content="{rules}"><pre id="said"></pre>
<script>{core}</script><script>{verify}</script><script>
async function ask() {{
  const service = serviceNbClient.createService();
  await service.connect(new TextEncoder().encode({csv}), {{ name: "sales", format: "csv" }});
  const said = [];
  for (const line of {questions}) {{
    const {{ status, data, refusal_hash, card }} = await service.ask(serviceNbClient.parseAsk(line));
    const [text, forged] = [JSON.stringify(card), JSON.stringify(card).replace("0.30000000000000004", "0.3")];
    const verdicts = [text, forged].map((each) => serviceNbVerify.verifyDocument(each, {{}})[0].status);
    const hash = data?.result_hash ?? refusal_hash;
    said.push({{ status, result: data?.result, hash, verdicts, forged: text !== forged }});
  }}
  return said;
}}
ask().then(
  (said) => (document.getElementById("said").textContent = JSON.stringify(said)),
  (error) => (document.getElementById("said").textContent = JSON.stringify(String(error))),
);
</script>"""


@pytest.fixture(scope="module")
def core(tmp_path_factory: pytest.TempPathFactory) -> Path:
    node.built()
    made = tmp_path_factory.mktemp("core") / "core.js"
    node.node("typescript/bundle.js", "core", str(made))
    return made


def test_the_core_answers_in_a_page_as_python_does(core: Path, tmp_path: Path) -> None:
    node.node("typescript/bundle.js", "verify", str(tmp_path / "verify.js"))
    scripts = {"core": core.read_text("utf-8"), "verify": (tmp_path / "verify.js").read_text("utf-8")}
    page = tmp_path / "page.html"
    values = {"csv": json.dumps(CSV), "questions": json.dumps(QUESTIONS)}
    page.write_text(PAGE.format(rules=RULES, **scripts, **values), encoding="utf-8")
    told = re.search(r'<pre id="said">(.*?)</pre>', opened(page, tmp_path / "profile"), re.DOTALL)
    assert told, "the page did not run"
    said = json.loads(html.unescape(told[1]))
    assert [(each["status"], each["hash"]) for each in said] == [ask_python(tmp_path, line) for line in QUESTIONS]
    assert said[0]["result"][0] == {"region": "north", "revenue": 0.30000000000000004, "count": 2}
    assert [each["verdicts"][0] for each in said] == ["consistent"] * len(said)
    assert [each["verdicts"][1] for each in said if each["forged"]] == ["altered"]


def ask_python(folder: Path, line: str) -> tuple[str, Any]:
    (folder / "sales.csv").write_text(CSV, encoding="utf-8", newline="")
    service = service_nb.create_service()
    service.connect(folder / "sales.csv", name="sales")
    outcome = service.ask(line)
    return outcome["status"], outcome["data"]["result_hash"] if outcome["status"] == "ok" else outcome["refusal_hash"]


def test_the_core_is_small_and_asks_nothing_of_node(core: Path) -> None:
    script = core.read_bytes()
    assert len(gzip.compress(script, 9, mtime=0)) <= MOST
    assert not re.search(rb"\bnode:|\brequire\(|\beval\(|new Function", script)
