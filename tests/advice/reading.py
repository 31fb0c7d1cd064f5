"""An independent reading of two lines: the one that was typed, and the one that was offered in answer to it.

The rule. An offered line is one click from a signed result, so it has to earn its place. It is

- `same`, a correction: every name, number, unit and column that was typed stands in it with its own meaning, and
  nothing was added but blanks (`…`). Declared synonyms count as the same name, and so does the repair of a name by
  one letter. `5%` is 0.05, and a unit that is converted is the same number. What another library defines differently
  is taken by its definition (`np.std` divides by n).
- `one slot differs`, a candidate: the same, but for exactly one slot that the offer has to ask about: a column of
  which only a part was typed, a name repaired by two or three letters, a function that has two meanings, a number
  that is written in a form with two readings (`1,5`), an aggregation or a date that was not said, a blank where a
  number was.
- `misleading`: anything else. A number that nobody typed, a number under another name, a number that was dropped,
  numbers bound by their position to names that nobody typed, another function, another source, a column that nobody
  named, a condition that was dropped or turned around, an aggregation of an identifier that was not asked for.
- `page`: no line that runs a question or a call, but one that shows a page, such as `%service_help`. It claims
  nothing.

`judge(typed, offered, sources)` reads both lines without knowing what was meant. `compare(meaning, offered)` is for
generated mistakes, of which the meaning is known. Both have their own tokenizer, which knows nothing of the product;
the tables of synonyms are small and only say what is the same beyond doubt. A line of none of these tables is read by
its letters, and in doubt an offer is misleading.
"""

import itertools
import re
import unicodedata
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from decimal import Decimal, InvalidOperation
from typing import Literal

Verdict = Literal["same", "one slot differs", "misleading", "page"]
Sources = Mapping[str, Sequence[str]]

