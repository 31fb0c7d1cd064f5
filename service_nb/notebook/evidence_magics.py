"""The magics of evidence: verify, replay, log; of this session's results, of stored ones, or of files."""

from __future__ import annotations

import warnings
from collections.abc import Callable, Mapping, Sequence
from contextlib import closing
from pathlib import Path
from typing import Any

from service_nb.errors import InvalidIntentError
from service_nb.notebook.displays import ShownList
from service_nb.notebook.magic import Arguments, Flag, Magic, Words, read_pairs
from service_nb.notebook.session import ServiceMagics

MOST_LINES = 1_000
_FILES = (".ipynb", ".json", ".sqlite", ".service")


def run_verify(session: ServiceMagics, arguments: Arguments) -> object:
    """Check evidence without running anything: hashes, signature, place in the ledger.

    %service_verify, the last result of this session
    %service_verify all, every result of this session
    %service_verify RESULT_ID | $variable | FILE

    FILE is a notebook, a card, a ledger or a document of one. Without --key any signature that holds will do,
    and the card says whose it is; with it, only that signer's cards pass.

    %service_verify
    %service_verify all
    %service_verify claims.ipynb --key author.key
    """
    from service_nb.client.verification import build_terms, verify_card, verify_files  # noqa: PLC0415
    from service_nb.evidence.report_pages import write_report  # noqa: PLC0415  # all of it lazy: it loads cryptography
    from service_nb.evidence.verdicts import FileReport, Report, describe_card, to_json, to_junit, to_text  # noqa: PLC0415
    from service_nb.notebook.evidence_pages import show_verdict, show_verdicts  # noqa: PLC0415

    key, path = arguments.get_text("--key"), _find_file(arguments)
    terms = build_terms([] if key is None else [key])
    if path is not None:
        report = verify_files([path], terms)
    else:
        cards = dict(_name_card(each) for each in _choose_results(VERIFY, session, arguments))
        of_session = FileReport(
            name="this session",
            verdicts=tuple(verify_card(card, terms, subject=name) for name, card in cards.items()),
            words={name: describe_card(card) for name, card in cards.items()},
        )
        report = Report(files=(of_session,), conditions=terms.to_dict())
    faces = {".html": write_report, ".xml": to_junit, ".txt": to_text, ".json": to_json}
    _write_report(arguments.get_text("--report"), faces, report)
    verdicts = [verdict for file in report.files for verdict in file.verdicts]
    words = {subject: said for file in report.files for subject, said in file.words.items()}
    if path is None and len(verdicts) == 1:
        return show_verdict(verdicts[0], words.get(verdicts[0].subject, ""))
    return show_verdicts(verdicts, words)


def run_replay(session: ServiceMagics, arguments: Arguments) -> object:
    """Run stored results again, and compare every value: identical, differs (by how much, and why), refused.

    %service_replay, the last result of this session
    %service_replay all, every result of this session
    %service_replay RESULT_ID | $variable | FILE

    Sources are found by what they were and by the digest of their content; --source says where one is now.

    %service_replay
    %service_replay all --report replay.html
    %service_replay claims.ipynb --source sales=data/sales.csv
    """
    from service_nb.evidence.replay_report import to_json, to_text  # noqa: PLC0415  # lazy: as above
    from service_nb.evidence.report_pages import write_replay  # noqa: PLC0415  # lazy: as above
    from service_nb.notebook.evidence_pages import ReplayPage  # noqa: PLC0415

    text, path = arguments.get_text("--source"), _find_file(arguments)
    sources = {} if text is None else read_pairs("--source", text)
    chosen = [] if path else _choose_results(REPLAY, session, arguments)
    # Where its entries go is a part of the answer, and no fault.
    with warnings.catch_warnings(record=True) as told, closing(session.service.replaying(sources=sources)) as replaying:
        warnings.simplefilter("always", UserWarning)
        replays = _replay(replaying, path, chosen)
    for each in told:
        print(each.message)  # noqa: T201
    faces = {".html": write_replay, ".json": to_json, ".txt": to_text}
    _write_report(arguments.get_text("--report"), faces, replays.report)
    return replays[0] if path is None and len(replays) == 1 else ReplayPage(replays)


