"""Causes of differences, by what changed; and the report of replays, as text, JSON and page."""

from __future__ import annotations

import json
import re
from dataclasses import replace
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from msgspec.structs import replace as change

from service_nb.core.words import make_visible
from service_nb.evidence.differences import DIFFERS, REFUSED, Ground, find_cause, find_changes
from service_nb.evidence.replay_report import to_json, to_text
from service_nb.evidence.report_pages import write_replay as to_html
from service_nb.schema.reports import Change, Comparison, Difference, Replay, ReplayReport, SourceUsed

ENVELOPE: dict[str, Any] = {
    "runtime_bundle_version": "1",
    "runtime_bundle_sha256": "ab",
    "platform": "linux-x64",
    "architecture": "x64",
    "kernel_build": "kernels 1",
    "precision_mode": "float64",
    "thread_count": 1,
    "tier": "pinned",
    "capability_version": 1,
    "libraries": {"numpy": "2.1"},
    "profile": "x86_64-v3",
    "pinning": "pinned",
    "input_hash": "cd",
}
THEN = Ground(
    sources={"flights": ("c" * 64, "s" * 64)}, contract_hash="sha256:1", determinism=ENVELOPE, service_nb="0.1.0"
)


def envelope(**changed: Any) -> Ground:
    return replace(THEN, determinism=ENVELOPE | changed)


# --- causes -----------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("now", "cause", "what"),
    [
        (replace(THEN, sources={"flights": ("d" * 64, "s" * 64)}), "source_content_changed", "content of flights"),
        (replace(THEN, sources={"flights": ("c" * 64, "t" * 64)}), "schema_changed", "schema of flights"),
        (envelope(capability_version=2), "capability_version_changed", "version of the capability"),
        (envelope(profile="portable"), "tier_pinned_other_profile", "profile"),
        (envelope(platform="darwin-arm64"), "tier_pinned_other_profile", "platform"),
        (envelope(pinning="unpinned"), "tier_pinned_other_profile", "pinning"),
        (envelope(tier="certified"), None, None),
        (envelope(kernel_build="kernels 2"), "runtime_changed", "kernel build"),
        (envelope(libraries={"numpy": "2.2"}), "runtime_changed", "numpy"),
        (envelope(libraries={}), "runtime_changed", "numpy"),
        (replace(THEN, service_nb="0.2.0"), "runtime_changed", "service_nb"),
        (replace(THEN, contract_hash="sha256:2"), "contract_changed", "contract"),
        (envelope(input_hash="other"), None, None),
        (Ground(), None, None),
    ],
)
def test_one_change_has_one_cause(now: Ground, cause: str | None, what: str | None) -> None:
    assert [(change.cause, change.what) for change in find_changes(THEN, now)] == ([(cause, what)] if cause else [])


def test_of_several_changes_the_likeliest_cause_comes_first() -> None:
    now = replace(
        envelope(kernel_build="2", capability_version=2, profile="portable"),
        contract_hash="sha256:2",
        sources={"flights": ("d" * 64, "t" * 64)},
    )
    found = find_changes(THEN, now)
    assert [change.cause for change in found] == [
        "source_content_changed",
        "schema_changed",
        "capability_version_changed",
        "tier_pinned_other_profile",
        "runtime_changed",
        "contract_changed",
    ]
    assert find_cause(found, tier="pinned", is_trusted=True)[0] == "source_content_changed"


def test_of_a_certified_value_another_platform_is_another_runtime() -> None:
    then = envelope(tier="certified")
    now = envelope(tier="certified", platform="darwin-arm64")
    assert [change.cause for change in find_changes(then, now)] == ["runtime_changed"]


@pytest.mark.parametrize("is_trusted", [False, True])
@pytest.mark.parametrize("tier", [None, "certified", "pinned"])
@pytest.mark.parametrize("knows_readings", [False, True])
@pytest.mark.parametrize(
    "now", [THEN, envelope(kernel_build="2"), replace(THEN, contract_hash="sha256:2"), replace(THEN, service_nb="0")]
)
def test_what_is_recorded_never_says_that_a_result_was_tampered_with(
    now: Ground, tier: str | None, *, is_trusted: bool, knows_readings: bool
) -> None:
    found = find_changes(THEN, now)
    cause, sentence = find_cause(found, tier=tier, is_trusted=is_trusted, knows_readings=knows_readings)
    expected = found[0].cause if found else "unknown"
    assert cause == (expected if knows_readings else "reading_not_recorded")
    assert sentence.startswith(DIFFERS[cause])


def test_of_an_unexplained_difference_it_is_said_who_vouches_for_the_result() -> None:
    trusted, untrusted = (find_cause((), tier=None, is_trusted=is_trusted) for is_trusted in (True, False))
    assert trusted[0] == untrusted[0] == "unknown"
    assert trusted[1] != untrusted[1]


def of_reading(reading: str | None, identity: str, content: str = "c") -> Ground:
    return Ground(sources={"flights": (content * 64 or None, "s" * 64)}, readings={"flights": (reading, identity)})