AGGREGATIONS: dict[str, str] = {
    "sum": "sum summe total totals somme suma elementary.sum stats.sum np.sum sumif sumifs",
    "avg": "avg average mean durchschnitt mittelwert moyenne promedio media stats.mean np.mean averageif averageifs",
    "count": "count cuántos anzahl nombre número numero countif countifs value_counts size nrow",
    "min": "min minimum smallest lowest mínimo np.min",
    "max": "max maximum largest highest máximo np.max",
    "median": "median mediane médiane mediana zentralwert stats.median np.median",
    "count_distinct": "count_distinct unique nunique n_distinct",
    "stddev": "stddev stdev std stddev_samp standardabweichung stats.std stdev.s sd",
    "variance": "variance var varianz var.s stats.variance",
    "percentile": "percentile percentil quantile quantil perzentil percentile_cont",
}
FUNCTIONS: dict[str, str] = {
    "np.std": "stats.std_population",
    "np.var": "stats.variance_population",
    "stdev.p": "stats.std_population",
    "var.p": "stats.variance_population",
    "percentile.inc": "stats.quantile",
    "percentile.exc": "stats.quantile",
    "np.quantile": "stats.quantile",
    "np.percentile": "stats.quantile",
    "npv": "finance.npv",
    "npf.npv": "finance.npv",
    "kapitalwert": "finance.npv",
    "irr": "finance.irr",
    "npf.irr": "finance.irr",
    "pmt": "finance.loan_payment",
    "sln": "finance.straight_line_depreciation",
    "effect": "finance.effective_rate",
    "capm": "finance.capm_return",
    "correl": "stats.correlation",
    "cor": "stats.correlation",
    "np.corrcoef": "stats.correlation",
    "correlation": "stats.correlation",
    "corr": "stats.correlation",
    "how many": "count",
    "pv of annuity": "finance.annuity_present_value",
    "gordon growth": "finance.gordon_value",
    "delta of a call": "option_pricing.delta_call",
    "lm": "stats.linear_regression",
    "scipy.stats.linregress": "stats.linear_regression",
    "scipy.stats.spearmanr": "stats.spearman",
    "scipy.stats.gmean": "stats.geometric_mean",
    "scipy.stats.iqr": "stats.iqr",
    "scipy.stats.norm.cdf": "distributions.normal_cdf",
    "scipy.stats.norm.pdf": "distributions.normal_pdf",
    "scipy.stats.norm.ppf": "distributions.normal_quantile",
    "scipy.stats.t.sf": "distributions.student_t_sf",
    "norm.s.dist": "distributions.normal_cdf",
    "norm.inv": "distributions.normal_quantile",
    "pnorm": "distributions.normal_cdf",
    "qnorm": "distributions.normal_quantile",
    "qt": "distributions.student_t_quantile",
    "dbinom": "distributions.binomial_pmf",
    "scipy.stats.binom.pmf": "distributions.binomial_pmf",
    "scipy.stats.poisson.pmf": "distributions.poisson_pmf",
    "t.test": "hypothesis.t_test_welch hypothesis.t_test_paired",
    "écart type": "stats.std stats.std_population",
    "wilcox.test": "hypothesis.mann_whitney_exact hypothesis.mann_whitney_normal",
    "scipy.stats.ttest_ind": "hypothesis.t_test_two_sample hypothesis.t_test_welch",
    "scipy.stats.ttest_rel": "hypothesis.t_test_paired",
    "scipy.stats.ttest_1samp": "hypothesis.t_test_one_sample",
    "scipy.stats.fisher_exact": "hypothesis.fisher_exact",
    "scipy.special.gamma": "special.gamma",
    "scipy.special.gammaln": "special.log_gamma",
    "scipy.special.jv": "special.bessel_j",
    "scipy.special.erf": "special.erf",
    "scipy.special.beta": "special.beta",
    "math.sqrt": "elementary.sqrt",
    "np.sqrt": "elementary.sqrt",
    "math.exp": "elementary.exp",
    "np.exp": "elementary.exp",
    "np.log": "elementary.log",
    "np.linalg.det": "linalg.determinant",
    "sklearn.metrics.mean_squared_error": "metrics.mean_squared_error",
    "sklearn.metrics.mean_absolute_error": "metrics.mean_absolute_error",
    "sklearn.metrics.r2_score": "metrics.r2_score",
    "combin": "combinatorics.binomial",
    "gcd": "number_theory.gcd",
    "fact": "special.factorial",
    "sqrt": "elementary.sqrt",
    "exp": "elementary.exp",
    "gamma": "special.gamma option_pricing.gamma",
    "std": "stats.std stats.std_population",
    "black scholes call": "option_pricing.black_scholes_call",
    "black scholes put": "option_pricing.black_scholes_put",
    "kinetic energy": "mechanics.kinetic_energy",
}
NAMES: dict[str, str] = {
    "spot": "kurs cours precio s s0 underlying spot_price",
    "strike": "k x strike_price exercise",
    "time": "t tau maturity expiry",
    "rate": "r i interest zins zinssatz taux tasa kp",
    "volatility": "sigma vol v",
    "dividend_yield": "q d yield",
    "cashflows": "values flows cfs cash_flows zahlungen flux flujos",
    "periods": "perioden périodes periodos n nper",
    "payment": "pmt",
    "present_value": "pv",
    "principal": "kapital capital p pv present_value",
    "risk_free_rate": "rf",
    "beta_factor": "beta",
    "market_return": "rm",
    "next_dividend": "d1",
    "required_return": "r ke",
    "growth": "g",
    "mass": "masse masa m",
    "speed": "geschwindigkeit vitesse velocidad v",
    "velocity": "v",
    "height": "höhe hauteur altura h",
    "radius": "r",
    "gravity": "g",
    "actual": "y_true",
    "predicted": "y_pred",
    "mean": "mittelwert moyenne media mu loc popmean",
    "std": "sigma sd scale",
    "values": "x a data werte valeurs valores",
    "probability": "p q",
    "definition": "type",
    "first": "a x",
    "second": "b y",
    "limit": "head top bottom nlargest nsmallest first",
    "percent": "percentile quantile percentile_cont p",
}
# The order of arguments of functions that people know from elsewhere; none of the product's own is bound by position.
ORDERS: dict[str, str] = {
    "sln": "cost salvage life",
    "effect": "nominal_rate frequency",
    "norm.inv": "p mean std",
    "npv": "rate cashflows",
    "npf.npv": "rate cashflows",
    "combin": "n k",
    "gcd": "a b",
    "qt": "p df",
    "dbinom": "k trials probability",
    "scipy.stats.binom.pmf": "k trials probability",
    "scipy.stats.poisson.pmf": "k rate",
    "scipy.special.jv": "order x",
    "scipy.special.beta": "a b",
    "scipy.stats.norm.cdf": "x mean std",
    "scipy.stats.norm.pdf": "x mean std",
    "scipy.stats.norm.ppf": "p mean std",
    "percentile.inc": "values probability",
    "percentile.exc": "values probability",
    "np.percentile": "values probability",
    "np.quantile": "values probability",
    "quantile": "values probability",
    "correl": "x y",
    "sklearn.metrics.mean_squared_error": "actual predicted",
    "sklearn.metrics.mean_absolute_error": "actual predicted",
    "sklearn.metrics.r2_score": "actual predicted",
    "scipy.stats.t.sf": "x df",
    "scipy.stats.ttest_1samp": "values mean",
    "scipy.stats.ttest_ind": "first second",
    "scipy.stats.ttest_rel": "before after",
}
# Numbers that a name of another library implies, though nobody typed them.
IMPLIED: dict[str, tuple[str, str]] = {
    "percentile.exc": ("definition", "6"),
    "percentile.inc": ("definition", "7"),
    "norm.s.dist": ("std", "1"),
    "npv": ("cashflows", "0"),
}
# Usual values that the product documents: they may be written out, though nobody typed them.
DEFAULTS: dict[str, dict[str, str]] = {
    "distributions.normal_cdf": {"mean": "0", "std": "1"},
    "distributions.normal_pdf": {"mean": "0", "std": "1"},
    "distributions.normal_quantile": {"mean": "0", "std": "1"},
    "stats.quantile": {"definition": "7"},
    "stats.iqr": {"definition": "7"},
    "hypothesis.mean_interval_t": {"level": "0.95"},
    "hypothesis.proportion_interval_wilson": {"level": "0.95"},
}
# Calls of other libraries whose arguments decide which function is meant.
REWRITES: tuple[tuple[str, str], ...] = (
    (r"np\.std\((.*?),\s*ddof\s*=\s*1\)", r"stats.std(\1)"),
    (r"np\.var\((.*?),\s*ddof\s*=\s*1\)", r"stats.variance(\1)"),
    (r"cor\((.*?),\s*method\s*=\s*['\"]spearman['\"]\)", r"stats.spearman(\1)"),
    (r"math\.log\(\s*(\S+),\s*(\S+)\)", r"elementary.log_base x=\1 base=\2"),
    (r"\.query\((['\"])(.*?)\1\)", r".query(\2)"),
    (r",\s*(TRUE|FALSE)\)", ")"),
)
UNITS: dict[str, Decimal] = {
    "km/h": Decimal(1) / Decimal("3.6"),
    "cm": Decimal("0.01"),
    "mm": Decimal("0.001"),
    "km": Decimal(1000),
    "g": Decimal("0.001"),
    "t": Decimal(1000),
    "min": Decimal(60),
    "bp": Decimal("0.0001"),
}
PLAIN_UNITS = {"m", "kg", "s", "m/s", "m/s^2", "n", "j", "%"}
BY_WORDS = {"by", "nach", "je", "pro", "par", "por", "per", "groupby", "group_by", "aggregate"}
WHERE_WORDS = {"where", "wo", "où", "donde", "wenn", "if", "having", "query", "filter", "with"}
LIST_WORDS = {"from", "von", "aus", "de", "form", "in"}
PERIODS = {
    "day": "day tag täglich daily jour día",
    "week": "week woche weekly semaine semana",
    "month": "month monat monthly mois mes",
    "quarter": "quarter quartal quarterly trimestre",
    "year": "year jahr yearly annual année año",
}
FILLERS = set(
    re.findall(
        r"\S+",
        """
        a an the of for and und et y or in on at is are was what how many much which show me please give get
        find compute calculate list let as with to i my we do does did all each every value values number
        numbers rows row than select distinct into asc desc order limit top bottom from by where having group
        not null between like during df pd np scipy stats sklearn metrics math special apply agg aggregate
        groupby group_by mean_ sort_values na.rm true false none data na rm fun summarise summarize ddof axis
        type c array dict head reset_index pivot_table index columns aggfunc corr method der die das den dem ein
        eine mit bitte zeige für sind ist la le les el los las una un del bins bin ascending descending n len
        linalg within
        """,
    )
)
OR_WORDS = {"or", "oder", "ou", "|", "||"}
ASCENDING = {"asc", "ascending", "bottom", "lowest", "smallest", "least", "fewest", "nsmallest", "aufsteigend"}
PAGES = (
    "help",
    "search",
    "sources",
    "preview",
    "profile",
    "policy",
    "panel",
    "capabilities",
    "last_error",
    "disconnect",
)
IDENTIFIERS = re.compile(r"(^|[ _])(id|ids|zip|code|key|number|nr|uuid|plz|postcode)$", re.IGNORECASE)
READ_OPTIONS = {"sep": "delimiter", "delim": "delimiter", "dec": "decimal", "fileEncoding": "encoding"}
OPERATORS = {"=": "=", "==": "=", "!=": "!=", "<>": "!=", "<": "<", "<=": "<=", ">": ">", ">=": ">="}

TOKEN = re.compile(
    r"""(?P<backtick>`(?:[^`]|``)*`)
    | (?P<text>'(?:[^']|'')*'|"(?:[^"]|"")*")
    | (?P<date>\d{4}-\d\d-\d\d(?:T[\d:.]+)?|\d{1,2}\.\d{1,2}\.\d{4})
    | (?P<blank>…|\.\.\.)
    | (?P<number>\d[\d_]*(?:[.,]\d+)*(?:[eE][+-]?\d+)?|\.\d+)
    | (?P<name>[^\W\d][\w]*(?:\.[^\W\d][\w]*)*)
    | (?P<sign><=|>=|!=|<>|==|=|<|>|\|\||[^\s])""",
    re.VERBOSE,
)


