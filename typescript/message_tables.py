"""Write what the second client has of the deployment's messages: their types, their forms, and the codes of errors."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any, get_args

import msgspec

from service_nb.core.secret import MASK
from service_nb.deployment import faults, messages
from service_nb.errors.deployment import Failure
from service_nb.readers import descriptor

DEPLOYMENT = Path(__file__).resolve().parent / "packages" / "client" / "src" / "deployment"
HEAD = "// Written by typescript/shapes.py from service_nb/deployment.\n"
ANSWERS = (
    *(messages.ErrorBody, messages.SourceAnswer, messages.SourcesAnswer, messages.ConnectorAnswer),
    *(messages.ConnectorsAnswer, messages.TestAnswer, messages.QueryAnswer, messages.ColumnsAnswer),
    *(messages.ComputeAnswer, messages.ComputeManyAnswer, messages.DeploymentAnswer),
    *(messages.DeviceCodeAnswer, messages.DeviceTokenAnswer),
)
SAID = ("title", "description", "default")
WORDS = {"string": "string", "integer": "number", "number": "number", "boolean": "boolean", "null": "null"}


def write_messages() -> str:
    """Write the module `messages.ts`: an interface for each message, and the form that it is held to."""
    _, schemas = msgspec.json.schema_components(ANSWERS, ref_template="{name}")
    interfaces = [write_interface(name, node) for name, node in sorted(schemas.items())]
    forms = {name: simplify(node) for name, node in sorted(schemas.items())}
    kinds = "".join(f"  readonly {name}: {name};\n" for name in sorted(schemas))
    parts = [*interfaces, f"/** The messages by name. */\nexport interface Messages {{\n{kinds}}}\n"]
    parts.append("/** The forms of messages, in the words of JSON Schema. */\n" + assign("FORMS", forms))
    return HEAD + "\n" + "\n".join(parts)


def write_codes() -> str:
    """Write the module `codes.ts`: what is known of errors, and of the descriptors of connectors."""
    kinds = faults._KINDS  # noqa: SLF001
    parts: dict[str, object] = {
        "CODES": sorted(kinds),
        "REASONED": sorted(code for code, kind in kinds.items() if isinstance(getattr(kind, "reason", None), property)),
        "FAILURES": list(get_args(Failure)),
        "MASK": MASK,
        "LOCAL_TYPES": list(descriptor.LOCAL),
        "LIVE_TYPES": list(descriptor.LIVE),
        "TYPE_ALIASES": dict(descriptor.ALIASES),
        "LOCAL_KEYS": list(descriptor.KEYS),
        "SECRETS": descriptor._SECRETS.pattern,  # noqa: SLF001
        "REFERENCE": descriptor._REFERENCE.pattern,  # noqa: SLF001
    }
    return HEAD + "".join("\n" + assign(name, value) for name, value in parts.items())


def assign(name: str, value: object) -> str:
    """Write a constant."""
    return f"export const {name} = {json.dumps(value, indent=2, ensure_ascii=False)} as const;\n"


def simplify(node: Any) -> Any:
    """Leave out of a schema what is for readers."""
    if isinstance(node, list):
        return [*map(simplify, node)]
    if not isinstance(node, dict):
        return node
    if "properties" not in node:
        return {key: simplify(each) for key, each in node.items() if key not in SAID}
    members = {name: simplify(each) for name, each in node["properties"].items()}
    return {"type": "object", "properties": members, "required": node["required"]}


def write_interface(name: str, node: dict[str, Any]) -> str:
    """Write the type of a message; what has a default may be missing."""
    members = [
        f"  readonly {key}{'' if key in node['required'] else '?'}: {write_type(each)};"
        for key, each in node["properties"].items()
    ]
    about = re.sub(r"\s*\n\s*", " ", node["description"])
    return "\n".join([f"/** {about} */", f"export interface {name} {{", *members, "}\n"])


def write_type(node: dict[str, Any]) -> str:
    """Write the type of a value."""
    match node:
        case {"$ref": name}:
            return str(name)
        case {"anyOf": branches}:
            return " | ".join(dict.fromkeys(map(write_type, branches)))
        case {"enum": values}:
            return " | ".join(map(json.dumps, values))
        case {"type": "array", "items": item}:
            each = write_type(item)
            return f"readonly ({each})[]" if " " in each else f"readonly {each}[]"
        case {"type": "object"}:
            return f"Readonly<Record<string, {write_type(node.get('additionalProperties') or {})}>>"
        case {"type": word}:
            return WORDS[word]
    return "unknown"


def write_outputs() -> Iterator[tuple[Path, str]]:
    """Yield what is written, each path with its text."""
    yield DEPLOYMENT / "messages.ts", write_messages()
    yield DEPLOYMENT / "codes.ts", write_codes()
