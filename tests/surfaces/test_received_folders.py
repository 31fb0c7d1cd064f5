"""A folder that was received is read by every command, magic and test of notebooks, and no byte of it changes."""

from __future__ import annotations

import ctypes
import hashlib
import json
import os
import shutil
import sqlite3
import subprocess
import sys
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path

import pytest

from service_nb.cli.main import find_files
from service_nb.ledger.exports.formats import find_formats

AUTHOR, READER = ("dGhlIGF1dGhvcidzIGtleSBmb3IgdGhlc2UgdGVzdHM=", "dGhlIHJlYWRlcidzIGtleSBmb3IgdGhlc2UgdGVzdHM=")
ROOT = Path(__file__).parents[2]
SALES = "region,revenue\nnorth,1.5\nsouth,0.1\nsouth,0.2\n"
MAKE = """
import json, os, signal, sys
from pathlib import Path
import service_nb
from service_nb.client.results import get_result_id
from tests.simulators.evidence import notebook
folder = Path(sys.argv[1])
service = service_nb.create_service(project=folder, runtime="in_process")
service.connect(folder / "sales.csv", persist=True)
service.connect([{"n": 1}, {"n": 2}], name="memory")
made = [
    service.ask("sum revenue by region from sales"),
    service.ask("sum region from sales"),
    service.ask("sum n from memory"),
    service.compute("finance.npv rate=0.1 cashflows=sales.revenue"),
]
(folder / "hana.ipynb").write_text(json.dumps(notebook([each.card for each in made])), encoding="utf-8")
check = {"cell_type": "code", "id": "c", "metadata": {}, "execution_count": 9, "source": "%service_check mean"}
solved = notebook([made[0].card])
solved["cells"].append({**check, "outputs": []})
(folder / "solved.ipynb").write_text(json.dumps(solved), encoding="utf-8")
(folder / "card.json").write_text(json.dumps(made[0].card), encoding="utf-8")
(folder / "ids").write_text(" ".join(map(get_result_id, made)), encoding="utf-8")
if sys.argv[2] == "killed":
    import sqlite3
    shop = sqlite3.connect(folder / "shop.sqlite", isolation_level=None)
    shop.execute("PRAGMA journal_mode = WAL")
    shop.execute("INSERT INTO orders VALUES ('Oslo', 5)")
    os.kill(os.getpid(), signal.SIGKILL)
"""


def snapshot(folder: Path) -> dict[str, tuple[object, ...]]:
    """Every path below a folder, and the folder itself: content, size, mode, times of change."""
    found: dict[str, tuple[object, ...]] = {}
    for path in (folder, *sorted(folder.rglob("*"))):
        met = path.lstat()
        content = hashlib.sha256(path.read_bytes()).hexdigest() if path.is_file() else ""
        found[path.relative_to(folder).as_posix()] = (content, met.st_size, met.st_mode, met.st_mtime_ns)
    return found


def build_environment(home: Path, key: str | None) -> dict[str, str]:
    environment = {name: value for name, value in os.environ.items() if not name.startswith("SERVICE_")}
    environment |= {"SERVICE_HOME": str(home), "PYTHONPATH": str(ROOT), "PYTHONDONTWRITEBYTECODE": "1"}
    return environment | ({} if key is None else {"SERVICE_DEVICE_KEY": key})


def make_folder(folder: Path, home: Path, state: str, key: str | None = AUTHOR) -> Path:
    folder.mkdir()
    (folder / "sales.csv").write_text(SALES, encoding="utf-8")
    with closing(sqlite3.connect(folder / "shop.sqlite")) as shop:
        shop.execute("CREATE TABLE orders (city TEXT, total INTEGER)")
        shop.execute("INSERT INTO orders VALUES ('Oslo', 2)")
        shop.commit()
    subprocess.run(
        [sys.executable, "-c", MAKE, str(folder), state],
        cwd=folder,
        env=build_environment(home, key),
        timeout=120,
        check=False,
    )
    logs = [path.name for path in folder.rglob("*-wal") if path.stat().st_size]
    assert sorted(logs) == (["ledger.sqlite-wal", "shop.sqlite-wal"] if state == "killed" else [])
    return folder


