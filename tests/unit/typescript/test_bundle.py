"""What a browser loads for the first card stays small."""

from __future__ import annotations

from benchmarks.browser.bundle import MOST, script_sizes, style_size
from tests.tools import node


def test_the_scripts_that_show_and_verify_a_card_are_within_their_budget() -> None:
    sizes = script_sizes(node.lab())
    assert sum(sizes.values()) <= MOST, sizes


def test_the_worker_that_verifies_is_a_file_of_its_own() -> None:
    assert [name for name in script_sizes(node.lab()) if name.startswith("service-nb-verifier.")] != []


def test_style_sheets_are_part_of_what_is_built() -> None:
    assert style_size(node.lab()) > 0
