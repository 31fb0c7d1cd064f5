"""Write what the query plane of `packages/client` has of Python's: the grammar of ask lines as tables, and its records.

The tables of the parser are Lark's own, so both languages read the same lines and name the same words as expected.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

from lark.parsers.lalr_analysis import Shift

from service_nb.client.advice import notations, scan
from service_nb.client.advice import offers as advice_offers
from service_nb.core import zones
from service_nb.core.digest import PLAN_DOMAIN, REFUSAL_DOMAIN
from service_nb.core.words import KEYWORDS
from service_nb.query import (
    ask_errors,
    ask_line,
    ask_sugar,
    offers,
    plan,
    resolve,
    similar_names,
    spec,
    text_columns,
    variables,
)
from service_nb.query.aggregations import RECORDS
from service_nb.query.conditions import MAX_DIGITS, OPERATORS
from service_nb.schema import text_order
from service_nb.schema.query import AGGREGATIONS, DATE_UNITS, JOINERS, PERIODS

ADVICE = Path(__file__).resolve().parent / "packages" / "client" / "src" / "advice"
CONTRACT = Path(__file__).resolve().parents[1] / "kernels" / "service_nb_kernels" / "contract.json"
QUERY = Path(__file__).resolve().parent / "packages" / "client" / "src" / "query"


def list_terminals() -> Iterator[list[str]]:
    """Yield each terminal with its pattern and flags, in the order in which they are tried."""
    for each in ask_line.build_parser().parser.lexer.terminals:  # type: ignore[attr-defined]
        plain = each.pattern.to_regexp() if each.pattern.type == "str" else each.pattern.value
        if each.name == "COMPARISON":  # whose order is that of a set
            plain = "|".join(sorted(ask_line.SIGNS, key=lambda sign: (-len(sign), sign)))
        name = "" if each.name.startswith("__IGNORE") else each.name
        yield [name, plain, "".join(sorted(each.pattern.flags))]


def describe_rule(rule: Any) -> str:
    """Describe a rule: its name, what it becomes, and its parts (c: child, s: children of one, 0: absent)."""
    kept = rule.options.empty_indices or (False,) * len(rule.expansion)
    symbols = iter(rule.expansion)
    parts = "".join("0" if is_absent else "s" if next(symbols).name.startswith("_") else "c" for is_absent in kept)
    return f"{rule.origin.name}:{rule.options.template_source or rule.origin.name}:{parts}"


def list_states(table: Any) -> list[int]:
    """List the states as they are reached, so that their numbers are the same whenever they are written."""
    found = [table.start_states["start"]]
    for state in found:
        row = table.states[state]
        moves = [row[symbol] for symbol in sorted(row)]
        found += dict.fromkeys(arg for action, arg in moves if action is Shift and arg not in found)
    return found


def write_grammar() -> str:
    """Write the module `grammar.ts`: terminals, rules and states of the parser."""
    parser = ask_line.build_parser()
    table = parser.parser.parser._parse_table  # type: ignore[attr-defined]  # noqa: SLF001
    rules = sorted({*map(describe_rule, parser.rules)})
    symbols = sorted({symbol for row in table.states.values() for symbol in row})
    order = list_states(table)
    rows = []
    for state in order:
        row = {
            symbols.index(symbol): order.index(arg) + 1 if action is Shift else -rules.index(describe_rule(arg)) - 1
            for symbol, (action, arg) in table.states[state].items()
        }
        rows.append(" ".join(f"{symbol} {action}" for symbol, action in sorted(row.items())))
    parts = {
        "TERMINALS": list(list_terminals()),
        "SYMBOLS": symbols,
        "RULES": rules,
        "STATES": rows,
        "END": order.index(table.end_states["start"]),
    }
    head = "// Written by typescript/shapes.py from service_nb/query/ask_line.py.\n"
    about = {
        "TERMINALS": "Names, patterns of Python and flags, in the order of trying; what has no name is skipped.",
        "SYMBOLS": "Terminals and rules, which the states name by their places here.",
        "RULES": "The symbol of each rule, what it becomes, and its parts (c: child, s: children of one, 0: absent).",
        "STATES": "Of each state, symbols with what they do: n > 0 goes to state n - 1, n < 0 reduces by rule -n - 1.",
        "END": "The state in which a line is complete; the first one is where it begins.",
    }
    return "\n".join([head, *(_write_constant(name, value, about.get(name)) for name, value in parts.items())])


def _write_constant(name: str, value: object, about: str | None = None) -> str:
    words = f"/** {about} */\n" if about else ""
    if isinstance(value, list) and all(isinstance(each, str) for each in value):
        lines = "\n".join(f"  {json.dumps(each)}," for each in value)
        return f"{words}export const {name}: readonly string[] = [\n{lines}\n];\n"
    if isinstance(value, list):
        lines = "\n".join(f"  {json.dumps(each)}," for each in value)
        return f"{words}export const {name}: readonly (readonly string[])[] = [\n{lines}\n];\n"
    return (
        f"{words}export const {name} = {json.dumps(value, indent=2)}{'' if isinstance(value, int) else ' as const'};\n"
    )


def list_folds() -> dict[str, str]:
    """List the characters that `casefold` changes into others than `lower` does."""
    found = {}
    for point in range(0x110000):
        char = chr(point)
        if char.casefold() != char.lower():
            found[char] = char.casefold()
    return found


def list_expected_kinds() -> list[str]:
    """List what is named as expected, in the order of naming."""
    return [kind for kind in (*ask_errors._ORDER, "AGGREGATION") if kind not in ask_errors._UNLISTED]  # noqa: SLF001


CONSTANTS: Mapping[str, object] = {
    "PLAN_DOMAIN": PLAN_DOMAIN,
    "REFUSAL_DOMAIN": REFUSAL_DOMAIN,
    "PLAN_VERSION": plan.PLAN_VERSION,
    "KEYWORDS": sorted(KEYWORDS),
    "PERIODS": list(PERIODS),
    "DATE_UNITS": list(DATE_UNITS),
    "JOINERS": list(JOINERS),
    "SPEC_KEYS": list(spec.SPEC_KEYS),
    "MEASURE_KEYS": list(spec.MEASURE_KEYS),
    "GROUP_KEYS": list(spec.GROUP_KEYS),
    "FILTER_KEYS": list(spec.FILTER_KEYS),
    "HAVING_KEYS": list(spec.HAVING_KEYS),
    "CONDITION_KEYS": list(spec.CONDITION_KEYS),
    "TIME_FILTER_KEYS": list(spec.TIME_FILTER_KEYS),
    "PERCENTS": list(resolve._PERCENTS),  # noqa: SLF001
    "CONFIDENCE": dict(resolve.CONFIDENCE),
    "CHECKS": list(plan.CHECKS),
    "LIMITS": {
        "name": spec.MAX_NAME,
        "text": spec.MAX_TEXT,
        "groupBy": spec.MAX_GROUP_BY,
        "zone": spec.MAX_ZONE,
        "measures": spec.MAX_MEASURES,
        "widthDigits": spec.MAX_WIDTH_DIGITS,
        "percentPlaces": spec.MAX_PERCENT_PLACES,
        "conditions": spec.MAX_CONDITIONS,
        "groups": spec.MAX_GROUPS,
        "values": spec.MAX_VALUES,
        "rows": spec.MAX_LIMIT,
        "digits": MAX_DIGITS,
        "lineChars": ask_line.MAX_CHARS,
        "tried": offers.MOST_TRIED,
        "offered": offers.MOST_OFFERED,
        "refusals": resolve.MOST_REFUSALS,
        "searched": similar_names.MOST_SEARCHED,
        "matched": similar_names.MOST_MATCHED,
        "similar": similar_names.MOST,
        "compared": similar_names.COMPARED,
        "named": variables.MOST_NAMED,
        "noted": variables.MOST_NOTED,
        "noteChars": variables.MOST_CHARS,
        "nesting": variables.MAX_NESTING,
    },
    "SQL_OPENINGS": sorted(ask_errors._SQL_OPENINGS),  # noqa: SLF001
    "EXPECTED_WORDS": [[kind, ask_errors._WORDS_FOR.get(kind, kind.lower())] for kind in list_expected_kinds()],  # noqa: SLF001
    "NAMED_BEHIND": ask_errors._NAMED_BEHIND,  # noqa: SLF001
    "CHARACTER_HINTS": ask_errors._CHARACTER_HINTS,  # noqa: SLF001
    "HINTS": [list(row) for row in ask_errors._HINTS],  # noqa: SLF001
    "SYNONYMS": dict(ask_sugar.SYNONYMS),
    "ORDER_RULE": text_columns.ORDER_RULE,
    "OPTION_LABELS": text_columns.LABELS,
    "LETTERS_NOTE": text_order.LETTERS_NOTE,
    "TEXT_CAUSES": {code: list(told) for code, told in text_order.TEXT_CAUSES.items()},
    "TEXT_PATTERNS": text_order.TEXT_PATTERNS,
    "BLANK_PATTERN": text_order.BLANK_PATTERN,
    "ORDERED_SHAPES": text_order.ORDERED_SHAPES,
    "OPERATORS": {
        op: {
            "takes": one.takes,
            "ask": list(one.ask),
            "words": one.words,
            "opposite": one.opposite,
            "isOrdered": one.is_ordered,
        }
        for op, one in OPERATORS.items()
    },
    "AGGREGATIONS": {
        name: {
            "accepts": list(RECORDS[name].accepts),
            "needs": RECORDS[name].needs,
            "held": RECORDS[name].held,
            "noun": RECORDS[name].noun,
            "step": RECORDS[name].step,
            "rowsStep": RECORDS[name].rows_step,
            "takesPercent": RECORDS[name].takes_percent,
            "isOrdered": RECORDS[name].measure in resolve.ORDERED,
        }
        for name in AGGREGATIONS
    },
}


def write_tables() -> str:
    """Write the module `tables.ts`: records, limits and words of the query plane."""
    head = "// Written by typescript/shapes.py from service_nb/query.\n"
    return "\n".join([head, *(_write_constant_object(name, value) for name, value in CONSTANTS.items())])


def _write_constant_object(name: str, value: object) -> str:
    return f"export const {name} = {json.dumps(value, indent=2)}{'' if isinstance(value, int) else ' as const'};\n"


def write_folds() -> str:
    """Write the module `folds.ts`: what Python's `casefold` changes that lower case does not."""
    head = "// Written by typescript/shapes.py from Python's own table.\n"
    pairs = "\\n".join(json.dumps(f"{char} {folded}")[1:-1] for char, folded in list_folds().items())
    return f'{head}\n/** A character and what it folds to, on each line. */\nexport const FOLDS =\n  "{pairs}";\n'


