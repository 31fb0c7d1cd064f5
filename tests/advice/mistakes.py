"""Wrong lines, made from right ones: each with the meaning that it had before.

`generate(seed)` gives the same records for the same seed, on every machine. A record says what was typed, which kind of
mistake it is, what the right line meant, part by part, and whether that meaning can still be known from what was typed
(`ambiguous`). An offer to an ambiguous line may ask or say nothing, and may not claim to know.
"""

import json
import re
import sys
from collections import Counter
from collections.abc import Callable, Iterator
from dataclasses import asdict, dataclass, field
from random import Random

from tests.advice import fixtures
from tests.advice.reading import Meaning, distance, fold

COLUMNS: dict[str, tuple[str, ...]] = {
    "orders": fixtures.ORDERS,
    "flights": fixtures.FLIGHTS,
    "survey": fixtures.SURVEY,
    "umsatz": fixtures.UMSATZ,
    "trial": fixtures.TRIAL,
    "prices": fixtures.PRICES,
}
CALLS = """
finance.npv rate=0.1 cashflows=[-1000, 300, 420, 560, 680]
finance.irr cashflows=[-1000, 300, 420, 560, 680]
finance.xnpv rate=0.09 cashflows=[-500, 200, 400] times=[0, 0.5, 1.5]
finance.mirr cashflows=[-900, 250, 400, 550] finance_rate=0.07 reinvestment_rate=0.04
finance.loan_payment principal=200000 rate=0.0035 periods=360
finance.annuity_present_value payment=500 rate=0.06 periods=12
finance.annuity_future_value payment=250 rate=0.04 periods=15
finance.compound_amount principal=1500.75 rate=0.05 periods=10
finance.effective_rate nominal_rate=0.0525 frequency=4
finance.rate_from_compound_amount principal=1000 periods=5 amount=1610.51
finance.straight_line_depreciation cost=30000 salvage=7500 life=10
finance.gordon_value next_dividend=2.5 required_return=0.08 growth=0.03
finance.capm_return risk_free_rate=0.02 beta_factor=1.3 market_return=0.08
finance.wacc equity=600 debt=400 cost_of_equity=0.11 cost_of_debt=0.05 tax_rate=0.3
finance.payback_period cashflows=[-800, 300, 350, 400]
stats.mean values=[2, 4, 4, 5.5]
stats.median values=[7, 1, 3.5, 9, 4]
stats.std values=[2, 4, 4, 4, 5, 5, 7, 9]
stats.std_population values=[2, 4, 4, 4, 5, 5, 7, 9]
stats.variance values=[1.5, 2.5, 4, 8]
stats.quantile values=[1, 2, 3, 4, 10] probability=0.25
stats.correlation x=[1, 2, 3, 4] y=[2, 4, 5, 9]
stats.covariance x=[1, 2, 3, 5] y=[2, 1, 5, 9]
stats.spearman x=[1, 2, 3, 4] y=[9, 4, 5, 2]
stats.linear_regression x=[1, 2, 3, 4] y=[2.1, 3.9, 6.2, 7.8]
stats.geometric_mean values=[1.05, 1.1, 0.97]
stats.weighted_mean values=[3, 5, 8] weights=[1, 2, 7]
stats.trimmed_mean values=[1, 2, 3, 4, 50] proportion=0.2
stats.mean values=orders.Sales
stats.median values=survey.age
stats.std values=trial.before
stats.correlation x=trial.before y=trial.after
stats.variance values=prices.close
stats.linear_regression x=orders.Sales y=orders.Profit
hypothesis.t_test_one_sample values=[5.1, 4.9, 5.6, 5.8] mean=5
hypothesis.t_test_two_sample first=[5.1, 4.9, 5.6] second=[6.1, 6.4, 5.9]
hypothesis.t_test_welch first=[5.1, 4.9, 5.6] second=[6.1, 6.4, 5.9, 7]
hypothesis.t_test_paired before=trial.before after=trial.after
hypothesis.mann_whitney_exact first=[1, 4, 6] second=[2, 7, 9, 11]
hypothesis.fisher_exact a=8 b=2 c=1 d=5
hypothesis.binomial_test successes=14 trials=20 probability=0.5
hypothesis.two_proportion_z_test first_successes=45 first_trials=200 second_successes=60 second_trials=210
hypothesis.proportion_interval_wilson successes=37 trials=120
hypothesis.mean_interval_t mean=52.3 std=4.1 size=30
hypothesis.jarque_bera values=[2, 3, 3.5, 4, 9]
option_pricing.black_scholes_call spot=100 strike=95 time=0.75 rate=0.05 volatility=0.2
option_pricing.black_scholes_put spot=100 strike=105 time=1.5 rate=0.03 volatility=0.25
option_pricing.delta_call spot=100 strike=105 time=0.5 rate=0.03 dividend_yield=0.01 volatility=0.25
option_pricing.gamma spot=100 strike=98 time=0.5 rate=0.03 dividend_yield=0.02 volatility=0.3
option_pricing.vega spot=110 strike=100 time=0.25 rate=0.04 dividend_yield=0.01 volatility=0.35
option_pricing.implied_volatility_call spot=100 strike=95 time=0.5 rate=0.05 dividend_yield=0.01 call=9.5
option_pricing.black76_call forward=102 strike=100 time=0.5 rate=0.04 volatility=0.22
option_pricing.forward_price spot=100 time=0.5 rate=0.04 dividend_yield=0.01
special.gamma x=4.5
special.log_gamma x=12.5
special.beta a=2.5 b=3.5
special.erf x=0.5
special.bessel_j order=0 x=2.5
special.zeta s=3.5
special.lambert_w x=1.5
metrics.f1 tp=80 fp=10 fn=20
metrics.accuracy tp=80 fp=10 fn=20 tn=190
metrics.mean_squared_error actual=[3, 0.5, 2, 7] predicted=[2.5, 0.1, 2.2, 8]
metrics.mean_absolute_error actual=[3, 0.5, 2, 7] predicted=[2.5, 0.1, 2.2, 8]
metrics.r2_score actual=[3, 0.5, 2, 7] predicted=[2.5, 0.1, 2.2, 8]
metrics.roc_auc labels=[0, 0, 1, 1] scores=[0.1, 0.4, 0.35, 0.8]
metrics.brier_score labels=[0, 1, 1] probabilities=[0.1, 0.7, 0.9]
mechanics.kinetic_energy mass=2.5 speed=30
mechanics.centripetal_force mass=2 speed=12.5 radius=4
mechanics.free_fall_time height=20.5 gravity=9.81
mechanics.momentum mass=80 velocity=2.5
mechanics.projectile_range speed=25 angle=0.7 gravity=9.81
distributions.normal_cdf x=130 mean=100 std=15
distributions.normal_quantile p=0.975 mean=100 std=15
distributions.binomial_pmf k=3 trials=10 probability=0.5
distributions.student_t_sf x=2.1 df=14
elementary.log_base x=8 base=2
"""
QUESTIONS = """
sum|Sales|Region|orders|
sum|Profit|Category|orders|Sales > 500
avg|Sales|Customer Segment|orders|
avg|Profit||orders|Region = 'West'
sum|Quantity|Region|orders|Discount = 0.1
max|Sales|Category|orders|
median|Profit|Region|orders|Quantity >= 3
count||Customer Segment|orders|
count_distinct|Order ID|Region|orders|
sum|Sales||orders|Region = 'North'
min|Profit|Customer Segment|orders|
stddev|Sales|Region|orders|
avg|Discount|Category|orders|Sales < 1500.5
sum|Profit||orders|Category = 'Furniture'
avg|arr_delay|carrier|flights|
max|dep_delay|origin|flights|month = 3
median|distance|carrier|flights|
count||origin|flights|dep_delay > 60
avg|dep_delay|month|flights|origin = 'JFK'
sum|distance||flights|carrier = 'UA'
min|arr_delay|dest|flights|
count||dest|flights|month <= 4
stddev|arr_delay|origin|flights|
max|distance|carrier|flights|month >= 2
avg|income|country|survey|
median|age|gender|survey|
max|income|gender|survey|age > 40
avg|How satisfied are you?|country|survey|
count||country|survey|income >= 50000
stddev|income|country|survey|
min|age||survey|country = 'Spain'
variance|age|gender|survey|
sum|Umsatz|Region|umsatz|
avg|Umsatz|Kunde|umsatz|
sum|Menge|Region|umsatz|Umsatz > 1000.5
max|Umsatz||umsatz|Region = 'West'
count||Kunde|umsatz|Menge > 12
sum|Umsatz||umsatz|Rabatt = 0.05
avg|before|arm|trial|
avg|after|arm|trial|score >= 60
median|score|arm|trial|
max|score||trial|before > 52.5
stddev|after|arm|trial|
max|close||prices|hour >= 12
avg|close|hour|prices|
sum|volume|hour|prices|open > 99.5
min|open||prices|volume > 5000
median|volume||prices|close < 100.25
count||hour|prices|
max|volume|hour|prices|
"""
WORDS: dict[str, dict[str, str]] = {
    "german": {
        "sum": "Summe", "avg": "Durchschnitt", "count": "Anzahl", "min": "Minimum", "max": "Maximum",
        "median": "Median", "stddev": "Standardabweichung", "variance": "Varianz", "by": "nach", "from": "aus",
        "where": "wo",
        "rate": "Zins", "cashflows": "Zahlungen", "values": "Werte", "mean": "Mittelwert", "principal": "Kapital",
        "periods": "Perioden", "spot": "Kurs", "mass": "Masse", "speed": "Geschwindigkeit", "height": "Höhe",
    },
    "french": {
        "sum": "somme", "avg": "moyenne", "count": "nombre", "min": "minimum", "max": "maximum", "median": "médiane",
        "stddev": "écart-type", "variance": "variance", "by": "par", "from": "de", "where": "où",
        "rate": "taux", "cashflows": "flux", "values": "valeurs", "mean": "moyenne", "principal": "capital",
        "periods": "périodes", "spot": "cours", "mass": "masse", "speed": "vitesse", "height": "hauteur",
    },
    "spanish": {
        "sum": "suma", "avg": "promedio", "count": "número", "min": "mínimo", "max": "máximo", "median": "mediana",
        "stddev": "desviación", "variance": "varianza", "by": "por", "from": "de", "where": "donde",
        "rate": "tasa", "cashflows": "flujos", "values": "valores", "mean": "media", "principal": "capital",
        "periods": "periodos", "spot": "precio", "mass": "masa", "speed": "velocidad", "height": "altura",
    },
}  # fmt: skip
SQL = {
    "avg": "AVG",
    "stddev": "STDDEV",
    "variance": "VARIANCE",
    "median": "MEDIAN",
    "sum": "SUM",
    "min": "MIN",
    "max": "MAX",
}
PANDAS = {"avg": "mean", "stddev": "std", "variance": "var", "count_distinct": "nunique", "count": "size"}
R_NAMES = {"avg": "mean", "stddev": "sd", "variance": "var", "count": "length"}
SHEET = {"sum": "SUM", "avg": "AVERAGE", "count": "COUNT", "max": "MAX", "min": "MIN"}
# Calls of other libraries and programs, by their own order of arguments; `{…}` is the value of a parameter.
LIBRARIES: dict[str, tuple[str, ...]] = {
    "finance.npv": ("npf.npv({rate}, {cashflows})",),
    "finance.irr": ("npf.irr({cashflows})", "=IRR({cashflows})"),
    "finance.effective_rate": ("=EFFECT({nominal_rate}, {frequency})",),
    "finance.straight_line_depreciation": ("=SLN({cost}, {salvage}, {life})",),
    "stats.mean": ("np.mean({values})", "=AVERAGE({values})"),
    "stats.median": ("np.median({values})", "=MEDIAN({values})"),
    "stats.std": ("np.std({values}, ddof=1)", "=STDEV.S({values})"),
    "stats.std_population": ("np.std({values})", "=STDEV.P({values})"),
    "stats.variance": ("np.var({values}, ddof=1)", "=VAR.S({values})"),
    "stats.quantile": ("np.quantile({values}, {probability})", "=PERCENTILE.INC({values}, {probability})"),
    "stats.correlation": ("np.corrcoef({x}, {y})[0, 1]", "=CORREL({x}, {y})"),
    "stats.spearman": ("scipy.stats.spearmanr({x}, {y})",),
    "stats.linear_regression": ("scipy.stats.linregress({x}, {y})",),
    "stats.geometric_mean": ("scipy.stats.gmean({values})", "=GEOMEAN({values})"),
    "stats.weighted_mean": ("np.average({values}, weights={weights})",),
    "stats.trimmed_mean": ("scipy.stats.trim_mean({values}, {proportion})",),
    "hypothesis.t_test_one_sample": ("scipy.stats.ttest_1samp({values}, {mean})",),
    "hypothesis.t_test_two_sample": ("scipy.stats.ttest_ind({first}, {second})",),
    "hypothesis.t_test_welch": ("scipy.stats.ttest_ind({first}, {second}, equal_var=False)",),
    "hypothesis.t_test_paired": ("scipy.stats.ttest_rel({before}, {after})",),
    "hypothesis.mann_whitney_exact": ("scipy.stats.mannwhitneyu({first}, {second}, method='exact')",),
    "hypothesis.fisher_exact": ("scipy.stats.fisher_exact([[{a}, {b}], [{c}, {d}]])",),
    "hypothesis.binomial_test": ("scipy.stats.binomtest({successes}, {trials}, {probability})",),
    "special.gamma": ("scipy.special.gamma({x})", "=GAMMA({x})", "math.gamma({x})"),
    "special.log_gamma": ("scipy.special.gammaln({x})", "math.lgamma({x})"),
    "special.beta": ("scipy.special.beta({a}, {b})",),
    "special.erf": ("scipy.special.erf({x})", "math.erf({x})", "=ERF({x})"),
    "special.bessel_j": ("scipy.special.jv({order}, {x})", "besselJ({x}, {order})"),
    "special.zeta": ("scipy.special.zeta({s})",),
    "metrics.mean_squared_error": ("sklearn.metrics.mean_squared_error({actual}, {predicted})",),
    "metrics.mean_absolute_error": ("sklearn.metrics.mean_absolute_error({actual}, {predicted})",),
    "metrics.r2_score": ("sklearn.metrics.r2_score({actual}, {predicted})",),
    "metrics.roc_auc": ("sklearn.metrics.roc_auc_score({labels}, {scores})",),
    "metrics.brier_score": ("sklearn.metrics.brier_score_loss({labels}, {probabilities})",),
    "distributions.normal_cdf": ("scipy.stats.norm.cdf({x}, {mean}, {std})", "pnorm({x}, {mean}, {std})"),
    "distributions.normal_quantile": ("scipy.stats.norm.ppf({p}, {mean}, {std})", "=NORM.INV({p}, {mean}, {std})"),
    "distributions.binomial_pmf": (
        "scipy.stats.binom.pmf({k}, {trials}, {probability})",
        "dbinom({k}, {trials}, {probability})",
    ),
    "distributions.student_t_sf": ("scipy.stats.t.sf({x}, {df})",),
    "elementary.log_base": ("math.log({x}, {base})", "=LOG({x}, {base})"),
}  # fmt: skip
R_VALUES = {
    "stats.mean": "mean({values})",
    "stats.median": "median({values})",
    "stats.std": "sd({values})",
    "stats.variance": "var({values})",
    "stats.quantile": "quantile({values}, {probability})",
    "stats.correlation": "cor({x}, {y})",
    "stats.covariance": "cov({x}, {y})",
    "stats.spearman": 'cor({x}, {y}, method = "spearman")',
    "stats.linear_regression": "lm({y} ~ {x})",
    "hypothesis.t_test_welch": "t.test({first}, {second})",
    "hypothesis.t_test_two_sample": "t.test({first}, {second}, var.equal = TRUE)",
    "hypothesis.t_test_paired": "t.test({before}, {after}, paired = TRUE)",
    "hypothesis.t_test_one_sample": "t.test({values}, mu = {mean})",
    "special.gamma": "gamma({x})",
    "special.log_gamma": "lgamma({x})",
    "special.beta": "beta({a}, {b})",
    "elementary.log_base": "log({x}, base = {base})",
}
CLAUSES = (
    "using model x",
    "group all",
    "partition over month",
    "joined with customers",
    "rounded to cents",
    "with outliers removed",
)
ARGUMENTS = ("method='exact'", "guess=0.5", "tolerance=1e-9", "axis=0", "currency='EUR'", "days=365", "verbose=true")
UNITS = {"mass": "kg", "speed": "m/s", "velocity": "m/s", "height": "m", "radius": "m", "gravity": "m/s^2"}
RATES = re.compile(r"rate|volatility|probability|growth|return|yield|proportion|^p$|cost_of")


