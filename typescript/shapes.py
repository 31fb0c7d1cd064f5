"""Write what TypeScript and the standalone verifier have of the shapes and aggregations that service_nb declares.

    python typescript/shapes.py            write {constants,shapes,aggregations}.ts and standalone.py's tables
    python typescript/shapes.py --check    name what is out of date, and write nothing

Both are kept in the repository: the extension is built where service_nb is not installed yet, and the standalone
verifier is one file that auditors read. `make check` compares.
"""

from __future__ import annotations

import json
import re
import sys
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

from service_nb.core.canonical import MAX_DEPTH, MAX_SAFE_INTEGER
from service_nb.query import aggregations
from service_nb.schema import card, entry, notebooks
from service_nb.schema.json_schema import JsonSchema, describe_shapes
from service_nb.schema.query import AGGREGATIONS
from service_nb.schema.text_order import LETTERS_NOTE
from typescript import agent_tables, message_tables, query_tables, reading_tables, search_tables

ROOT = Path(__file__).resolve().parents[1]
RECORDS = ROOT / "typescript" / "packages" / "records" / "src"
PANEL = ROOT / "typescript" / "packages" / "panel" / "src"
HEAD = "// Written by typescript/shapes.py from service_nb/schema.\n\n"
REPORT = ROOT / "labextension" / "src" / "report"
STANDALONE = ROOT / "service_nb" / "evidence" / "standalone.py"
CATALOGUE = ROOT / "service_nb" / "evidence" / "catalogue.json"
STYLE = ROOT / "service_nb" / "evidence" / "templates" / "report.css"
BEGIN = "# --- shapes, written by typescript/shapes.py from service_nb/schema: do not edit them here"
END = "# --- end of the shapes"
WIDTH = 120
# What hashed texts and documents are read as; a view is compared with the texts, and never read by a shape.
READ = (
    *("Card", "SpecText", "PlanText", "InspectionText", "AnswerProvenance", "RunProvenance", "CallIdentity"),
    *("Definition", "Receipt", "Statement", "Predicate", "IndexPredicate", "NotebookSeal", "LedgerDocument"),
)
COMBINATORS = (
    *("anyObject", "anything", "arrayOf", "count", "holding", "literal", "mapOf", "name", "nullable", "object"),
    *("oneOf", "scalar", "tagged", "text", "textLike", "textOr"),
)


# Of files that hold cards, which a page loads when one is opened.
FILE_SHAPES = {"IndexedCard", "IndexPredicate", "NotebookSeal", "LedgerId", "LedgerDocument"}


def name_of(node: JsonSchema) -> str:
    """Name the shape that a reference points to."""
    return str(node["$ref"]).rpartition("/")[2]


def order_shapes(shapes: JsonSchema) -> dict[str, JsonSchema]:
    """Order what is read so that each shape, and each word with a title, stands before those that hold it."""
    found: dict[str, JsonSchema] = {}
    placing: set[str] = set()

    def visit(node: object) -> None:
        if isinstance(node, dict):
            if "$ref" in node:
                if "x-carried" not in node:
                    place(name_of(node), shapes[name_of(node)])
            elif "anyOf" in node and "title" in node:
                place(node["title"], node)
            elif "title" in node:
                found.setdefault(node["title"], node)
            elif "x-carried" not in node:
                for each in [*node.get("properties", {}).values(), *node.get("anyOf", ())]:
                    visit(each)
                visit(node.get("items"))
                visit(node.get("additionalProperties"))

    def place(name: str, shape: JsonSchema) -> None:
        if name not in found and name not in placing:  # a shape may hold itself
            placing.add(name)
            visit({key: each for key, each in shape.items() if key != "title"})
            found[name] = shape

    for name in READ:
        place(name, shapes[name])
    for kind in shapes["Card"]["oneOf"]:
        visit(kind["properties"]["digests"])
    return found


def split_keyed(branches: list[JsonSchema], shapes: JsonSchema) -> tuple[str, JsonSchema, list[JsonSchema]] | None:
    """Split off the first shape of a choice if a member that no other has tells it apart: the member, it, the rest."""
    first, *others = (shapes[name_of(each)]["properties"] for each in branches)
    key = next((key for key in first if not any(key in each for each in others)), None)
    return None if key is None or len(first) != 1 else (key, branches[0], branches[1:])


def are_apart(values: list[list[str]]) -> bool:
    """Tell whether no value is in two lists."""
    return sum(map(len, values)) == len({each for held in values for each in held})


