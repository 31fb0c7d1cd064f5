"""Read a question that the grammar refused: prose, SQL, pandas, a spreadsheet's formula.

Every word has to be accounted for: it is a name, a value, an aggregation, a word with a role in `words.json`, or the
line is not read. So nothing that was typed is left out of what is offered, and nothing stands there that was not typed.
One slot may stay open; the candidates then differ in it alone.
"""

from __future__ import annotations

import copy
import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from decimal import Decimal
from typing import Any

from service_nb.client.advice.scan import (
    MOST_CHARS,
    PLAIN,
    SHARES,
    SKIPPED,
    Item,
    Known,
    NotUnderstoodError,
    build_roles,
    list_days,
    list_numbers,
    read_words,
    scan,
)
from service_nb.query.ask_line import read_literal
from service_nb.query.conditions import COMPARISONS, find_opposite
from service_nb.query.similar_names import fold_name


@dataclass(frozen=True, slots=True, kw_only=True)
class QuestionReading:
    """The meaning of a line: the spec, or one for each choice of the slot that `asks` is about.

    A spec with `capability` and `columns` in place of measures is a computation.
    """

    specs: Sequence[dict[str, Any]]
    asks: str = ""


def read_question(text: str, known: Known) -> QuestionReading:
    """Read a question in other words.

    Parameters
    ----------
    text : str
        The line.
    known : Known
        The names that the client may see.

    Raises
    ------
    NotUnderstoodError
        With the first word that has no place in a question.
    """
    if len(text) > MOST_CHARS:
        raise NotUnderstoodError(text[:40] + "…")
    return _QuestionReader(scan(text, known), known).read()


# --- clauses ----------------------------------------------------------------------------------------------------------


