"""Questions from a seed: lines of the grammar with slips, and specs with malformed members."""

from __future__ import annotations

import copy
import random
from collections.abc import Iterator
from typing import Any

NAMES = (
    *("region", "city", "`Order Date`", "order_date", "shipped_at", "revenue", "price", "units", "is_paid", "count"),
    *(
        "straße",
        "STRASSE",
        "x",
        "turnover",
        "secret",
        "cost",
        "having",
        "`by`",
        "percentile",
        "revenu",
        "regoin",
        "top",
    ),
    *("`a``b`", "délai", "unit", "Ship Date", "unit_price", "sum_revenue", "zzz", "ﬁeld", "Re venue", "unit_prize"),
)
AGGREGATIONS = (
    *("sum", "avg", "count", "min", "max", "median", "count_distinct", "count distinct", "stddev", "variance", "p90"),
    *("average", "mean", "percentile 90 of", "percentile 99.90 of", "90th percentile of", "quantile 0.9 of", "total"),
    *("SUM", "medain", "mode", "percentile", "std"),
)
VALUES = (
    *(
        "1",
        "2.0",
        "-3.5e6",
        "1e21",
        "1e300",
        "12345678901234567890",
        "0.1",
        "0.30000000000000004",
        "1.10",
        "007",
        "-0.0",
    ),
    *(
        "'paid'",
        '"x"',
        "'it''s'",
        "2013-01-31",
        "2013-01-31T10:00",
        "2013-01-31T10:00:00.5+02:00",
        "2013-02-30",
        "true",
    ),
    *("FALSE", "null", "$year", "$names", "10%", "abc", "1,000", "+5", ".5", "5.", "1e-7", "123456789012345678.5"),
    *("'A%'", "'2013-01-31'", "'12.50'", "'1e400'", "9999-12-31", "'2013-01-31 1030'", "1e400"),
)
OTHER_WORDS = (
    "average",
    "total",
    "Summe",
    "moyenne",
    "AVG",
    "smu",
    "the maximum",
    "median",
    "highest",
    "number of",
    "kurtosis",
)
OTHER_VALUES = ("north", "'paid'", "1,500", "1.000,50", "1,5", "5%", "31.1.2024", "1/2/2024", "true", "10", "null")
OTHER_SHAPES = (
    "what is the {said} {name} per {key}?",
    "please show {said} of {name} by {key} where {other} is {value}",
    "SELECT {key}, {said}({name}) FROM sales WHERE {other} >= {value} GROUP BY {key} ORDER BY {name} DESC LIMIT 5",
    "SELECT COUNT(*) FROM sales WHERE {other} = {value} AND ({name} IS NULL OR {key} != {value})",
    "sales.groupby('{plain}')['{name}'].{said}()",
    "df['{name}'].{said}()",
    "{said} {name} nach {key} aus sales",
    "how many {name} are there in 2024",
    "{said} {name} monthly",
    "top 5 {key} by {name} please",
    "count distinct {name} by {key} where not {other} in ({value}, {value}) having count over 3",
    "{said} {name} by {key} form sales",
    "{name} by {key} wher {other} > {value}",
    "percentile({name}, 90) for each {key} of {other}",
    "{said} {name}, count by {key} rounded to cents",
)
SOUND_VALUES = ("1", "2.0", "-3.5e6", "0.1", "'paid'", "2013-01-31", "2013-01-31T10:00", "true", "$year")
NUMBERS = ("revenue", "price", "units", "x", "count", "turnover")
FITTING = {
    **dict.fromkeys(NUMBERS, ("1", "2.0", "-3.5e6", "0.1", "12345678901234567890", "$year", "1.10", "'12.50'")),
    **dict.fromkeys(("region", "city", "straße"), ("'paid'", "'it''s'", '"x"', "'2013-01-31'")),
    **dict.fromkeys(("`Order Date`", "order_date"), ("2013-01-31", "'2013-01-31'", "9999-12-31")),
    "shipped_at": ("2013-01-31T10:00", "2013-01-31T10:00:00.5+02:00", "'2013-01-31 1030'", "2013-01-31", "9999-12-31"),
    "is_paid": ("true", "false"),
}
SIGNS = ("=", "==", "!=", "<>", "<", "<=", ">", ">=")
PERIODS = ("this_month", "last_year", "last_yaer", "LAST_QUARTER", "last_month")
ODD: tuple[object, ...] = (
    None,
    "",
    " ",
    0,
    1,
    -1,
    1.5,
    True,
    [],
    {},
    [1],
    {"a": 1},
    "sum",
    "x" * 70,
    "a'b",
    "a\nb\u202e",
    2**53 - 1,
    10**19,
    "__proto__",
)
INSERTED = (*"abc ()',`\"$%=<>!;*.0é\n\t\u00a0\x1c\u212aİ\u017f😀\u2028", "desc", " of ", " in ", "''")


