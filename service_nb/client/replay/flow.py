"""Replay a card, a notebook or what a ledger holds: read, verify, find sources, run, compare, record."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from datetime import UTC
from functools import cached_property
from pathlib import Path
from typing import Any, cast

from msgspec.structs import replace

from service_nb._version import __version__
from service_nb.cards.faces import Bundle, FacedValue, to_bundle
from service_nb.client.context import Context
from service_nb.client.history import get_result, has_result, list_log
from service_nb.client.record import Evidence, Outcome, Recorder
from service_nb.client.replay.find import HIDDEN, Finder, FoundSource, RefusedError, ReplayOptions
from service_nb.client.replay.read import StoredCard, StoredOutcome, list_hints, read_outcome
from service_nb.client.replay.rerun import Rerun, compare_run, run_stored
from service_nb.client.results import Replayable
from service_nb.client.verification import verify_card
from service_nb.core.canonical import write_canonical_text
from service_nb.core.digest import REPLAY_DOMAIN, create_id, digest
from service_nb.errors import (
    CanonicalJsonError,
    ComputeRuntimeUnavailableError,
    EvidenceError,
    InvalidIntentError,
    LoginRequiredError,
    PlanInvalidError,
    PolicyDeniedError,
    QueryInterruptedError,
    RuntimeProvisionError,
    SchemaRevisionMismatchError,
    ServiceError,
    SourceChangedError,
    SourceNotFoundError,
    UnsupportedOperationError,
    UnsupportedPlatformError,
)
from service_nb.evidence.differences import REFUSED
from service_nb.evidence.documents import check_card, find_cards
from service_nb.evidence.replay_report import to_text
from service_nb.evidence.verdicts import describe_card
from service_nb.schema.card import CARD_KINDS, Card, CardKind, ReplayView
from service_nb.schema.entry import Input
from service_nb.schema.reports import Replay, ReplayReport, SourceUsed

Progress = Callable[[int, int, str], object]  # how many are done, of how many, and which comes next
_CAUSES: tuple[tuple[type[ServiceError], str], ...] = (
    (PolicyDeniedError, "policy_denied"),
    (SchemaRevisionMismatchError, "schema_revision_mismatch"),
    (SourceChangedError, "source_content_mismatch"),
    (SourceNotFoundError, "source_missing"),
    (UnsupportedOperationError, "unsupported_operation"),
    (LoginRequiredError, "login_required"),
    (RuntimeProvisionError, "runtime_unavailable"),
    (UnsupportedPlatformError, "runtime_unavailable"),
    (ComputeRuntimeUnavailableError, "runtime_unavailable"),
    (PlanInvalidError, "evidence_invalid"),
    (EvidenceError, "evidence_invalid"),
    (CanonicalJsonError, "evidence_invalid"),
)
_NOTHING = {
    "error": "An error has no result to replay.",
    "replay": "A replay cannot be replayed; replay the original result.",
}
MOST_ENTRIES = 10_000_000  # of a ledger
_NAMES_NO_SOURCE = ("unknown_source", "no_source", "policy_denied_source")


class ReplayOutcome(FacedValue, dict[str, object]):
    """A replay as a dict: `status`, `cause`, `message`, `expected`, `met`, `comparison` … and the record itself."""

    def __init__(self, replay: Replay, card: Callable[[], Card]) -> None:
        super().__init__(replay.to_dict())
        self.replay = replay
        self._card = card

    @cached_property
    def card(self) -> Card:
        """The card of the replay: what was compared, and what came of it."""
        return self._card()

    def _repr_mimebundle_(self, **_: object) -> Bundle:
        return to_bundle(self.card)


class Replays(list[ReplayOutcome]):
    """The replays of a notebook or a ledger, in its order, and the report of them."""

    def __init__(self, outcomes: Iterable[ReplayOutcome], report: ReplayReport) -> None:
        super().__init__(outcomes)
        self.report = report

    @property
    def is_identical(self) -> bool:
        """Tell whether every replayable result is identical."""
        return self.report.is_identical

    def to_html(self) -> str:
        """Return the report as a page of its own."""
        from service_nb.evidence.report_pages import write_replay  # noqa: PLC0415  # lazy: it loads Jinja

        return write_replay(self.report)

    def _repr_pretty_(self, printer: Any, _cycle: bool) -> None:
        printer.text(to_text(self.report))


class Replayer:
    """The replayer of one client: it runs stored results again under the client's policy, and records each replay.

    Parameters
    ----------
    context : Context
        The client.
    options : ReplayOptions
        Which sources and which evidence are accepted.
    progress : callable, optional
        Called before each of several replays with how far it is.
    stored : Recorder, optional
        Whose ledger holds the results of `result` and `ledger`, if it is another than the client's; of another nothing
        is believed that is not proven.
    """

    def __init__(
        self,
        context: Context,
        *,
        options: ReplayOptions,
        progress: Progress | None = None,
        stored: Recorder | None = None,
    ) -> None:
        self._context = context
        self._sources = context.sources
        self._options = options
        self._progress = progress
        self._stored = context.recorder if stored is None else stored
        self._finder = Finder(self._sources, options)
        self._hints: Mapping[tuple[str, str], Input] = {}
        self._runtime: dict[str, str] = {}
        self._are_own: dict[Path, bool] = {}  # by the folder of a ledger: whether this machine wrote it

    # --- one replay ---------------------------------------------------------------------------------------------------

    def _replay(self, card: StoredCard) -> ReplayOutcome:
        """Verify and read a stored result, find its sources, run it again, compare, and record what came of it."""
        found: list[FoundSource] = []
        replay = _begin_replay(card)
        try:
            verdict = verify_card(card.card, self._options.terms, subject=card.subject)
            stored = read_outcome(card, verdict, self._options)
            replay = _describe_outcome(replay, stored)
            found = self._find_sources(stored)
            ran = run_stored(self._context, stored, found)
            self._runtime |= _describe_runtime(ran)
            self._require_same_values(stored, ran)
            replay = compare_run(replay, stored, ran)
        except RefusedError as refused:
            replay = replace(replay, status="refused", cause=refused.cause, message=refused.message)
        except QueryInterruptedError:  # whoever pressed Ctrl-C meant all that was still to come
            raise
        except ServiceError as error:
            cause = _name_cause(error)
            message = f"{REFUSED.get(cause, '')} {error}".strip()
            replay = replace(replay, status="refused", cause=cause, message=message)
        return self._record(replay, found)

    def _record(self, replay: Replay, found: Sequence[FoundSource]) -> ReplayOutcome:
        known = [(self._sources.restrict(each.registered), each.how) for each in found]
        used = [
            SourceUsed(name=one.name, found=how, sha256=one.content.sha256, schema_revision=one.schema_revision)
            for one, how in known
        ]
        replay = replace(replay, sources=tuple(used))
        outcome = Outcome(
            kind="replay",
            id=create_id("replay"),
            evidence=build_replay_evidence(replay),
            inputs=[self._sources.build_input(each.registered) for each in found],
        )
        return ReplayOutcome(replay, self._context.recorder.record_one(lambda: outcome))

    # --- what is replayed ---------------------------------------------------------------------------------------------

    def replay(self, what: object) -> ReplayOutcome | Replays:
        """Replay a result, or one by its id, all of ``"ledger"``, a card, a parsed notebook, or a list of cards.

        Raises
        ------
        InvalidIntentError [invalid_intent]
            It is none of these.
        """
        if isinstance(what, str):
            return self.replay_ledger() if what == "ledger" else self.replay_result(what)
        if isinstance(what, list):
            cards = [each.card if isinstance(each, Replayable) else each for each in what]
            stored = [StoredCard(subject=f"card {n}", card=card) for n, card in enumerate(cards, 1)]
            return self._replay_all(stored, len(stored), "cards")
        if isinstance(what, Replayable):
            return self.replay_card(what.card)
        if isinstance(what, dict):
            return self.replay_notebook(what) if "nbformat" in what else self.replay_card(what)
        raise InvalidIntentError(
            f"An object of type {type(what).__name__} cannot be replayed.",
            hint="Pass a result or its id, a card, a parsed notebook, or a list of cards.",
            met=type(what).__name__,
        )

    def replay_card(self, card: object, *, subject: str = "card") -> ReplayOutcome:
        """Replay a parsed card."""
        return self._replay(StoredCard(subject=subject, card=card))

    def replay_notebook(self, notebook: Mapping[str, object], *, subject: str = "notebook") -> Replays:
        """Replay every card of a parsed notebook, in the order of its cells.

        Raises
        ------
        EvidenceError [evidence_invalid]
            It does not have the shape of a notebook.
        """
        sources = [StoredCard(subject=placed.subject, card=placed.card) for placed in find_cards(notebook)]
        self._hints = list_hints(source.card for source in sources)
        return self._replay_all(sources, len(sources), subject)

    def replay_session(self, cards: Sequence[tuple[str, object]], *, subject: str = "this session") -> Replays:
        """Replay named cards; for a name that is the id of a recorded result, the ledger's evidence is used."""
        sources = [
            self._read_own(name)
            if has_result(self._sources, self._stored, name)
            else StoredCard(subject=name, card=card)
            for name, card in cards
        ]
        return self._replay_all(sources, len(sources), subject)

    def replay_shown(self, result_id: str, card: Mapping[str, object]) -> ReplayOutcome:
        """Replay a card with the ledger's evidence for its result, if the ledger holds exactly this card.

        An id alone is no more than what the card says of itself: one that was changed keeps the id of the genuine one.
        """
        source = StoredCard(subject=result_id, card=card)
        if has_result(self._sources, self._stored, result_id) and check_card(card).status != "altered":
            own = self._read_own(result_id)
            source = own if own.card["digests"] == card["digests"] else source
        return self._replay(source)

    def replay_result(self, result_id: str) -> ReplayOutcome:
        """Replay a result of the client's ledger.

        Raises
        ------
        ResultNotFoundError [result_not_found]
            The ledger has no such result for this tenant and this policy.
        LedgerError [ledger_unavailable]
            No ledger is kept, or it cannot be read.
        """
        return self._replay(self._read_own(result_id))

    def replay_ledger(self, *, subject: str = "ledger") -> Replays:
        """Replay every result of the client's ledger that its policy shows, the oldest first.

        What is recorded meanwhile, and replays, are not replayed.
        """
        ids = [
            told["id"]
            for told in reversed(list_log(self._sources, self._stored, MOST_ENTRIES, None))
            if told["kind"] != "replay"
        ]
        return self._replay_all(map(self._read_own, ids), len(ids), subject)

    def report(self, subject: str, replays: tuple[Replay, ...]) -> ReplayReport:
        """Build the report of some replays."""
        moment = self._context.clock().astimezone(UTC)
        return ReplayReport(
            subject=subject,
            time=moment.strftime("%Y-%m-%dT%H:%M:%SZ"),
            made_by={"service_nb": __version__, "contract": self._context.library.contract.hash, **self._runtime},
            keys=tuple(self._options.terms.trusted),
            replays=replays,
        )

    def close(self) -> None:
        """Close the sources that were opened."""
        self._finder.close()

    def _read_own(self, result_id: str) -> StoredCard:
        told = get_result(self._sources, self._stored, result_id)
        ledger, entry = self._stored.find_entry(result_id)
        if ledger.folder not in self._are_own:
            is_client = self._stored is self._context.recorder
            self._are_own[ledger.folder] = is_client and (self._stored.own is None or ledger.is_continued_here())
        is_own = self._are_own[ledger.folder]
        return StoredCard(subject=result_id, card=told.card, statement=entry.payload, texts=told.texts, is_own=is_own)

    def _replay_all(self, cards: Iterable[StoredCard], total: int, subject: str) -> Replays:
        outcomes = []
        for done, card in enumerate(cards):
            if self._progress is not None:
                self._progress(done, total, card.subject)
            outcomes.append(self._replay(card))
        return Replays(outcomes, self.report(subject, tuple(outcome.replay for outcome in outcomes)))

    def _find_sources(self, stored: StoredOutcome) -> list[FoundSource]:
        """Find the sources that a result was made from, or that a refusal considered."""
        if stored.kind in _NOTHING:
            raise RefusedError("not_replayable", _NOTHING[stored.kind])
        if stored.kind in ("query", "computation"):
            return [self._finder.find(self._use_hint(each), is_own=stored.is_own) for each in stored.inputs]
        if not stored.has_statement:
            return self._list_at_hand(stored)
        allowed = self._sources.policy.allows_source
        name = stored.record("spec").get("source_name")
        named = [each for each in stored.inputs if each["name"] == name]  # then no other has a say
        wanted = [each for each in named or stored.inputs if allowed(each["name"])]
        return [self._finder.find(self._use_hint(each), is_own=stored.is_own) for each in wanted]

    def _use_hint(self, wanted: Input) -> Input:
        """Complete an input with the origin that other cards of the notebook state, if its own card states none."""
        is_hidden = wanted["content"].get("algorithm") == HIDDEN  # its schema is that of some of the columns
        hint = self._hints.get((wanted["name"], "" if is_hidden else wanted["schema_revision"]))
        if wanted["origin"] is not None or hint is None:
            return wanted
        if is_hidden:
            return {**wanted, "origin": hint["origin"]}
        if wanted["content"].get("sha256") not in (None, hint["content"].get("sha256")):
            return wanted
        return {**wanted, "origin": hint["origin"]} if wanted["source_id"] else hint

    def _list_at_hand(self, stored: StoredOutcome) -> list[FoundSource]:
        """List the client's own sources: an unsigned refusal does not state its sources."""
        found = [FoundSource(registered, "registered") for registered in self._sources.list_allowed()]
        name = stored.record("spec").get("source_name")
        if not isinstance(name, str) or name in [each.registered.name for each in found]:
            return found
        if stored.record("resolution").get("rejection_reason") in _NAMES_NO_SOURCE:
            return found
        wanted = Input(name=name, source_id="", schema_revision="", row_count=0, content={}, origin=None, reading=None)
        return [*found, self._finder.find(wanted)]

    def _require_same_values(self, stored: StoredOutcome, ran: Rerun) -> None:
        """Refuse a run that read other values than before, unless the source is live or changes are accepted."""
        if not ran.changes or self._options.accepts_changed:
            return
        if stored.is_live:  # nobody promised the same values; what differs is what the replay is to tell
            return
        digests = {name: content for name, (content, _) in stored.ground.sources.items()}
        is_known = None not in digests.values()
        what = f"The {ran.changes[0].what} are not those that the call was given"
        if not is_known:
            raise RefusedError("source_content_mismatch", f"{what}.")
        cause = "source_reading_mismatch"
        raise RefusedError(cause, f"{what}; the content is the same. {REFUSED[cause]}")


