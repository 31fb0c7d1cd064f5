"""The verifier as one file, run by a browser on a page that was opened from disk: no server, no network, no modules."""

from __future__ import annotations

import html
import json
import re
import shutil
import subprocess
from pathlib import Path
from typing import Any

from tests.tools.node import built, node
from tests.vectors.cases import document

BROWSERS = ("chromium", "chromium-browser", "google-chrome")
QUIET = (
    *("--headless", "--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run", "--disable-extensions"),
    *("--disable-background-networking", "--disable-component-update", "--disable-sync", "--disable-dev-shm-usage"),
)
PAGE = """<!doctype html><meta charset="utf-8"><title>verify</title><pre id="said"></pre>
<script src="verify.js"></script><script>
const said = {cases}.map((each) => serviceNbVerify.verifyDocument(each.document, each));
document.getElementById("said").textContent = JSON.stringify(said);
</script>"""


def browser() -> str:
    found = next(filter(None, map(shutil.which, BROWSERS)), None)
    assert found, "no Chromium on this machine: install Debian's package `chromium` (apt-get install chromium)"
    return found


def opened(page: Path, profile: Path) -> str:
    """Return the page as it is once its scripts ran."""
    command = [browser(), *QUIET, f"--user-data-dir={profile}", "--dump-dom", page.as_uri()]
    return subprocess.run(command, capture_output=True, encoding="utf-8", timeout=300, check=True).stdout


def vectors() -> list[dict[str, Any]]:
    """A dozen cases of each kind of document, the genuine ones first."""
    files = ("cards", "receipts", "ledgers", "notebooks", "outputs")
    return [case for name in files for case in document(f"evidence/{name}.json")["cases"][:12] if "document" in case]


def test_a_browser_says_what_the_vectors_say(tmp_path: Path) -> None:
    cases = vectors()
    built()
    node("typescript/bundle.js", "verify", str(tmp_path / "verify.js"))
    page = tmp_path / "page.html"
    page.write_text(PAGE.format(cases=json.dumps(cases).replace("<", "\\u003c")), encoding="utf-8")
    told = re.search(r'<pre id="said">(.*?)</pre>', opened(page, tmp_path / "profile"), re.DOTALL)
    assert told, "the page did not run"
    said = json.loads(html.unescape(told[1]))
    met = [
        [
            {
                "subject": each["subject"],
                "status": each["status"],
                "checks": [[check["check"], check["status"], check["cause"]] for check in each["checks"]],
            }
            for each in verdicts
        ]
        for verdicts in said
    ]
    assert met == [case["verdicts"] for case in cases]