@dataclass(frozen=True)
class Right:
    """A right line in parts, from which wrong ones are made."""

    magic: str
    head: str
    source: str = ""
    metric: str = ""
    key: str = ""
    condition: tuple[str, str, str] | None = None
    values: dict[str, str] = field(default_factory=dict)

    def line(self) -> str:
        """The line as the product writes it."""
        if self.magic == "compute":
            return " ".join([self.head, *(f"{name}={value}" for name, value in self.values.items())])
        parts = [self.head, quoted(self.metric), f"by {quoted(self.key)}" if self.key else "", f"from {self.source}"]
        if self.condition:
            parts.append("where " + " ".join((quoted(self.condition[0]), *self.condition[1:])))
        return " ".join(part for part in parts if part)

    def meaning(self) -> Meaning:
        """What the line means, part by part."""
        if self.magic == "compute":
            bound = {name: value for name, value in self.values.items() if re.match(r"[a-z]\w*\.", value)}
            columns = {name: value.partition(".")[2] for name, value in bound.items()}
            numbers = {name: value for name, value in self.values.items() if name not in bound}
            return Meaning(function=self.head, columns=columns, numbers=numbers, source=self.source)
        columns = {role: name for role, name in (("metric", self.metric), ("by", self.key)) if name}
        conditions = ((self.condition[0], self.condition[1], self.condition[2].strip("'")),) if self.condition else ()
        return Meaning(aggregation=self.head, columns=columns, source=self.source, conditions=conditions)