class Questions:
    """Draws questions; the same from the same random source."""

    def __init__(self, source: random.Random) -> None:
        self._draw = source

    def list_lines(self, count: int) -> Iterator[str]:
        """Yield lines, of which about half have slips."""
        yield from (
            "",
            " ",
            "select * from sales",
            "sum `revenue",
            "count where a = " + "1" * 401,
            "sum x " + "a" * 10_000,
        )
        for _ in range(count):
            line = self._build_line()
            for _ in range(self._draw.choice((0, 0, 0, 0, 0, 1, 1, 2, 4))):
                line = self._damage(line)
            yield line

    def list_questions(self, worlds: list[str], count: int) -> Iterator[dict[str, Any]]:
        """Yield lines and specs for one of the worlds, some with variables."""
        variables = {"year": 2024, "names": ["North", "it's", True], "yaer": "x"}
        for _ in range(count):
            question: object = self._build_line() if self._draw.random() < 0.5 else self._build_spec()
            given = variables if self._draw.random() < 0.95 else None
            yield {"kind": "question", "world": self._draw.choice(worlds), "question": question, "variables": given}

    def build_other_words(self) -> str:
        """Build a question in other words: SQL, methods of a frame, prose, other languages, a wrong letter."""
        said, name, key = self._pick(*OTHER_WORDS), self._name(), self._name()
        value = self._pick(*OTHER_VALUES)
        shape = self._pick(*OTHER_SHAPES)
        line = shape.format(said=said, name=name, key=key, other=self._name(), value=value, plain=key.strip("`"))
        return self._damage(line) if self._draw.random() < 0.2 else line

    # --- lines -----------------------------------------------------------------------------------------------------

    def _pick(self, *choices: str) -> str:
        return self._draw.choice(choices)

    def _list(self, build: Any, *counts: int) -> str:
        return ", ".join(build() for _ in range(self._draw.choice(counts)))

    def _name(self) -> str:
        return self._pick(*NAMES[:10]) if self._draw.random() < 0.85 else self._pick(*NAMES)

    def _value(self) -> str:
        return self._pick(*SOUND_VALUES) if self._draw.random() < 0.8 else self._pick(*VALUES)

    def _measure(self) -> str:
        if self._draw.random() < 0.6:
            return f"{self._pick('sum', 'avg', 'max', 'percentile 90 of', 'count')} {self._pick(*NUMBERS)}"
        aggregation = self._pick(*AGGREGATIONS[:8]) if self._draw.random() < 0.7 else self._pick(*AGGREGATIONS)
        name = self._name()
        return self._pick("count", *[f"{aggregation} {name}"] * 6, f"{aggregation} of {name}", f"{aggregation}({name})")

    def _key(self) -> str:
        name, unit = self._name(), self._pick("day", "week", "month", "quarter", "YEAR")
        width = self._pick("10", "10", "0.5", "1e3", "1.50", "0")
        zone = self._pick(
            "Europe/Berlin", "`Asia/Kolkata`", "UTC", "Japan", "Etc/GMT+5", "berlin", "Europe/Berln", "nowhere"
        )
        period = self._pick(f"{unit} of {name}", f"{unit}({name})")
        return self._pick(*[name] * 5, period, period, f"{period} in {zone}", f"{name} in bins of {width}")

    def _condition(self, left: str) -> str:
        if self._draw.random() < 0.6 and (fitting := FITTING.get(left.rpartition(" ")[2])):
            first, second = self._pick(*fitting), self._pick(*fitting)
            many = (f"{left} in ({first}, {second})", f"{left} between {first} and {second}")
            return self._pick(*(f"{left} {sign} {first}" for sign in SIGNS), *many)
        first, second = self._value(), self._value()
        return self._pick(
            *(f"{left} {self._pick(*SIGNS)} {first}" for _ in range(4)),
            *(
                f"{left} in ({first}, {second})",
                f"{left} not in ({first})",
                f"{left} in $names",
                f"{left} in ($year, 1)",
            ),
            *(f"{left} between {first} and {second}", f"{left} is null", f"{left} is not null"),
            *(f"{left} contains 'x'", f"{left} contains {first}", f"{left} starts with 'A'", f"{left} starts_with 'A'"),
            *(
                f"{left} like 'A%'",
                f"{left} like '%b%'",
                f"{left} like 'a_b%'",
                f"{left} during {self._pick(*PERIODS)}",
            ),
        )

    def _conditions(self, left: Any, depth: int = 0) -> str:
        parts = []
        for _ in range(self._draw.choice((1, 1, 2, 3))):
            is_group = depth < 3 and self._draw.random() < 0.15
            parts.append(f"({self._conditions(left, depth + 1)})" if is_group else self._condition(left()))
        return "".join(part if at == 0 else self._pick(" and ", " or ") + part for at, part in enumerate(parts))

    def _build_line(self) -> str:
        if self._draw.random() < 0.05:
            return f"{self._pick('top 5', 'bottom 3')} {self._name()} by {self._measure()}"
        chance = self._draw.random
        line = self._list(self._measure, 1, 1, 1, 2, 3)
        line += f" by {self._list(self._key, 1, 1, 2)}" if chance() < 0.6 else ""
        line += f" from {self._pick('sales', 'sales', 'sales', 'costs', 'sale', 'zzz')}" if chance() < 0.6 else ""
        line += f" where {self._conditions(self._name)}" if chance() < 0.4 else ""
        line += f" having {self._conditions(self._measure)}" if chance() < 0.2 else ""
        name = self._name()
        line += (
            f" order {self._pick('asc', 'DESC', f'by {name}', f'by {name} asc', 'by count')}" if chance() < 0.3 else ""
        )
        line += f" limit {self._pick('5', '10', '10', '1000', '0', '99999999999999999999')}" if chance() < 0.2 else ""
        return line + (self._pick("?", ".", ";", " -- x") if chance() < 0.03 else "")

    def _damage(self, line: str) -> str:
        at, words = self._draw.randrange(len(line) + 1), line.split(" ")
        one, other = self._draw.randrange(len(words)), self._draw.randrange(len(words))
        swapped = [*words]
        swapped[one], swapped[other] = swapped[other], swapped[one]
        return self._pick(
            line[:at] + line[at + 1 :],
            line[:at] + self._pick(*INSERTED) + line[at:],
            " ".join(words[:one] + words[one + 1 :]),
            " ".join([*words[:one], self._pick(*words, "by", "where", "and", "having", "of", "("), *words[one:]]),
            " ".join(swapped),
            line.upper() if self._draw.random() < 0.2 else line.replace(" by ", " group by "),
        )

    # --- specs -----------------------------------------------------------------------------------------------------

    def _column(self) -> str:
        return self._name().strip("`")

    def _operand(self, column: str = "") -> object:
        if self._draw.random() < 0.1:
            return self._time() if self._draw.random() < 0.5 else self._numeral()
        if self._draw.random() < 0.7:
            return self._draw.choice((1, 1.5, 10**19, "12.50") if column in NUMBERS else ("paid", "2013-01-31"))
        return self._draw.choice(
            (
                1,
                2,
                1.5,
                -3.25,
                10**19,
                "paid",
                "2013-01-31",
                "12.50",
                True,
                {"variable": "year"},
                "1e5",
                "x" * 65,
                0.1,
                5e-324,
            )
        )

    def _time(self) -> str:
        number = self._draw.randint
        day = f"{self._pick('2024', '2024', '0001', '9999')}-{number(1, 12):02}-{number(1, 31):02}"
        parts = [f"{number(0, 23):02}" for _ in range(number(2, 3))]
        fraction = "." + "123456789"[: number(1, 7)] if len(parts) == 3 else ""
        return f"{day}{self._pick('T', ' ')}{':'.join(parts)}{fraction}{self._pick('', 'Z', '+02:00', '-23:59')}"

    def _numeral(self) -> str:
        whole = self._pick("", "-", "+") + self._pick("0", "007", "1" * 30, "1" * 401, "9" * 400)
        return whole + self._pick("", ".", ".50", ".000001") + self._pick("", "e5", "E-400", "e308")

    def _build_measure(self) -> dict[str, Any]:
        name = self._pick("sum", "avg", "count", "max", "percentile", "median", "count_distinct")
        column = self._pick(*NUMBERS) if self._draw.random() < 0.7 else self._column()
        form: dict[str, Any] = {"aggregation": name, "metric": column}
        if name == "percentile" or self._draw.random() < 0.03:
            form["percent"] = self._draw.choice((*[90] * 9, "99.9", 0.5, "1e1", 100, "050.0", 101, "0.00001", "-0"))
        return form

    def _build_condition(self, left: dict[str, Any]) -> dict[str, Any]:
        op = self._pick(
            "eq", "ne", "gt", "lte", "in", "not_in", "between", "is_null", "contains", "starts_with", *["eq"] * 9, "eqq"
        )
        column = str(left.get("column", "revenue"))
        if op == "is_null":
            return {**left, "op": op}
        if op in ("in", "not_in", "between"):
            return {**left, "op": op, "values": [self._operand(column), self._operand(column)]}
        return {**left, "op": op, "value": self._operand(column)}

    def _build_tree(self, left: Any, depth: int = 0) -> dict[str, Any]:
        if depth < 2 and self._draw.random() < 0.2:
            return {
                self._pick("any", "all"): [
                    self._build_tree(left, depth + 1) for _ in range(self._draw.choice((1, 2, 3)))
                ]
            }
        return self._build_condition(left())

    def _build_key(self) -> object:
        column = self._column()
        width = self._draw.choice((10, "0.50", 0.25, "1e2", "0.001"))
        return self._draw.choice(
            (
                *(column, column, {"column": column, "unit": "month"}, {"column": column, "width": width}),
                {"column": column, "unit": "day", "zone": self._draw.choice(("Europe/Berlin", "UTC", "Berlin", 5))},
            )
        )

    def _build_spec(self) -> dict[str, Any]:
        chance = self._draw.random
        spec: dict[str, Any] = self._build_measure()
        if chance() < 0.2:
            spec = {"measures": [self._build_measure() for _ in range(self._draw.choice((1, 2, 3)))]}
        if chance() < 0.6:
            spec["group_by"] = self._draw.choice((self._column(), [self._build_key(), self._build_key()]))
        if chance() < 0.5:
            spec["source_name"] = self._pick("sales", "sales", "costs", "slaes")
        if chance() < 0.4:
            listed = [self._build_tree(lambda: {"column": self._column()}) for _ in range(self._draw.choice((1, 2)))]
            spec["filter"] = {"conditions": listed}
            if chance() < 0.2:
                spec["filter"]["time_filter"] = {
                    "column": self._column(),
                    "period": self._pick("this_month", "last_year"),
                }
        if chance() < 0.15:
            spec["having"] = {"conditions": [self._build_tree(self._build_measure)]}
        if chance() < 0.2:
            spec |= {
                "order": self._pick("asc", "asc", "desc", "up"),
                "limit": self._draw.choice((1, 10, 10, 10, 0, "5", 2**60)),
            }
        if chance() < 0.15:
            spec["order_by"] = self._column()
        return self._spoil(spec) if chance() < 0.2 else spec

    def _spoil(self, spec: dict[str, Any]) -> dict[str, Any]:
        """Return the spec with a member gone, of another kind, or under another key."""
        spoilt = copy.deepcopy(spec)
        node: Any = spoilt
        while isinstance(node, dict) and node:
            key = self._draw.choice(list(node))
            if isinstance(node[key], dict) and self._draw.random() < 0.7:
                node = node[key]
                continue
            if (
                isinstance(node[key], list)
                and node[key]
                and isinstance(node[key][0], dict)
                and self._draw.random() < 0.7
            ):
                node = node[key][0]
                continue
            match self._draw.randrange(3):
                case 0:
                    node[key] = self._draw.choice(ODD)
                case 1:
                    node[f"{key}s"] = node.pop(key)
                case _:
                    del node[key]
            break
        return spoilt
