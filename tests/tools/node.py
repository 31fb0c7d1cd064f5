"""The TypeScript packages for tests: installed, compiled, and built for JupyterLab, by `typescript/build.py`.

python -m tests.tools.node check                   compile `labextension` and `typescript`, look at format and lint
python -m tests.tools.node test packages/panel     run the tests whose path holds these words, or all of them
"""

from __future__ import annotations

import json
import sys
from functools import cache
from pathlib import Path

from typescript import build

TYPESCRIPT, LABEXTENSION = build.HERE, build.LABEXTENSION
VITEST = "typescript/vitest.config.ts"
NODE = build.a_node()
# All that has a `dist`. The types of tests take as long again, and are looked at by `check`.
REFERENCES = json.loads((TYPESCRIPT / "tsconfig.json").read_text(encoding="utf-8"))["references"]
PACKAGES = [each["path"] for each in REFERENCES if each["path"].startswith("packages/")]
PROJECTS = ("labextension", *(f"typescript/{path}" for path in PACKAGES))


def node(script: Path | str, *arguments: str, stdin: bytes = b"") -> bytes:
    """Return what a script writes; one that fails says why in the error."""
    return NODE.run(script, *arguments, stdin=stdin)


def tool(name: str, *arguments: str) -> bytes:
    """Run a command of a development dependency: `tsc`, `prettier`, `eslint`, `vitest`, `playwright`."""
    return NODE.tool(name, *arguments)


@cache
def installed() -> Path:
    """Return the folder of the packages, with exactly what the lock names installed; once for each lock."""
    with build.locked():
        build.install(NODE)
    return TYPESCRIPT


@cache
def built() -> Path:
    """Return the folder of the packages, compiled to `packages/*/dist`, from the sources as they are now."""
    with build.locked():
        build.install(NODE)
        build.compile_packages(NODE, *PROJECTS)
    return TYPESCRIPT


@cache
def lab() -> Path:
    """Return the built labextension, of the sources as they are now, which JupyterLab of this environment shows."""
    build.link()
    return build.LAB


def check() -> None:
    """Compile, look at the format, and lint."""
    with build.locked():
        build.install(NODE)
        build.compile_packages(NODE)
    NODE.run(NODE.npm, "run", "--silent", "lint")


def main() -> int:
    """Check, or run tests on the Node that builds, whatever other one the PATH has."""
    verb, arguments = sys.argv[1:2], sys.argv[2:]
    try:
        if verb == ["check"] and not arguments:
            check()
        elif verb == ["test"]:
            installed()
            print(tool("vitest", "run", "--config", VITEST, *arguments).decode())
        else:
            print("usage: python -m tests.tools.node check | test [WORDS …]", file=sys.stderr)
            return 2
    except build.BuildError as error:
        print(error, file=sys.stderr)
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main())