@dataclass(frozen=True)
class Mistake:
    """A wrong line with its kind and the meaning of the right one."""

    typed: str
    magic: str
    kind: str
    sources: tuple[str, ...]
    meaning: Meaning
    right: str
    ambiguous: bool = False


Wrong = tuple[str, bool]
Mutation = Callable[[Random, Right], Wrong | None]


def quoted(name: str) -> str:
    """A name as a line writes it: in backticks where it needs them."""
    return name if re.fullmatch(r"\w*", name) else f"`{name}`"


def rights() -> list[Right]:
    """All right lines."""
    found = []
    for line in CALLS.strip().splitlines():
        head, rest = line.split(" ", 1)
        values = dict(re.findall(r"(\w+)=(\[[^=]*\]|\S+)", rest))
        sources = [value.partition(".")[0] for value in values.values() if re.match(r"[a-z]\w*\.", value)]
        found.append(Right("compute", head, sources[0] if sources else "", values=values))
    for line in QUESTIONS.strip().splitlines():
        head, metric, key, source, text = line.split("|")
        parts = re.fullmatch(r"(.+?) (<=|>=|=|<|>) (.+)", text)
        condition = (parts[1], parts[2], parts[3]) if parts else None
        found.append(Right("ask", head, source, metric, key, condition))
    return found