@pytest.fixture(params=["closed", "killed"])
def received(request: pytest.FixtureRequest, tmp_path: Path) -> Path:
    """The folder of an author as a reader has it: with its ledger, merged, or as it was while a kernel had it open."""
    return make_folder(tmp_path / "hana", tmp_path / "author", request.param)


# Runs in a process of its own: lines of the command, one after the other, and what each returned.
COMMANDS = """
import contextlib, io, json, os, sys
from service_nb.cli.main import main
told = []
for words in json.loads(sys.argv[1]):
    out, err = io.TextIOWrapper(io.BytesIO(), "utf-8"), io.TextIOWrapper(io.BytesIO(), "utf-8")
    with contextlib.redirect_stdout(out), contextlib.redirect_stderr(err):
        try:
            code = main(words)
        except SystemExit as ended:
            code = ended.code
    out.flush(), err.flush()
    told.append([code, *(each.buffer.getvalue().decode() for each in (out, err))])
print(json.dumps(told))
"""
OWN = "Recorded in your own ledger, $SERVICE_HOME/data/ledger: service-nb log --own"
FOREIGN = f"service-nb: The ledger here is not one that this machine wrote, and stays as it is. {OWN}\n"


def drop_rights() -> None:
    """Take from a process of root, with the program that it starts, the rights that no mode of a file stops."""
    libc = ctypes.CDLL(None, use_errno=True)
    for right in (1, 2, 3):  # CAP_DAC_OVERRIDE, CAP_DAC_READ_SEARCH, CAP_FOWNER
        if os.getuid() == 0 and libc.prctl(24, right, 0, 0, 0) != 0:  # PR_CAPBSET_DROP
            raise OSError(ctypes.get_errno(), "prctl")


def run(
    lines: list[list[str]], home: Path, at: Path, *, key: str | None = READER, minds_modes: bool = False
) -> list[tuple[int, str, str]]:
    """Run lines of the command in a folder; return of each its exit code and what it printed."""
    done = subprocess.run(
        [sys.executable, "-c", COMMANDS, json.dumps(lines)],
        cwd=at,
        env=build_environment(home, key),
        capture_output=True,
        encoding="utf-8",
        timeout=300,
        check=False,
        preexec_fn=drop_rights if minds_modes else None,
    )
    assert done.returncode == 0, done.stderr
    return [tuple(each) for each in json.loads(done.stdout)]


def list_commands(folder: Path, out: Path) -> Iterator[tuple[list[str], int]]:
    """List command lines that read a received folder, at least one a verb, each with its exit code.

    What is asked to write into the folder does so and is not here: connect, forget, seal, strip --in-place.
    """
    first = (folder / "ids").read_text(encoding="utf-8").split()[0]
    sales, book, card = (str(folder / name) for name in ("sales.csv", "hana.ipynb", "card.json"))
    yield ["ask", sales, "sum revenue by region"], 0
    yield ["ask", sales, "sum region"], 1
    yield ["ask", "sales", "count"], 0
    yield ["ask", str(folder / "shop.sqlite"), "sum total", "--table", "orders"], 0
    yield ["capabilities", "finance.npv"], 0
    yield ["compute", "finance.npv rate=0.1 cashflows=sales.revenue", "--file", sales, "--in-process"], 0
    yield ["doctor"], 0
    for name, form in find_formats().items():
        subject, code = [] if form.of == "ledger" else [first], 2 if name == "test-result" else 0
        yield ["export", *subject, "--format", name, "--output", str(out / name)], code
        if subject:
            yield ["export", book, "--format", name, "--card", "1", "--output", str(out / f"{name}-book")], code
    yield ["import", card], 0
    yield ["import"], 0
    yield ["key", "make", f"mean={first}", "--output", str(out / "lesson.servicekey.json")], 0
    yield ["key", "trusted"], 0
    yield ["key", "trust", book, "--yes", "--name", "Hana"], 0
    yield ["log"], 0
    yield ["log", "--own"], 0
    yield ["login"], 0
    yield ["preview", sales], 0
    yield ["profile", sales], 0
    yield ["refresh", "sales"], 2  # which is for live sources
    yield ["replay", book, "--in-process"], 0
    yield ["replay", card, "--in-process"], 0
    yield ["replay", str(folder / ".service"), "--in-process", "--report", str(out / "replay.html")], 0
    yield ["replay", first, "--in-process"], 0
    yield ["score", str(out / "lesson.servicekey.json"), book], 0
    yield ["runtime", "status"], 1  # nothing is installed
    yield ["search", "net", "present", "value"], 0
    yield ["show", first], 0
    yield ["sources", sales], 0
    yield ["sources"], 0
    yield ["strip", book, "--output", str(out / "public.ipynb")], 0
    yield ["verify", book, str(folder / ".service"), "--report", str(out / "verify.html")], 0
    yield ["verify", "--self-check"], 0
    yield ["version"], 0
    yield ["worksheet", str(folder / "solved.ipynb"), "--output", str(out / "sheet.ipynb")], 0
    yield ["logout"], 0


