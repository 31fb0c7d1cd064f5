"""Reports of a verification: every face says the same, obeys nothing it quotes, and names each cause with a remedy."""

from __future__ import annotations

import ast
import json
import os
import re
import subprocess
import sys
import unicodedata
from html.parser import HTMLParser
from pathlib import Path
from typing import Any

import pytest
from defusedxml import ElementTree
from hypothesis import given
from hypothesis import strategies as st

from service_nb.evidence import verdicts as causes_module
from service_nb.evidence.report_pages import write_report as to_html
from service_nb.evidence.standalone import Check, Verdict
from service_nb.evidence.verdicts import (
    CAUSES,
    CHECKS,
    FileReport,
    Report,
    describe_card,
    describe_verdict,
    explain_cause,
    find_worst,
    format_summary,
    to_dict,
    to_junit,
    to_text,
)

EVIDENCE = Path(causes_module.__file__).parent
HOSTILE = [
    "</td></tr></table><script>alert(1)</script>",
    '"><img src=x onerror=alert(1)>',
    "&lt;b&gt; & <!-- ]]> -->",
    "\x1b[31mred\x1b[0m \x07 \x00 \r\n second line",
    "\u202egnp.exe \u2066 \ufeff \u200b",
    "\ufffe \uffff \ud800",
    "`code` $x$ [link](http://x)",
    "x" * 5_000,
]
SAYINGS = ["Sum of revenue by region in sales", *HOSTILE]


def verdict(subject: str = "cell 2, output 1", **changed: tuple[str, str]) -> Verdict:
    """A verdict in which all checks pass but those that are named, each with its status and cause."""
    names = ("form", "plan_hash", "result_hash", "kind", "shown", "signature", "signer", "inclusion")
    checks = []
    for name in names:
        status, cause = changed.get(name, ("passed", None))
        checks.append(Check(name=name, status=status, cause=cause, message="" if cause is None else f"of {name}"))  # type: ignore[arg-type]
    return Verdict(subject=subject, checks=tuple(checks))


FORGED = {"result_hash": ("failed", "result_hash_mismatch")}
UNKNOWN = {"signer": ("not_checkable", "unknown_signer")}
UNSIGNED = {"signature": ("not_checkable", "unsigned")}
OPEN = {"shown": ("not_checkable", "shown_not_kept")}
LESS = {"result_hash": ("not_checkable", "text_not_kept")}


def report(*verdicts: Verdict, words: str = "Number of flights", strict: bool = False) -> Report:
    told = {each.subject: words for each in verdicts}
    file = FileReport(name="notebooks/report.ipynb", verdicts=verdicts, words=told, sha256="ab" * 32)
    return Report(files=(file,), conditions={"service_nb": "0.0.0", "trusted_keys": ["a=", "b="]}, strict=strict)


MIXED = (verdict(), verdict("cell 3, output 1", **UNKNOWN), verdict("cell 4, output 2", **FORGED))


class Page(HTMLParser):
    """The tags of a page and its visible text."""

    def __init__(self, page: str) -> None:
        super().__init__()
        self.tags: list[tuple[str, dict[str, str | None]]] = []
        self.text = ""
        self._hidden = 0
        self.feed(page)

    def handle_starttag(self, tag: str, attributes: list[tuple[str, str | None]]) -> None:
        self.tags.append((tag, dict(attributes)))
        self._hidden += tag == "style"

    def handle_endtag(self, tag: str) -> None:
        self._hidden -= tag == "style"

    def handle_data(self, data: str) -> None:
        self.text += "" if self._hidden else data


# --- causes -------------------------------------------------------------------------------------------------------


def causes_in(path: Path, places: dict[str, int], keywords: tuple[str, ...]) -> set[str]:
    """Every text in a source that stands where a cause stands: that argument of those functions, or such a keyword."""
    found: set[str] = set()
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        if isinstance(node, ast.Call):
            place = places.get(getattr(node.func, "id", getattr(node.func, "attr", "")))
            given = [] if place is None else node.args[place : place + 1]
            given += [keyword.value for keyword in node.keywords if keyword.arg in keywords]
            found |= {word for each in given for word in _words(each)}
        elif isinstance(node, ast.Assign) and ast.unparse(node.targets[0]) in ("cause", "causes"):
            found |= set(_words(node.value))
    return found - {"reason"}  # the name of a detail


def causes_of_the_verifiers() -> set[str]:
    checks = [EVIDENCE / f"{name}.py" for name in ("standalone", "held", "imported")]
    checks.append(EVIDENCE.parent / "client" / "verification.py")
    functions = {"_require": 1, "Fault": 0, "_require_form": 2, "_build_failure": 0, "Check": 2}
    ledger = [EVIDENCE.parent / "ledger" / name for name in ("verify.py", "entries.py")]
    findings = {"fail": 1, "cannot": 1, "_fail": 0, "EntryFaultError": 0}
    return {
        *(cause for path in checks for cause in causes_in(path, functions, ("reason", "cause"))),
        *(cause for path in ledger for cause in causes_in(path, findings, ("cause",))),
    }