def write_zones() -> str:
    """Write the module `zone-table.ts`: the rules of time zones, as `service_nb/core/zones.json` has them."""
    head = "// Written by typescript/shapes.py from service_nb/core/zones.json.\n"
    table = zones.read_table()
    offsets, times, places, rules = zip(*(text.split(";") for text in table["rules"]), strict=True)
    parts = {
        "TZ_VERSION": json.dumps(table["version"]),
        "ZONE_OFFSETS: readonly string[]": json.dumps(offsets, indent=1),  # apart, for alike parts compress well
        "ZONE_TIMES: readonly string[]": json.dumps(times, indent=1),
        "ZONE_PLACES: readonly string[]": json.dumps(places, indent=1),
        "ZONE_RULES: readonly string[]": json.dumps(rules, indent=1),
        "ZONE_NAMES: readonly string[]": json.dumps(_write_zone_names(table["zones"]), indent=1),
    }
    return "\n".join([head, *(f"export const {name} = {text};\n" for name, text in parts.items())])


def _write_zone_names(places: Mapping[str, int]) -> list[str]:
    """Write the names of zones as short as a page can load them: an area, and the names in it.

    Behind a name stands a point and the place of its rule, unless it is the first one of the next rule.
    """
    lines: list[str] = []
    areas: list[str] = []
    following = 0
    for zone, place in places.items():
        area, _, name = zone.rpartition("/")
        if areas[-1:] != [area]:
            areas.append(area)
            lines.append(area)
        lines[-1] += f" {name}" if place == following else f" {name}.{place}"
        following += place == following
    return lines