ASKED_TO_WRITE = {"connect", "disconnect", "forget", "seal"}  # into service.toml, or the notebook
ELSEWHERE = {"mcp", "serve"}  # they run until they are stopped: the first has a test of its own, the second no project


def require_codes(lines: list[tuple[list[str], int]], told: list[tuple[int, str, str]]) -> None:
    """Fail unless each line ended as it should, with what the others printed."""
    wrong = [(words, *met) for (words, code), met in zip(lines, told, strict=True) if met[0] != code]
    assert not wrong, "\n".join(map(str, wrong))


def test_each_verb_is_tried_or_named(received: Path, tmp_path: Path) -> None:
    tried = {words[0] for words, _ in list_commands(received, tmp_path)}
    assert tried | ASKED_TO_WRITE | ELSEWHERE == find_files().keys()


def test_no_command_changes_what_was_received(received: Path, tmp_path: Path) -> None:
    home, out = tmp_path / "reader", tmp_path / "out"
    out.mkdir()
    before = snapshot(received)
    lines = list(list_commands(received, out))
    told = run([words for words, _ in lines], home, received)
    require_codes(lines, told)
    for *_, said in told:
        assert said.count("Recorded in your own ledger") <= 1
    assert {words[0] for (words, _), (*_, said) in zip(lines, told, strict=True) if FOREIGN in said} == {
        *("ask", "compute", "import", "preview", "profile", "replay"),
    }
    assert snapshot(received) == before
    ((_, listed, _),) = run([["log", "--own", "--json", "--limit", "100"]], home, received)
    kinds = [entry["kind"] for entry in json.loads(listed)["entries"]]
    assert {kind: kinds.count(kind) for kind in kinds} == {"query": 5, "rejection": 1, "computation": 1, "replay": 10}
    # The author goes on as if nobody had been there.
    told = run([["verify", ".service"], ["ask", "sales.csv", "count"]], tmp_path / "author", received, key=AUTHOR)
    assert [(code, said) for code, _, said in told] == [(0, ""), (0, "")]


@pytest.mark.skipif(sys.platform != "linux", reason="the rights of root are dropped as Linux has it")
def test_whoever_cannot_write_there_reads_all_the_same(received: Path, tmp_path: Path) -> None:
    home, out = tmp_path / "reader", tmp_path / "out"
    out.mkdir()
    paths = [received, *received.rglob("*")]
    for path in paths:
        path.chmod(0o555 if path.is_dir() else 0o444)
    try:
        before = snapshot(received)
        lines = [each for each in list_commands(received, out) if each[0][0] not in ("doctor", "runtime")]
        told = run([words for words, _ in lines], home, received, minds_modes=True)
        require_codes(lines, told)
        assert snapshot(received) == before
        ((code, *_),) = run([["connect", "sales.csv"]], home, received, minds_modes=True)
        assert code == 2, "the folder can be written after all"
    finally:
        for path in paths:
            path.chmod(0o700)