def _words(node: ast.AST) -> list[str]:
    texts = [each.value for each in ast.walk(node) if isinstance(each, ast.Constant) and isinstance(each.value, str)]
    return [text for text in texts if re.fullmatch(r"[a-z]+(_[a-z]+)+", text)]


def test_every_cause_of_the_verifiers_is_explained() -> None:
    met = causes_of_the_verifiers()
    assert {"malformed_json", "card_moved", "unknown_signer", "rolled_back", "entry_replaced"} <= met  # it finds them
    assert met - set(CAUSES) == set()


def test_every_digest_of_a_card_has_its_mismatch_and_its_check() -> None:
    from service_nb.schema.card import CARD_KINDS

    digests = {name for shape in CARD_KINDS.values() for name in shape.digests} | {"view_hash", "rows_hash"}
    assert {f"{name}_mismatch" for name in digests} <= set(CAUSES)
    assert digests <= set(CHECKS)


@pytest.mark.parametrize("name", CAUSES)
def test_a_cause_is_a_sentence_and_a_remedy(name: str) -> None:
    cause = CAUSES[name]
    assert re.fullmatch(r"[a-z]+(_[a-z]+)*", name)
    assert all(text.endswith(".") and text == text.strip() and len(text) < 160 for text in cause)


def test_a_cause_that_is_not_known_says_so() -> None:
    assert explain_cause("no_such_cause") == explain_cause(None)
    assert explain_cause("no_such_cause") not in CAUSES.values()


# --- what counts --------------------------------------------------------------------------------------------------


def test_the_worst_verdict_is_the_report() -> None:
    assert find_worst([]) == "verified"
    assert report(*MIXED[:1]).status == "verified"
    ranked = [verdict(**LESS), verdict(**UNKNOWN), verdict(**UNSIGNED), verdict(**OPEN), verdict(**FORGED)]
    for at, each in enumerate(ranked):
        status = ("verified", "unaltered", "consistent", "not_checkable", "altered")[at]
        assert (each.status, report(*ranked[: at + 1]).status) == (status, status)
        assert report(*ranked[at::-1], verdict()).status == status


def test_what_is_not_altered_is_accepted_and_strictly_only_what_is_verified() -> None:
    for open_ in (UNKNOWN, UNSIGNED, OPEN):
        assert report(verdict(), verdict(**open_)).is_accepted
        assert not report(verdict(), verdict(**open_), strict=True).is_accepted
    assert report(verdict(), verdict(**LESS), strict=True).is_accepted
    assert not report(*MIXED).is_accepted


def test_the_line_of_a_verdict_says_no_more_than_it_proves() -> None:
    signed_by = Check(name="signer", status="passed", message="signed by you")
    assert describe_verdict(Verdict(subject="x", checks=(signed_by,))) == "Verified · signed by you"
    assert describe_verdict(verdict(**UNKNOWN)) == "Unaltered · of signer"
    assert describe_verdict(verdict(**UNSIGNED)) == "Consistent, unsigned: anyone can have made it"
    for each, status, cause in (
        (OPEN, "Not checkable here", "shown_not_kept"),
        (FORGED, "Altered", "result_hash_mismatch"),
    ):
        means = explain_cause(cause).means.rstrip(".")
        assert describe_verdict(verdict(**each)) == f"{status}: {means[0].lower()}{means[1:]}"
    assert "erified" not in "".join(describe_verdict(verdict(**each)) for each in (UNKNOWN, UNSIGNED, OPEN, FORGED))


def test_a_report_of_nothing_counts_nothing() -> None:
    empty = Report(files=())
    assert set(empty.counts.values()) == {0}
    for face in (to_text, to_junit, to_html, format_summary):
        assert face(empty)


@pytest.mark.parametrize(
    "card", [None, 1, "text", [], {}, {"view": 1}, {"view": {}}, {"view": {"question": 3}, "kind": []}]
)
def test_whatever_stands_in_place_of_a_card_has_words(card: Any) -> None:
    assert describe_card(card) in ("no card", "without words")


# --- text and JSON ------------------------------------------------------------------------------------------------


def test_text_has_a_line_for_each_card_and_the_causes_below() -> None:
    lines = to_text(report(*MIXED)).splitlines()
    signs = {line.split()[0] for line in lines if "output" in line}
    assert signs == {"✓", "○", "✗"}
    forged = next(at for at, line in enumerate(lines) if "✗" in line)
    below = " ".join(lines[forged + 1 : forged + 5])
    assert "result_hash_mismatch" in below
    assert "→" in below
    assert any(line.strip().startswith("unknown_signer (1)") for line in lines)
    assert lines[-1] == format_summary(report(*MIXED))


@pytest.mark.parametrize("words", HOSTILE)
def test_text_obeys_nothing_that_a_card_says(words: str) -> None:
    shown = to_text(report(*MIXED, words=words), 80)
    assert not [char for char in shown if char != "\n" and unicodedata.category(char) in ("Cc", "Cf", "Cs", "Zl", "Zp")]
    assert len(shown.splitlines()) == len(to_text(report(*MIXED), 80).splitlines())


