"""A session that ends without a word of ours leaves nothing open behind it."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).parents[2]
SESSION = """
from IPython.core.interactiveshell import InteractiveShell
shell = InteractiveShell.instance()
shell.user_ns["rows"] = [{"region": str(number % 7), "revenue": number / 8} for number in range(3_000)]
for line in ("%load_ext service_nb", "%service_connect sales $rows;", "x = %service_ask sum revenue from sales"):
    shell.run_cell(line).raise_error()
print(shell.user_ns["x"]["status"])
"""


def test_a_session_that_has_asked_has_closed_what_it_opened(tmp_path: Path) -> None:
    ran = subprocess.run(
        [sys.executable, "-W", "error::ResourceWarning", "-c", SESSION],
        cwd=tmp_path,
        env={
            **os.environ,
            "PYTHONPATH": os.pathsep.join([str(ROOT), str(ROOT / "kernels")]),
            "IPYTHONDIR": str(tmp_path),
            "SERVICE_LEDGER": "off",
        },
        capture_output=True,
        text=True,
        timeout=300,
        check=False,
    )
    assert ran.returncode == 0, ran.stderr
    assert "leaked" not in ran.stderr  # as DuckDB says of what nobody has closed
    assert ran.stdout.splitlines()[-1] == "ok"
