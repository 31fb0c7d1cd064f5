"""The linter of the TypeScript packages refuses what a page that shows foreign text must not do."""

from __future__ import annotations

import json

import pytest

from tests.tools.node import installed, node

MARKUP = [
    "made.innerHTML = text;",
    'made["outerHTML"] = text;',
    'made.insertAdjacentHTML("beforeend", text);',
    "globalThis.document.write(text);",
    "document.writeln(text);",
    'new DOMParser().parseFromString(text, "text/html");',
]
SCRIPT = ["eval(text);", "new Function(text)();"]
NETWORK = ["void fetch(text);", "new WebSocket(text);"]
SNIPPETS = {
    **{line: {"no-restricted-syntax"} for line in MARKUP},
    SCRIPT[0]: {"no-eval"},
    SCRIPT[1]: {"no-new-func"},
    **{line: {"no-restricted-globals"} for line in NETWORK},
    'import { Widget } from "@lumino/widgets";': {"no-restricted-imports"},
    'import { URLExt } from "@jupyterlab/coreutils";': {"no-restricted-imports"},
    'import { readFile } from "node:fs";': {"no-restricted-imports"},
    "Buffer.from(text);": {"no-restricted-globals"},
    "process.exit(1);": {"no-restricted-globals"},
    "export let loose: any;": {"@typescript-eslint/no-explicit-any"},
}
BROWSERS = ("records", "verify", "cards", "client", "panel")
PACKAGES = ("labextension", *(f"typescript/packages/{name}" for name in BROWSERS))
HOSTS = [line for line in SNIPPETS if "@lumino" in line or "@jupyterlab" in line]
# One process for all: ESLint as the packages configure it, less the rules that need types, which need files on disk.
LINT = """
import { ESLint } from "eslint";
import tseslint from "typescript-eslint";
const chunks = [];
for await (const chunk of process.stdin) chunks.push(chunk);
const untyped = { files: ["**/*.ts"], extends: [tseslint.configs.disableTypeChecked] };
const off = tseslint.config(untyped, { rules: { "@typescript-eslint/switch-exhaustiveness-check": "off" } });
const eslint = new ESLint({ overrideConfigFile: "typescript/eslint.config.js", overrideConfig: off });
const told = [];
for (const { file, text } of JSON.parse(Buffer.concat(chunks)))
  told.push((await eslint.lintText(text, { filePath: file }))[0].messages.map((each) => each.ruleId));
process.stdout.write(JSON.stringify(told));
"""


@pytest.fixture(scope="module")
def rules() -> dict[tuple[str, str], set[str]]:
    """The rules that are broken by a snippet in a package."""
    installed()
    asked = [(package, line) for package in PACKAGES for line in SNIPPETS]
    files = [{"file": f"{package}/src/index.ts", "text": f"{line}\n"} for package, line in asked]
    told = json.loads(node("--input-type=module", "--eval", LINT, stdin=json.dumps(files).encode()))
    return {each: set(broken) for each, broken in zip(asked, told, strict=True)}


@pytest.mark.parametrize("package", PACKAGES)
@pytest.mark.parametrize("line", SNIPPETS)
def test_the_linter_refuses(rules: dict[tuple[str, str], set[str]], package: str, line: str) -> None:
    allowed = package == "labextension" and line in HOSTS
    assert SNIPPETS[line] & rules[package, line] == (set() if allowed else SNIPPETS[line])
