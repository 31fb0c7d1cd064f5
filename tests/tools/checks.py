"""The words of checks and causes as tables: `python -m tests.tools.checks` writes them into the handbook anew.

They stand in `service_nb/evidence/catalogue.json`; a contract test compares the page with it.
"""

from __future__ import annotations

import re
from pathlib import Path

from service_nb.evidence.verdicts import CAUSES, CHECKS

PAGE = Path(__file__).resolve().parents[2] / "docs" / "handbook" / "verifying.md"


def table(head: str, rows: list[str]) -> str:
    return "\n".join([head, "|" + "---|" * (head.count("|") - 1), *rows, ""])


def page_with_tables(page: str) -> str:
    """Return the page with both tables as the catalogue has them."""
    checks = table(
        "| check | what it proves if it passes |", [f"| `{name}` | {means} |" for name, means in CHECKS.items()]
    )
    rows = [f"| `{name}` | {cause.means} | {cause.remedy} |" for name, cause in CAUSES.items()]
    causes = table("| cause | what it means | what to do |", rows)
    for head, written in (("| check | what it proves", checks), ("| cause | what it means", causes)):
        pattern = rf"^{re.escape(head)}.*?\n(?=\n|\Z)"
        page = re.sub(pattern, lambda _, text=written: text, page, count=1, flags=re.MULTILINE | re.DOTALL)  # type: ignore[misc]
    return page


if __name__ == "__main__":
    PAGE.write_text(page_with_tables(PAGE.read_text(encoding="utf-8")), encoding="utf-8")
