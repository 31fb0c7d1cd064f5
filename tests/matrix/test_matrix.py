"""The same bits everywhere, as far as each tier promises: a sample each time, everything in the long tail."""

from __future__ import annotations

import base64
import math
import os
import struct
import subprocess
import sys
from functools import cache

import pytest

from tests.matrix.jobs import Job, every, sample, without_larger_input
from tests.matrix.report import Compared, compare, to_json, to_text
from tests.matrix.run import Evaluated, evaluate
from tests.matrix.settings import EMULATED, NATIVE, REFERENCE, Setting

SHORT = ("pinned, arrays in Fortran order", "no pins, AVX2 off", "pinned, but a C library without FMA")
SAMPLED = [setting for setting in NATIVE if setting.name in SHORT]


@cache
def reference(jobs: tuple[Job, ...]) -> Evaluated:
    return evaluate(REFERENCE, jobs)


def compared(setting: Setting, jobs: tuple[Job, ...]) -> Compared:
    return compare(reference(jobs), evaluate(setting, jobs), jobs)


@pytest.mark.parametrize("setting", SAMPLED, ids=lambda setting: setting.name)
def test_a_sample_keeps_the_bits_that_its_tiers_promise(setting: Setting) -> None:
    assert compared(setting, tuple(sample())).contradictions == []


@pytest.mark.slow
@pytest.mark.parametrize("setting", [REFERENCE, *NATIVE, *EMULATED], ids=lambda setting: setting.name)
def test_every_capability_keeps_the_bits_that_its_tier_promises(setting: Setting) -> None:
    assert compared(setting, tuple(every())).contradictions == []


def test_every_pinned_or_seeded_capability_is_tried_with_more_than_its_small_cases() -> None:
    assert without_larger_input() == []


def test_larger_inputs_give_values_and_not_refusals() -> None:
    jobs = tuple(sample())
    refused = [job.key for job in jobs if reference(jobs).values[job.key][0].startswith("refused")]
    assert [key for key in refused if " larger " in key] == []


PROGRAM = """
from service_nb_kernels.execute import Executor
rows = [[float((i * j) % 7) for j in range(400)] for i in range(400)]
print(Executor().execute("linalg.matrix_product_large", [rows, rows], timeout_s=60)[1][1])
"""


@pytest.mark.parametrize("setting", [REFERENCE, *NATIVE], ids=lambda setting: setting.name)
def test_matrices_of_400_rows_are_multiplied(setting: Setting) -> None:
    """Some releases of NumPy end the process here where the kernel of BLAS is pinned."""
    known = {"PATH": os.environ["PATH"], **setting.environment}
    done = subprocess.run([sys.executable, "-c", PROGRAM], env=known, capture_output=True, text=True, check=False)
    assert (done.returncode, done.stdout.strip(), done.stderr) == (
        0,
        str(float(sum(i % 7 * (i % 7) for i in range(400)))),
        "",
    )


def test_each_sample_has_every_field_and_all_that_is_not_certified() -> None:
    fields = {job.capability.partition(".")[0] for job in every()}
    assert {job.capability.partition(".")[0] for job in sample()} == fields
    assert {j.capability for j in every() if j.tier != "certified"} <= {j.capability for j in sample()}


def evaluated(setting: Setting, *numbers: float, ended: dict[str, str] | None = None) -> Evaluated:
    text = base64.b64encode(struct.pack(f"<{len(numbers)}d", *numbers)).decode()
    return Evaluated(setting, {"a.b case 1": ("[" + ",".join("#" * len(numbers)) + "]", text)}, {}, ended or {})


def job(tier: str) -> Job:
    return Job("a.b", tier, "case", 0, None)


def test_a_value_that_moves_against_its_tier_is_named_with_its_distance() -> None:
    setting = Setting("elsewhere", {})
    before = evaluated(REFERENCE, 1.0, -0.0, 2.0)
    after = evaluated(setting, math.nextafter(math.nextafter(1.0, 2), 2), 5e-324, 2.0)
    certified, pinned = (compare(before, after, [job(tier)]) for tier in ("certified", "pinned"))
    assert len(certified.contradictions) == 1
    assert pinned.contradictions == []
    for row in (certified, pinned):
        assert [(each.doubles, each.of, each.ulps) for each in row.moved] == [(2, 3, 2)]
    assert "a.b case 1" in to_text([certified], "here")
    assert '"ulps": 2' in to_json([certified], "here")


def test_another_structure_an_ended_process_and_a_missing_value_are_contradictions() -> None:
    setting = Setting("elsewhere", {})
    before = evaluated(REFERENCE, 1.0)
    longer = compare(before, evaluated(setting, 1.0, 1.0), [job("certified")])
    assert [each.ulps for each in longer.moved] == [None]
    assert len(longer.contradictions) == 1
    ended = compare(before, Evaluated(setting, ended={"a.b case 1": "exit -4"}), [job("pinned")])
    assert len(ended.contradictions) == 2


def test_a_job_that_ends_its_process_is_named_and_the_others_go_on() -> None:
    jobs = sample()[:3]
    unknown = Job("linalg.of_no_contract", "certified", "case", 0, None)
    found = evaluate(REFERENCE, [jobs[0], unknown, *jobs[1:]])
    assert set(found.ended) == {unknown.key}
    assert set(found.values) == {each.key for each in jobs}