def misspelled(chance: Random, word: str, slips: int) -> str:
    """A word with so many slips: a letter dropped, doubled, replaced, or exchanged with its neighbour."""
    letters, done = list(word), 0
    while done < slips:
        at = chance.randrange(1, len(letters)) if len(letters) > 2 else 0
        if not letters[at].isalpha():
            at = next(index for index, letter in enumerate(letters) if letter.isalpha())
        how = chance.randrange(4)
        if how == 0 and len(letters) > 3:
            del letters[at]
        elif how == 1:
            letters.insert(at, letters[at])
        elif how == 2:
            letters[at] = chance.choice("aeiorstnlm")
        elif at + 1 < len(letters) and letters[at + 1].isalpha():
            letters[at], letters[at + 1] = letters[at + 1], letters[at]
        done = done + 1 if distance("".join(letters), word) > done else done
    return "".join(letters)


def unsure(typed: str, right: str, others: tuple[str, ...]) -> bool:
    """Whether another name is as near to what was typed as the right one, or the right one is too far."""
    far = distance(fold(typed), fold(right))
    rivals = [name for name in others if fold(name) != fold(right)]
    return far * 2 >= len(fold(right)) or any(distance(fold(typed), fold(name)) <= far for name in rivals)


def columns_in(right: Right) -> list[str]:
    """The columns of a right line."""
    names = [right.metric, right.key, right.condition[0] if right.condition else ""]
    names += [value.partition(".")[2] for value in right.values.values() if re.match(r"[a-z]\w*\.", value)]
    return list(dict.fromkeys(name for name in names if name))