def find_tag(branches: list[JsonSchema], shapes: JsonSchema) -> tuple[str, list[list[str]]]:
    """Find the member by which shapes of a choice are told apart, and its values in each; the last may have any."""
    members = [shapes[name_of(each)]["properties"] for each in branches]
    shared = [key for key in members[0] if all(key in one for one in members)]
    values = {key: [one[key].get("enum", [one[key].get("const")]) for one in members] for key in shared}
    tag = next(key for key, each in values.items() if all(None not in held for held in each[:-1]) and are_apart(each))
    return tag, values[tag]


def carry(node: JsonSchema, parent: JsonSchema) -> JsonSchema:
    """Pass on to a branch of a choice that what lies inside is carried."""
    return node | {"x-carried": True} if parent.get("x-carried") else node


class Table:
    """The table of the standalone verifier: shapes as data.

    A word is a shape or a rule of the table, or one of text, object, scalar, null, any. `{key: shape}` is an object
    with exactly these keys, `key?` of one that may be missing; `[shape]` a list; a tuple a rule with its arguments.
    """

    def __init__(self, shapes: JsonSchema) -> None:
        self._shapes = shapes

    def write(self) -> str:
        """Write constants, kinds of cards, digests and shapes."""
        kinds = {kind: (*shape,) for kind, shape in card.CARD_KINDS.items()}
        hashed = {name: (f"{d.domain}\0" if d.domain else "", d.after, d.texts) for name, d in card.DIGESTS.items()}
        table = {
            name: self._members(node) if "properties" in node else self._rule(node)
            for name, node in order_shapes(self._shapes).items()
        }
        words = {}
        for name, one in aggregations.RECORDS.items():
            held = one.held if one.held in ("int64", "float64") else None
            words[name] = (one.noun, one.step, held, ("number",) if held else one.accepts)
        sizes = (card.CARD_FILE_BYTES, entry.STATEMENT_BYTES, entry.DOCUMENT_BYTES)
        return "\n".join(
            [
                assign("CARD_MIME, PAYLOAD_TYPE", (card.CARD_MIME, entry.PAYLOAD_TYPE)),
                assign("CARD_BYTES, STATEMENT_BYTES, DOCUMENT_BYTES", sizes),
                assign("MAX_DEPTH, MAX_DIGITS, MAX_INTEGER", (MAX_DEPTH, entry.NUMBER_CHARS, MAX_SAFE_INTEGER)),
                "# What cannot be checked without the verdict being open: nothing that is shown depends on a text that",
                "# is not kept, or `shown` would say so; an unknown signer, or none, has a verdict of its own; a card",
                "# is what it is, whatever was taken out of a notebook that is not sealed.",
                assign("UNDECIDING", card.UNDECIDING),
                "# A notebook that every viewer reads alike: its format, keys that readers of another format read, the",
                "# kinds of cells, the one whose outputs are shown, and what is shown of each kind of output.",
                assign("NOTEBOOK_FORMAT, OTHER_CELLS", (notebooks.NOTEBOOK_FORMAT, notebooks.OTHER_CELLS)),
                assign("CELL_TYPES, OUTPUT_CELL", (notebooks.CELL_TYPES, notebooks.OUTPUT_CELL)),
                assign("OUTPUT_TYPES", dict(notebooks.OUTPUT_TYPES)),
                "# Of each kind of card: the texts that it may hold, the digests that it must hold, what its view may",
                "# say, the last word of its predicate's type, the texts that give what it shows, but for rows.",
                assign("KINDS: dict[str, tuple[Any, ...]]", kinds),
                "# What a digest is the SHA-256 of: a domain with a NUL, another digest of the card, texts with NUL.",
                assign("HASHED: dict[str, tuple[str, str, tuple[str, ...]]]", hashed),
                "# A digest that stands in a text of the card under its own name.",
                assign("QUOTED", dict(card.QUOTED)),
                "# Of each aggregation: noun, step, how its result is held (None: as the column), and its types.",
                assign("AGGREGATIONS: dict[str, tuple[str, str, str | None, tuple[str, ...]]]", words),
                assign("SHAPES: dict[str, Any]", table),
            ]
        )

    def _members(self, node: JsonSchema) -> dict[str, Any]:
        required = node["required"]
        return {
            f"{key}{'' if key in required else '?'}": self._build_shape(each)
            for key, each in node["properties"].items()
        }

    def _build_shape(self, node: JsonSchema) -> Any:
        is_carried = "x-carried" in node
        match node:
            case {"title": title}:
                return title
            case {"$ref": _}:
                return "object" if is_carried else name_of(node)
            case {"anyOf": [one, {"type": "null"}]}:
                return ("or", self._build_shape(carry(one, node)), "null")
            case {"anyOf": [{"type": "string"} as one, {"$ref": _} as other]}:
                return ("or", self._build_shape(one), self._build_shape(other))
            case {"anyOf": branches} if keyed := split_keyed(branches, self._shapes):
                key, one, others = keyed
                return ("holding", key, self._build_shape(one), self._build_shape({"anyOf": others}))
            case {"anyOf": branches}:
                return ("by", find_tag(branches, self._shapes)[0], *map(self._build_shape, branches))
            case {"const": value}:
                return ("is", value)
            case {"enum": values}:
                return ("is", *values)
            case {"type": [*types]}:
                return ("or", "text", "null") if "null" in types else "scalar"
            case {"type": "array", "items": item}:
                bounds = (node.get("minItems", 0), node.get("maxItems"))
                each = "any" if is_carried else self._build_shape(item)
                return [each] if bounds == (0, None) else ("list", each, *bounds)
            case {"type": "object", "additionalProperties": item}:
                return "object" if is_carried or not item else ("map", self._build_shape(item))
            case {"type": "string"}:
                return "text"
        return "any"

    def _rule(self, node: JsonSchema) -> Any:
        match node:
            case {"anyOf": branches}:
                return self._build_shape({"anyOf": branches})
            case {"pattern": pattern}:
                return ("like", pattern.removeprefix("^").removesuffix("$"))
            case {"contentEncoding": "base64"}:
                return ("base64", node.get("x-bytes"))
            case {"type": "string", "minLength": 1}:
                return ("name",)
            case {"type": "integer", "minimum": 0, "maximum": most} if most == MAX_SAFE_INTEGER:
                return ("whole",)
        raise ValueError(f"the standalone verifier has no rule for {node}")


