"""What the types of requests cannot say of their keys together, in the words of JSON Schema.

The types read what comes, these words stand in the document, and the checks beneath refuse by both: which keys go with
which, and how many values an operator takes.
"""

from __future__ import annotations

from typing import Any, Final

from service_nb.query.spec import LIST_OPS, NULL_OPS, OPS
from service_nb.server.ports import SCOPES

NONE: Final = {"type": "null"}
TEXT: Final = {"type": "string", "minLength": 1}
TEXTS: Final = {"type": "array", "minItems": 1}
OBJECT: Final = {"type": "object"}
SCALAR: Final = {"type": ["string", "number", "boolean"]}
_ONE_VALUE = [op for op in OPS if op not in (*LIST_OPS, *NULL_OPS)]
_SCOPE = f"(?:{'|'.join(SCOPES)})"


def _form(*required: str, **properties: Any) -> dict[str, Any]:
    return {"properties": properties, "required": list(required)}


def _listed(least: int, most: int) -> dict[str, Any]:
    return {"type": "array", "items": SCALAR, "minItems": least, "maxItems": most}


# By the name of a type: forms of which its values have one.
FORMS: Final[dict[str, list[dict[str, Any]]]] = {
    "ExecuteRequest": [_form("plan", plan=OBJECT, spec=NONE), _form("spec", plan=NONE, spec=OBJECT)],
    "SourceRequest": [
        _form("descriptor", descriptor=OBJECT, connector_id=NONE, table=NONE, query=NONE),
        _form("connector_id", "table", descriptor=NONE, connector_id=TEXT, table=TEXT, query=NONE),
        _form("connector_id", descriptor=NONE, connector_id=TEXT, table=NONE),
    ],
    "BindingSpec": [
        _form("parameter", "field", parameter=TEXT, field=TEXT, parameters=NONE, fields=NONE),
        _form(
            *("parameters", "fields", "alignment"),
            parameter=NONE,
            field=NONE,
            parameters=TEXTS,
            fields=TEXTS,
            alignment={"const": "rowwise"},
        ),
    ],
    "Condition": [
        _form("op", op={"enum": list(NULL_OPS)}, value=NONE, values=NONE),
        _form("op", "values", op={"enum": ["in", "not_in"]}, value=NONE, values=_listed(1, 10_000)),
        _form("op", "values", op={"const": "between"}, value=NONE, values=_listed(2, 2)),
        _form("op", "value", op={"enum": _ONE_VALUE}, value=SCALAR, values=NONE),
    ],
    "QuestionSpec": [_form(group_by={"anyOf": [TEXT, NONE, {"type": "array", "uniqueItems": True}]})],
    "DeviceCodeRequest": [_form(scope={"pattern": f"^(?:{_SCOPE}(?: {_SCOPE})*)?$"})],
}


def narrowed(schemas: dict[str, Any]) -> dict[str, Any]:
    """Return the schemas of all types, with their forms."""
    return {name: each | ({"anyOf": FORMS[name]} if name in FORMS else {}) for name, each in schemas.items()}