@dataclass(frozen=True)
class Token:
    """A piece of a line: its kind, its text without quotes, its place, and how deep in brackets it stands."""

    kind: str
    text: str
    at: int
    depth: int = 0


@dataclass(frozen=True)
class Number:
    """A number: the values that it may mean, the name it is bound to, its place, and whether it is certain."""

    values: tuple[str, ...]
    name: str = ""
    at: int = 0
    doubtful: bool = False
    listed: bool = False


@dataclass(frozen=True)
class Meaning:
    """What a right line means, part by part; the same parts as the records of `mistakes` have."""

    function: str = ""
    aggregation: str = ""
    columns: dict[str, str] = field(default_factory=dict)
    numbers: dict[str, str] = field(default_factory=dict)
    texts: dict[str, str] = field(default_factory=dict)
    source: str = ""
    conditions: tuple[tuple[str, str, str], ...] = ()


@dataclass(frozen=True)
class Reading:
    """What stands in a line: its words, numbers under their names, functions, columns by role, source."""

    tokens: tuple[Token, ...]
    numbers: tuple[Number, ...]
    functions: tuple[str, ...]
    columns: tuple[tuple[str, str], ...]
    source: str
    conditions: tuple[tuple[str, str, str], ...]
    names: tuple[str, ...]


@dataclass(frozen=True)
class Judgement:
    """A verdict, and what it rests on."""

    verdict: Verdict
    reasons: tuple[str, ...] = ()


def fold(name: str) -> str:
    """A name without case, separators and marks above letters."""
    plain = unicodedata.normalize("NFKD", name.casefold())
    return "".join(sign for sign in plain if sign.isalnum())


def distance(first: str, second: str) -> int:
    """How many letters apart two words are: inserted, dropped, replaced, or two neighbours exchanged."""
    rows = [list(range(len(second) + 1))]
    for i, a in enumerate(first, 1):
        row = [i]
        for j, b in enumerate(second, 1):
            best = min(rows[-1][j] + 1, row[-1] + 1, rows[-1][j - 1] + (a != b))
            if i > 1 and j > 1 and a == second[j - 2] and first[i - 2] == b:
                best = min(best, rows[-2][j - 2] + 1)
            row.append(best)
        rows.append(row)
    return rows[-1][-1]


def apart(first: str, second: str) -> int:
    """The distance of two folded names, or 99 where they are too far apart to be one word with slips."""
    a, b = fold(first), fold(second)
    if a == b:
        return 0
    steps = distance(a, b)
    return steps if steps <= 3 and min(len(a), len(b)) > 2 * steps - (steps == 1) else 99


def plain(number: Decimal) -> str:
    """The shortest way to write a decimal."""
    text = format(number.normalize(), "f")
    return "0" if text in {"-0", ""} else text


def tokens_of(line: str) -> list[Token]:
    """The tokens of a line with the depth of brackets around each."""
    found, depth = [], 0
    for match in TOKEN.finditer(re.sub(r"^\s*%+service_(ask|compute|explain)\b", "", line)):
        kind = str(match.lastgroup)
        text = match.group()
        depth -= text in {")", "]", "}"} and kind == "sign"
        body = text[1:-1].replace(text[0] * 2, text[0]) if kind in {"backtick", "text"} else text
        found.append(Token(kind, body, match.start(), max(depth, 0)))
        depth += text in {"(", "[", "{"} and kind == "sign"
    return found


def decimals(text: str) -> tuple[list[Decimal], bool]:
    """The values that a number may mean, the likeliest first, and whether there is a doubt."""
    bare = text.replace("_", "")
    try:
        if "," not in bare and bare.count(".") <= 1:
            return [Decimal(bare)], False
        if re.fullmatch(r"\d{1,3}(,\d{3})+(\.\d+)?", bare):
            values = [Decimal(bare.replace(",", ""))]
            return (
                (values, True)
                if "." in bare
                else ([*values, Decimal(bare.replace(",", ".", 1).replace(",", ""))], True)
            )
        return [Decimal(bare.replace(".", "").replace(",", "."))], True
    except InvalidOperation:
        return [], True


def split_lists(tokens: Sequence[Token]) -> list[Token]:
    """Take numbers apart at the commas of a list, unless semicolons part its elements."""
    out: list[Token] = []
    semicolons = any(token.text == ";" and token.depth > 0 for token in tokens)
    for token in tokens:
        if token.kind == "number" and token.depth > 0 and "," in token.text and not semicolons:
            out += [Token("number", part, token.at, token.depth) for part in token.text.split(",")]
        else:
            out.append(token)
    return out


def unit_after(tokens: Sequence[Token], index: int, line: str) -> tuple[Decimal, bool]:
    """The factor of what stands directly behind a number, and whether it is a doubtful sign."""
    rest = line[tokens[index].at + len(tokens[index].text) :]
    match = re.match(r"\s*(%|km/h|m/s\^2|m/s|[a-zA-Z]+)(?![\w(=.])", rest)
    if not match:
        return Decimal(1), False
    unit = match.group(1)
    if unit == "%":
        return Decimal("0.01"), False
    if unit in {"k", "K"}:
        return Decimal(1000), True
    return UNITS.get(unit, Decimal(1)), False


def number_at(tokens: Sequence[Token], index: int, line: str, name: str) -> Number | None:
    """The number of a token: with its sign, its percent sign and its unit."""
    token = tokens[index]
    values, doubt = decimals(token.text)
    if not values:
        return None
    body = re.sub(r"^\s*%+service_(ask|compute|explain)\b", "", line)
    factor, sign_doubt = unit_after(tokens, index, body)
    before = tokens[index - 1] if index else None
    ahead = tokens[index - 2] if index > 1 else None
    minus = (
        before is not None
        and before.text in {"-", "\u2212"}
        and (ahead is None or (ahead.kind == "sign" and ahead.text not in {")", "]"}) or ahead.kind == "name")
    )
    scaled = [plain((-value if minus else value) * factor) for value in values]
    if fold(name) in {"percent", "probability"} and factor == Decimal("0.01"):
        scaled.append(plain(values[0]))
    return Number(tuple(scaled), name, token.at, doubt or sign_doubt, listed=token.depth > 0)


