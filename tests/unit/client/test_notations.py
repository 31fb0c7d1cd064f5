"""Notations of other tools are written in plain words, or as a call; what they say beyond that ends the reading."""

from __future__ import annotations

from typing import Any

import pandas as pd
import pytest

import service_nb
from service_nb.client.advice.notations import convert_unit, find_page, translate_notation
from service_nb.client.advice.offers import MEANT, Face, find_offer

FACE = Face(ask="ask {}".format, compute=lambda line, _: line)
BOTH = ["stats.std values=[2, 4]", "stats.std_population values=[2, 4]"]


@pytest.fixture(scope="module")
def client() -> Any:
    service = service_nb.create_service(ledger="off")
    frame = pd.DataFrame({"before": [1.5, 2.5, 4.0], "after": [2.0, 2.25, 5.0], "how far?": [1.0, 2.0, 4.5]})
    service.connect(frame, name="trial")
    return service


@pytest.mark.parametrize(
    ("typed", "asks", "lines"),
    [
        ("=NPV(0.08, -500, 200)", MEANT, ["finance.npv rate=0.08 cashflows=[0, -500, 200]"]),
        ("NPV(8%; -500; 200)", MEANT, ["finance.npv rate=0.08 cashflows=[0, -500, 200]"]),
        ("NPV rate=0.1 cashflows=[-5, 7]", "Is the first flow now?", ["finance.npv rate=0.1 cashflows=[-5, 7]"]),
        ("=NPV(0.08, A2:A6)", MEANT, []),
        ("NPV 0.08 -500 200", MEANT, []),  # a textbook's, or a spreadsheet's?
        ("trial['before'].corr(trial['after'])", MEANT, ["stats.correlation x=trial.before y=trial.after"]),
        ("trial.before.corr(trial.after, method='spearman')", MEANT,
         ["stats.spearman x=trial.before y=trial.after"]),
        ("trial['after'].std(ddof=0)", MEANT, ["stats.std_population values=trial.after"]),
        ("lm(after ~ before, data = trial)", MEANT, ["stats.linear_regression x=trial.before y=trial.after"]),
        ("lm(after ~ before + x, data = trial)", MEANT, []),
        ("lm(after ~ ., data = trial)", MEANT, []),
        ("wilcox.test(trial$before, trial$after)", "Which wilcox.test?",
         ["hypothesis.mann_whitney_exact first=trial.before second=trial.after",
          "hypothesis.mann_whitney_normal first=trial.before second=trial.after"]),
        ("wilcox.test(trial$before, trial$after, paired = TRUE)", MEANT, []),
        ("math.log(8, 2)", MEANT, ["elementary.log_base x=8 base=2"]),
        ("math.log(8)", MEANT, ["elementary.log x=8"]),
        ("stats.median values=trial.how far?", MEANT, ["stats.median values=trial.`how far?`"]),
        ("écart type de [2, 4]", "Which écart type?", BOTH),
        ("écart-type de [2, 4]", "Which écart-type?", BOTH),
        ("mechanics.free_fall_time h=20 m g=9.81 m/s^2", MEANT, ["mechanics.free_fall_time height=20 gravity=9.81"]),
        ("kinetic energy m=1500kg v=90km/h", MEANT, ["mechanics.kinetic_energy mass=1500 speed=25"]),
        ("kinetic energy m=1500kg v=100km/h", MEANT, []),  # which no number of digits is
        ("kinetic energy m=3 K v=2", MEANT, []),
        ("fisher exact test [[8, 2], [1, 5]]", MEANT, ["hypothesis.fisher_exact a=8 b=2 c=1 d=5"]),
        ("scipy.stats.fisher_exact([[8, 2], [1, 5]])", MEANT, ["hypothesis.fisher_exact a=8 b=2 c=1 d=5"]),
        ("fisher exact test [[8, 2, 1], [1, 5, 1]]", MEANT, []),
        ("binomial n=10 p=0.5 P(X = 3)", MEANT, ["distributions.binomial_pmf k=3 trials=10 probability=0.5"]),
        ("binomial n=10 p=0.5 P(X <= 3)", MEANT, ["distributions.binomial_cdf k=3 trials=10 probability=0.5"]),
        ("binomial n=10 p=0.5 P(X < 3)", MEANT, []),
        ("normal mean=100 sd=15 P(X > 130)", MEANT, ["distributions.normal_sf x=130 mean=100 std=15"]),
        ("normal mean=100 sd=15 P(X = 130)", MEANT, []),
        ("99% confidence interval for mean 52.3 sd 4.1 n 30", MEANT,
         ["hypothesis.mean_interval_t mean=52.3 std=4.1 size=30 level=0.99"]),
        ("confidence interval for proportion 0.4 n 30", MEANT, []),
    ],
)  # fmt: skip
def test_a_computation_of_another_tool(client: Any, typed: str, asks: str, lines: list[str]) -> None:
    offer = find_offer(typed, client, FACE, computes=True)
    assert (list(offer.lines), offer.heading if lines else asks) == (lines, asks)