def once(line: str, old: str, new: str) -> str:
    """A line with one whole name replaced, where it stands first."""
    return re.sub(rf"(?<!\w){re.escape(old)}(?!\w)", lambda _: new, line, count=1)


def slip_in_function(slips: int) -> Mutation:
    """Misspell the function or the aggregation."""

    def mutate(chance: Random, right: Right) -> Wrong | None:
        owner, dot, name = right.head.rpartition(".")
        if len(name) < 2 * slips + 1:
            return None
        wrong = misspelled(chance, name, slips)
        rivals = tuple(one.head.rpartition(".")[2] for one in rights() if one.magic == right.magic)
        return once(right.line(), right.head, f"{owner}{dot}{wrong}"), unsure(wrong, name, rivals)

    return mutate


def slip_in_column(slips: int) -> Mutation:
    """Misspell a column."""

    def mutate(chance: Random, right: Right) -> Wrong | None:
        names = [name for name in columns_in(right) if len(fold(name)) > 2 * slips]
        if not names:
            return None
        name = chance.choice(names)
        wrong = misspelled(chance, name, slips)
        return right.line().replace(quoted(name), quoted(wrong), 1), unsure(wrong, name, COLUMNS[right.source])

    return mutate


def slip_in_parameter(slips: int) -> Mutation:
    """Misspell the name of a parameter."""

    def mutate(chance: Random, right: Right) -> Wrong | None:
        names = [name for name in right.values if len(name) > 2 * slips]
        if not names:
            return None
        name = chance.choice(names)
        wrong = misspelled(chance, name, slips)
        return once(right.line(), f"{name}=", f"{wrong}=").replace(f" {name}=", f" {wrong}=", 1), unsure(
            wrong, name, tuple(right.values)
        )

    return mutate