def run_log(session: ServiceMagics, arguments: Arguments) -> object:
    """List what the project's ledger has recorded: answers, refusals, errors, computations, replays.

    A ledger in a folder that you received is never written to: what you ask there is in your own, which --own lists.

    %service_log
    %service_log --limit 5 --kind query
    %service_log --own
    entries = %service_log
    """
    from service_nb.cards.page_blocks import compose_log  # noqa: PLC0415  # lazy: as above

    limit, kind = arguments.read_limit(20, MOST_LINES), arguments.get_text("--kind")
    own = bool(arguments.options.get("--own"))
    return ShownList(session.service.log(limit, kind, own=own), compose_log)


def _choose_results(magic: Magic, session: ServiceMagics, arguments: Arguments) -> Sequence[object]:
    """Choose the results that the line names: the last one, all of the session, a variable, or a stored one."""
    word = arguments.words[0] if arguments.words else None
    if word is None or word.text == "all":
        if not session.results:
            raise InvalidIntentError(
                "This session has no results yet.",
                hint=f"Name a result or a file: {', '.join(magic.forms[2:])}.",
            )
        return list(session.results) if word is not None else [session.results[-1]]
    if not word.raw.startswith("$"):
        return [session.service.get_result(word.text)]
    value = arguments.find_variable(word.raw[1:])
    chosen = value if isinstance(value, list) else [value]
    if not chosen or not all(isinstance(getattr(each, "card", None), dict) for each in chosen):
        raise InvalidIntentError(
            f"{word.raw} is not a result.",
            met=type(value).__name__,
            expected="the result of a question or a computation",
        )
    return chosen


def _name_card(result: Any) -> tuple[str, Any]:
    """Pair a result's id with its card."""
    from service_nb.client.results import get_result_id  # noqa: PLC0415  # lazy: loading the extension loads no Arrow

    return get_result_id(result), result.card


def _find_file(arguments: Arguments) -> str | None:
    if len(arguments.words) != 1 or arguments.words[0].raw.startswith("$"):
        return None
    text = arguments.words[0].text
    return text if text.endswith(_FILES) or "/" in text or Path(text).exists() else None


def _replay(replaying: Any, path: str | None, chosen: Sequence[Any]) -> Any:
    """Replay a file, or results of this session: by their ids where they are recorded, else by their cards."""
    if path is None:
        return replaying.replay_session([_name_card(result) for result in chosen])
    from service_nb.client.verification import read_document  # noqa: PLC0415
    from service_nb.evidence.documents import read_json  # noqa: PLC0415  # lazy: as above

    document = read_json(read_document(Path(path).expanduser()))
    if isinstance(document, dict) and "nbformat" in document:
        return replaying.replay_notebook(document, subject=Path(path).name)
    return replaying.replay_session([(Path(path).name, document)])


def _write_report(path: str | None, faces: Mapping[str, Callable[[Any], str]], report: object) -> None:
    """Write a report in the form that the ending of its name asks for."""
    if path is None:
        return
    ending = Path(path).suffix
    if ending not in faces:
        raise InvalidIntentError(
            f"--report {Path(path).name}: reports have other file endings.", met=ending, expected=", ".join(faces)
        )
    try:
        Path(path).expanduser().write_text(faces[ending](report), encoding="utf-8")
    except OSError as error:
        raise InvalidIntentError(f"--report {Path(path).name} cannot be written: {error.strerror}.") from error


ONE_RESULT = Words(0, 1, "one result or file at most")
VERIFY = Magic(
    "%service_verify",
    run_verify,
    flags=(
        Flag("--key", "a public key that is trusted, in base64 or as a file", "KEY"),
        Flag("--report", "write the report: .html, .json, .xml (JUnit) or .txt", "FILE"),
    ),
    words=ONE_RESULT,
)
REPLAY = Magic(
    "%service_replay",
    run_replay,
    flags=(
        Flag("--source", "where a source is now; its content must agree", "NAME=PATH,…"),
        Flag("--report", "write the report: .html, .json or .txt", "FILE"),
    ),
    words=ONE_RESULT,
    label="Replaying",
)
LOG = Magic(
    "%service_log",
    run_log,
    flags=(
        Flag("--limit", "how many to show; 20 by default", "N"),
        Flag(
            "--kind",
            "only those",
            "KIND",
            choices=("query", "computation", "clarification", "rejection", "error", "replay"),
        ),
        Flag("--own", "list your own ledger instead"),
    ),
)
