"""Type lines in a real session of IPython with the fixtures connected, and tell what comes of each."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from IPython.core.interactiveshell import InteractiveShell
from IPython.utils.capture import capture_output

import service_nb
from service_nb import notebook
from service_nb.client.advice.offers import MEANT, READ_AGAIN
from service_nb.compute.syntax import ComputeLine, parse_compute
from service_nb.notebook.run_lines import LINES_MIME
from service_nb.query.ask_line import parse_ask
from tests.advice import fixtures
from tests.advice.reading import judge

RECORDS = json.loads(Path(__file__).with_name("first_lines.json").read_text(encoding="utf-8"))


@dataclass(frozen=True, kw_only=True)
class Result:
    """What came of a line: a value, or lines of one kind under a heading, and what was said."""

    value: Any = None
    heading: str = ""
    lines: Sequence[str] = ()
    says: str = ""


@dataclass(kw_only=True)
class Typist:
    """A session in a folder with the fixtures; sources are connected once for all lines that need the same ones."""

    shell: InteractiveShell
    folder: Path
    connected: Sequence[str] = field(default=())

    def type(self, magic: str, typed: str, sources: Sequence[str]) -> Result:
        """Type a line behind a magic, with these sources connected."""
        if list(sources) != list(self.connected) or magic == "connect":
            self.connect(sources)
        name = magic if magic.startswith("service_") else f"service_{magic}"
        with capture_output() as captured:
            ran = self.shell.run_cell(f"%{name} {typed}", store_history=True)
        shown = [bundle for each in captured.outputs if (bundle := _read_data(each).get(LINES_MIME))]
        error, value = ran.error_in_exec, ran.result
        if isinstance(error, service_nb.ServiceError):
            return Result(heading=error.heading, lines=error.lines, says=str(error))
        if isinstance(value, dict) and value.get("status") == "needs_clarification":
            lines = [f"%service_ask {each['ask']}" for each in value["resolution"]["candidates"]]
            return Result(heading="Which?", lines=lines)
        if isinstance(value, dict) and value.get("status") == "rejected":
            value = None
        last: Mapping[str, Any] = shown[-1] if shown else {}
        lines = [each["line"] for each in last.get("lines", ())]
        return Result(value=value, heading=last.get("title", ""), lines=lines, says=last.get("says", "") or str(error))

    def connect(self, sources: Iterable[str]) -> None:
        """Begin anew with these sources of `fixtures.SOURCES`."""
        client = service_nb.create_service(runtime="in_process")
        for each in sources:
            source = fixtures.SOURCES[each]
            options: dict[str, Any] = dict(source.options)
            if "types" in options:
                options["types"] = dict([options["types"].split("=")])
            client.connect(str(self.folder / source.file), name=source.name, **options)
        notebook.use(client)
        self.connected = list(sources)


def _read_data(output: Any) -> Mapping[str, Any]:
    data: Mapping[str, Any] = output.data if hasattr(output, "data") else output["data"]
    return data


def list_fields(sources: Iterable[str], folder: Path) -> dict[str, tuple[str, ...]]:
    """List the columns of the sources, for the independent reader."""
    found = {}
    for each in sources:
        source = fixtures.SOURCES[each]
        head = (folder / source.file).read_bytes().split(b"\n")[0].decode("cp1252").strip()
        found[source.name] = tuple(head.split(source.options.get("delimiter", ",")))
    return found


def find_misleading(typed: str, result: Result, answers: Sequence[str], sources: dict[str, Any]) -> list[str]:
    """Find offered lines that mean something else than was typed; pages claim nothing."""
    if not typed:  # a starter, where nothing was typed
        return []
    if result.heading == READ_AGAIN:  # the cause of a refusal: the file of a source that is connected, read anew
        return [each for each in result.lines if not _reads_again(each, sources)]
    allowed = {normalise(each) for each in answers}
    wrong = []
    for line in result.lines:
        bare = line.split(" ", 1)[1] if " " in line else ""
        if normalise(bare) in allowed:
            continue
        verdict = judge(typed, line, sources)
        fits = (
            bare == "--help"
            or verdict.verdict in ("same", "page")
            or (verdict.verdict == "one slot differs" and result.heading != MEANT)
        )
        if not fits:
            wrong.append(f"{line}  ({verdict.verdict}: {'; '.join(verdict.reasons)})")
    return wrong


def _reads_again(line: str, sources: Mapping[str, Any]) -> bool:
    words = line.split()
    files = {source.file for source in fixtures.SOURCES.values() if source.name in sources}
    return words[0] == "%service_connect" and words[1] in sources and Path(words[2]).name in files


def normalise(line: str) -> str:
    """Write a line so that two of the same meaning are equal; a source that is the only one may be left out."""
    for parse in (parse_ask, parse_compute):
        try:
            read = parse(line)
            named = dict(sorted(read.arguments.items())) if isinstance(read, ComputeLine) else {}
            return f"{read.module}.{read.function} {named} {read.where}" if named else repr(read)
        except service_nb.ServiceError:
            continue
    return " ".join(line.replace('"', "").split())
