"""Packs what npm publishes: the client, the packages of this workspace that it needs, and the tools of agents.

    python -m typescript.pack dist/npm

An empty project installs all of them together: npm install dist/npm/*.tgz
"""

from __future__ import annotations

import json
import shutil
import sys
from pathlib import Path

from typescript import build

PACKAGES = ("records", "verify", "cards", "client")  # what one needs stands before it
AGENTS = (*PACKAGES, "agents")
LICENCE = build.ROOT / "LICENSE"
LEFT_OUT = frozenset({"node_modules", "src", "test", "gallery"})


def pack(folder: Path, packages: tuple[str, ...] = PACKAGES) -> list[Path]:
    """Compile the packages, and write a tarball of each into a folder; return the files."""
    folder.mkdir(parents=True, exist_ok=True)
    with build.locked():
        node = build.a_node()
        build.install(node)
        build.compile_packages(node, *_find_projects(packages))
        stages = [_stage(name) for name in packages]
        written = node.run(node.npm, "pack", *map(str, stages), "--pack-destination", str(folder.resolve()), "--json")
    return [folder / each["filename"] for each in json.loads(written)]


def _find_projects(packages: tuple[str, ...]) -> list[str]:
    found = [path for name in packages for path in sorted((build.HERE / "packages" / name).glob("tsconfig*.json"))]
    return [path.relative_to(build.ROOT).as_posix() for path in found]


def _stage(name: str) -> Path:
    """Copy a package without what was compiled of sources that are gone, and with its licence."""
    source, stage = build.HERE / "packages" / name, build.STAGE / "npm" / name
    shutil.rmtree(stage, ignore_errors=True)

    def leave_out(folder: str, names: list[str]) -> set[str]:
        place = Path(folder).relative_to(source)
        gone = {each for each in names if place.parts[:1] == ("dist",) and _has_no_source(source, place / each)}
        return gone | (LEFT_OUT & set(names) if place == Path() else set())

    shutil.copytree(source, stage, ignore=leave_out)
    shutil.copy(LICENCE, stage)
    return stage


def _has_no_source(package: Path, built: Path) -> bool:
    stem = built.name.removesuffix(".d.ts").removesuffix(".js")
    if stem == built.name:
        return False  # a folder, or no program
    beside = package.joinpath("src", *built.parts[1:-1])
    return not any((beside / f"{stem}{ending}").is_file() for ending in (".ts", ".js"))


def main() -> int:
    """Pack, and name what was written."""
    if len(sys.argv) != 2:
        print("usage: python -m typescript.pack FOLDER", file=sys.stderr)  # noqa: T201
        return 2
    try:
        files = pack(Path(sys.argv[1]), AGENTS)
    except build.BuildError as error:
        print(f"typescript: {error}", file=sys.stderr)  # noqa: T201
        return 1
    for file in files:
        print(f"{file}  {file.stat().st_size:,} bytes")  # noqa: T201
    return 0


if __name__ == "__main__":
    sys.exit(main())