def test_words_one_letter_off_that_mean_something_else_are_no_slips(client: Any) -> None:
    for typed, computes, lines in (
        ("max(2, 10)", True, []),
        ("med before", True, []),
        ("log(100, 10)", True, []),  # no complex number
        ("=ATAN2(1, 2)", True, ["elementary.atan2 y=2 x=1"]),
        ("besselJ(2.5, 0)", True, ["special.bessel_j order=0 x=2.5"]),
        ("=STDEVP(before)", False, ["stats.std_population values=trial.before"]),
        ("np.std(trial.before)", False, ["stats.std_population values=trial.before"]),
        ("=QUARTILE(before, 3)", False, ["stats.quantile values=trial.before probability=0.75 definition=7"]),
        ("coldest before", False, []),
        ("stats.medain values=[3, 1]", True, ["stats.median values=[3, 1]"]),
    ):
        assert list(find_offer(typed, client, FACE, computes=computes).lines) == lines, typed


def test_a_name_that_other_libraries_define_in_another_way_is_asked_or_told(client: Any) -> None:
    for typed, says, functions in (
        ("mad(before)", "Which mad?", ["stats.mad", "stats.mean_absolute_deviation", "stats.mad_std"]),
        ("mad(trial$before)", "Which mad?", ["stats.mad", "stats.mean_absolute_deviation", "stats.mad_std"]),
        ("rank(before)", "Which rank?", ["stats.ranks"]),  # a column is no matrix
        ("roots([1, -5, 6])", "the constant comes first here", []),
        ("sinc(0.5)", "this one sin(x) / x", []),
        ("roots coefficients=[1, -5, 6]", "", ["polynomials.roots"]),
        ("std values=[1, 2]", "Which std?", ["stats.std", "stats.std_population"]),
    ):
        offer = find_offer(typed, client, FACE, computes=True)
        assert [line.partition(" ")[0] for line in offer.bare] == functions, typed
        assert says in f"{offer.heading} {offer.says}", typed


def test_different_values_are_listed_or_counted(client: Any) -> None:
    offer = find_offer("SELECT DISTINCT after FROM trial", client, FACE, computes=False)
    assert offer.heading == "Are the different values of `after` listed, or counted?"
    assert list(offer.lines) == ["ask count by after from trial", "ask count_distinct after from trial"]


def test_a_line_with_a_long_blank_is_left_as_it_is() -> None:
    for line in ("limit " + "\n" * 990, ".agg(" + " " * 990):
        assert translate_notation(line, "question") == translate_notation(line, "computation") == line
    chain = "orders\n        .groupby('a')\n        .agg({'b': 'sum'})"
    assert "sum 'b'" in translate_notation(chain, "question")


@pytest.mark.parametrize(
    ("typed", "page", "source"),
    [
        ("orders.head(10)", "service_preview {} --rows 10", "orders"),
        ("head(orders, n = 7)", "service_preview {} --rows 7", "orders"),
        ("SELECT * FROM `my orders` LIMIT 5;", "service_preview {} --rows 5", "my orders"),
        ("orders.head()", "service_preview {}", "orders"),
        ("orders.describe()", "service_profile {}", "orders"),
        ("summary(orders)", "service_profile {}", "orders"),
        ("help", "service_help", ""),
        ("SELECT * FROM orders WHERE Sales > 5", "", ""),
        ("orders.describe(include='all')", "", ""),
        ("", "", ""),
    ],
)
def test_the_page_that_a_line_asks_for(typed: str, page: str, source: str) -> None:
    assert find_page(typed) == (page, source)


@pytest.mark.parametrize(
    ("number", "unit", "ours", "turned"),
    [
        ("90", "km/h", "m/s", "25"),
        ("100", "km/h", "m/s", None),
        ("2.5", "g", "kg", "0.0025"),
        ("1", "furlong", "m", None),
        ("0", "cm", "m", "0"),
        ("-3", "km", "m", "-3000"),
    ],
)
def test_units_are_turned_without_rounding(number: str, unit: str, ours: str, turned: str | None) -> None:
    assert convert_unit(number, unit, ours) == turned