class TypeScript:
    """TypeScript's constants, types and decoders."""

    def __init__(self, shapes: JsonSchema) -> None:
        self._shapes = shapes

    def write(self, *, of_files: bool) -> str:
        """Write the module `shapes.ts`, or `file-shapes.ts`, which a page loads when a file is opened."""
        parts = []
        for name, node in order_shapes(self._shapes).items():
            if (name in FILE_SHAPES) is not of_files:
                continue
            if "properties" in node:
                parts += [self._interface(name, node), self._decoder(name, node)]
            elif "anyOf" in node:
                choice = {"anyOf": node["anyOf"]}
                parts.append(f"export type {name} = {self._type(choice)};")
                parts.append(f"export const {self._lower(name)}: Decoder<{name}> = {self._call(choice)};")
            elif name not in self._KNOWN:
                parts.append(f"export const {self._lower(name)} = {self._rule(node)};")
        text = "\n\n".join(parts)
        used = [word for word in COMBINATORS if re.search(rf"\b{word}[(<]|[ (]{word}[,)]", text)]
        imports = ", ".join(["type Decoder", *used, "type Scalar"])
        lines = [
            'import { base64 } from "./base64.js";',
            'import type { AGGREGATIONS } from "./aggregations.js";',
            'import type { CardKind } from "./constants.js";',
            f'import {{ {imports} }} from "./decode.js";',
        ]
        if of_files:
            others = [name for name in order_shapes(self._shapes) if name not in {*FILE_SHAPES, *self._KNOWN}]
            types = [name for name in others if re.search(rf"[ ]{name};", text)]
            values = [self._lower(name) for name in others if re.search(rf"[ (]{self._lower(name)}[,)]", text)]
            named = ", ".join([*(f"type {name}" for name in types), *values])
            imports = ", ".join(["type Decoder", *used])
            lines = [f'import {{ {imports} }} from "./decode.js";', f'import {{ {named} }} from "./shapes.js";']
        return HEAD + "\n".join(lines) + f"\n\n{text}\n"

    _KNOWN: Mapping[str, str] = {"Name": "name", "Whole": "count"}  # to decode.ts

    @classmethod
    def _lower(cls, name: str) -> str:
        return cls._KNOWN.get(name, name[0].lower() + name[1:])

    def _interface(self, name: str, node: JsonSchema) -> str:
        members = [
            f"  readonly {key}{'' if key in node['required'] else '?'}: {self._type(each)};"
            for key, each in node["properties"].items()
        ]
        return "\n".join([f"/** {node['description']} */", f"export interface {name} {{", *members, "}"])

    def _decoder(self, name: str, node: JsonSchema) -> str:
        members = [f"  {key}: {self._call(each)}," for key, each in node["properties"].items()]
        optional = [key for key in node["properties"] if key not in node["required"]]
        rest = f", {json.dumps(optional)}" if optional else ""
        start = f"export const {self._lower(name)}: Decoder<{name}> = object<{name}>("
        return "\n".join([f"{start}{{", *members, f"}}{rest});"])

    def _type(self, node: JsonSchema) -> str:
        is_carried = "x-carried" in node
        match node:
            case {"$ref": _}:
                return "Readonly<Record<string, unknown>>" if is_carried else name_of(node)
            case {"anyOf": _, "title": title}:
                return str(title)
            case {"anyOf": branches}:
                return " | ".join(self._type(carry(each, node)) for each in branches)
            case {"const": value}:
                return json.dumps(value)
            case {"enum": values}:
                named = {tuple(card.CARD_KINDS): "CardKind", tuple(AGGREGATIONS): "keyof typeof AGGREGATIONS"}
                return named.get(tuple(values)) or " | ".join(map(json.dumps, values))
            case {"type": [*types]}:
                return "string | null" if "null" in types else "Scalar"
            case {"type": "array", "items": item}:
                each = "unknown" if is_carried else self._type(item)
                return f"readonly ({each})[]" if " " in each else f"readonly {each}[]"
            case {"type": "object", "additionalProperties": item}:
                return f"Readonly<Record<string, {'unknown' if is_carried else self._type(item)}>>"
            case {"type": word}:
                return {"string": "string", "integer": "number", "null": "null"}[word]
        return "unknown"

    def _call(self, node: JsonSchema) -> str:
        is_carried = "x-carried" in node
        match node:
            case {"anyOf": _, "title": title}:  # a shape of the choice may hold it
                return f"(...met) => {self._lower(title)}(...met)"
            case {"title": title}:
                return self._lower(title)
            case {"$ref": _}:
                return "anyObject" if is_carried else self._lower(name_of(node))
            case {"anyOf": [one, {"type": "null"}]}:
                return f"nullable({self._call(carry(one, node))})"
            case {"anyOf": [{"type": "string"} as one, {"$ref": _} as other]}:
                return f"textOr({self._call(one)}, {self._call(other)})"
            case {"anyOf": branches} if keyed := split_keyed(branches, self._shapes):
                key, one, others = keyed
                rest = {"anyOf": others}
                kinds = f"{self._type(one)}, {self._type(rest)}"
                return f"holding<{kinds}>({json.dumps(key)}, {self._call(one)}, {self._call(rest)})"
            case {"anyOf": branches}:
                tag, values = find_tag(branches, self._shapes)
                calls = [self._call(each) for each in branches]
                pairs = [f"[{json.dumps(held)}, {call}]" for held, call in zip(values, calls, strict=True)]
                return f"tagged<{self._type(node)}>({json.dumps(tag)}, [{', '.join(pairs[:-1])}], {calls[-1]})"
            case {"const": value}:
                return f"literal({json.dumps(value)})"
            case {"enum": values}:
                return f"oneOf({', '.join(map(json.dumps, values))})"
            case {"type": [*types]}:
                return "nullable(text)" if "null" in types else "scalar"
            case {"type": "array", "items": item}:
                each = "anything" if is_carried else self._call(item)
                bounds = (node.get("minItems", 0), node.get("maxItems"))
                limits = "".join(f", {bound}" for bound in bounds if bound is not None) if bounds != (0, None) else ""
                return f"arrayOf({each}{limits})"
            case {"type": "object", "additionalProperties": item}:
                return "anyObject" if is_carried or not item else f"mapOf({self._call(item)})"
            case {"type": "string"}:
                return "text"
        return "anything"

    def _rule(self, node: JsonSchema) -> str:
        match node:
            case {"pattern": pattern, "description": description}:
                return f"textLike(/{pattern}/, {json.dumps(description)})"
            case {"contentEncoding": "base64"}:
                return f"base64({node.get('x-bytes', '')})"
        raise ValueError(f"the decoders of TypeScript have no rule for {node}")