def without_a_word(chance: Random, right: Right) -> Wrong | None:
    """Drop a word of a question."""
    if right.magic != "ask":
        return None
    words = re.findall(r"`[^`]*`|'[^']*'|\S+", right.line())
    at = chance.randrange(len(words))
    return " ".join(words[:at] + words[at + 1 :]), words[at] not in {"by", "from", right.source}


def without_an_argument(chance: Random, right: Right) -> Wrong | None:
    """Drop an argument of a call."""
    if not right.values:
        return None
    name = chance.choice(list(right.values))
    return right.line().replace(f" {name}={right.values[name]}", "", 1), True


def exchanged_names(chance: Random, right: Right) -> Wrong | None:
    """Exchange the names of two arguments, or the two columns of a question: another right line, or none."""
    if right.magic == "compute" and len(right.values) > 1:
        first, second = chance.sample(list(right.values), 2)
        names = {first: second, second: first}
        return " ".join(
            [right.head, *(f"{names.get(name, name)}={value}" for name, value in right.values.items())]
        ), True
    if right.metric and right.key:
        return Right("ask", right.head, right.source, right.key, right.metric, right.condition).line(), True
    return None


def with_a_clause(chance: Random, right: Right) -> Wrong | None:
    """Add words that mean nothing to the product: what they want cannot be known."""
    return (f"{right.line()} {chance.choice(CLAUSES)}", True) if right.magic == "ask" else None


def with_an_argument(chance: Random, right: Right) -> Wrong | None:
    """Add an argument that the function does not have."""
    return (f"{right.line()} {chance.choice(ARGUMENTS)}", True) if right.values else None


def with_a_unit(chance: Random, right: Right) -> Wrong | None:
    """Write the unit of the contract behind a number: the meaning stays."""
    names = [name for name in right.values if name in UNITS]
    if not names:
        return None
    name = chance.choice(names)
    return right.line().replace(f"{name}={right.values[name]}", f"{name}={right.values[name]} {UNITS[name]}"), False


