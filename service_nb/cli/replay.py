"""Run stored results again and report each: identical, what differs and why, or why it was not run.

examples:
  service-nb replay report.ipynb
  service-nb replay report.ipynb --source flights=/data/flights.parquet --report audit.html
  service-nb replay card.json --in-process --json
  service-nb replay query_3f9c1d20b7a84e65
  service-nb replay .service --report replays.json

Sources are found by the digest of their content: where they were read from below the project, where service.toml has
them, where the ledger kept them, or where --source says they are now.

What you replay is never written to: where the ledger beside it is not one that this machine wrote, the record of the
replay is in your own, which `service-nb log --own` lists.

exit codes: 0 all identical; 1 something differs or was refused; 2 usage. An error, or the record of another replay, has
nothing to be run again and changes no exit code.
"""

from __future__ import annotations

import argparse
from collections.abc import Callable, Sequence
from contextlib import ExitStack, closing
from dataclasses import dataclass
from pathlib import Path

from msgspec.structs import replace

import service_nb
from service_nb.cli.console import ProgressBar, measure_terminal, write_output
from service_nb.cli.reading import RESULT_ID
from service_nb.cli.verb import DONE, FAILED, IN_PROCESS, Option, Reply, Verb
from service_nb.client.project import find_project
from service_nb.client.record import FILE, FOLDER, find_ledger
from service_nb.client.replay.flow import Replayer
from service_nb.errors import InvalidIntentError
from service_nb.evidence.documents import read_json
from service_nb.evidence.replay_report import to_json, to_text
from service_nb.evidence.report_pages import write_replay
from service_nb.evidence.standalone import DOCUMENT_BYTES
from service_nb.readers.source_files import read_bytes
from service_nb.runtimes.interface import Step
from service_nb.schema.reports import ReplayReport

_WRITERS: dict[str, Callable[[ReplayReport], str]] = {
    ".html": write_replay,
    ".json": to_json,
    ".txt": lambda report: to_text(report) + "\n",
}


def run(arguments: argparse.Namespace) -> Reply:
    """Replay, write the report, reply with it; fail if something is not the same."""
    targets = [_find_target(what, arguments.project) for what in arguments.what]
    report = _join_reports([_replay_target(target, arguments) for target in targets], targets)
    if arguments.report is not None:
        write_output("--report", arguments.report, _WRITERS[arguments.report.suffix](report))
    return Reply(report.to_dict(), to_text(report, measure_terminal()), DONE if report.is_identical else FAILED)


def _read_source(text: str) -> tuple[str, str]:
    name, is_given, path = text.partition("=")
    if not (is_given and name and path):
        raise argparse.ArgumentTypeError(f"{text!r} is not NAME=PATH")
    return name, path


def _read_report_path(text: str) -> Path:
    path = Path(text)
    if path.suffix not in _WRITERS:
        raise argparse.ArgumentTypeError(f"{path.name!r} must end with one of {', '.join(_WRITERS)}")
    return path


# --- what is replayed -------------------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True, kw_only=True)
class _ReplayTarget:
    """One thing to be replayed: a document, the folder of a ledger, or the id of a result in the project's ledger."""

    name: str
    project: Path
    document: Path | None = None
    ledger: Path | None = None
    result_id: str | None = None


def _find_target(what: str, project: Path | None) -> _ReplayTarget:
    path = Path(what)
    if path.name == FILE:
        path = path.parent
    if path.is_file():
        return _ReplayTarget(name=path.name, project=project or find_project(path.resolve().parent), document=path)
    for folder in (path, path / FOLDER):
        if (folder / FILE).is_file():
            return _ReplayTarget(name=folder.name, project=project or folder.resolve().parent, ledger=folder)
    if RESULT_ID.fullmatch(what):
        return _ReplayTarget(name=what, project=project or find_project(Path.cwd()), result_id=what)
    raise InvalidIntentError(
        f"There is no file or ledger {path.name!r}, and it is not the id of a result.",
        hint="Give a .ipynb file, a card as JSON, the folder of a ledger, or an id such as `service-nb log` shows.",
        path="what",
    )


def _replay_target(target: _ReplayTarget, arguments: argparse.Namespace) -> ReplayReport:
    """Replay with a client of the target's project: it records there if that ledger is this machine's."""
    with ExitStack() as stack:
        bar = stack.enter_context(ProgressBar())
        service = service_nb.create_service(
            project=target.project,
            ledger=_find_new_ledger(arguments.project),
            timeout=arguments.timeout,
            runtime="in_process" if arguments.in_process else None,
            progress=bar,
        )
        stack.enter_context(closing(service))
        replays = service.replaying(
            sources=dict(arguments.source),
            keys=arguments.key,
            changed_sources=arguments.changed_sources,
            unverified=arguments.unverified,
            ledger=target.ledger,
            told=lambda done, total, subject: bar(Step(f"Replaying {done + 1:,} of {total:,}: {subject}")),
        )
        stack.enter_context(closing(replays))
        return _replay_kind(target, replays)


def _find_new_ledger(project: Path | None) -> Path | None:
    """Find where to begin a ledger: a replay begins none beside what it reads, but in a project that was named."""
    folder = None if project is None else find_ledger(None, project)
    return folder if folder is not None and not (folder / FILE).exists() else None


def _replay_kind(target: _ReplayTarget, replays: Replayer) -> ReplayReport:
    if target.result_id is not None:
        return replays.report(target.name, (replays.replay_result(target.result_id).replay,))
    if target.document is None:
        return replays.replay_ledger(subject=target.name).report
    document = read_json(read_bytes(target.document, DOCUMENT_BYTES, "document")[0])
    if not isinstance(document, dict):
        raise InvalidIntentError(f"{target.name} is neither a notebook nor a card.", path="what")
    if "nbformat" in document:
        return replays.replay_notebook(document, subject=target.name).report
    if "kind" in document:
        return replays.report(target.name, (replays.replay_card(document, subject=target.name).replay,))
    hint = "Import it: `service-nb import`." if "service_nb_ledger" in document else None
    raise InvalidIntentError(f"{target.name} is neither a notebook nor a card.", hint=hint, path="what")


def _join_reports(reports: Sequence[ReplayReport], targets: Sequence[_ReplayTarget]) -> ReplayReport:
    """Join the reports to one, in which the results of several documents name theirs."""
    if len(reports) == 1:
        return reports[0]
    replays = [
        each if each.subject == target.name else replace(each, subject=f"{target.name}, {each.subject}")
        for report, target in zip(reports, targets, strict=True)
        for each in report.replays
    ]
    return replace(reports[-1], subject=", ".join(target.name for target in targets), replays=tuple(replays))


VERB = Verb(
    run=run,
    options=(
        Option("what WHAT", "notebook, card as JSON, folder of a ledger, or id of a result", nargs="+"),
        Option(
            "--source NAME=PATH",
            "where a source is now; may be repeated",
            action="append",
            default=[],
            type=_read_source,
        ),
        Option("--project DIR", "the folder that files are relative to", type=Path),
        Option("--report OUT", "write a report: .html, .json or .txt", type=_read_report_path),
        Option("--key KEY", "a trusted public key; may be repeated", action="append", default=[]),
        Option("--changed-sources", "run on sources whose content changed, and report differences"),
        Option("--unverified", "also run what does not verify"),
        Option("--timeout SECONDS", "for each result; 300", type=float, default=300.0),
        IN_PROCESS,
    ),
)
