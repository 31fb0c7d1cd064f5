"""The magics of evidence: verify, replay, log, check. They speak of what the session's other magics returned."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from contextlib import closing
from pathlib import Path
from typing import Any

from IPython.core.magic import line_magic, magics_class, needs_local_scope, no_var_expand

from service_nb.errors import InvalidIntentError
from service_nb.notebook import usages
from service_nb.notebook.arguments import Arguments, Usage, read_pairs
from service_nb.notebook.beside import BesideMagics
from service_nb.notebook.reads import count, reads, variable

MOST_LINES = 1_000
_FILES = (".ipynb", ".json", ".sqlite", ".service")


@magics_class
class EvidenceMagics(BesideMagics):
    """What is said of results: of those of the session, and of files."""

    @no_var_expand
    @needs_local_scope
    @line_magic
    @reads(usages.VERIFY)
    def service_verify(self, arguments: Arguments, _cell: None, scope: Mapping[str, Any]) -> Any:
        """See `usages.VERIFY`."""
        from service_nb.client.verify import local_terms, verify_card, verify_files  # noqa: PLC0415
        from service_nb.evidence.report import FileReport, Report, to_json, to_junit, to_text, words_of  # noqa: PLC0415
        from service_nb.evidence.report_html import to_html  # noqa: PLC0415  # all of it lazy: it loads cryptography
        from service_nb.notebook.evidence_faces import VerdictList, VerdictPage  # noqa: PLC0415

        key, path = arguments.text("--key"), _file(arguments)
        terms = local_terms([] if key is None else [key])
        if path is not None:
            report = verify_files([path], terms)
        else:
            cards = dict(_named(each) for each in self._chosen(usages.VERIFY, arguments, scope))
            told = FileReport(
                name="this session",
                verdicts=tuple(verify_card(card, terms, subject=name) for name, card in cards.items()),
                words={name: words_of(card) for name, card in cards.items()},
            )
            report = Report(files=(told,), conditions=terms.to_dict())
        faces = {".html": to_html, ".xml": to_junit, ".txt": to_text, ".json": to_json}
        _write(arguments.text("--report"), faces, report)
        verdicts = [verdict for file in report.files for verdict in file.verdicts]
        words = {subject: said for file in report.files for subject, said in file.words.items()}
        if path is None and len(verdicts) == 1:
            return VerdictPage(verdicts[0], words.get(verdicts[0].subject, ""))
        return VerdictList(verdicts, words)

    @no_var_expand
    @needs_local_scope
    @line_magic
    @reads(usages.REPLAY)
    def service_replay(self, arguments: Arguments, _cell: None, scope: Mapping[str, Any]) -> Any:
        """See `usages.REPLAY`."""
        from service_nb.evidence.replay_report import to_html, to_json, to_text  # noqa: PLC0415  # lazy: as above
        from service_nb.notebook.replay_faces import ReplayPage  # noqa: PLC0415

        text, path = arguments.text("--source"), _file(arguments)
        sources = {} if text is None else read_pairs("--source", text)
        chosen = [] if path else self._chosen(usages.REPLAY, arguments, scope)
        replaying = self._session.service.replaying(sources=sources)
        with self.screen.working("Replaying") as progress, closing(replaying):
            replays = _replays(replaying, path, chosen)
        faces = {".html": to_html, ".json": to_json, ".txt": to_text}
        _write(arguments.text("--report"), faces, replays.report)
        page = replays[0] if path is None and len(replays) == 1 else ReplayPage(replays)
        return self._session.shown(usages.REPLAY, page, progress, silent=arguments.silent)

    @no_var_expand
    @needs_local_scope
    @line_magic
    @reads(usages.LOG)
    def service_log(self, arguments: Arguments, _cell: None, _scope: Mapping[str, Any]) -> Any:
        """See `usages.LOG`."""
        from service_nb.notebook.evidence_faces import LogPage  # noqa: PLC0415  # lazy: as above

        _at_most(usages.LOG, arguments, 0)
        limit = count(arguments, 20, MOST_LINES)
        return LogPage(self._session.service.log(limit, arguments.text("--kind")))

    @no_var_expand
    @needs_local_scope
    @line_magic
    @reads(usages.CHECK)
    def service_check(self, arguments: Arguments, _cell: None, _scope: Mapping[str, Any]) -> Any:
        """See `usages.CHECK`."""
        from service_nb.notebook.checking import check_answer  # noqa: PLC0415  # lazy: as above

        _at_most(usages.CHECK, arguments, 1)
        if not arguments.words:
            raise InvalidIntentError(
                "%service_check takes the name of an exercise.", hint=f"For example: {usages.CHECK.examples[0]}"
            )
        latest = self._session.results[-1].card if self._session.results else None
        return check_answer(arguments.words[0].text, latest, key=arguments.text("--key"), folder=Path.cwd())

    def _chosen(self, usage: Usage, arguments: Arguments, scope: Mapping[str, Any]) -> Sequence[Any]:
        """Return what the line speaks of: the last result, all of the session, a variable, or a stored one."""
        _at_most(usage, arguments, 1)
        results = self._session.results
        word = arguments.words[0] if arguments.words else None
        if word is None or word.text == "all":
            if not results:
                raise InvalidIntentError(
                    "This session has no results yet.",
                    hint=f"Name a result or a file: {', '.join(usage.forms[2:])}.",
                )
            return list(results) if word is not None else [results[-1]]
        if not word.raw.startswith("$"):
            return [self._session.service.get_result(word.text)]
        value = variable(word.raw[1:], scope)
        chosen = value if isinstance(value, list) else [value]
        if not chosen or not all(isinstance(getattr(each, "card", None), dict) for each in chosen):
            raise InvalidIntentError(
                f"{word.raw} is not a result.",
                met=type(value).__name__,
                expected="the result of a question or a computation",
            )
        return chosen


def _named(result: Any) -> tuple[str, Any]:
    """Return a result's id and its card."""
    from service_nb.client.results import result_id  # noqa: PLC0415  # lazy: loading the extension loads no Arrow

    return result_id(result), result.card


def _file(arguments: Arguments) -> str | None:
    if len(arguments.words) != 1 or arguments.words[0].raw.startswith("$"):
        return None
    text = arguments.words[0].text
    return text if text.endswith(_FILES) or "/" in text or Path(text).exists() else None


def _at_most(usage: Usage, arguments: Arguments, words: int) -> None:
    if len(arguments.words) > words:
        raise InvalidIntentError(
            f"{usage.magic} takes {words or 'no'} word{'s' if words > 1 else ''} beside its options.",
            hint="Write a path with blanks in quotes.",
            met=arguments.words[words].raw,
        )


def _replays(replaying: Any, path: str | None, chosen: Sequence[Any]) -> Any:
    """Replay a file, or results of this session: by their ids where they are recorded, else by their cards."""
    if path is None:
        return replaying.session([_named(result) for result in chosen])
    from service_nb.client.verify import read_document  # noqa: PLC0415
    from service_nb.evidence.verify import read_json  # noqa: PLC0415  # lazy: as above

    document = read_json(read_document(Path(path).expanduser()))
    if isinstance(document, dict) and "nbformat" in document:
        return replaying.notebook(document, subject=Path(path).name)
    return replaying.session([(Path(path).name, document)])


def _write(path: str | None, faces: Mapping[str, Callable[[Any], str]], report: Any) -> None:
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