def test_a_replay_from_elsewhere_is_recorded_in_the_readers_own_ledger(received: Path, tmp_path: Path) -> None:
    before, elsewhere = snapshot(received), tmp_path / "elsewhere"
    elsewhere.mkdir()
    ((code, _, said),) = run([["replay", "../hana/hana.ipynb", "--in-process"]], tmp_path / "reader", elsewhere)
    assert (code, said) == (0, FOREIGN)
    assert snapshot(received) == before
    assert list(elsewhere.iterdir()) == []


def test_a_replay_begins_no_ledger_beside_what_it_reads(tmp_path: Path) -> None:
    received = make_folder(tmp_path / "hana", tmp_path / "author", "closed")
    shutil.rmtree(received / ".service")
    for name in ("solved.ipynb", "ids"):
        (received / name).unlink()
    before = snapshot(received)
    ((code, _, said),) = run([["replay", "card.json"]], tmp_path / "reader", received)
    assert code == 0
    assert said == f"service-nb: There is no ledger here, and a replay begins none. {OWN}\n"
    assert snapshot(received) == before


def test_agents_tests_and_magics_change_nothing_that_was_received(received: Path, tmp_path: Path) -> None:
    before, environment = snapshot(received), build_environment(tmp_path / "reader", READER)
    calls = [
        {"jsonrpc": "2.0", "id": 1, "method": "initialize", "params": {
            "protocolVersion": "2025-03-26", "capabilities": {}, "clientInfo": {"name": "t", "version": "1"}}},
        {"jsonrpc": "2.0", "method": "notifications/initialized"},
        {"jsonrpc": "2.0", "id": 2, "method": "tools/call", "params": {
            "name": "queryData", "arguments": {"source_name": "sales", "metric": "revenue", "aggregation": "sum"}}},
    ]  # fmt: skip
    agent = subprocess.Popen(
        [sys.executable, "-m", "service_nb.cli.main", "mcp", "sales.csv"],
        cwd=received, env=environment, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True,
    )  # fmt: skip
    assert agent.stdin is not None
    assert agent.stdout is not None
    assert agent.stderr is not None
    agent.stdin.write("".join(json.dumps(call) + "\n" for call in calls))
    agent.stdin.flush()
    replies = [json.loads(agent.stdout.readline()) for _ in range(2)]
    agent.stdin.close()
    said = agent.stderr.read()
    agent.stdout.close()
    agent.stderr.close()
    assert agent.wait(60) == 0
    assert "1.8" in json.dumps(replies[1]), (replies, said)
    assert FOREIGN in said
    assert snapshot(received) == before

    book = "hana.ipynb"
    tested = subprocess.run(
        [sys.executable, "-m", "pytest", "--service-nb", "--service-nb-replay", "--service-nb-in-process", book],
        cwd=received, env=environment, capture_output=True, text=True, timeout=300, check=False,
    )  # fmt: skip
    assert tested.returncode == 0, tested.stdout
    assert snapshot(received) == before

    cells = [
        "%load_ext service_nb",
        "%service_connect sales sales.csv",
        "%service_ask max revenue from sales",
        "%service_replay hana.ipynb",
        "%service_verify hana.ipynb",
        "%service_log",
        "%service_log --own",
    ]
    code = f"from IPython.testing.globalipapp import start_ipython\nshell = start_ipython()\nfor cell in {cells!r}:\n"
    code += "    shell.run_cell(cell).raise_error()\n"
    at_work = {**environment, "IPYTHONDIR": str(tmp_path / "ipython")}
    typed = subprocess.run(
        [sys.executable, "-c", code],
        cwd=received,
        env=at_work,
        capture_output=True,
        text=True,
        timeout=300,
        check=False,
    )
    assert typed.returncode == 0, typed.stderr
    assert typed.stderr.count(OWN) == 1, typed.stderr
    assert "Largest revenue in sa" in typed.stdout
    assert snapshot(received) == before


# --- which ledgers are this machine's ---------------------------------------------------------------------------------