CONSTANTS: Mapping[str, object] = {
    "CARD_MIME": card.CARD_MIME,
    "CARD_VERSION": card.CARD_VERSION,
    "STATEMENT_TYPE": entry.STATEMENT_TYPE,
    "PAYLOAD_TYPE": entry.PAYLOAD_TYPE,
    "INDEX_PREDICATE_TYPE": entry.INDEX_PREDICATE_TYPE,
    "PREDICATE_TYPES": dict(entry.PREDICATE_TYPES),
    "LEDGER_VERSION": entry.LEDGER_VERSION,
    "MAX_DEPTH": MAX_DEPTH,
    "MAX_NUMBER_CHARS": entry.NUMBER_CHARS,
    "MAX_DOCUMENT_BYTES": entry.DOCUMENT_BYTES,
    "MAX_STATEMENT_BYTES": entry.STATEMENT_BYTES,
    "MAX_CARD_BYTES": card.CARD_FILE_BYTES,
    "UNDECIDING": sorted(card.UNDECIDING),
    "LETTERS_NOTE": LETTERS_NOTE,
    "CARD_KINDS": {
        kind: {"texts": s.texts, "digests": s.digests, "statuses": s.statuses, "shownFrom": s.shown_from}
        for kind, s in card.CARD_KINDS.items()
    },
    "DIGESTS": {name: rule._asdict() for name, rule in card.DIGESTS.items()},
    "QUOTED": dict(card.QUOTED),
    "NAME_HEADS": card.NAME_HEADS,
    "NOTEBOOK_FORMAT": notebooks.NOTEBOOK_FORMAT,
    "OTHER_CELLS": notebooks.OTHER_CELLS,
    "CELL_TYPES": notebooks.CELL_TYPES,
    "OUTPUT_CELL": notebooks.OUTPUT_CELL,
    "OUTPUT_TYPES": dict(notebooks.OUTPUT_TYPES),
}