def translated(language: str) -> Mutation:
    """Say the words of the line in another language; names of columns stay."""

    def mutate(_: Random, right: Right) -> Wrong | None:
        words = WORDS[language]
        if right.magic == "compute":
            line = right.line()
            for name in right.values:
                line = line.replace(f" {name}=", f" {words.get(name, name)}=")
            return (line, False) if line != right.line() else None
        if right.head not in words:
            return None
        parts = [words[right.head], quoted(right.metric)]
        parts += [words["by"], quoted(right.key)] if right.key else []
        parts += [words["from"], right.source]
        if right.condition:
            parts += [words["where"], quoted(right.condition[0]), *right.condition[1:]]
        return " ".join(part for part in parts if part), False

    return mutate


def as_sql(_: Random, right: Right) -> Wrong | None:
    """Write a question as SQL."""
    if right.magic != "ask":
        return None
    name = f'"{right.metric}"' if " " in right.metric else right.metric
    key = f'"{right.key}"' if " " in right.key else right.key
    measure = (
        f"COUNT(DISTINCT {name})"
        if right.head == "count_distinct"
        else f"{SQL.get(right.head, 'COUNT')}({name or '*'})"
    )
    line = f"SELECT {f'{key}, ' if key else ''}{measure} FROM {right.source}"
    line += f" WHERE {' '.join(right.condition)}" if right.condition else ""
    return line + (f" GROUP BY {key}" if key else ""), False


def as_pandas(_: Random, right: Right) -> Wrong | None:
    """Write a question as a chain of methods on a frame."""
    if right.magic != "ask":
        return None
    line = right.source
    if right.condition:
        column, operator, value = right.condition
        line = f"{line}[{line}['{column}'] {'==' if operator == '=' else operator} {value}]"
    line += f".groupby('{right.key}')" if right.key else ""
    line += f"['{right.metric}']" if right.metric else ""
    return f"{line}.{PANDAS.get(right.head, right.head)}()", False


def as_r(_: Random, right: Right) -> Wrong | None:
    """Write a question or a call as R does."""
    if right.magic == "compute":
        shape = R_VALUES.get(right.head)
        values = {name: r_value(value) for name, value in right.values.items()}
        return (shape.format(**values), False) if shape else None
    if right.condition or right.head == "count_distinct" or not right.metric or " " in right.metric + right.key:
        return None
    name = R_NAMES.get(right.head, right.head)
    if right.key:
        return f"aggregate({right.metric} ~ {right.key}, data = {right.source}, FUN = {name})", False
    return f"{name}({right.source}${right.metric})", False


def r_value(value: str) -> str:
    """A list or a column as R writes it."""
    if value.startswith("["):
        return f"c({value[1:-1]})"
    return value.replace(".", "$", 1) if re.match(r"[a-z]", value) else value


def as_spreadsheet(_: Random, right: Right) -> Wrong | None:
    """Write a question without a key as a formula over named columns."""
    if right.magic != "ask" or right.key or right.head not in SHEET:
        return None
    if not right.condition:
        return f"={SHEET[right.head]}({right.metric})", False
    column, operator, value = right.condition
    criterion = value.strip("'") if operator == "=" else operator + value
    return f'={SHEET[right.head]}IF({column},"{criterion}",{right.metric})', False


def in_percent(chance: Random, right: Right) -> Wrong | None:
    """Write a rate as percents."""
    names = [name for name, value in right.values.items() if RATES.search(name) and re.fullmatch(r"0\.\d+", value)]
    if not names:
        return None
    name = chance.choice(names)
    digits = right.values[name][2:].ljust(2, "0")
    percent = f"{int(digits[:2])}{'.' + digits[2:] if digits[2:] else ''}%"
    return right.line().replace(f"{name}={right.values[name]}", f"{name}={percent}"), False