def name_before(tokens: Sequence[Token], index: int) -> str:
    """The name that a value is bound to: `name = value`, `name value`, `name between 1 and 2`, `limit 5`."""
    level = tokens[index].depth
    at = index - 1
    while at >= 0:
        token = tokens[at]
        if token.text in {"=", "==", ":", "<", ">", "<=", ">=", "!=", "<>"} and at > 0 and token.depth <= level:
            return wide_name(tokens, at - 1)
        if token.kind in {"name", "backtick"}:
            word = token.text.casefold()
            if word in {"between", "and", "in", "not", "than", "of", "is", "equals"} and token.depth <= level:
                if word == "of" and at and tokens[at - 1].text.casefold() == "bins":
                    return "width"
            elif word in {"limit", "head", "top", "bottom", "percentile", "quantile", "nlargest", "nsmallest"}:
                return word
            elif (token.depth <= level and at > 0 and tokens[at + 1].text == "between") or tokens[at + 1].text in {
                "between",
                "in",
                "not",
                "is",
            }:
                return token.text
            else:
                return ""
        if token.depth < level and token.text in {"(", "[", "{"}:
            level = token.depth
        elif token.depth == level and token.text in {",", ";"} and level == 0:
            return ""
        at -= 1
    return ""


def wide_name(tokens: Sequence[Token], at: int) -> str:
    """The name that ends at a token; a quoted one, or words with blanks between them are given as their last word."""
    token = tokens[at]
    if token.text == "]" and at > 1:
        return tokens[at - 1].text
    if token.text == ")" and at > 2:
        return tokens[at - 3].text if tokens[at - 1].text == "*" else tokens[at - 1].text
    return token.text.rsplit(".", 1)[-1] if token.kind == "name" else token.text


def numbers_of(line: str) -> list[Number]:
    """All numbers of a line under their names, and those that stand in words, such as `p90`."""
    tokens = split_lists(tokens_of(line))
    found = []
    for index, token in enumerate(tokens):
        if token.kind == "number" and not (index and tokens[index - 1].text == "^"):
            name = name_before(tokens, index)
            after = tokens[index + 1].text.casefold() if index + 1 < len(tokens) else ""
            if after in {"th", "st", "nd", "rd", "percentile", "quantile"}:
                name = "percent"
            number = number_at(tokens, index, line, name)
            if number is not None:
                found.append(number)
        elif token.kind == "name" and re.fullmatch(r"p\d{1,2}", token.text):
            found.append(Number((token.text[1:],), "percent", token.at))
    return found


def words_for(table: Mapping[str, str], word: str) -> list[str]:
    """The canonical names that have a word among their synonyms."""
    return [name for name, words in table.items() if word == name or word in words.split()]


def functions_of(line: str, sources: Sources) -> dict[str, tuple[str, ...]]:
    """The functions that are named in a line: each word with what it may mean."""
    found: dict[str, tuple[str, ...]] = {}
    tokens = tokens_of(line)
    for index, token in enumerate(tokens):
        word = token.text.casefold()
        if token.kind == "text" and words_for(AGGREGATIONS, word):
            found[word] = tuple(words_for(AGGREGATIONS, word))
        if token.kind != "name":
            continue
        owner, _, method = word.rpartition(".")
        if index and tokens[index - 1].text == "count" and word == "distinct":
            found.pop("count", None)
            found["count_distinct"] = ("count_distinct",)
        elif index + 1 < len(tokens) and tokens[index + 1].text == "=" and token.depth < 2 and not owner:
            continue
        elif word in FUNCTIONS:
            found[word] = tuple(canonical(name) for name in FUNCTIONS[word].split())
        elif aggregations := words_for(AGGREGATIONS, word):
            found[word] = tuple(aggregations)
        elif owner and (
            tokens[index - 1].text == "."
            or owner.split(".")[0] in {name.casefold() for name in sources}
            or owner in {"df", "data"}
        ):
            for aggregation in words_for(AGGREGATIONS, method):
                found[method] = (aggregation,)
        elif owner and "." not in owner and not (index and tokens[index - 1].text in {"=", ","}):
            found[word] = (canonical(word),)
        elif re.fullmatch(r"p\d{1,2}", word):
            found[word] = ("percentile",)
    phrase = re.sub(r"[^a-z\u00e0-\u00ff ]+", " ", line.casefold())
    for words, name in FUNCTIONS.items():
        if " " in words and words in re.sub(r" +", " ", phrase):
            found[words] = tuple(canonical(each) for each in name.split())
    return found


def canonical(function: str) -> str:
    """A function under the name of the aggregation that does the same, if there is one."""
    return next(iter(words_for(AGGREGATIONS, function)), function)


def source_of(line: str, sources: Sources) -> str:
    """The source that a line names: behind `from`, before a dot, or anywhere as a word of its own."""
    tokens = tokens_of(line)
    for token in tokens:
        head = token.text.split(".")[0]
        if token.kind in {"name", "backtick"} and head in sources:
            return head
    for before, token in itertools.pairwise(tokens):
        named = token.kind in {"name", "backtick", "text"} and token.text.casefold() not in WHERE_WORDS
        if before.text.casefold() == "from" and named:
            return token.text
    return ""


def offered_columns(line: str, sources: Sources) -> list[tuple[str, str]]:
    """The columns of an offered line by their roles: metric, by, where, or the parameter that takes one."""
    found: list[tuple[str, str]] = []
    role, tokens = "metric", tokens_of(line)
    for index, token in enumerate(tokens):
        word = token.text.casefold()
        after = tokens[index + 1].text if index + 1 < len(tokens) else ""
        before = tokens[index - 1].text if index else ""
        if token.kind == "backtick" and before != ".":
            found.append((role, token.text))
        elif token.kind == "backtick":
            found.append((name_before(tokens, index - 1) or role, token.text))
        elif token.kind != "name":
            continue
        elif word in {"by", "where", "having", "order", "limit", "from"}:
            role = "by" if word == "by" and role != "order" else "order" if word in {"order", "by"} else word
        elif "." in token.text and token.text.split(".")[0] in sources:
            found.append((wide_name(tokens, index - 2) if before == "=" else role, token.text.split(".", 1)[1]))
        elif is_column(word, role, after, before):
            found.append((role, token.text))
    return [(where, name) for where, name in found if where not in {"from", "order", "limit", "having"}]


def is_column(word: str, role: str, after: str, before: str) -> bool:
    """Whether a bare word of an offered line stands where a column stands."""
    if "." in word or (words_for(AGGREGATIONS, word) and role == "metric") or role in {"from", "order", "limit"}:
        return False
    if word in {*PERIODS, "bins"} and after == "of":
        return False
    keywords = "of in bins is not null and or between contains starts with during distinct asc desc true false"
    if word in keywords.split() or re.fullmatch(r"p\d{1,2}|(this|last)_(month|quarter|year)", word):
        return False
    return not (role == "metric" and after == "=") and before not in {"=", "during"} and after != "."


def conditions_of(line: str) -> list[tuple[str, str, str]]:
    """The comparisons of a line as column, operator and value."""
    found, tokens = [], tokens_of(line)
    for index, token in enumerate(tokens[1:-1], 1):
        if token.text in OPERATORS and token.kind == "sign":
            value = tokens[index + 2].text if tokens[index + 1].text == "-" and index + 2 < len(tokens) else ""
            found.append((wide_name(tokens, index - 1), OPERATORS[token.text], value or tokens[index + 1].text))
    return found