def _name_cause(error: ServiceError) -> str:
    """Return the stable name of the cause that prevents a replay."""
    if isinstance(error, SourceChangedError) and error.details.get("changed") == "columns":
        return "schema_revision_mismatch"
    return next((name for kind, name in _CAUSES if isinstance(error, kind)), error.code)


def _read_kind(card: object) -> CardKind | None:
    kind = card.get("kind") if isinstance(card, dict) else None
    return cast(CardKind, kind) if isinstance(kind, str) and kind in CARD_KINDS else None


def _begin_replay(card: StoredCard) -> Replay:
    return Replay(
        subject=card.subject,
        kind=_read_kind(card.card),
        status="refused",
        cause=None,
        message="",
        question=describe_card(card.card),
    )


def _describe_outcome(replay: Replay, stored: StoredOutcome) -> Replay:
    return replace(
        replay,
        kind=stored.kind,
        result_id=stored.result_id,
        question=stored.question,
        time=stored.time,
        verified=stored.verdict.status,
        signer=stored.signer,
        digest=stored.digest,
        expected=None if stored.digest is None else stored.digests[stored.digest],
    )


def _describe_runtime(ran: Rerun) -> dict[str, str]:
    """Describe the runtime that computed a value, for the report."""
    run = ran.ground.determinism
    if run is None:
        return {}
    pinning = ", ".join(str(run[key]) for key in ("profile", "pinning") if key in run)
    bundle, sha256 = run["runtime_bundle_version"], run["runtime_bundle_sha256"]
    return {
        "runtime": bundle if bundle == sha256 else f"{bundle}, {sha256}",
        "kernels": str(run["kernel_build"]),
        "platform": f"{run['platform']}{f', {pinning}' if pinning else ''}",
    }


def build_replay_evidence(replay: Replay) -> Evidence:
    """Build the parts of a replay's card."""
    told = replay.to_dict()
    report = write_canonical_text(told)
    compared = told["comparison"] or {"differences": [], "differing": 0}
    view = ReplayView(
        status=replay.status,
        subject=replay.subject,
        result_id=replay.result_id,
        question=replay.question,
        cause=replay.cause,
        message=replay.message,
        digest=replay.digest,
        expected=replay.expected,
        met=replay.met,
        sources=told["sources"],
        changes=told["changes"],
        rows=[[each[key] for key in ("where", "expected", "met", "ulps")] for each in compared["differences"]],
        row_count=compared["differing"],
    )
    return Evidence(canonical={"report": report}, digests={"replay_hash": digest(REPLAY_DOMAIN, report)}, view=view)
