"""Write what `packages/agents` has of the tools that `service_nb/schema/agent_tools.py` declares."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path

from service_nb.schema import agent_tools

DECLARED = Path(__file__).resolve().parent / "packages" / "agents" / "src" / "declared.ts"
LIMITS = (
    *("MAX_ROWS", "MAX_CELL_CHARS", "MAX_NAME_CHARS", "MAX_RESULT_CHARS", "MAX_SOURCES", "MAX_FIELDS"),
    *("MAX_OWN_FIELDS", "MAX_CANDIDATES", "MAX_DETAIL_CHARS", "MAX_STEPS", "MAX_INPUT_CHARS"),
)
TABLES = {
    "HIDDEN_CHARACTERS": "First and last code points of what no text for a model holds.",
    "BLANK_CHARACTERS": "Of those, what becomes a blank.",
    "SENTENCES": "The words of the tools, with places for numbers, hashes and dates.",
    "CODES": "Codes of the client that an agent learns under another one: it learns no policy.",
    "DETAILED": "Codes of which `detail` quotes the client's own sentence.",
    "QUESTION_PATHS": "Where a fault is in the question, so that `detail` is quoted.",
}


def write_outputs() -> Iterator[tuple[Path, str]]:
    """Yield the file, with its text."""
    head = "// Written by typescript/shapes.py from service_nb/schema/agent_tools.py.\n"
    parts = [head, *(f"export const {name} = {getattr(agent_tools, name)};" for name in LIMITS)]
    for name, about in TABLES.items():
        text = json.dumps(getattr(agent_tools, name), indent=2, ensure_ascii=False)
        parts.append(f"\n/** {about} */\nexport const {name} = {text} as const;")
    tools = {tool.name: tool._asdict() for tool in agent_tools.TOOLS}
    for name in ("queryData", "explainQuery"):
        tools[name]["input"] = "QUESTION"
    question = json.dumps(agent_tools.QUESTION, indent=2, ensure_ascii=False)
    parts.append(f"\n/** The schema of a question. */\nexport const QUESTION = {question} as const;")
    text = json.dumps([*tools.values()], indent=2, ensure_ascii=False).replace('"QUESTION"', "QUESTION")
    about = "The tools: names, words, and JSON schemas of input and result."
    parts.append(f"\n/** {about} */\nexport const TOOLS = {text} as const;")
    yield DECLARED, "\n".join(parts) + "\n"