def write_constants() -> str:
    """Write the module `constants.ts`."""
    parts = []
    for name, value in CONSTANTS.items():
        lines = [f"  {key}: {json.dumps(each)}," for key, each in value.items()] if isinstance(value, dict) else []
        text = "\n".join(["{", *lines, "}"]) if lines else json.dumps(value)
        parts.append(f"export const {name} = {text}{'' if isinstance(value, int) else ' as const'};")
    parts.append("export type CardKind = keyof typeof CARD_KINDS;")
    return HEAD + "\n\n".join(parts) + "\n"


def write_aggregations(*keys: str) -> str:
    """Write a module `aggregations.ts` with these attributes of each record."""
    table = {name: {key: getattr(one, key) for key in keys} for name, one in aggregations.RECORDS.items()}
    head = "// Written by typescript/shapes.py from service_nb/query/aggregations.\n\n"
    return f"{head}export const AGGREGATIONS = {json.dumps(table, indent=2)} as const;\n"


def write_causes() -> str:
    """Write the module `causes.ts`: the checks and the causes that a verifier in a page meets."""
    words = json.loads(CATALOGUE.read_text(encoding="utf-8"))
    groups, of_files = words["outcomes"], words["checks_of_files"]
    listed = [name for group in groups.values() for name in group]
    if sorted(listed) != sorted(words["causes"]):
        raise ValueError(f"not in exactly one outcome of {CATALOGUE.name}: {set(listed) ^ words['causes'].keys()}")
    unions = {
        "What is checked of cards, of ledger documents and of notebooks, in this order.": (
            "CheckName",
            [name for name in words["checks"] if name not in of_files],
        ),
        "Why a thing is not even read.": ("FormCause", groups["form"]),
        "Why a check failed.": ("FailedCause", [*groups["form"], *groups["failed"]]),
        "Why a check cannot be made here; `verifier_failed` says whoever runs a verifier that broke.": (
            "OpenCause",
            [*groups["not_checkable"], "verifier_failed"],
        ),
    }
    head = f"// Written by typescript/shapes.py from {CATALOGUE.relative_to(ROOT)}.\n"
    parts = [
        f"/** {about} */\nexport type {name} =" + "".join(f'\n  | "{each}"' for each in held) + ";\n"
        for about, (name, held) in unions.items()
    ]
    return "\n".join([head, *parts])


def write_style() -> str:
    """Write the module `style.ts`: the style sheet of the audit report, which the page in JupyterLab writes too."""
    text = STYLE.read_text(encoding="utf-8")
    return f"// Written by typescript/shapes.py from {STYLE.relative_to(ROOT)}.\nexport const STYLE = `{text}`;\n"


