"""Formulas are readable wherever a person meets one: of every capability, no command of LaTeX and no lone accent."""

from __future__ import annotations

import re
import unicodedata

import pytest

import service_nb
from service_nb.cards.faces import write_bundle
from service_nb.cards.formulas import write_formula
from service_nb.cards.page_blocks import compose_capability, compose_hits
from service_nb.notebook.link import describe_capability

SYMBOL = re.compile(r"[|\\]*(?:tilde|hat|bar)?[{]?[A-Za-z][}]?(?:_?[{]?\w[}]?)?(?:\([^()]*\))?[|]?(?:\^2)?")
COMMAND = re.compile(r"\\[A-Za-z]+|\\[(\[]|\$\$")


@pytest.mark.parametrize(
    ("latex", "shown"),
    [
        (r"\frac{a + b}{2\, c}\, x^{2}", "(a + b)/(2·c)·x²"),
        (r"\sum_{t=0}^{n-1} \frac{c_t}{(1+r)^t}", "∑[t = 0 … n-1] c_t/(1+r)^t"),
        (r"\mathrm{biot\ number} = \frac{h\, L_c}{k}", "biot number = h·L_c/k"),
        (r"\tilde{x} = \sqrt{\bar{x}_i^2 + 1}", "x_tilde = √(x_bar_i² + 1)"),
        (r"\cos\frac{\pi k}{2n}", "cos((π k)/2n)"),
        (r"\frac{|A_d \cap B_d|}{d}", "(|A_d ∩ B_d|)/d"),
        (
            r"\begin{cases} 0 & \text{if } x \le 0 \\ \ln x & \text{otherwise} \end{cases}",
            "{0 if x ≤ 0; ln x otherwise}",
        ),
        (r"\begin{aligned} a &= \binom{n}{k} \\ &\phantom{=}\; a + 1 \end{aligned}", "a = C(n, k)\na + 1"),
        (r"\href{x}{y}", "as computed"),
        ("{" * 100, "as computed"),
        (r"\frac" * 500, "as computed"),
        ("", "as computed"),
    ],
)
def test_latex_is_read(latex: str, shown: str) -> None:
    assert write_formula("as computed", latex) == shown


@pytest.mark.parametrize("step", [5, pytest.param(1, marks=pytest.mark.slow)])
def test_no_capability_shows_latex_anywhere(step: int) -> None:
    service = service_nb.create_service(ledger="off")
    unread = []
    for name in [*service.capabilities()][::step]:
        entry = service.capability(name)
        faces, _ = write_bundle(compose_capability(entry))
        told = describe_capability(entry)
        shown = [faces[mime] for mime in ("text/html", "text/markdown", "text/plain")]
        shown += [str(told["formula"]), str(told["params"]), str(entry["summary"])]
        if any(COMMAND.search(text) or any(map(unicodedata.combining, text)) for text in shown):
            unread.append(name)
        assert "latex" not in entry or (told["formula"] and not SYMBOL.fullmatch(entry["latex"])), name
    assert unread == []


def test_no_hit_of_a_search_shows_latex() -> None:
    service = service_nb.create_service(ledger="off")
    for query in ("mean", "annuity", "chi", "entropy", "velocity", "variance of a sample"):
        faces, _ = write_bundle(compose_hits(service.search_capabilities(query), query))
        assert not any(COMMAND.search(faces[mime]) for mime in ("text/html", "text/markdown", "text/plain"))
