"""Comparing with packages: what is drawn lies in the domains, what differs is seen, what agrees becomes cases."""

from __future__ import annotations

import math
import subprocess
import sys
import tomllib
from pathlib import Path
from typing import Any

import pytest
from service_nb_kernels.contract import capabilities
from service_nb_kernels.execute import Executor
from service_nb_kernels.origins import grade_origin

from tests.outside.compare import Agreed, Compared, compare, measure_error
from tests.outside.draw import draw_arguments
from tests.outside.record import find_family, insert_rows, write_case, write_rows

SOME = ("special.bessel_j", "stats.quantile", "linalg.solve", "finance.npv", "distributions.binomial_pmf")
ORIGIN = "scipy 1.17.1, scipy.special.jv"


@pytest.mark.parametrize("name", SOME)
def test_drawn_arguments_lie_in_their_domains_and_are_the_same_each_time(name: str) -> None:
    declared = capabilities()[name]
    for call in range(50):
        drawn = draw_arguments(declared, {}, f"1 {call}")
        assert drawn == draw_arguments(declared, {}, f"1 {call}")
        for parameter in declared.params:
            if not parameter.shape and not parameter.choices:
                assert float(drawn[parameter.name]) in parameter.interval


def test_arrays_of_one_size_name_have_one_size_and_a_table_may_say_what_is_drawn() -> None:
    drawn = draw_arguments(capabilities()["linalg.solve"], {"matrix": [2, 4]}, "1")
    assert len(drawn["matrix"]) == len(drawn["matrix"][0]) == len(drawn["right"])
    assert all(2 <= each <= 4 for row in drawn["matrix"] for each in row)


@pytest.mark.parametrize(
    ("ours", "theirs", "error"),
    [
        (2.0, 2.0, 0.0),
        (2.0, 2.5, 0.25),
        ([1.0, 2.0], [1.0, 4.0], 1.0),
        ({"a": 1.0, "b": 3}, {"a": 1.5}, 0.5),
        ([1.0], [1.0, 2.0], float("inf")),
        ({"a": 1.0}, {"c": 1.0}, float("inf")),
        (0.0, 1e-9, float("inf")),
        (0.0, 1e-16, 0.0),
        ("left", "right", float("inf")),
        (True, True, 0.0),
        (1.0, "1.0", float("inf")),
    ],
)
def test_the_error_of_a_result_is_that_of_its_worst_part(ours: Any, theirs: Any, error: float) -> None:
    assert measure_error(ours, theirs, near_zero=1e-15) == error


class Doubled:
    """A package that computes something else."""

    def ask(self, comparison: Any, drawn: Any) -> list[tuple[dict[str, Any], Any]]:
        assert comparison["capability"] == "special.gamma"
        return [(each, 2 * math.gamma(each["x"])) for each in drawn]


def test_a_package_that_computes_something_else_is_seen() -> None:
    asked = {
        "capability": "special.gamma", "origin": ORIGIN, "package": "scipy 1.17.1", "within": 1e-9,
        "near_zero": 0.0, "draws": {"x": [0.5, 1.5, 2.5]}, "group": "gamma",
    }  # fmt: skip
    declared = capabilities()["special.gamma"]
    found = compare(Doubled(), asked, declared, Executor(), calls=20, seed=1)  # type: ignore[arg-type]
    assert found.compared == len(found.apart) == 20
    assert found.agreed == []


def test_what_agrees_is_written_as_cases_of_a_pack(tmp_path: Path) -> None:
    told = Compared(capability="special.bessel_j", origin=ORIGIN, package="scipy 1.17.1", within=1e-9)
    agreed = Agreed(call=0, arguments={"order": 1.5, "x": 2.0}, theirs=0.4912937786871623, error=3e-16)
    path = tmp_path / "topic.toml"
    path.write_text(
        '[capability.bessel_j]\ncases = [\n  { x = 1, result = 2, origin = "by [hand" }\n]\n[capability.next]\n'
    )
    assert insert_rows(path, 0, [write_case(told, agreed, is_python=False)])
    _, case = tomllib.loads(path.read_text())["capability"]["bessel_j"]["cases"]
    assert case == {"order": 1.5, "x": 2.0, "result": 0.4912937786871623, "within": 1e-14, "origin": ORIGIN}
    assert grade_origin(case["origin"], ()) == "independent"
    python = tmp_path / "topic.py"
    python.write_text('@capability("special.bessel_j", cases=[case(origin="by hand")])\ndef bessel_j(): ...\n')
    assert insert_rows(python, 0, [write_case(told, agreed, is_python=True)])
    compile(python.read_text(), "topic.py", "exec")
    assert f'case(order=1.5, x=2.0, result=0.4912937786871623, within=1e-14, origin="{ORIGIN}")' in python.read_text()


def test_cases_that_are_not_written_out_are_left_alone(tmp_path: Path) -> None:
    path = tmp_path / "topic.toml"
    path.write_text("[capability.one]\nsummary = 1\n[capability.next]\ncases = []\n")
    assert not insert_rows(path, 0, ["  { x = 1 },"])


def test_the_functions_of_a_family_share_a_row() -> None:
    group = [
        Compared(
            capability=f"distributions.normal_{name}", origin=f"scipy 1.17.1, scipy.stats.norm.{name}",
            package="scipy 1.17.1", within=1e-9,
            agreed=[Agreed(call=at, arguments={"x": 1.0 + at, "mean": 0.0}, theirs=0.5, error=0.0) for at in range(3)],
        )
        for name in ("cdf", "sf")
    ]  # fmt: skip
    rows = [tomllib.loads(f"row = [{row}]")["row"][0] for row in write_rows("normal", group)]
    assert [(row["x"], row["cdf"], row["sf"]) for row in rows] == [(1.0, 0.5, 0.5), (2.0, 0.5, 0.5)]
    assert {row["origin"] for row in rows} == {"scipy 1.17.1, scipy.stats.norm"}
    assert find_family("[family.log_normal]\n[family.normal]", "normal_log_cdf") == "normal"
    assert find_family("[family.normal]", "normal") is None


def test_special_functions_agree_with_the_scipy_that_is_installed_here() -> None:
    command = [sys.executable, "-m", "tests.outside", "scipy_special", "--only", "special.e", "--calls", "5"]
    done = subprocess.run([*command, "--python", sys.executable], capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout + done.stderr
    assert done.stdout.splitlines()[-1].split()[-1] == "0"