def read(line: str, sources: Sources | None = None) -> Reading:
    """Everything that stands in a line."""
    known = sources or {}
    functions = functions_of(line, known)
    tokens = tuple(tokens_of(line))
    return Reading(
        tokens=tokens,
        numbers=tuple(numbers_of(line)),
        functions=tuple(dict.fromkeys(name for names in functions.values() for name in names)),
        columns=tuple(offered_columns(line, known)),
        source=source_of(line, known),
        conditions=tuple(conditions_of(line)),
        names=tuple(token.text for token in tokens if token.kind in {"name", "backtick"}),
    )


@dataclass
class Balance:
    """What differs so far: slots that an offer may ask about, and faults that it may not have."""

    slots: list[str] = field(default_factory=list)
    faults: list[str] = field(default_factory=list)
    used: set[int] = field(default_factory=set)

    def verdict(self) -> Judgement:
        """No fault and no slot is the same; one slot is a candidate; more slots are a guess."""
        slots = tuple(dict.fromkeys(self.slots))
        if self.faults or len(slots) > 1:
            return Judgement("misleading", (*self.faults, *slots))
        return Judgement("one slot differs" if slots else "same", slots)


def same_name(typed: str, offered: str) -> int:
    """How far a typed name is from an offered one: 0 for equal names and synonyms, else letters, or 99."""
    if fold(typed) == fold(offered) or typed.casefold() in NAMES.get(offered, "").split():
        return 0
    return apart(typed, offered)


def weigh_numbers(typed: str, offered: str, balance: Balance, heads: Iterable[str]) -> None:
    """Every typed number stands in the offered line under its name, and no other number does."""
    mine, theirs = numbers_of(typed), numbers_of(offered)
    left = list(mine)
    head = next((word for word in heads if word in ORDERS or word in IMPLIED), "")
    scalars = {number.name for number in theirs}
    doubtful = False
    for number in theirs:
        fits = [one for one in left if set(one.values) & set(number.values)]
        fits += [one for one in left if one not in fits and quantile_of(one, number)]
        best = min(fits, key=lambda one: (bound(one, number, head, scalars), one.at), default=None)
        if best is None:
            usual = {name: values for one in read_functions(offered) for name, values in DEFAULTS.get(one, {}).items()}
            if usual.get(number.name) == number.values[0]:
                continue
            if head in IMPLIED and number.values[0] == IMPLIED[head][1] and fold(number.name) == IMPLIED[head][0]:
                continue
            balance.faults.append(f"{number.name or 'a number'} {number.values[0]} was not typed")
            continue
        left.remove(best)
        doubtful = doubtful or best.doubtful
        far = bound(best, number, head, scalars)
        if far == 99:
            balance.faults.append(f"{number.values[0]} was typed for {best.name or 'no name'}, not for {number.name}")
        elif far > 1 and not any(f" {number.name} is" in slot for slot in balance.slots):
            balance.slots.append(f"the name {best.name} is taken for {number.name}")
        balance.used |= {token.at for token in tokens_of(typed) if far < 99 and token.text == best.name}
    if doubtful:
        balance.slots.append("a number is written in a form with two readings")
    if left and "…" in offered and len(left) == 1:
        balance.slots.append(f"a blank stands for {left[0].values[0]}")
    elif left:
        balance.faults.append("dropped: " + ", ".join(number.values[0] for number in left))
    for name in {number.name for number in theirs if number.listed}:
        order = [number.values[0] for number in theirs if number.name == name]
        stood = [value for one in mine for value in one.values if value in order]
        if sorted(stood) == sorted(order) and stood != order:
            balance.faults.append(f"the order of the numbers of {name} changed")


def read_functions(line: str) -> list[str]:
    """The functions of an offered line, by their canonical names."""
    return [name for names in functions_of(line, {}).values() for name in names]


def quantile_of(typed: Number, offered: Number) -> bool:
    """Whether a quantile and a percentile are one: 0.9 and 90."""
    if fold(offered.name) not in {"percent", "percentile", "probability"}:
        return False
    ratio = Decimal(typed.values[0]), Decimal(offered.values[0])
    return ratio[0] * 100 == ratio[1] or ratio[1] * 100 == ratio[0]


def bound(typed: Number, offered: Number, head: str, scalars: set[str]) -> int:
    """How far the name of a typed number is from the offered one; one without a name fits one place only."""
    if not offered.name:
        return 0
    if typed.name:
        quantiles = {"percent", "percentile", "quantile", "probability"}
        both = {fold(typed.name), fold(offered.name)}
        return 0 if both <= quantiles else same_name(typed.name, offered.name)
    if head in ORDERS and offered.name in ORDERS[head].split():
        return 0
    if head.startswith(("norm", "pnorm", "qnorm")) and offered.name in {"x", "p"}:
        return 0
    return 0 if len(scalars) == 1 or fold(offered.name) in {"percent", "percentile", "limit"} else 99


def weigh_functions(typed: str, offered: str, balance: Balance, sources: Sources) -> None:
    """The function is the one that was typed, a synonym of it, or one that is a letter away."""
    mine, theirs = functions_of(typed, sources), functions_of(offered, sources)
    want = {name for names in theirs.values() for name in names[:1]}
    known = {word: names for word, names in mine.items() if set(names) & want}
    if "sum" in want and "total" in mine:
        known["total"] = ("sum",)
    covered = {name for names in known.values() for name in names}
    balance.used |= {token.at for token in tokens_of(typed) if token.text.casefold() in known}
    if any(len(names) > 1 for names in known.values()) and len(want) == 1:
        balance.slots.append("the function has several meanings")
    for name in want - covered:
        near = nearest(typed, name, balance, sources)
        if near is None and mine:
            balance.faults.append(f"another function: {name} in the place of {', '.join(mine)}")
        elif near is None:
            head = first_word(typed, sources)
            fault = head and "=" in typed
            (balance.faults if fault else balance.slots).append(f"the function {name} was not typed")
        elif near > 1:
            balance.slots.append(f"the function {name} is {near} letters away")
    for word, names in mine.items():
        spellings = {spelling for name in want for spelling in (name, *AGGREGATIONS.get(name, "").split())}
        if not set(names) & want and not any(apart(word, name) <= 3 or tail(word, name) <= 3 for name in spellings):
            balance.faults.append(f"dropped: the function {word}")


def tail(typed: str, name: str) -> int:
    """The distance of the last parts of two dotted names."""
    return apart(typed.rpartition(".")[2], name.rpartition(".")[2])


def first_word(typed: str, sources: Sources) -> str:
    """The first word that is neither a filler nor a column nor a source."""
    columns = {fold(column) for names in sources.values() for column in names} | {fold(name) for name in sources}
    words = (token.text for token in tokens_of(typed) if token.kind == "name")
    return next((word for word in words if word.casefold() not in FILLERS and fold(word) not in columns), "")