def write_words() -> str:
    """Write the module `words.ts`: the words of questions with their roles, and what else both readers know."""
    spelt: dict[tuple[str, str], list[str]] = {}
    for word, role in scan.build_roles().items():
        spelt.setdefault(role, []).append(word)
    parts: dict[str, object] = {
        "ROLES": [[*role, " ".join(words)] for role, words in spelt.items()],
        "NOTATIONS": [
            [re.sub(r"\(\?P=(\w+)\)", r"\\k<\1>", typed), re.sub(r"\{(\w+)\}", r"$<\1>", written)]
            for typed, written in (*notations.list_notations("both"), *notations.list_notations("question"))
        ],
        "MOST_TIMES": notations.MOST_TIMES,
        "BLANKS": notations.BLANKS,
        "FACTORS": {sign: str(factor.adjusted()) for sign, factor in scan.FACTORS.items()},
        "SCAN": scan.SCAN.pattern.replace('\\"', '"'),
        "LEAST": scan.LEAST,
        "MENDED": sorted(scan.MENDED),
        "MOST_CHARS": scan.MOST_CHARS,
        "MOST_NAMES": scan.MOST_NAMES,
        "SHARES": list(scan.SHARES),
        "SKIPPED": sorted(scan.SKIPPED),
        "MODULES": sorted(
            {each.partition(".")[0] for each in json.loads(CONTRACT.read_bytes())["capabilities"]}
            | {*scan.read_words()["libraries"].split()}
        ),
        "SUPERLATIVES": scan.read_words()["superlatives"],
        "SLOTS": advice_offers._SLOTS,  # noqa: SLF001
        "MEANT": advice_offers.MEANT,
        "MOST_LINES": advice_offers.MOST_LINES,
    }
    head = "// Written by typescript/shapes.py from service_nb/client/advice.\n"
    return head + "".join(_write_word(name, value) for name, value in parts.items())


def _write_word(name: str, value: object) -> str:
    kinds = {list: "readonly string[]", dict: "Readonly<Record<string, string>>"}
    rows = {"ROLES": "[string, string, string]", "NOTATIONS": "[string, string]"}
    kind = f"readonly (readonly {rows[name]})[]" if name in rows else kinds.get(type(value))
    told = f": {kind}" if kind is not None else ""
    return f"\nexport const {name}{told} = {json.dumps(value, indent=2, ensure_ascii=False)};\n"


def write_outputs() -> Iterator[tuple[Path, str]]:
    """Yield each file that is written, with its text."""
    yield QUERY / "grammar.ts", write_grammar()
    yield QUERY / "tables.ts", write_tables()
    yield QUERY / "folds.ts", write_folds()
    yield QUERY.parent / "values" / "zone-table.ts", write_zones()
    yield ADVICE / "words.ts", write_words()