class _QuestionReader:
    """Reads items from left to right; each is taken by one clause."""

    def __init__(self, items: list[Item], known: Known) -> None:
        self._items, self._known = items, known
        self._place = 0
        self._spec: dict[str, Any] = {}
        self._phrases: list[list[Item]] = [[]]
        self._keys: list[Any] = []
        self._orders: list[tuple[Item, Item | None]] = []  # the measures that an order is by
        self._open: list[tuple[str, list[Callable[[], None]]]] = []  # what is asked, and what each choice fills in
        self._cut: Item | None = None  # that leaves out rows: `top`, `first`, `head`

    def read(self) -> QuestionReading:
        while (item := self._peek()) is not None:
            self._read_clause(item)
        self._close_phrases()
        ranked = self._find_ranked()
        function = next((each for phrase in self._phrases for each in phrase if each.kind == "function"), None)
        if function is not None:
            return QuestionReading(specs=[self._read_computation(function)])
        measures = [each for phrase in self._phrases if (each := self._read_measure(phrase, ranked)) is not None]
        if self._keys:
            self._spec["group_by"] = self._keys
        self._check_order(measures)
        self._check_cut()
        if not measures:
            raise NotUnderstoodError(" ".join(each.text for each in self._items[:4]) or "an empty line")
        if len(self._open) > 1:
            raise NotUnderstoodError(self._open[1][0])
        asks, fills = self._open[0] if self._open else ("", [lambda: None])
        specs = []
        for fill in fills:
            fill()
            one = measures[0] if len(measures) == 1 else {"measures": measures}
            specs.append(copy.deepcopy(self._spec | one))
        return QuestionReading(specs=specs, asks=asks)

    def _close_phrases(self) -> None:
        """Join what belongs together: `quantile(delay, 0.9)`; `average sales and profit` are two averages."""
        phrases: list[list[Item]] = []
        for phrase in self._phrases:
            kinds = [each.kind for each in phrase]
            if phrases and kinds == ["number"]:
                phrases[-1] += phrase
            elif (
                phrases and kinds == ["and", "name"] and [each.kind for each in phrases[-1]] == ["aggregation", "name"]
            ):
                phrases.append([phrases[-1][0], phrase[1]])  # `average sales and profit`
            elif phrase and kinds != ["and"]:
                phrases.append([each for each in phrase if each.kind != "and"])
        self._phrases = phrases

    def _peek(self, *, skips: bool = False) -> Item | None:
        while skips and self._place < len(self._items) and self._items[self._place].kind in (*SKIPPED, "noise"):
            self._place += 1
        return self._items[self._place] if self._place < len(self._items) else None

    def _take(self, *kinds: str, skips: bool = True) -> Item | None:
        item = self._peek(skips=skips)
        if item is None or (kinds and item.kind not in kinds):
            return None
        self._place += 1
        return item

    def _take_joiner(self, kind: str) -> Item | None:
        """Take a word between conditions, before which brackets count."""
        start = self._place
        while (item := self._peek()) is not None and item.kind in (*SKIPPED - {"(", ")"}, "noise"):
            self._place += 1
        if item is None or item.kind != kind:
            self._place = start
            return None
        self._place += 1
        return item

    def _require(self, *kinds: str) -> Item:
        item = self._peek(skips=True)
        found = self._take(*kinds)
        if found is None:
            raise NotUnderstoodError(item.text if item is not None else "the end of the line")
        return found

    def _read_clause(self, item: Item) -> None:
        self._place += 1
        match item.kind:
            case "by":
                self._read_keys()
            case "from":
                self._set_source(self._require("source", "name", "word", "quoted"))
            case "source":
                self._set_source(item)
            case "where" | "having":
                self._add_conditions(item.kind)
            case "order":
                self._read_order()
            case "asc" | "desc":
                self._spec["order"] = item.kind
            case "limit" | "first" | "top" | "bottom":
                number = self._require("number")
                if not number.value.isdigit():
                    raise NotUnderstoodError(number.text)
                self._spec["limit"] = int(number.value)
                if item.kind != "limit":
                    self._cut = item
                if item.kind in ("top", "bottom"):
                    self._spec["order"] = "desc" if item.kind == "top" else "asc"
            case "in":
                self._read_place()
            case "relative":
                self._set_period(item)
            case "period" if item.text.lower().endswith(("ly", "annual")) and not self._is_column(item):
                self._add_key(item, None)
            case "," | "and":
                self._phrases.append([item] if item.kind == "and" else [])
            case "noise" | "of" | "is" | "between":
                pass
            case kind if kind in SKIPPED:
                pass
            case (
                "aggregation" | "name" | "quoted" | "number" | "distinct" | "rows" | "many" | "percentile" | "function"
            ):
                self._phrases[-1].append(item)
            case "word" if self._is_frame(item):
                choices = [_fill(self._spec, "source_name", each) for each in self._known.sources]
                self._open.append((f"Which source is `{item.text}`?", choices))
            case "word":
                self._phrases[-1].append(self._join_words(item))
            case "*":
                self._phrases[-1].append(Item("rows", None, "*"))
            case "text":
                raise NotUnderstoodError(f"'{item.text}'")
            case _:
                raise NotUnderstoodError(item.text)

    def _is_frame(self, item: Item) -> bool:
        """Tell whether a line begins with a name that something is taken from, as from a frame: `df['sales']`."""
        follows = self._items[1].kind if self._place == 1 and self._items[1:] else ""
        is_module = item.text in self._known.modules or item.text in read_words()["libraries"].split()
        return follows in (".", "[") and not is_module

    def _join_words(self, first: Item) -> Item:
        """Join unknown words in a row into one name, which the resolver may know by a similar one."""
        words = [first.text]
        while (item := self._peek()) is not None and item.kind == "word":
            words.append(item.text)
            self._place += 1
        return Item("word", " ".join(words), " ".join(words))

    def _is_column(self, item: Item) -> bool:
        return fold_name(item.text) in map(fold_name, self._known.columns)

    def _set_source(self, item: Item) -> None:
        name = item.text if item.kind == "word" else item.value
        if self._spec.setdefault("source_name", name) != name:
            raise NotUnderstoodError(item.text)

    # --- keys ---

    def _read_keys(self) -> None:
        while True:
            item = self._require("period", "name", "quoted", "word", "source", "aggregation")
            if item.kind == "aggregation" and not self._keys:  # `top 5 city by sum revenue`
                self._place -= 1
                self._phrases.append([])
                return
            if item.kind == "period" and not self._is_column(item):
                opened = self._peek()
                is_given = (opened is not None and opened.kind == "(") or self._take("of") is not None
                named = self._take("name", "quoted") if is_given else None
                self._add_key(item, named)
            else:
                item = self._join_words(item) if item.kind == "word" else item
                name = item.text if item.kind in ("word", "source", "period") else item.value
                width = self._require("number").value if self._take("bins") else None
                self._keys.append(name if width is None else {"column": name, "width": width})
            joined = self._peek(skips=True)
            if joined is None or joined.kind not in (",", "and"):
                self._phrases.append([])
                return
            ahead = self._items[self._place + 1 : self._place + 2]
            self._place += 1
            if not ahead or ahead[0].kind not in ("period", "name", "quoted", "word", "source", "'"):
                self._phrases.append([])
                return

    def _add_key(self, period: Item, column: Item | None) -> None:
        key = {"column": column.value if column is not None else None, "unit": period.value}
        self._keys.append(key)
        if column is None:
            self._ask_date(f"Which date is the {period.value} of?", key)

    def _ask_date(self, asks: str, target: dict[str, Any]) -> None:
        """Put the only date into a period or a condition, which is the default; ask for it where there are more."""
        dates = [name for name, type_ in self._known.columns.items() if type_ in ("date", "datetime")]
        if not dates:
            raise NotUnderstoodError("a period, and no column is a date")
        target["column"] = dates[0]
        if len(dates) > 1:
            self._open.append((asks, [_fill(target, "column", each) for each in dates]))

    def _find_ranked(self) -> str | None:
        """Find the number behind `by` in `top 5 product by amount`, and make the name before it the key."""
        named = [each for phrase in self._phrases for each in phrase]
        is_ranking = "limit" in self._spec and len(named) == 1 and named[0].kind == "name" and len(self._keys) == 1
        column = self._keys[0] if is_ranking else None
        if not isinstance(column, str) or self._known.columns.get(column) != "number":
            return None
        self._keys = [named[0].value]
        self._phrases = [[Item("name", column, column)]]
        return column

    # --- measures ---

    def _read_measure(self, phrase: Sequence[Item], ranked: str | None) -> dict[str, Any] | None:
        """Read one measure: an aggregation and its column, in either order."""
        if not phrase:
            return None
        kinds = [each.kind for each in phrase]
        words = [each for each in phrase if each.kind in ("aggregation", "many", "percentile")]
        names = [each for each in phrase if each.kind in ("name", "quoted", "word")]
        numbers = [each for each in phrase if each.kind == "number"]
        word = words[0] if words else None
        is_distinct = "distinct" in kinds
        if is_distinct and word is not None and word.value not in ("count", "count_distinct", "many"):
            raise NotUnderstoodError(next(each.text for each in phrase if each.kind == "distinct"))
        is_counted = is_distinct and word is not None and word.value == "count"
        if is_counted:
            word = None
        if len(words) > 1 and not (is_distinct and len(words) == 1):
            raise NotUnderstoodError(words[1].text)
        if len(names) > 1 or (numbers and (word is None or word.value != "percentile")):
            strange = [*(each for each in names if each.kind == "word"), *numbers, *names[1:]]
            raise NotUnderstoodError(strange[0].text)
        metric = {"metric": names[0].text if names[0].kind == "word" else names[0].value} if names else {}
        if word is not None and not self._fits_superlative(word, metric.get("metric")):
            raise NotUnderstoodError(word.text)
        if is_counted and metric:
            return {"aggregation": "count_distinct", **metric}
        if word is None:
            return self._read_bare(metric, names, phrase, is_distinct=is_distinct, is_ranked=ranked is not None)
        if "percentile" in (word.kind, word.value):
            return {"aggregation": "percentile", "percent": _read_percent(word, numbers), **metric}
        if word.kind == "many" and self._known.columns.get(metric.get("metric", "")) == "boolean":  # those that are so?
            raise NotUnderstoodError(names[0].text)
        if word.kind == "many" and names and names[0].kind == "word" and not is_distinct:
            return self._read_rows(names[0])
        if word.kind == "many" and metric:  # rows, or different values?
            if is_distinct:
                return {"aggregation": "count_distinct", **metric}
            measure: dict[str, Any] = {"aggregation": "count", **metric}
            says = f"Are the values of `{names[0].text}` counted, or the different ones?"
            self._open.append((says, [_fill(measure, "aggregation", each) for each in ("count_distinct", "count")]))
            return measure
        name = "count" if word.kind == "many" else word.value
        if "rows" in kinds and (metric or name != "count"):
            raise NotUnderstoodError(next(each.text for each in phrase if each.kind == "rows"))
        return {"aggregation": name, **metric}

    def _read_bare(
        self,
        metric: dict[str, Any],
        names: Sequence[Item],
        phrase: Sequence[Item],
        *,
        is_distinct: bool,
        is_ranked: bool,
    ) -> dict[str, Any] | None:
        """Read a phrase without an aggregation: a key that SQL selects, different values, or an open slot."""
        if is_distinct and metric:
            return self._read_distinct(str(metric["metric"]))
        if not metric or names[0].kind == "word":
            raise NotUnderstoodError(phrase[0].text)
        if metric["metric"] in self._keys:
            return None
        if sum(map(bool, self._phrases)) > 1 and not is_ranked:
            others = [phrase for phrase in self._phrases if phrase and phrase[0].value not in self._keys]
            if len(others) > 1:
                raise NotUnderstoodError(names[0].text)
        return metric  # the resolver asks which aggregation

    def _fits_superlative(self, word: Item, column: str | None) -> bool:
        """Tell whether a word such as `latest` or `largest` fits a column: of text neither is said."""
        types = read_words()["superlatives"]
        wanted = next((type_ for type_, words in types.items() if word.text.lower() in words.split()), "")
        return self._known.columns.get(column or "", "").startswith(wanted)

    def _check_cut(self) -> None:
        """Refuse `top`, `first` and `head` where groups are not in the order that they mean, or there are none."""
        cut = self._cut
        if cut is not None and (not self._keys or (cut.kind == "first" and "order" not in self._spec)):
            raise NotUnderstoodError(cut.text)

    def _read_distinct(self, column: str) -> dict[str, Any]:
        """Read different values, which may be listed or counted; in each group they are counted."""
        measure = {"aggregation": "count_distinct", "metric": column}
        if self._keys or sum(map(bool, self._phrases)) > 1:
            return measure

        def list_values() -> None:
            measure.clear()
            measure["aggregation"] = "count"
            self._spec["group_by"] = [column]

        def count_values() -> None:
            self._spec.pop("group_by", None)
            measure.update(aggregation="count_distinct", metric=column)

        self._open.append((f"Are the different values of `{column}` listed, or counted?", [list_values, count_values]))
        return measure

    def _read_rows(self, name: Item) -> dict[str, Any]:
        """Read what is counted under a name that no column has, as the rows of a source: `how many flights`."""
        sources = [str(self._spec["source_name"])] if "source_name" in self._spec else self._known.sources
        is_part = any(fold_name(name.text).removesuffix("s") in fold_name(each) for each in self._known.columns)
        if len(sources) != 1 or is_part:
            raise NotUnderstoodError(name.text)
        asks = f"Is each of the {name.text} a row of {sources[0]}?"
        self._open.append((asks, [_fill(self._spec, "source_name", sources[0])]))
        return {"aggregation": "count"}

    def _read_computation(self, word: Item) -> dict[str, Any]:
        """Read a statistic of the contract in the place of an aggregation, with its columns."""
        columns = [each for phrase in self._phrases for each in phrase if each is not word]
        strange = [each for each in columns if each.kind not in ("name", "quoted")]
        if strange or not columns or self._open or len(self._keys) > 1 or self._spec.keys() - {"source_name", "filter"}:
            raise NotUnderstoodError(strange[0].text if strange else word.text)
        keys = {"group_by": self._keys} if self._keys else {}
        return {**self._spec, **keys, "capability": word.value, "columns": [each.value for each in columns]}

    # --- source, order, conditions ---

    def _read_place(self) -> None:
        """Read what follows `in`: the source, or a year."""
        item = self._require("source", "number", "word", "relative")
        if item.kind == "source":
            self._set_source(item)
        elif item.kind == "relative":
            self._set_period(item)
        elif item.kind == "number" and re.fullmatch(r"[12]\d{3}", item.value):
            condition = {"op": "between", "values": (f"{item.value}-01-01", f"{item.value}-12-31")}
            self._spec.setdefault("filter", {"conditions": []})["conditions"].append(condition)
            self._ask_date(f"Which date is in {item.value}?", condition)
        else:
            raise NotUnderstoodError(item.text)

    def _set_period(self, item: Item, column: str | None = None) -> None:
        """Put a period that is counted from today into the one place that a question has for it."""
        place = self._spec.setdefault("filter", {"conditions": []})
        if "time_filter" in place:
            raise NotUnderstoodError(item.text)
        place["time_filter"] = {"column": column, "period": item.value}
        if column is None:
            self._ask_date(f"Which date is in {item.text}?", place["time_filter"])

    def _check_order(self, measures: Sequence[Mapping[str, Any]]) -> None:
        """Refuse an order by another measure than the first, by which answers are in order."""
        for word, item in self._orders:
            name = "count" if word.kind == "many" else word.value
            first = measures[0] if measures else {}
            is_first = name == first.get("aggregation") and (item is None or item.value == first.get("metric"))
            if not is_first:
                raise NotUnderstoodError(f"{word.text} {item.text if item is not None else ''}".strip())

    def _read_order(self) -> None:
        by = self._take("by")
        word = self._take("aggregation", "many")
        item = self._take("name", "quoted", "word")
        self._take("*")
        if item is not None and word is None:
            self._spec["order_by"] = item.value
        end = self._take("asc", "desc")
        if word is not None:
            self._orders.append((word, item))
        elif item is None and end is None:
            raise NotUnderstoodError(by.text if by is not None else self._items[self._place - 1].text)
        if end is not None or word is not None:
            self._spec["order"] = end.kind if end is not None else "asc"

    def _add_conditions(self, clause: str) -> None:
        tree = self._read_any(is_measured=clause == "having")
        conditions = [each for each in tree.get("all", [tree]) if each]
        place = self._spec.setdefault("filter" if clause == "where" else "having", {"conditions": []})
        place["conditions"] += conditions
        self._phrases.append([])

    def _read_any(self, *, is_measured: bool) -> dict[str, Any]:
        parts = [self._read_all(is_measured=is_measured)]
        while self._take_joiner("or"):
            parts.append(self._read_all(is_measured=is_measured))
        if len(parts) > 1 and not all(parts):  # a period holds for all rows, so it is no part of an *or*
            raise NotUnderstoodError("or")
        return parts[0] if len(parts) == 1 else {"any": parts}

    def _read_all(self, *, is_measured: bool) -> dict[str, Any]:
        parts = [self._read_test(is_measured=is_measured)]
        while self._take_joiner("and"):
            parts.append(self._read_test(is_measured=is_measured))
        parts = [each for part in parts for each in part.get("all", [part]) if each]
        return {"all": parts} if len(parts) > 1 else parts[0] if parts else {}

    def _read_test(self, *, is_measured: bool) -> dict[str, Any]:
        if self._take_joiner("not"):
            return self._turn_round(self._read_test(is_measured=is_measured))
        if self._take_joiner("("):
            tree = self._read_any(is_measured=is_measured)
            if self._take_joiner(")") is None or not tree:
                raise NotUnderstoodError("(")
            return tree
        return self._read_comparison(is_measured=is_measured)

    def _turn_round(self, tree: dict[str, Any]) -> dict[str, Any]:
        opposite = find_opposite(tree.get("op"))
        if opposite is None:
            raise NotUnderstoodError("not")
        return {**tree, "op": opposite}

    def _read_comparison(self, *, is_measured: bool) -> dict[str, Any]:
        word = self._require("aggregation", "many") if is_measured else None
        item = self._take("name", "quoted") if word is not None else self._require("name", "quoted", "word")
        left: dict[str, Any] = {}
        if word is not None:
            left = {"aggregation": "count" if word.kind == "many" else word.value}
            left |= {"metric": item.value} if item is not None else {}
            self._take("*")
        elif item is not None:
            left = {"column": self._join_words(item).text if item.kind == "word" else item.value}
        self._take("is")
        is_denied = self._take("not") is not None
        sign = self._take("sign", "between", "in", "contains", "starts", "null", skips=False)
        match sign.kind if sign is not None else "":
            case "null":
                return left | {"op": "is_not_null" if is_denied else "is_null"}
            case "between" if not is_denied:
                first = self._read_value()
                self._require("and")
                return left | {"op": "between", "values": (first, self._read_value())}
            case "in" if not is_denied and not is_measured and (period := self._take("relative")) is not None:
                self._set_period(period, left["column"])
                return {}
            case "in":
                return left | {"op": "not_in" if is_denied else "in", "values": self._read_list()}
            case "contains" | "starts" if not is_denied:
                text = self._require("text", "word", "quoted")
                return left | {"op": "contains" if sign.kind == "contains" else "starts_with", "value": text.text}  # type: ignore[union-attr]
        written = sign.value if sign is not None else "="
        if sign is not None and written not in COMPARISONS:
            raise NotUnderstoodError(sign.text)
        if sign is None and self._items[self._place - 1].kind not in ("is", "not"):
            met = self._peek()
            raise NotUnderstoodError(met.text if met is not None else str(item.text if item else "a condition"))
        op = COMPARISONS[written]
        condition = left | {"op": find_opposite(op) if is_denied else op}
        condition["value"] = self._read_value(condition)
        return condition

    def _read_list(self) -> tuple[Any, ...]:
        values = []
        while (item := self._peek()) is not None and item.kind in ("(", "["):
            self._place += 1
        while True:
            values.append(self._read_value())
            if self._take(",", skips=False) is None:
                break
        if self._take(")", "]", skips=False) is None:
            raise NotUnderstoodError("in")
        return tuple(values)

    def _read_value(self, condition: dict[str, Any] | None = None) -> Any:
        while (item := self._peek()) is not None and item.kind == "noise":
            self._place += 1
        item = self._take(skips=False)
        match item.kind if item is not None else "":
            case "number":
                numbers = [read_literal(each) for each in list_numbers(item.value)]  # type: ignore[union-attr]
                if not numbers:
                    raise NotUnderstoodError(item.text)  # type: ignore[union-attr]
                if len(numbers) == 1 and (PLAIN.fullmatch(item.value.removesuffix("%"))):  # type: ignore[union-attr]
                    return numbers[0]
                if condition is None:
                    raise NotUnderstoodError(item.text)  # type: ignore[union-attr]
                says = f"Which number is {item.text}?"  # type: ignore[union-attr]
                self._open.append((says, [_fill(condition, "value", each) for each in numbers]))
                return numbers[0]
            case "date" if item is not None:
                days = list_days(item.value)
                if days != [item.value] and condition is not None:
                    self._open.append(
                        (f"Which day is {item.text}?", [_fill(condition, "value", each) for each in days])
                    )
                elif days != [item.value]:
                    raise NotUnderstoodError(item.text)
                return item.value
            case "variable":
                return {"variable": item.value[1:]}  # type: ignore[union-attr]
            case "true" | "false":
                return item.kind == "true"  # type: ignore[union-attr]
            case "text":
                return item.value  # type: ignore[union-attr]
            case "word":
                return self._join_words(item).text  # type: ignore[arg-type]
            case "name" | "source" | "period" | "quoted" if item is not None and item.text.isalpha():
                return item.text
            case _ if item is not None and item.text.isalpha() and item.text.lower() not in build_roles():
                return item.text  # `Süd`, which is one letter from a word with a role
        raise NotUnderstoodError(item.text if item is not None else "the end of the line")


def _read_percent(word: Item, numbers: Sequence[Item]) -> str:
    """Read the percent of `p90`, of `percentile 90` or of `quantile 0.9`."""
    if word.kind == "percentile":
        return str(word.value)
    if len(numbers) != 1:
        raise NotUnderstoodError(word.text)
    if not PLAIN.fullmatch(numbers[0].value):
        raise NotUnderstoodError(numbers[0].text)
    share = 100 if word.text.lower() in SHARES else 1
    return f"{(Decimal(numbers[0].value) * share).normalize():f}"


def _fill(target: dict[str, Any], key: str, value: Any) -> Callable[[], None]:
    return lambda: target.__setitem__(key, value)