def nearest(typed: str, name: str, balance: Balance, sources: Sources) -> int | None:
    """How many letters a misspelled word of the typed line is from a function, if one is near enough."""
    spellings = {name, name.rpartition(".")[2], *AGGREGATIONS.get(name, "").split()}
    best, place = 99, -1
    columns = {fold(column) for names in sources.values() for column in names}
    for token in tokens_of(typed):
        if token.kind != "name" or fold(token.text) in columns:
            continue
        for spelling in spellings:
            far = apart(token.text, spelling)
            if "." in token.text and "." in name:
                far = min(far, apart(token.text, name))
            if far < best:
                best, place = far, token.at
    if best == 99:
        return None
    balance.used.add(place)
    return best


def spans(tokens: Sequence[Token]) -> list[tuple[str, int, int]]:
    """All runs of up to six neighbouring words as one name, with their places; a quoted name is one of its own."""
    found = []
    for index, token in enumerate(tokens):
        if token.kind in {"backtick", "text"}:
            found.append((token.text, token.at, index))
        if token.kind == "name":
            found += [(part, token.at, index) for part in {token.text, *token.text.split(".")}]
            for width in range(2, 7):
                run = tokens[index : index + width]
                if len(run) < width or run[-1].kind not in {"name", "sign"}:
                    continue
                found.append((" ".join(one.text for one in run), token.at, index))
    return found


def weigh_columns(typed: str, offered: str, balance: Balance, sources: Sources) -> None:
    """Every offered column was typed, whole or as a part, and in its role; none that was typed is missing."""
    tokens = tokens_of(typed)
    runs = spans(tokens)
    columns = offered_columns(offered, sources)
    for role, column in columns:
        far = min((apart(text, column) for text, _, _ in runs), default=99)
        if far > 1 and (parts := [run for run in runs if is_part(run[0], column)]):
            balance.slots.append(f"{parts[0][0]} is taken for {column}")
            balance.used.add(parts[0][1])
            continue
        if far == 99:
            asked = role == "by" and period_in(typed) and period_in(offered)
            asked = asked or (role == "where" and relative_in(typed) and relative_in(typed) == relative_in(offered))
            (balance.slots if asked else balance.faults).append(f"the column {column} was not typed")
        elif far > 1:
            balance.slots.append(f"the column {column} is {far} letters away")
        near = [(at, index) for text, at, index in runs if apart(text, column) == far]
        balance.used |= {one.at for _, index in near for one in tokens[index : index + len(column.split())]}
        weigh_role(role, column, [index for _, index in near], tokens, balance)
        if identifier_added(role, column, offered, far):
            balance.faults.append(f"{column} is an identifier")
    there = {fold(column) for _, column in columns}
    source = source_of(offered, sources)
    for column in sources.get(source, ()) if source else {c for names in sources.values() for c in names}:
        exact = [at for text, at, _ in runs if fold(text) == fold(column)]
        if (
            exact
            and fold(column) != fold(source)
            and fold(column) not in there
            and fold(column) not in fold(" ".join(there))
            and column not in {*PERIODS, source}
        ):
            balance.faults.append(f"dropped: the column {column}")


def is_part(text: str, column: str) -> bool:
    """Whether a typed word is one whole word of a column's name."""
    return len(text) > 2 and fold(text) in {fold(part) for part in re.split(r"[\s_]+", column)}


def identifier_added(role: str, column: str, offered: str, far: int) -> bool:
    """Whether an identifier is computed with, though its name was not typed letter by letter."""
    counted = re.match(r"\s*(%+service_\w+\s+)?count", offered)
    return role == "metric" and bool(IDENTIFIERS.search(column)) and far > 0 and not counted


def period_in(line: str) -> str:
    """The period that a line names, such as month."""
    words = {token.text.casefold() for token in tokens_of(line)}
    return next((period for period, names in PERIODS.items() if words & {period, *names.split()}), "")


def relative_in(line: str) -> str:
    """The period counted from today that a line names, such as last_year."""
    found = re.search(r"\b(this|last)[ _](month|quarter|year)\b", line.casefold())
    return f"{found[1]}_{found[2]}" if found else ""


def weigh_role(role: str, column: str, places: Sequence[int], tokens: Sequence[Token], balance: Balance) -> None:
    """A column behind `by` stays behind it, and one before it stays before it."""
    marks = [index for index, token in enumerate(tokens) if token.text.casefold() in BY_WORDS and token.depth == 0]
    ends = [index for index, token in enumerate(tokens) if token.text.casefold() in WHERE_WORDS | {"from", "limit"}]
    ends += [
        index
        for index, (token, after) in enumerate(itertools.pairwise(tokens))
        if token.text.casefold() == "order" and after.text.casefold() in {"by", "asc", "desc"}
    ]
    if bare_words(" ".join(token.text for token in tokens)) & {"top", "bottom"}:
        return
    if (
        not marks
        or not places
        or tokens[marks[0]].text.casefold() not in {"by", "nach", "je", "pro", "par", "por", "per"}
    ):
        return
    first = marks[0]
    last = min((end for end in ends if end > first), default=len(tokens))
    inside = any(first < place < last for place in places)
    outside = any(not first < place < last for place in places)
    if (role == "by" and not inside) or (role == "metric" and not outside):
        balance.faults.append(f"{column} was typed in another role than {role}")


def weigh_conditions(typed: str, offered: str, balance: Balance) -> None:
    """Operators, texts and the words between conditions are those that were typed."""
    words = [token for token in tokens_of(typed) if token.kind in {"name", "text", "backtick", "date"}]
    mine = conditions_of(typed)
    for column, operator, value in conditions_of(offered):
        typed_as = {sign for name, sign, met in mine if apart(name, column) <= 3 and operator_of(met, value)}
        if typed_as and operator not in typed_as:
            balance.faults.append(f"{column} {operator} was typed as {', '.join(sorted(typed_as))}")
    for token in tokens_of(offered):
        if token.kind == "date" and token.text not in {word.text for word in words}:
            known = re.fullmatch(r"(\d{4})-(\d\d)-(\d\d)", token.text)
            turned = {f"{known[3]}.{known[2]}.{known[1]}", f"{known[2]}.{known[3]}.{known[1]}"} if known else set()
            there = turned & {word.text for word in words}
            (balance.slots if there else balance.faults).append(f"the date {token.text}")
        if token.kind == "text":
            far = min((apart(word.text, token.text) for word in words), default=99)
            balance.used |= {word.at for word in words if apart(word.text, token.text) == far}
            if far == 99:
                balance.faults.append(f"the text {token.text} was not typed")
            elif far > 1:
                balance.slots.append(f"the text {token.text} is {far} letters away")
    standing = [token.text for token in tokens_of(offered) if token.kind in {"text", "name", "backtick"}]
    for word in words:
        said = words_for(AGGREGATIONS, word.text.casefold()) or any(apart(word.text, text) <= 3 for text in standing)
        if word.kind == "text" and not said and fold(word.text) not in fold(" ".join(standing)):
            balance.faults.append(f"dropped: the text {word.text}")
    mine_words, their_words = bare_words(typed), bare_words(offered)
    if bool(mine_words & OR_WORDS) != bool(their_words & OR_WORDS):
        balance.faults.append("and and or are exchanged")
    if "asc" in their_words and not mine_words & ASCENDING:
        balance.faults.append("the order was turned around")


