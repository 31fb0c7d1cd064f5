"""Read a computation that the compute line refused: another library's call, a formula, letters of a field.

What was typed by name is bound by name: the parameter's own, a word of the field for it, or one with one letter wrong.
Values without names are bound in the order of the function that was named; one without a place ends the reading.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field, replace
from itertools import zip_longest
from typing import TYPE_CHECKING, Any

from service_nb.client.advice.notations import convert_unit, join_units, translate_notation
from service_nb.client.advice.scan import NotUnderstoodError, build_roles, list_numbers, read_words
from service_nb.compute.foreign_names import (
    Counterpart,
    ForeignArgument,
    convert_value,
    find_counterpart,
    find_parameter,
    list_counterparts,
)
from service_nb.core.words import find_slip, write_name
from service_nb.query.similar_names import find_similar_names, fold_name

if TYPE_CHECKING:
    from service_nb.client.service import Service

BLANK = "…"
_NONE = ForeignArgument(None)
_LEAST_SLIP = 5  # letters of a function's name without its field
_NAMED_ALIKE = ("complex_numbers",)  # fields whose functions are called as those of real numbers are: `log`, `sqrt`
_SCAN = re.compile(
    r"(?P<list>\[(?:[^\[\]]|\[[^\[\]]*\])*\])|(?P<text>'(?:[^']|'')*'|\"(?:[^\"]|\"\")*\"|`(?:[^`]|``)+`)|(?P<variable>\$\w+(?:\.\w+)?)"
    r"|(?P<comma>(?<==)[-+]?(?:\d{1,3}(?:\.\d{3})+|\d+),\d+%?(?![\w,.]))"
    r"|(?P<number>[-+]?(?:\d+(?:\.\d*)?|\.\d+)(?:[eE][-+]?\d+)?(?P<unit>%|[A-Za-zµΩ°][\w/^*·²³-]*)?)"
    r"|(?P<word>[^\W\d](?:[\w-]|\.(?!`))*(?:\.`(?:[^`]|``)+`)?)|(?P<sign>\S)"
)
_BRACES = str.maketrans("{}", "[]")  # around a list of a spreadsheet
_WHERE = re.compile(r"\bwhere\b(?!\s*=[^=]).*$", re.IGNORECASE | re.DOTALL)
_WRAPPERS = {"c", "array", "series", "list", "tuple", "asarray", "vector", "numeric"}  # around a list of values
_PLAIN = r"[-+]?\d+(?:\.\d+)?"
_MOST_TARGETS, _MOST_PLACED = 4, 2  # capabilities of one name that are tried; numbers that need no name
_PAIR = re.compile(r"(?<![\w.=])([^\W\d]\w*)\s+([-+]?\d+(?:\.\d+)?%?)(?![\w.,=\[(])")
_PAIRS = re.compile(rf"{_PAIR.pattern}(?:\s*,?\s+{_PAIR.pattern})+")
_DECIMAL = re.compile(r"[-+]?\d+,\d+")


@dataclass(slots=True)
class _Value:
    """Pieces that stand for one argument: as typed, with the place where each ends."""

    pieces: list[str] = field(default_factory=list)
    is_list: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class CallReading:
    """The meaning of a computation: the line, or one for each choice of what it asks; blanks for missing values."""

    capability: str
    lines: Sequence[str] = ()
    asks: str = ""
    says: str = ""  # how another library's function differs, or what it is called here
    blanks: str = ""  # the line with blanks, if values are missing


def read_call(text: str, client: Service) -> CallReading:
    """Read a computation in other words.

    Parameters
    ----------
    text : str
        The line.
    client : Service
        Whose capabilities and columns may be named.

    Raises
    ------
    NotUnderstoodError
        With the first part that has no place in the call.
    """
    text = translate_notation(_quote_columns(text, client), "computation")
    try:
        return _read(text, client)
    except NotUnderstoodError:
        paired = _write_pairs(text)
        if paired == text:
            raise
        return _read(paired, client)


def _quote_columns(text: str, client: Service) -> str:
    """Quote the columns behind the name of their source that are no single word: `survey.How satisfied are you?`."""
    for source in client.sources():
        names = [str(each["name"]) for each in source["typed_fields"] if not str(each["name"]).isidentifier()]
        typed = [name for name in names if f".{name.rstrip('?!')}" in text]
        for name in sorted(typed, key=len, reverse=True):
            spelt = rf"{re.escape(name.rstrip('?!'))}[?!]*"  # which a notebook takes from the end of a line
            whole = rf"(?<![\w.`])({re.escape(write_name(str(source['name'])))}\.){spelt}(?!\w)"
            text = re.sub(whole, lambda met, name=name: met[1] + write_name(name), text)  # type: ignore[misc]
    return text


def _write_pairs(text: str) -> str:
    """Write words that are each followed by a number as arguments: `mean 52.3 sd 4.1 n 30`."""
    return _PAIRS.sub(lambda met: _PAIR.sub(r"\1=\2", met.group()), text)


def _read(text: str, client: Service) -> CallReading:
    text = join_units(text)
    where = _WHERE.search(text)
    condition = f" {where.group().strip()}" if where else ""
    head, named, placed = _split(text[: where.start()] if where else text)
    settings = {name: value.pieces[0] for name, value in named.items() if value.pieces}
    targets, rest = _find_targets(head, settings, client)
    counterpart = targets[0].counterpart if targets else None
    if counterpart is not None and not rest and (chosen := _find_choices(counterpart, placed)):
        targets, rest = _find_targets(head, {**settings, **chosen}, client)
        _require_choices(targets, chosen)
        names = [*counterpart.arguments][: len(placed)]
        held = targets[0].counterpart.arguments if targets and targets[0].counterpart else {}
        gone = [name for name in chosen if held.get(name, _NONE).parameter is None]
        placed = [value for name, value in zip_longest(names, placed) if name not in gone]
    if not targets:
        raise NotUnderstoodError(" ".join(head) or text[:40])
    quiet = {*read_words()["roles"]["of"].split(), *read_words()["roles"]["noise"].split()}
    placed = [*(_Value([word]) for word in rest if word.lower() not in quiet), *placed]
    if len(targets) == 1:
        if counterpart is not None and counterpart.begins_later and placed and "(" not in text:
            # `NPV 0.1 -100 60` may be a textbook's, whose first flow is now.
            return CallReading(capability=targets[0].entry["id"], says=targets[0].says)
        return _bind(targets[0], named, placed, condition, client)
    readings = []
    for each in targets[:_MOST_TARGETS]:
        with suppress(NotUnderstoodError):
            readings.append(_bind(each, named, placed, condition, client))
    if not readings:
        raise NotUnderstoodError(text[:40])
    lines = [line for each in readings if not each.asks for line in each.lines]
    said = " ".join(head[: len(head) - len(rest)])
    says = readings[0].says if counterpart is not None else ""
    return CallReading(capability=readings[0].capability, lines=lines, asks=f"Which {said}?", says=says)


def _find_choices(counterpart: Counterpart, placed: Sequence[_Value]) -> dict[str, str]:
    """Find the arguments without a name that only choose what is computed: TRUE of `NORM.S.DIST(1.96, TRUE)`."""
    if counterpart.cells:
        return {}
    pairs = zip(counterpart.arguments.items(), placed, strict=False)
    return {name: value.pieces[0] for (name, argument), value in pairs if argument.parameter is None and value.pieces}


def _require_choices(targets: Sequence[_Target], chosen: Mapping[str, str]) -> None:
    """Require that the counterpart holds for what was chosen."""
    counterpart = targets[0].counterpart if targets else None
    held = counterpart.arguments if counterpart is not None else {}
    folded = {
        name: value.strip("'\"").casefold() for name, value in chosen.items() if held.get(name, _NONE).parameter is None
    }
    if counterpart is not None and not counterpart.settings.items() >= folded.items():
        raise NotUnderstoodError(" ".join(chosen.values()))


def _bind(
    target: _Target, named: Mapping[str, _Value], placed: Sequence[_Value], condition: str, client: Service
) -> CallReading:
    counterpart = target.counterpart
    if counterpart is not None and not counterpart.can_be_called:
        return CallReading(capability=target.entry["id"], says=target.says)
    reading = _Binding(target, client).bind(named, placed, condition)
    is_turned = counterpart is not None and bool(counterpart.result)
    return replace(reading, asks="With that difference?") if is_turned and not reading.asks else reading


@dataclass(frozen=True, slots=True, kw_only=True)
class _Target:
    """The capability that a line names, and how."""

    entry: Mapping[str, Any]
    counterpart: Counterpart | None = None

    @property
    def says(self) -> str:
        if self.counterpart is None:
            return ""
        difference = f": {self.counterpart.difference}" if self.counterpart.difference else ""
        return f"{self.counterpart.title} is {self.entry['id']}{difference}"


def _find_targets(
    head: Sequence[str], settings: Mapping[str, str], client: Service
) -> tuple[Sequence[_Target], Sequence[str]]:
    """Find the capabilities that the longest run of first words names, and the words that are left.

    A function without its field may be several; one that divides by n - 1 and has a twin that divides by n is two.
    """
    known = client.capabilities()
    functions: dict[str, list[str]] = {}
    for name in known:
        functions.setdefault(fold_name(name.partition(".")[2]), []).append(name)
    for count in range(len(head), 0, -1):
        said, rest = " ".join(head[:count]), head[count:]
        module, _, function = said.rpartition(".")
        if said in known:
            return [_Target(entry=client.capability(said))], rest
        own = functions.get(fold_name(said), []) if said != said.upper() else []  # `ATAN2` is a spreadsheet's
        own = [each for each in own if each.partition(".")[0] not in _NAMED_ALIKE] or own
        if own:
            parts = {part["name"] for each in own for part in client.capability(each)["params"]}
            return list_alike(said, own, client, is_ours=not parts.isdisjoint(settings)), rest
        for name in (said, function if any(each.startswith(f"{module}.") for each in known) else said):
            if count > 1 and "." in name:
                continue
            found = find_counterpart(name, settings) or find_counterpart(name)
            if found is not None and found.capability in known and found.capability.startswith(module * (name != said)):
                # Words of a language say nothing of the divisor.
                twins = [] if found.arguments or found.settings else [f"{found.capability}_population"]
                either = [each for each in (found.capability, *found.either, *twins) if each in known]
                return [_Target(entry=client.capability(each), counterpart=found) for each in either], rest
    if not head:
        return [], head
    module, _, function = head[0].rpartition(".")
    bare = fold_name(function)
    is_mended = len(bare) >= _LEAST_SLIP and bare not in build_roles()  # `max` is no slip of `mad`
    slip = find_slip(head[0], known) if module else find_slip(bare, functions) if is_mended else None
    named = [slip] if slip in known else functions.get(slip or "", [])
    return [_Target(entry=client.capability(each)) for each in named[:1] if len(named) == 1], head[1:]


def list_alike(said: str, own: Sequence[str], client: Service, *, is_ours: bool = False) -> Sequence[_Target]:
    """List what a name without its field may be: ours, its twin that divides by n, and what other libraries call so.

    `is_ours`: a parameter is named as here, so that its values are not in another library's order.
    """
    known, rows = client.capabilities(), list_counterparts(said)
    firsts = {(row.library, row.name): row for row in reversed(rows)}.values()  # whose settings are the usual ones
    if not is_ours and len(own) == 1 and {row.capability for row in firsts} == {own[0]}:
        is_theirs = rows[0].name == said != own[0].partition(".")[2]  # R's `besselJ`, whose order comes last
        if is_theirs or not any(row.is_same for row in firsts):
            return [_Target(entry=client.capability(own[0]), counterpart=rows[0])]
    alike = [*(f"{each}_population" for each in own), *(row.capability for row in firsts)]
    names = dict.fromkeys([*own, *(each for each in alike if each in known)])
    return [_Target(entry=client.capability(each)) for each in names]


# --- pieces -----------------------------------------------------------------------------------------------------------


def _split(text: str) -> tuple[list[str], dict[str, _Value], list[_Value]]:
    """Split a line into the words before its arguments, the arguments with a name, and those without."""
    text = text.strip().lstrip("=").strip().translate(_BRACES)
    tokens = [*_SCAN.finditer(text)]
    head: list[str] = []
    while tokens and tokens[0].lastgroup == "word" and not _is_sign(tokens[1:2], "=:"):
        head.append(tokens.pop(0).group())
        if _is_sign(tokens[:1], "("):
            break
    named: dict[str, _Value] = {}
    placed: list[_Value] = []
    current: _Value | None = None
    place = 0
    while place < len(tokens):
        token, follows = tokens[place], tokens[place + 1 : place + 2]
        place += 1
        kind, met = token.lastgroup if token.lastgroup != "unit" else "number", token.group()
        if kind in ("word", "text") and _is_sign(follows, "=:"):
            current = named.setdefault(met.strip("`'\""), _Value())
            place += 1
        elif kind == "sign" and met in "(),;":
            current = None if met == ";" or (met == "," and not _has_more(tokens[place:])) else current
        elif kind == "sign":
            raise NotUnderstoodError(met)
        elif kind == "word" and _is_sign(follows, "(") and met.rpartition(".")[2].lower() in _WRAPPERS:
            end = next((at for at in range(place, len(tokens)) if tokens[at].group() == ")"), len(tokens))
            inside = [each.group() for each in tokens[place + 1 : end] if each.lastgroup != "sign"]
            value = _Value(inside if len(inside) != 1 or inside[0][0] != "[" else _split_list(inside[0]), is_list=True)
            _put(value, current, placed)
            place = end + 1
        elif (
            kind == "list"
            and place > 1
            and tokens[place - 2].end() == token.start()
            and tokens[place - 2].lastgroup == "word"
        ):
            raise NotUnderstoodError(met)  # a condition of a column that is none
        elif kind == "list":
            _put(_Value(_split_list(met), is_list=True), current, placed)
        else:
            _put(_Value([met]), current, placed)
    return head, named, placed


def _put(value: _Value, current: _Value | None, placed: list[_Value]) -> None:
    if current is None:
        placed.append(value)
    else:
        current.pieces += value.pieces
        current.is_list |= value.is_list or len(current.pieces) > 1


def _has_more(tokens: Sequence[re.Match[str]]) -> bool:
    """Tell whether behind a comma one more value of the same argument follows, not the name of the next."""
    return bool(tokens) and tokens[0].lastgroup in ("number", "unit") and not _is_sign(tokens[1:2], "=:")


def _is_sign(tokens: Sequence[re.Match[str]], signs: str) -> bool:
    return bool(tokens) and tokens[0].lastgroup == "sign" and tokens[0].group() in signs


def _split_list(text: str) -> list[str]:
    """Split a list; where semicolons stand between its values, commas stand within them."""
    inside = text[1:-1]
    if "[" in inside:  # a matrix
        return [text]
    return [each.strip() for each in inside.split(";" if ";" in inside else ",") if each.strip()]


# --- binding ----------------------------------------------------------------------------------------------------------


class _Binding:
    """Gives each value to the parameter that it was typed for."""

    def __init__(self, target: _Target, client: Service) -> None:
        self._target, self._client = target, client
        self._parts: dict[str, Mapping[str, Any]] = {part["name"]: part for part in target.entry["params"]}
        self._decimals: list[str] = []  # numbers whose comma may be a decimal one
        self._asks = ""
        self._turned: list[str] = []  # what quantities in other units are in ours
        self._columns: list[tuple[str, list[str]]] = []  # names that are columns of several sources

    def bind(self, named: Mapping[str, _Value], placed: Sequence[_Value], condition: str) -> CallReading:
        given: dict[str, str] = {}
        for word, value in named.items():
            argument = self._find_argument(word)
            if argument is not None and argument.parameter is not None and argument.parameter not in given:
                given[argument.parameter] = self._write(argument, value)
            elif not self._is_setting(word, value):
                raise NotUnderstoodError(f"{word}={' '.join(value.pieces)}")
        placed = [value for value in placed if not self._take_cells(value, given)]
        in_order = list(self._place(placed, given))
        for argument, value in in_order:
            given[str(argument.parameter)] = self._write(argument, value)
        counterpart = self._target.counterpart
        given |= {name: str(value) for name, value in (counterpart.fixed if counterpart else {}).items()}
        missing = [name for name, part in self._parts.items() if name not in given and "default" not in part]
        order = [*self._parts, "seed"]
        said = [f"{name}={given.get(name, BLANK)}" for name in order if name in given or name in missing]
        line = " ".join([self._target.entry["id"], *said]) + condition
        entry, says = self._target.entry["id"], "; ".join(filter(None, [self._target.says, *self._turned]))
        if missing or not said:
            return CallReading(capability=entry, says=says, blanks=line)
        reading = self._ask(line, says)
        if self._asks:
            return replace(reading, asks=self._asks, says="") if not reading.asks else CallReading(capability=entry)
        is_guessed = self._target.counterpart is None and len(in_order) > 1 and not reading.asks
        return replace(reading, asks="In this order?") if is_guessed else reading

    def _take_cells(self, value: _Value, given: dict[str, str]) -> bool:
        """Give the numbers of a table, row after row, to the parameters that are its cells; False if it has none."""
        counterpart = self._target.counterpart
        cells = [*counterpart.cells] if counterpart is not None else []
        if not cells or not value.is_list or not value.pieces[0].startswith("[["):
            return False
        rows = [re.findall(_PLAIN, row) for row in re.findall(r"\[([^\[\]]*)\]", value.pieces[0])]
        if [len(row) for row in rows] != [2] * (len(cells) // 2) or not given.keys().isdisjoint(cells):
            raise NotUnderstoodError(value.pieces[0])
        given |= dict(zip(cells, (each for row in rows for each in row), strict=True))
        return True

    def _ask(self, line: str, says: str) -> CallReading:
        """Ask about the one slot that is open: the source of a column, or what a comma is."""
        entry = self._target.entry["id"]
        if len(self._columns) + bool(self._decimals) > 1:
            raise NotUnderstoodError(self._columns[0][0])
        if self._decimals:
            said = ", ".join(self._decimals[:3])
            return CallReading(capability=entry, lines=[line], says=says, asks=f"Is the comma a decimal one in {said}?")
        for name, found in self._columns:
            lines = [line.replace(f"\0{name}\0", each) for each in found]
            return CallReading(capability=entry, lines=lines, says=says, asks=f"Which column is `{name}`?")
        return CallReading(capability=entry, lines=[line], says=says)

    def _find_argument(self, word: str) -> ForeignArgument | None:
        """Find the parameter of a word: of the typed function, of this one, of its field, or one letter off."""
        counterpart = self._target.counterpart
        if counterpart is not None and word in counterpart.arguments:
            return counterpart.arguments[word]
        folded = {fold_name(name): name for name in self._parts}
        if counterpart is not None and any(
            each.conversion == "later" and each.parameter == word for each in counterpart.arguments.values()
        ):
            self._asks = "Is the first flow now?"  # the name is ours, the function is not
        own = folded.get(fold_name(word)) or ("seed" if word == "seed" and self._target.entry.get("seed") else None)
        if own is not None:
            return ForeignArgument(own)
        slip = find_slip(fold_name(word), folded) if len(word) > 2 else None  # letters mean something
        return find_parameter(self._target.entry, word) or (ForeignArgument(folded[slip]) if slip else None)

    def _is_setting(self, word: str, value: _Value) -> bool:
        """Tell whether an argument of the other library is one that this counterpart was chosen by."""
        counterpart = self._target.counterpart
        if counterpart is None or len(value.pieces) != 1:
            return False
        return counterpart.settings.get(word) == value.pieces[0].strip("'\"").casefold()

    def _place(self, placed: Sequence[_Value], given: Mapping[str, str]) -> Iterator[tuple[ForeignArgument, _Value]]:
        """Pair values without names with parameters, in order; the last one that is a list takes all that are left."""
        counterpart = self._target.counterpart
        has_order = counterpart is not None and bool(counterpart.arguments)
        order = list(counterpart.arguments.values()) if has_order else [ForeignArgument(name) for name in self._parts]  # type: ignore[union-attr]
        left = [each for each in order if each.parameter not in given]
        values = list(placed)
        if not any(each.is_list for each in values):  # `IRR(-100, 60, 60)` has no place for its guess
            left = [each for each in left if each.parameter is not None]
        takes_rest = bool(left) and bool(self._parts.get(str(left[-1].parameter), {}).get("shape"))
        if takes_rest and len(values) > len(left) and all(len(each.pieces) == 1 for each in values[len(left) - 1 :]):
            rest = [piece for each in values[len(left) - 1 :] for piece in each.pieces]
            values = [*values[: len(left) - 1], _Value(rest, is_list=True)]
        if len(values) > len(left):
            raise NotUnderstoodError(" ".join(values[len(left)].pieces))
        scalars = [each for each in left[: len(values)] if not self._parts.get(str(each.parameter), {}).get("shape")]
        if not has_order and len(scalars) > _MOST_PLACED:  # their order is known to nobody: `spot, strike, time`
            return
        for argument, value in zip(left, values, strict=False):
            if argument.parameter is None:
                raise NotUnderstoodError(" ".join(value.pieces))
            yield argument, value

    def _write(self, argument: ForeignArgument, value: _Value) -> str:
        if argument.conversion == "later":  # a flow more comes first: that of now, which is none
            if any(not re.match(r"[-+.\d]", each) for each in value.pieces):
                raise NotUnderstoodError(" ".join(value.pieces))
            argument, value = replace(argument, conversion=""), _Value(["0", *value.pieces], is_list=True)
        part = self._parts.get(str(argument.parameter), {})
        takes_list = bool(part.get("shape"))
        if (len(value.pieces) > 1 and not takes_list) or not value.pieces:
            whole = ",".join(value.pieces)
            if len(value.pieces) != 2 or not _DECIMAL.fullmatch(whole):
                raise NotUnderstoodError(whole)
            self._decimals.append(whole)
            return whole.replace(",", ".")
        if len(value.pieces) == 1 and value.pieces[0].startswith("[") and not argument.conversion:
            return value.pieces[0]
        if takes_list and len(value.pieces) == 1 and _DECIMAL.fullmatch(value.pieces[0]) and not value.is_list:
            value = _Value(value.pieces[0].split(","), is_list=True)
        if takes_list and not value.is_list and len(value.pieces) == 1 and re.match(r"[-+.\d]", value.pieces[0]):
            raise NotUnderstoodError(value.pieces[0])  # one number is no list
        written = [self._write_piece(piece, part, argument.conversion) for piece in value.pieces]
        is_column = len(written) == 1 and not value.is_list and not re.match(r"[-+.\d'\"]", written[0])
        return written[0] if is_column or not takes_list else f"[{', '.join(written)}]"

    def _write_piece(self, piece: str, part: Mapping[str, Any], conversion: str) -> str:
        """Write one value: a percentage as its fraction, a quantity without its unit, a column with its source."""
        number = re.fullmatch(r"([-+]?[\d.,]+(?:[eE][-+]?\d+)?)((?:[^\d.,].*)?)", piece)
        if number is not None:
            digits, unit = list_numbers(number[1]), number[2].strip()
            is_percent = unit == "%" and conversion in ("", "percent")
            turned = convert_value(digits[0], "percent" if is_percent else conversion) if len(digits) == 1 else None
            ours = convert_unit(digits[0], unit, str(part.get("unit"))) if len(digits) == 1 and not conversion else None
            if ours is not None:
                self._turned.append(f"{piece} is {ours} {part['unit']}")
                return ours
            if turned is None or not (is_percent or unit in ("", part.get("unit"))):
                raise NotUnderstoodError(piece)
            if digits[0] != number[1]:
                self._decimals.append(piece)
            return turned
        if conversion == "dashes":
            return str(convert_value(piece, conversion))
        if conversion:
            raise NotUnderstoodError(piece)
        if piece[0] == "$" or str(part.get("type", "")).startswith(("string", "bool")):
            return piece
        return self._write_column(piece)

    def _list_similar(self, source: str, column: str) -> Iterator[str]:
        """Yield the columns of numbers whose names are like one that there is not, in the source or in all."""
        for each in self._client.sources():
            if not source or fold_name(str(each["name"])) == fold_name(source):
                names = [str(field["name"]) for field in each["typed_fields"] if field["type"] == "number"]
                for name in find_similar_names(column, names):
                    yield f"{write_name(str(each['name']))}.{write_name(name)}"

    def _write_column(self, name: str) -> str:
        quoted = re.fullmatch(r"(?:([^`]+)\.)?`(.+)`", name)
        source, column = quoted.groups(default="") if quoted else name.strip("'\"").rpartition(".")[::2]
        bare = f"{source}.{column}".lstrip(".")
        found = [
            f"{write_name(str(each['name']))}.{write_name(str(field['name']))}"
            for each in self._client.sources()
            if not source or fold_name(str(each["name"])) == fold_name(source)
            for field in each["typed_fields"]
            if fold_name(str(field["name"])) == fold_name(column)
        ]
        if not found:
            found = [*self._list_similar(source, column)]
        if not found:
            raise NotUnderstoodError(name)
        if len(found) == 1 and fold_name(found[0].rpartition(".")[2].strip("`")) != fold_name(column):
            self._columns.append((bare, found))
            return f"\0{bare}\0"
        if len(found) == 1:
            return found[0]
        self._columns.append((bare, found))
        return f"\0{bare}\0"