@pytest.mark.parametrize(
    ("then", "now", "causes"),
    [
        (of_reading("{}", "a"), of_reading("{}", "a"), []),
        (of_reading("{}", "a"), of_reading('{"nulls":["-"]}', "b"), ["reading_changed"]),
        (of_reading("{}", "a"), of_reading("{}", "b"), ["reading_changed"]),  # another physical type was inferred
        (of_reading("{}", ""), of_reading("{}", "b"), []),
        (of_reading(None, "a"), of_reading("{}", "a"), []),  # the identity covers what was too long to be recorded
        (of_reading(None, "a"), of_reading("{}", "b"), ["reading_changed"]),
        (of_reading("{}", "a"), of_reading("{}", "b", "d"), ["source_content_changed"]),
        (of_reading("{}", "a", ""), of_reading("{}", "b", "d"), ["source_content_changed"]),  # live then, a file now
        (of_reading("{}", "a", ""), of_reading("{}", "b", ""), ["reading_changed"]),
        (
            of_reading("{}", "a"),
            of_reading('{"nulls":["-"]}', "b", "d"),
            ["source_content_changed", "reading_changed"],
        ),
    ],
)
def test_a_source_that_was_read_in_another_way_is_named(then: Ground, now: Ground, causes: list[str]) -> None:
    assert [change.cause for change in find_changes(then, now)] == causes


def test_every_cause_has_a_sentence() -> None:
    assert all(text.endswith(".") for text in (*DIFFERS.values(), *REFUSED.values()))
    assert DIFFERS.keys().isdisjoint(REFUSED)


# --- reports ----------------------------------------------------------------------------------------------------------

SAME = Replay(
    subject="cell 1, output 1",
    kind="query",
    status="identical",
    cause=None,
    message="The same.",
    question="Count of rows",
    digest="result_hash",
    expected="a" * 64,
    met="a" * 64,
    sources=(SourceUsed(name="flights", found="origin", sha256="c" * 64, schema_revision="s" * 64),),
)
OTHER = change(
    SAME,
    subject="cell 2, output 1",
    status="differs",
    cause="result_tampered",
    message="It was altered.",
    met="b" * 64,
    comparison=Comparison(
        values=50,
        differing=30,
        differences=(
            Difference(path=(0, "x"), where="row 1, x", expected="0.5", met="0.5000000000000001", ulps=1),
            Difference(path=(1, "n"), where="row 2, n", expected="3", met="5", by="+2"),
            Difference(path=(2,), where="row 3", expected='{"x":1}', met=None),
        ),
        largest_ulps=7,
    ),
    changes=(Change(cause="contract_changed", what="contract", expected="1", met="2"),),
)
REFUSAL = change(SAME, status="refused", cause="source_missing", message="Not found.", met=None, sources=())
NOTHING = change(REFUSAL, kind="error", cause="not_replayable", message="No result.")


def report(*replays: Replay) -> ReplayReport:
    return ReplayReport(
        subject="report.ipynb",
        time="2026-11-21T13:22:52Z",
        made_by={"service_nb": "0.1.0"},
        keys=("S2V5",),
        replays=replays,
    )


@pytest.mark.parametrize(
    ("replays", "is_identical", "headline"),
    [
        ((), True, "Nothing was replayed"),
        ((SAME, SAME), True, "Every result came out the same"),
        ((SAME, NOTHING), True, "Every result came out the same"),
        ((NOTHING,), True, "Nothing was replayed"),
        ((SAME, OTHER, REFUSAL), False, "1 of 3 results differs"),
        ((OTHER, OTHER), False, "2 of 2 results differ"),
        ((SAME, REFUSAL), False, "1 of 2 results could not be run again"),
    ],
)
def test_the_headline_says_what_matters_most(replays: tuple[Replay, ...], headline: str, *, is_identical: bool) -> None:
    made = report(*replays)
    assert made.is_identical == is_identical
    assert headline in to_text(made)
    assert headline in to_html(made)


def test_every_face_tells_each_result_and_each_difference() -> None:
    made = report(SAME, OTHER, REFUSAL)
    text, page, document = to_text(made), to_html(made), json.loads(to_json(made))
    for told in ("cell 1, output 1", "result_tampered", "source_missing", "0.5000000000000001", "1 ulp", "+2"):
        assert told in text
        assert told in page
    assert "27 more" in text
    assert "27 more" in page
    assert document == made.to_dict()
    assert document["counts"] == {"identical": 1, "differs": 1, "refused": 1, "not_replayable": 0}


@given(st.text(), st.text(), st.text())
def test_foreign_text_is_quoted_on_every_face(name: str, value: str, said: str) -> None:
    hostile = change(
        OTHER,
        subject=f"<b>{name}",
        question=f"<script>{said}</script>",
        message=f"<i>{said}",
        cause=f"<u>{name}",
        comparison=Comparison(
            values=1,
            differing=1,
            differences=(Difference(path=(), where=f"<p>{name}", expected=value, met=f"<a href={value}>"),),
        ),
        changes=(Change(cause="runtime_changed", what=f"<em>{name}", expected=value, met=value),),
        sources=(SourceUsed(name=f"<s>{name}", found="given", sha256=value, schema_revision=value),),
    )
    made = report(hostile)
    page = to_html(made)
    tags = set(re.findall(r"<([a-z0-9]+)", page))
    assert tags.isdisjoint({"script", "b", "i", "u", "a", "s"})
    for line in (*page.splitlines(), *to_text(made).splitlines()):
        assert make_visible(line) == line