def operator_of(met: str, value: str) -> bool:
    """Whether two values of conditions are one, so that their operators have to be one."""
    return apart(met, value) <= 1 or met == value


def bare_words(line: str) -> set[str]:
    """The words of a line outside of quotes."""
    return {token.text.casefold() for token in tokens_of(line) if token.kind in {"name", "sign"}}


def weigh_source(typed: str, offered: str, balance: Balance, sources: Sources) -> None:
    """The source is the one that was typed, or the only one that is connected."""
    mine, theirs = source_of(typed, sources), source_of(offered, sources)
    if not theirs or mine == theirs:
        return
    if not mine:
        if len(sources) > 1:
            balance.slots.append(f"the source {theirs} was not typed")
        return
    far = apart(mine, theirs)
    if far > 1 or mine in sources:
        balance.faults.append(f"another source: {theirs} in the place of {mine}")


def weigh_rest(typed: str, offered: str, balance: Balance, sources: Sources) -> None:
    """Words that stand nowhere in the offered line: one run of them is a slot, several are too many."""
    theirs = {fold(part) for token in tokens_of(offered) for part in re.split(r"[.\s_]+", token.text)}
    theirs |= {fold(token.text) for token in tokens_of(offered)} | {fold(name) for name in sources}
    known = {word for words in (*AGGREGATIONS.values(), *PERIODS.values(), *NAMES.values()) for word in words.split()}
    known |= {
        *FUNCTIONS,
        *BY_WORDS,
        *WHERE_WORDS,
        *LIST_WORDS,
        *FILLERS,
        *NAMES,
        *PLAIN_UNITS,
        *UNITS,
        *ASCENDING,
        *PERIODS,
        *(word for phrase in functions_of(typed, sources) for word in phrase.split()),
    }
    runs, inside = 0, False
    for token in tokens_of(typed):
        if token.kind != "name":
            continue
        parts = [fold(part) for part in token.text.split(".")]
        words = {token.text.casefold(), token.text.casefold().rpartition(".")[2]}
        said = token.at in balance.used or bool(words & known) or any(part in theirs for part in parts)
        said = said or any(apart(token.text, word) <= 1 for word in [*theirs, *known] if len(word) > 3)
        said = said or bool(re.fullmatch(r"p\d{1,2}|th|st|nd|rd|e\d*", token.text))
        runs += not said and not inside
        inside = not said
    balance.slots += ["words are left over"] * runs


def connect_words(line: str) -> tuple[list[str], dict[str, str]]:
    """The words and the options of a line that connects a file."""
    words, options, items = [], {}, line.removeprefix("%service_connect").split()
    while items:
        item = items.pop(0)
        if item.startswith("--"):
            name = item[2:]
            options[READ_OPTIONS.get(name, name)] = items.pop(0) if items and not items[0].startswith("--") else ""
        else:
            words.append(item)
    return words, options


def judge_connect(typed: str, offered: str) -> Judgement:
    """A file is connected under the same name with the options that were typed; options to read it are one slot."""
    balance = Balance()
    (mine, given), (theirs, taken) = connect_words(typed), connect_words(offered)
    path, other = (mine or [""])[-1], (theirs or [""])[-1]
    if read_csv := re.search(r"read_\w+\(\s*['\"]([^'\"]+)", typed):
        path, mine, given = read_csv[1], [typed.split("=", maxsplit=1)[0].strip(), read_csv[1]], {}
    if (far := distance(path, other)) > 1:
        balance.faults.append(f"another file: {other}")
    elif far:
        balance.used.add(0)
    if len(mine) > 1 and len(theirs) > 1 and mine[0] not in {theirs[0], "df"}:
        balance.faults.append(f"another name: {theirs[0]}")
    for name, value in given.items():
        if taken.get(name) != value:
            balance.faults.append(f"dropped: the option {name}")
    if set(taken) - set(given) - {"replace"}:
        balance.slots.append("options to read the file are added")
    return balance.verdict()


def is_page(offered: str) -> bool:
    """Whether a line shows a page, and so claims nothing about what was typed."""
    return bool(re.match(r"\s*%+service_(" + "|".join(PAGES) + r")\b", offered))


def judge(typed: str, offered: str, sources: Sources | None = None) -> Judgement:
    """The verdict on an offered line, by what was typed and by the columns of the sources that are connected."""
    known = sources or {}
    for pattern, right in REWRITES:
        typed = re.sub(pattern, right, typed)
    if is_page(offered):
        return Judgement("page")
    if re.match(r"\s*%+service_connect\b", offered):
        return judge_connect(typed, offered)
    if not typed.strip():
        return Judgement("misleading", ("nothing was typed",))
    balance = Balance()
    weigh_source(typed, offered, balance, known)
    weigh_functions(typed, offered, balance, known)
    weigh_columns(typed, offered, balance, known)
    weigh_numbers(typed, offered, balance, functions_of(typed, known))
    weigh_conditions(typed, offered, balance)
    weigh_rest(typed, offered, balance, known)
    return balance.verdict()


def lists_of(numbers: Iterable[Number]) -> dict[str, list[str]]:
    """Numbers by their names, in their order."""
    found: dict[str, list[str]] = {}
    for number in numbers:
        found.setdefault(fold(number.name), []).append(number.values[0])
    return found


def compare(meaning: Meaning, offered: str, sources: Sources | None = None) -> Judgement:
    """The verdict on an offered line, by the meaning that the typed line had before it was mutated."""
    if is_page(offered):
        return Judgement("page")
    known, balance = sources or {}, Balance()
    line = read(offered, known)
    want = {canonical(part) for part in (meaning.function or meaning.aggregation).split(",") if part}
    if want != set(line.functions):
        balance.faults.append(f"another function: {', '.join(line.functions)}")
    if line.source and meaning.source and line.source != meaning.source:
        balance.faults.append(f"another source: {line.source}")
    numbers = {fold(name): re.findall(r"-?[\d.]+", value) for name, value in meaning.numbers.items()}
    for column, _, value in meaning.conditions:
        if re.fullmatch(r"-?\d+(\.\d+)?", value):
            numbers.setdefault(fold(column), []).append(value)
    compare_numbers(numbers, lists_of(line.numbers), "…" in offered, balance)
    compare_columns(meaning, line, balance)
    return balance.verdict()