def test_json_has_every_check_and_explains_every_cause_it_names() -> None:
    told = json.loads(json.dumps(to_dict(report(*MIXED))))
    assert (told["status"], told["accepted"]) == ("altered", False)
    assert told["counts"] == {"verified": 1, "unaltered": 1, "consistent": 0, "not_checkable": 0, "altered": 1}
    verdicts = told["files"][0]["verdicts"]
    assert [len(each["checks"]) for each in verdicts] == [8, 8, 8]
    assert set(told["causes"]) == {"result_hash_mismatch", "unknown_signer"}


# --- JUnit --------------------------------------------------------------------------------------------------------


def shape_of(root: Any) -> dict[str, set[str]]:
    """The attributes of each element, and its children."""
    shape: dict[str, set[str]] = {}
    for element in root.iter():
        shape.setdefault(element.tag, set()).update(element.attrib)
        shape.setdefault(f"{element.tag}/", set()).update(child.tag for child in element)
    return shape


def test_junit_has_the_shape_that_pytest_writes(pytester_xml: str) -> None:
    theirs = shape_of(ElementTree.fromstring(pytester_xml))
    ours = shape_of(ElementTree.fromstring(to_junit(report(*MIXED)).encode()))
    assert {"testsuites", "testsuite", "testcase", "failure"} <= set(ours)
    for name, met in ours.items():
        assert met - theirs[name] <= ({"type"} if name == "failure" else set()), name
    assert {"name", "tests", "failures", "errors", "skipped", "time"} <= ours["testsuite"]
    assert ours["testcase"] == {"classname", "name", "time"}


@pytest.fixture(scope="module")
def pytester_xml(tmp_path_factory: pytest.TempPathFactory) -> str:
    """What pytest itself writes of a test that passes and prints, and one that fails."""
    folder = tmp_path_factory.mktemp("junit")
    (folder / "test_it.py").write_text("def test_a():\n    print('x')\ndef test_b():\n    assert False\n")
    options = ["-p", "no:cacheprovider", "--rootdir=.", "--junit-xml=out.xml", "-o", "junit_logging=all", "test_it.py"]
    command = [sys.executable, "-m", "pytest", "-c", os.devnull, *options]
    alone = {**os.environ, "PYTEST_DISABLE_PLUGIN_AUTOLOAD": "1"}
    subprocess.run(command, cwd=folder, env=alone, capture_output=True, check=False, timeout=300)
    return (folder / "out.xml").read_text(encoding="utf-8")


def test_junit_counts_what_fails_and_only_with_strict_what_is_open() -> None:
    for strict, failures in ((False, 1), (True, 2)):
        suite = ElementTree.fromstring(to_junit(report(*MIXED, strict=strict)).encode())[0]
        assert (suite.get("tests"), suite.get("failures")) == ("3", str(failures))
        assert len(suite.findall("testcase/failure")) == failures
        assert len(suite.findall("testcase/system-out")) == 2 - failures
        assert suite.find("testcase/failure[@type='result_hash_mismatch']") is not None


@given(st.text(st.characters(codec=None), max_size=40), st.text(max_size=20))
def test_junit_is_well_formed_whatever_a_card_and_a_file_are_called(words: str, name: str) -> None:
    told = Report(files=(FileReport(name=name, verdicts=MIXED, words=dict.fromkeys([MIXED[0].subject], words)),))
    root = ElementTree.fromstring(to_junit(told).encode())
    assert len(root.findall("testsuite/testcase")) == 3


# --- HTML ---------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("words", SAYINGS)
def test_the_page_has_the_structure_of_a_harmless_datum(words: str) -> None:
    harmless, met = Page(to_html(report(*MIXED))), Page(to_html(report(*MIXED, words=words)))
    assert met.tags == harmless.tags


def test_the_page_loads_nothing_and_runs_nothing() -> None:
    page = to_html(report(*MIXED))
    tags = Page(page).tags
    assert not {tag for tag, _ in tags} & {"script", "link", "img", "iframe", "object", "form", "a", "base"}
    assert not [
        name for _, attributes in tags for name in attributes if name.startswith("on") or name in ("src", "href")
    ]
    assert "url(" not in page
    assert "@import" not in page
    assert "default-src 'none'" in page


def test_the_page_says_all_that_the_text_says() -> None:
    told = report(*MIXED)
    shown = Page(to_html(told)).text
    for part in (
        format_summary(told),
        "result_hash_mismatch",
        "unknown_signer",
        "notebooks/report.ipynb",
        "ab" * 32,
        "a=",
    ):
        assert part in shown
    assert all(each.subject in shown for each in MIXED)


def test_the_page_fits_paper_and_the_dark() -> None:
    page = to_html(report(*MIXED))
    assert "@media print" in page
    assert "prefers-color-scheme: dark" in page


# --- pages ---------------------------------------------------------------------------------------------------------


def test_what_scrolls_on_a_narrow_page_can_be_reached_by_the_keyboard_and_has_a_name() -> None:
    scrolling = re.findall(r'<div class="scroll"[^>]*>', to_html(report(*MIXED)))
    assert len(scrolling) == 2
    assert all('tabindex="0"' in each and re.search(r'aria-label="\w+"', each) for each in scrolling)
