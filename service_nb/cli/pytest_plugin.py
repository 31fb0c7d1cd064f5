"""`pytest --service-nb notebooks/`: every card of every notebook is a test, and with a replay every notebook one more.

Without the option nothing is collected and nothing is loaded. A failed card names its cause and what to do; what cannot
be checked here passes, and so does what nobody signed whom you trust: unless keys are given (`--service-nb-key`), one
of which must have signed, or `--service-nb-strict`.
"""

from __future__ import annotations

import json
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

from service_nb.core.words import make_visible

if TYPE_CHECKING:
    from _pytest._code.code import TracebackStyle

    from service_nb.client.verification import Terms
    from service_nb.evidence.standalone import Verdict

_TERMS = pytest.StashKey["Terms"]()


class CardFailedError(Exception):
    """The error of a card, an index or a notebook that does not verify; its text names the cause."""


def pytest_addoption(parser: pytest.Parser) -> None:
    """Add the options."""
    group = parser.getgroup("service-nb", "verify the cards in notebooks")
    group.addoption("--service-nb", action="store_true", help="collect notebooks: each card is verified")
    group.addoption(
        "--service-nb-key", action="append", default=[], metavar="KEY",
        help="a trusted public key, base64 or a file; each card must be signed by one of them",
    )  # fmt: skip
    group.addoption("--service-nb-require-signature", action="store_true", help="fail cards that are not signed")
    group.addoption("--service-nb-strict", action="store_true", help="fail everything that is not verified")
    group.addoption("--service-nb-replay", action="store_true", help="replay every result of a notebook, as a test")
    group.addoption(
        "--service-nb-source",
        action="append",
        default=[],
        metavar="NAME=PATH",
        help="where a replay finds a source now",
    )
    group.addoption("--service-nb-in-process", action="store_true", help="replay without login and managed runtime")


def pytest_plugin_registered(plugin: Any, plugin_name: str) -> None:
    """Keep pytest's cache out of a folder of notebooks that is no project of pytest: it may have been received."""
    if plugin_name == "lfplugin":  # which comes just after the cache, and before any plugin writes to it
        config = plugin.config
        if config.getoption("--service-nb") and config.inipath is None:
            config.cache.set = _keep_nothing


def _keep_nothing(key: str, value: object) -> None:
    """Take a value of pytest's cache, and write it nowhere."""


def pytest_collect_file(file_path: Path, parent: pytest.Collector) -> pytest.Collector | None:
    """Collect a notebook, if that was asked for."""
    if file_path.suffix != ".ipynb" or not parent.config.getoption("--service-nb"):
        return None
    if ".ipynb_checkpoints" in file_path.parts:  # Jupyter's copies of what was saved before
        return None
    collected: pytest.Collector = NotebookFile.from_parent(parent, path=file_path)
    return collected


class NotebookFile(pytest.File):
    """A notebook."""

    def collect(self) -> Iterator[pytest.Item]:
        """Yield a test for each card and the index, and one for the replay."""
        from service_nb.client.verification import read_document, verify_content  # noqa: PLC0415  # lazy: only with the option

        content = read_document(self.path)
        found = verify_content(self.path.name, content, _read_terms(self.config))
        for verdict in found.verdicts:
            yield CardItem.from_parent(
                self, name=verdict.subject, verdict=verdict, words=found.words.get(verdict.subject, "")
            )
        if self.config.getoption("--service-nb-replay"):
            yield ReplayItem.from_parent(self, name="replay")


class _Item(pytest.Item):
    def repr_failure(self, excinfo: pytest.ExceptionInfo[BaseException], style: TracebackStyle | None = None) -> Any:
        """Describe the failure without a traceback: the fault is in the notebook."""
        if isinstance(excinfo.value, CardFailedError):
            return str(excinfo.value)
        return super().repr_failure(excinfo, style)

    def reportinfo(self) -> tuple[Path, int | None, str]:
        """Return the file of the test and its name."""
        return self.path, None, f"{self.path.name}: {self.name}"


class CardItem(_Item):
    """One card of a notebook, or its index."""

    def __init__(self, *, verdict: Verdict, words: str, **known: Any) -> None:
        super().__init__(**known)
        self._verdict = verdict
        self._words = words

    def runtest(self) -> None:
        """Fail if the card does not verify."""
        from service_nb.evidence.verdicts import (  # noqa: PLC0415
            describe_verdict,
            iter_grounds,
            list_checks,
        )

        demanded = ("unsigned", "unknown_signer") if self.config.getoption("--service-nb-key") else ()
        checks = list_checks(self._verdict, "failed")
        if not checks and self.config.getoption("--service-nb-strict") and self._verdict.status != "verified":
            checks = list_checks(self._verdict, "not_checkable")
        checks = checks or [check for check in list_checks(self._verdict, "not_checkable") if check.cause in demanded]
        if checks:
            causes = ", ".join(dict.fromkeys(str(check.cause) for check in checks))  # pytest's summary has this line
            raise CardFailedError("\n".join([f"{causes}: {self._words or self.name}", *iter_grounds(checks)]))
        if self._verdict.status != "verified":
            told = "\n".join(iter_grounds(list_checks(self._verdict, "not_checkable")))
            self.add_report_section("call", describe_verdict(self._verdict), told)


class ReplayItem(_Item):
    """All results of a notebook, run again in a process of its own: no other test can reach into it."""

    def runtest(self) -> None:
        """Fail if a result differs, or could not be run."""
        command = [sys.executable, "-m", "service_nb.cli.main", "replay", str(self.path), "--json"]
        command += [f"--key={key}" for key in self.config.getoption("--service-nb-key")]
        command += [f"--source={source}" for source in self.config.getoption("--service-nb-source")]
        command += ["--in-process"] if self.config.getoption("--service-nb-in-process") else []
        done = subprocess.run(command, capture_output=True, encoding="utf-8", check=False)  # noqa: S603  # it is us
        if done.returncode != 0:
            raise CardFailedError(
                "\n".join(_list_replay_faults(done.stdout)) or done.stderr.strip() or "It was not run."
            )


def _list_replay_faults(report: str) -> Iterator[str]:
    """List the results that a replay report does not call identical; none if the text is no report."""
    try:
        told = json.loads(report)
    except ValueError:
        return
    for replay in told.get("replays", ()):
        if replay["status"] != "identical" and replay["cause"] != "not_replayable":
            yield f"{replay['subject']} {replay['status']}: {replay['cause']}: {make_visible(replay['message'])}"


def _read_terms(config: pytest.Config) -> Terms:
    """Read the terms of verification, once for the whole run."""
    if _TERMS not in config.stash:
        from service_nb.client.verification import build_terms  # noqa: PLC0415
        from service_nb.errors import InvalidIntentError  # noqa: PLC0415

        needs = config.getoption("--service-nb-require-signature")
        try:
            config.stash[_TERMS] = build_terms(config.getoption("--service-nb-key"), requires_signature=needs)
        except InvalidIntentError as error:
            raise pytest.UsageError(str(error)) from error
    return config.stash[_TERMS]