def write_outputs() -> Iterator[tuple[Path, str]]:
    """Yield each file that is written, with its text."""
    shapes = describe_shapes()["$defs"]
    yield RECORDS / "constants.ts", write_constants()
    yield RECORDS / "shapes.ts", TypeScript(shapes).write(of_files=False)
    yield RECORDS / "file-shapes.ts", TypeScript(shapes).write(of_files=True)
    yield (
        RECORDS / "aggregations.ts",
        write_aggregations("accepts", "held", "noun", "step", "rows_step", "takes_percent"),
    )
    yield PANEL / "aggregations.ts", write_aggregations("accepts", "held", "label", "help", "takes_percent")
    yield REPORT / "style.ts", write_style()
    yield RECORDS / "causes.ts", write_causes()
    yield from reading_tables.write_outputs()
    yield from query_tables.write_outputs()
    yield from search_tables.write_outputs()
    yield from agent_tables.write_outputs()
    yield from message_tables.write_outputs()
    text = STANDALONE.read_text(encoding="utf-8")
    before, rest = text.split(BEGIN)
    after = rest.split(END)[1]
    yield STANDALONE, f"{before}{BEGIN}\n# fmt: off\n{Table(shapes).write()}\n# fmt: on\n{END}{after}"


def assign(name: str, value: object) -> str:
    """Write an assignment in Python, a dictionary with one entry a line."""
    if not isinstance(value, dict):
        text = spell(value).removeprefix("(").removesuffix(")")
        return (
            f"{name} = {text}" if len(name + text) < WIDTH - 3 else f"{name} = {text[0]}\n    {text[1:-1]},\n{text[-1]}"
        )
    lines = [wrap(f"{spell(key)}: ", each) for key, each in value.items()]
    return "\n".join([f"{name} = {{", *lines, "}"])


def spell(value: object) -> str:
    """Write a value as a literal of Python, a long text in two."""
    if isinstance(value, dict | list | tuple | frozenset):
        start, pieces, end = take_apart(value)
        return start + ", ".join(pieces) + end
    text = json.dumps(value) if isinstance(value, str) else repr(value)
    half = text.find("(?:", len(text) // 2)
    return text if len(text) < WIDTH - 4 else f'({text[:half]}" "{text[half:]})'


def take_apart(value: object) -> tuple[str, list[str], str]:
    """Take a container apart into its start, what it holds as literals, and its end."""
    if isinstance(value, dict):
        return "{", [f"{spell(key)}: {spell(each)}" for key, each in value.items()], "}"
    if isinstance(value, list):
        return "[", [*map(spell, value)], "]"
    if isinstance(value, frozenset):
        return "{", sorted(map(spell, value)), "}"
    if isinstance(value, tuple):
        return "(", [*map(spell, value)], ",)" if len(value) == 1 else ")"
    return "", [spell(value)], ""


def break_apart(text: str) -> list[str]:
    """Break a literal in two where it is a text in two, or too long for a line."""
    if '" "' in text:
        head, _, tail = text.partition('" "')
        return [f'{head}"', f'"{tail}']
    end = text.rfind(", ", 0, WIDTH - 8) + 2 if len(text.rstrip()) > WIDTH - 8 else len(text)
    return [text[:end], text[end:]] if text[end:] else [text]


def wrap(key: str, value: object) -> str:
    """Write an entry of a dictionary, its members on as many lines as they need."""
    start, pieces, end = take_apart(value)
    lines = [f"    {key}{start}"]
    for at, piece in enumerate(pieces, 1):
        text = piece + (f"{end}," if at == len(pieces) else ", ")
        for part in break_apart(text):
            if len(lines[-1]) + len(part.rstrip()) > WIDTH:
                lines.append("        ")
            lines[-1] += part
    return "\n".join(line.rstrip() for line in lines)


def main() -> int:
    """Write both files, or say which one is out of date."""
    is_check = sys.argv[1:] == ["--check"]
    stale = [path for path, text in write_outputs() if not path.is_file() or path.read_text(encoding="utf-8") != text]
    if not is_check:
        for path, text in write_outputs():
            path.write_text(text, encoding="utf-8")
    for path in stale:
        print(f"{path.relative_to(ROOT)}: {'run `make schema`' if is_check else 'written'}")  # noqa: T201
    return 1 if is_check and stale else 0


if __name__ == "__main__":
    sys.exit(main())