def compare_numbers(want: dict[str, list[str]], have: dict[str, list[str]], blank: bool, balance: Balance) -> None:
    """Numbers under the names that they have in the meaning; a blank may stand for one name."""
    words = {"percentile": "percent"}
    have = {words.get(name, name): values for name, values in have.items()}
    for name in want.keys() | have.keys():
        mine = [plain(Decimal(value)) for value in want.get(name, [])]
        if mine == have.get(name, []):
            continue
        if blank and name not in have:
            balance.slots.append(f"a blank stands for {name}")
        else:
            balance.faults.append(
                f"{name} is {', '.join(have.get(name, [])) or 'missing'}, not {', '.join(mine) or 'typed'}"
            )


def compare_columns(meaning: Meaning, line: Reading, balance: Balance) -> None:
    """Columns in the roles that they have in the meaning; one that differs is a slot."""
    want = {(fold(re.sub(r"\d+$", "", role)), fold(name)) for role, name in meaning.columns.items()}
    want |= {("where", fold(column)) for column, _, _ in meaning.conditions}
    have = {(fold(role), fold(name)) for role, name in line.columns}
    extra, missing = have - want, want - have
    if len(extra) == len(missing) == 1 and {role for role, _ in extra} == {role for role, _ in missing}:
        balance.slots.append(f"another column: {next(iter(extra))[1]}")
    elif extra or missing:
        balance.faults.append(f"other columns: {sorted(extra)} in the place of {sorted(missing)}")
    texts = {fold(token.text) for token in line.tokens if token.kind == "text"}
    wanted = {fold(value) for _, _, value in meaning.conditions if not re.fullmatch(r"[-\d.T:]+", value)}
    wanted |= {fold(value) for value in meaning.texts.values()}
    if texts != wanted:
        balance.faults.append(f"texts: {sorted(texts)} in the place of {sorted(wanted)}")
    have_signs = {(fold(column), sign) for column, sign, _ in line.conditions if sign != "="}
    want_signs = {(fold(column), sign) for column, sign, _ in meaning.conditions if sign != "="}
    if have_signs != want_signs:
        balance.faults.append("operators differ")


SHOP: Sources = {
    "orders": ("Row ID", "Order ID", "Order Date", "Ship Date", "Customer Segment", "Region", "Sales", "Profit"),
}
PLANES: Sources = {"flights": ("year", "month", "carrier", "origin", "arr_delay", "dep_delay", "distance")}
BOTH: Sources = {**SHOP, **PLANES}
NPV = "finance.npv rate=0.1 cashflows=[-1000, 300]"
CALL = "option_pricing.black_scholes_call spot=100 strike=95 time=1 rate=0.05 volatility=0.2"
SELF_TESTS: tuple[tuple[str, str, Sources, Verdict], ...] = (
    ("average Profit by 'Customer Segment'", "avg Profit by `Customer Segment` from orders", SHOP, "same"),
    ("sum Profti by Region", "sum Profit by Region from orders", SHOP, "same"),
    ("sum Sales by Region", "sum Sales by Region from orders", SHOP, "same"),
    ("sum Sales by Region", "sum Profit by Region from orders", SHOP, "misleading"),
    ("sum Sales by Region", "avg Sales by Region from orders", SHOP, "misleading"),
    ("select Region, avg(Sales) from orders group by Region", "avg Sales by Region from orders", SHOP, "same"),
    ("df.groupby('Region')['Sales'].mean()", "avg Sales by Region from orders", SHOP, "same"),
    ("avg delay by carrier", "avg arr_delay by carrier from flights", PLANES, "one slot differs"),
    ("avg delay by carrier", "avg distance by carrier from flights", PLANES, "misleading"),
    ("sum Sales by year", "sum Sales by year of `Order Date` from orders", SHOP, "one slot differs"),
    ("count where Sales > 5%", "count from orders where Sales > 0.05", SHOP, "same"),
    ("count where Sales > 5%", "count from orders where Sales > 5", SHOP, "misleading"),
    ("count where Sales > 100", "count from orders where Sales >= 100", SHOP, "misleading"),
    ("count where Sales > 100 limit 3", "count from orders where Sales > 100", SHOP, "misleading"),
    ("count from flights", "count from orders", BOTH, "misleading"),
    ("sum ID", "sum `Row ID` from orders", SHOP, "misleading"),
    ("show me Sales by Region", "sum Sales by Region from orders", SHOP, "one slot differs"),
    ("sum Region by Sales", "sum Sales by Region from orders", SHOP, "misleading"),
    ("finance.nvp rate=0.1 cashflows=[-1000,300]", NPV, {}, "same"),
    ("npv rate=10% cashflows=[-1000, 300]", NPV, {}, "same"),
    ("npv rate=0,1 cashflows=[-1000, 300]", NPV, {}, "one slot differs"),
    ("npv rate=0.1 cashflows=[-1000, 300]", "finance.npv rate=0.1 cashflows=[-1000, 300, 420]", {}, "misleading"),
    ("npv rate=0.1 cashflows=[-1000, 300]", "finance.npv rate=0.1 cashflows=[300, -1000]", {}, "misleading"),
    ("npv rate=0.1 cashflows=[-1000, 300]", "finance.irr cashflows=[-1000, 300]", {}, "misleading"),
    ("black scholes call S=100 K=95 T=1 r=5% sigma=20%", CALL, {}, "same"),
    ("black scholes call S=95 K=100 T=1 r=5% sigma=20%", CALL, {}, "misleading"),
    ("black scholes call S=100 K=95 T=1 r=5% sigma=20%", CALL.replace("call", "put"), {}, "misleading"),
    ("option_pricing.black_scholes_call(100, 95, 1, 0.05, 0.2)", CALL, {}, "misleading"),
    ("np.std([2, 4, 5])", "stats.std_population values=[2, 4, 5]", {}, "same"),
    ("np.std([2, 4, 5])", "stats.std values=[2, 4, 5]", {}, "misleading"),
    ("kinetic energy m=2kg v=90km/h", "mechanics.kinetic_energy mass=2 speed=25", {}, "same"),
    ("kinetic energy m=2kg v=90km/h", "mechanics.kinetic_energy mass=2 speed=90", {}, "misleading"),
    ("gamma 4.5", "special.gamma x=4.5", {}, "one slot differs"),
    ("2+2", "elementary.sum values=[1, 2, 3]", {}, "misleading"),
    ("", "sum Sales from orders", SHOP, "misleading"),
    ("why did profit fall?", "%service_help", SHOP, "page"),
    ("u umsatz.csv --sep ;", "%service_connect u umsatz.csv --delimiter ; --encoding cp1252", {}, "one slot differs"),
    ("u umsatz.csv", "%service_connect u orders.csv", {}, "misleading"),
)


def self_test() -> list[str]:
    """The pairs whose verdict is not the expected one, told in words; an empty list is right."""
    faults = []
    for typed, offered, sources, verdict in SELF_TESTS:
        found = judge(typed, offered, sources)
        if found.verdict != verdict:
            faults.append(f"{typed!r} -> {offered!r}: {found.verdict} {found.reasons}, expected {verdict}")
    return faults


if __name__ == "__main__":
    print("\n".join(self_test()) or f"{len(SELF_TESTS)} pairs are right")
