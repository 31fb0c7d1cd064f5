"""What the README shows is what comes out: its Python is run, and its cards are made again."""

from __future__ import annotations

import ast
import json
import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

from service_nb.runtimes.interface import map_packaged_contract

ROOT = Path(__file__).parents[2]
README = (ROOT / "README.md").read_text(encoding="utf-8")
BLOCKS = re.findall(r"^```(\w*)\n(.*?)^```$", README, re.DOTALL | re.MULTILINE)
(PYTHON,) = (text for language, text in BLOCKS if language == "python")
# What differs from run to run: how long it took, ids, who signed where, and the machine that computed.
VARIES = re.compile(r" · [\d,.]+ m?s$|query_\w+|service_\w+|^  signed .*$|^  run .*\n(?:    .*\n)*", re.MULTILINE)
ASKED = (
    "%service_ask avg arr_delay by carrier from flights where month = 1 limit 3",
    "%service_ask avg delay by carrier from flights",
)
COMPUTED = "%service_compute finance.npv rate=0.1 cashflows=[-1000, 300, 420, 560, 680]"
SCRIPT = """
import ast, json, sys
from service_nb.cards.card_blocks import compose_face
from service_nb.cards.faces.text import write_text
told, python, asked, computed = {}, *json.load(sys.stdin)
names = {}
for statement in ast.parse(python).body:
    code = ast.get_source_segment(python, statement)
    if isinstance(statement, ast.Expr):
        value = eval(code, names)
        told[code] = repr(value) if isinstance(value, str | tuple | float | dict) else None
    else:
        exec(code, names)
service = names["service_nb"].create_service(ledger="off")
service.connect(names["flights"], name="flights")
cards = [write_text(compose_face(service.ask(line).card), 100) for line in asked]
cards.append(write_text(compose_face(service.compute(computed).card), 100))
print(json.dumps([told, cards]))
"""


@pytest.fixture(scope="module")
def made(tmp_path_factory: pytest.TempPathFactory) -> tuple[dict[str, str | None], list[str]]:
    """What the code of the README gives, in a process of its own: one of its imports warns."""
    asked = [line.partition(" ")[2] for line in ASKED]
    ran = subprocess.run(
        [sys.executable, "-W", "ignore", "-c", SCRIPT],
        cwd=tmp_path_factory.mktemp("reader"),
        env={**os.environ, "PYTHONPATH": os.pathsep.join([str(ROOT), str(ROOT / "kernels")]), "PYTHONUTF8": "1"},
        input=json.dumps([PYTHON, asked, COMPUTED.partition(" ")[2]]),
        capture_output=True,
        encoding="utf-8",
        timeout=300,
        check=False,
    )
    assert ran.returncode == 0, ran.stderr
    told, cards = json.loads(ran.stdout)
    return told, cards


def test_each_value_beside_the_python_is_what_the_line_gives(made: tuple[dict[str, str | None], list[str]]) -> None:
    told, _ = made
    stated = re.findall(r"^(\S.*?) +# ([('{].*?)(?:, for ever)?$", PYTHON, re.MULTILINE)
    stated += re.findall(r"^(\S.*?) +# (-?\d.*)$", PYTHON, re.MULTILINE)
    expected = {code: value for code, value in stated if code in told}
    assert len(expected) >= 5
    assert {code: ast.literal_eval(str(told[code])) for code in expected} == {
        code: ast.literal_eval(value) for code, value in expected.items()
    }


@pytest.mark.parametrize("which", [0, 1, 2])
def test_each_card_is_the_one_that_its_line_makes(made: tuple[dict[str, str | None], list[str]], which: int) -> None:
    line = [*ASKED, COMPUTED][which]
    (after,) = (at + 1 for at, (_, text) in enumerate(BLOCKS) if text.splitlines()[-1] == line)
    assert shown(made[1][which]).startswith(shown(BLOCKS[after][1]).rstrip())


def shown(card: str) -> str:
    """A card without what varies."""
    return "\n".join(line.rstrip() for line in VARIES.sub("…", card).splitlines() if line.strip() != "…")


def test_the_numbers_of_capabilities_are_those_of_the_contract() -> None:
    entries = json.loads(map_packaged_contract()[:])["capabilities"].values()
    certified, fields = sum(each["tier"] == "certified" for each in entries), len({each["module"] for each in entries})
    text = " ".join((ROOT / "README.md").read_text(encoding="utf-8").split())
    assert f"call one of {len(entries):,} named functions" in text
    assert f"{certified:,} of the {len(entries):,}, in {fields:,} fields, are *certified*" in text
    assert f"pinned and seeded capabilities ({len(entries) - certified} of all)" in text