def with_commas(chance: Random, right: Right) -> Wrong | None:
    """Write a number with a decimal comma, and with points between thousands."""
    line = right.line()
    found = list(re.finditer(r"(?<=[=> <])\d+\.\d+(?=\s|$)", line))
    found += list(re.finditer(r"(?<=[=> <])\d{4,6}(?=\s|$)", line))
    if not found:
        return None
    one = chance.choice(found)
    whole, _, part = one.group().partition(".")
    wrong = f"{int(whole):,}".replace(",", ".") + f",{part or '00'}"
    return line[: one.start()] + wrong + line[one.end() :], False


def by_position(_: Random, right: Right) -> Wrong | None:
    """Leave all names of arguments out."""
    if not right.values:
        return None
    return f"{right.head}({', '.join(right.values.values())})", len(right.values) > 1


def of_another_library(chance: Random, right: Right) -> Wrong | None:
    """Call the counterpart of another library."""
    shapes = LIBRARIES.get(right.head)
    return (chance.choice(shapes).format(**right.values), False) if shapes else None


def with_a_foreign_column(chance: Random, right: Right) -> Wrong | None:
    """Ask for a column that only another source has."""
    if not right.metric:
        return None
    own = {fold(name) for name in COLUMNS[right.source]}
    others = [name for names in COLUMNS.values() for name in names if fold(name) not in own and " " not in name]
    return Right("ask", right.head, right.source, chance.choice(others), right.key, right.condition).line(), True


def in_short(_: Random, right: Right) -> Wrong | None:
    """Leave the field of a function out, or the source of a question."""
    if right.magic == "compute":
        return right.line().partition(".")[2], False
    return right.line().replace(f" from {right.source}", ""), False


def without_backticks(_: Random, right: Right) -> Wrong | None:
    """Write names with blanks in plain quotes."""
    return (right.line().replace("`", "'"), False) if "`" in right.line() else None


MUTATIONS: dict[str, tuple[Mutation, int]] = {
    "function, one letter": (slip_in_function(1), 2),
    "function, two letters": (slip_in_function(2), 2),
    "function, three letters": (slip_in_function(3), 1),
    "column, one letter": (slip_in_column(1), 3),
    "column, two letters": (slip_in_column(2), 2),
    "column, three letters": (slip_in_column(3), 2),
    "parameter, one letter": (slip_in_parameter(1), 2),
    "parameter, two letters": (slip_in_parameter(2), 2),
    "parameter, three letters": (slip_in_parameter(3), 1),
    "word dropped": (without_a_word, 4),
    "argument dropped": (without_an_argument, 2),
    "names exchanged": (exchanged_names, 1),
    "clause added": (with_a_clause, 2),
    "argument added": (with_an_argument, 2),
    "unit added": (with_a_unit, 2),
    "in German": (translated("german"), 1),
    "in French": (translated("french"), 1),
    "in Spanish": (translated("spanish"), 1),
    "as SQL": (as_sql, 1),
    "as pandas": (as_pandas, 1),
    "as R": (as_r, 1),
    "as a spreadsheet": (as_spreadsheet, 1),
    "in percent": (in_percent, 2),
    "decimal comma": (with_commas, 3),
    "by position": (by_position, 1),
    "another library": (of_another_library, 3),
    "another source's column": (with_a_foreign_column, 2),
    "without its field or source": (in_short, 1),
    "quotes for backticks": (without_backticks, 1),
}


def generate(seed: int = 1) -> Iterator[Mistake]:
    """All mistakes of a seed: each right line with each mutation that fits it, no line twice for one right line."""
    chance = Random(seed)
    for right in rights():
        seen = {right.line()}
        for kind, (mutation, times) in MUTATIONS.items():
            for _ in range(times):
                wrong = mutation(chance, right)
                if wrong is None or wrong[0] in seen:
                    continue
                seen.add(wrong[0])
                sources = (right.source,) if right.source else ()
                yield Mistake(wrong[0], right.magic, kind, sources, right.meaning(), right.line(), wrong[1])


if __name__ == "__main__":
    made = list(generate(int(sys.argv[1]) if len(sys.argv) > 1 else 1))
    for kind, number in Counter(one.kind for one in made).items():
        print(f"{number:5} {kind}")
    print(f"{len(made):5} in all, {sum(one.ambiguous for one in made)} of them ambiguous")
    print(json.dumps(asdict(made[len(made) // 3]), ensure_ascii=False, indent=1))
