"""Write the shapes as JSON Schema (2020-12), from which types and checks in other languages are generated.

Two keywords are our own. `x-carried`: what lies inside is described, and no part of the form: readers check that it is
an object or a list, and compare it with hashed texts. `x-bytes`: how many bytes a text in base64 holds.
"""

from __future__ import annotations

from types import NoneType, UnionType
from typing import Annotated, Any, Literal, NotRequired, Union, get_args, get_origin, get_type_hints, is_typeddict

from msgspec import Meta

from service_nb.schema import card, entry, texts
from service_nb.schema.primitives import ContractHash, Hash

JsonSchema = dict[str, Any]
# What documents consist of, in the order of the published schema; the shapes that they hold follow by themselves.
ROOTS: tuple[type, ...] = (
    card.Card,
    card.QueryView,
    card.ComputationView,
    card.RefusalView,
    card.ErrorView,
    card.ReplayView,
    texts.SpecText,
    texts.PlanText,
    texts.InspectionText,
    texts.AnswerProvenance,
    texts.RunProvenance,
    texts.CallIdentity,
    texts.Definition,
    entry.Receipt,
    entry.Statement,
    entry.Predicate,
    entry.IndexPredicate,
    entry.NotebookSeal,
    entry.LedgerDocument,
)
_TYPES = {str: "string", int: "integer", float: "number", bool: "boolean", NoneType: "null"}
_KEYWORDS = {
    "title": "title",
    "pattern": "pattern",
    "description": "description",
    "ge": "minimum",
    "le": "maximum",
    "min_length": "minLength",
    "max_length": "maxLength",
}
_ARRAY_KEYWORDS = {"min_length": "minItems", "max_length": "maxItems"}


def describe_shapes() -> JsonSchema:
    """Describe every shape under `$defs`; the root of the schema is the card."""
    shapes: JsonSchema = {}
    for root in ROOTS:
        _describe(root, shapes)
    shapes["Card"]["oneOf"] = [_describe_kind(kind, shape) for kind, shape in card.CARD_KINDS.items()]
    return {
        "$schema": "https://json-schema.org/draft/2020-12/schema",
        "$ref": "#/$defs/Card",
        "$defs": {name: shapes[name] for name in sorted(shapes)},
    }


def _describe_kind(kind: str, shape: card.KindShape) -> JsonSchema:
    names = (*shape.digests, "view_hash", "rows_hash")
    forms = {name: _describe(ContractHash if name == "contract_hash" else Hash, {}) for name in names}
    digests = {"properties": forms, "required": [*names[:-1]], "additionalProperties": False}
    held = {"propertyNames": {"enum": [*shape.texts]}}
    view = {"properties": {"status": {"enum": [*shape.statuses]}}}
    return {"properties": {"kind": {"const": kind}, "canonical": held, "digests": digests, "view": view}}


def _describe(declared: object, shapes: JsonSchema) -> JsonSchema:
    """Describe a type, and add the shapes that it names to `shapes`."""
    origin, arguments = get_origin(declared), get_args(declared)
    if origin is Annotated:
        type_ = _describe(arguments[0], shapes)
        return type_ | _describe_meta(arguments[1], type_)
    if origin is Literal:
        return {"const": arguments[0]} if len(arguments) == 1 else {"enum": [*arguments]}
    if origin in (Union, UnionType):
        each = [_describe(one, shapes) for one in arguments]
        are_plain = all(one.keys() == {"type"} for one in each)
        return {"type": [one["type"] for one in each]} if are_plain else {"anyOf": each}
    if origin is list:
        return {"type": "array", "items": _describe(arguments[0], shapes)}
    if origin is dict:
        return {"type": "object", "additionalProperties": _describe(arguments[1], shapes)}
    if is_typeddict(declared):
        return _describe_shape(declared, shapes)
    return {"type": _TYPES[declared]} if declared in _TYPES else {}


def _describe_meta(meta: Meta, type_: JsonSchema) -> JsonSchema:
    keywords = _KEYWORDS | (_ARRAY_KEYWORDS if type_.get("type") == "array" else {})
    told = {keyword: getattr(meta, name) for name, keyword in keywords.items() if getattr(meta, name) is not None}
    return told | (meta.extra_json_schema or {})


def _describe_shape(shape: Any, shapes: JsonSchema) -> JsonSchema:
    name = shape.__name__
    if name not in shapes:
        shapes[name] = {}
        hints = get_type_hints(shape, include_extras=True)
        optional = {key for key, hint in hints.items() if get_origin(hint) is NotRequired or not shape.__total__}
        types = {key: get_args(hint)[0] if get_origin(hint) is NotRequired else hint for key, hint in hints.items()}
        shapes[name] = {
            "description": shape.__doc__.partition("\n")[0],
            "type": "object",
            "properties": {key: _describe(type_, shapes) for key, type_ in types.items()},
            "required": [key for key in hints if key not in optional],
            "additionalProperties": False,
        }
    return {"$ref": f"#/$defs/{name}"}