def count_own(home: Path, at: Path, key: str | None) -> int:
    ((_, listed, _),) = run([["log", "--own", "--json"]], home, at, key=key)
    return len(json.loads(listed)["entries"])


ASK = ["ask", "sales.csv", "count"]


def test_an_unsigned_ledger_goes_on_where_it_was_written_and_nowhere_else(tmp_path: Path) -> None:
    folder = make_folder(tmp_path / "hana", tmp_path / "author", "closed", key=None)
    told = run([ASK, ASK, ["log", "--json"]], tmp_path / "author", folder, key=None)
    assert [(code, said) for code, _, said in told] == [(0, "")] * 3
    assert len(json.loads(told[2][1])["entries"]) == 6
    before = snapshot(folder)
    ((_, _, said),) = run([ASK], tmp_path / "reader", folder, key=None)
    assert said == FOREIGN
    assert snapshot(folder) == before
    assert count_own(tmp_path / "reader", folder, None) == 1
    # After the login the same ledger goes on; without the key that was used meanwhile, too.
    told = [*run([ASK], tmp_path / "author", folder), *run([ASK], tmp_path / "author", folder, key=None)]
    assert [said for *_, said in told] == ["", ""]


def test_an_unsigned_ledger_that_another_went_on_with_is_left_to_them(tmp_path: Path) -> None:
    folder = make_folder(tmp_path / "hana", tmp_path / "author", "closed", key=None)
    named = {**build_environment(tmp_path / "reader", None), "SERVICE_LEDGER": str(folder / ".service")}
    subprocess.run([sys.executable, "-m", "service_nb.cli.main", *ASK], cwd=folder, env=named, timeout=60, check=True)
    before = snapshot(folder)
    ((_, _, said),) = run([ASK], tmp_path / "author", folder, key=None)
    assert said == FOREIGN
    assert snapshot(folder) == before


def test_a_ledger_that_is_named_is_written_to_whoever_wrote_it(tmp_path: Path) -> None:
    folder = make_folder(tmp_path / "hana", tmp_path / "author", "closed")
    named = {**build_environment(tmp_path / "reader", READER), "SERVICE_LEDGER": str(folder / ".service")}
    done = subprocess.run(
        [sys.executable, "-m", "service_nb.cli.main", *ASK], cwd=folder, env=named, timeout=60, check=True,
        capture_output=True, text=True,
    )  # fmt: skip
    assert done.stderr == ""
    told = run([["log", "--json"], ASK], tmp_path / "author", folder, key=AUTHOR)
    assert len(json.loads(told[0][1])["entries"]) == 5
    assert told[1][2] == FOREIGN  # for its newest entry is the reader's


def test_a_checkpoint_that_only_names_this_machines_key_is_not_its_own(tmp_path: Path) -> None:
    """Who writes the reader's key beside a checkpoint has not signed it: nothing is written to such a ledger."""
    folder = make_folder(tmp_path / "hana", tmp_path / "author", "closed")
    mine = make_folder(tmp_path / "mine", tmp_path / "reader", "closed", key=READER)
    with closing(sqlite3.connect(mine / ".service" / "ledger.sqlite")) as database:
        ((key, public),) = database.execute("SELECT id, public_key FROM keys").fetchall()
        ((note,),) = database.execute("SELECT note FROM checkpoints ORDER BY size DESC LIMIT 1").fetchall()
    with closing(sqlite3.connect(folder / ".service" / "ledger.sqlite")) as database:
        ((size, theirs),) = database.execute("SELECT size, note FROM checkpoints ORDER BY size DESC LIMIT 1").fetchall()
        forged = theirs.partition("\n\n")[0] + "\n\n" + note.partition("\n\n")[2]
        database.execute("INSERT INTO keys VALUES (?, ?)", (key, public))
        database.execute("UPDATE checkpoints SET key = ?, note = ? WHERE size = ?", (key, forged, size))
        database.commit()
    before = snapshot(folder)
    ((_, _, said),) = run([ASK], tmp_path / "reader", folder)
    assert said == FOREIGN
    assert snapshot(folder) == before
