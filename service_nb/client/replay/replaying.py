"""Replays: of a card, of a notebook, of what a ledger holds; each is run again, compared, named and recorded."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import UTC
from typing import cast

from service_nb._version import __version__
from service_nb.client.recall import Recall
from service_nb.client.recording import Outcome, Recorder
from service_nb.client.replay.comparing import compared
from service_nb.client.replay.finding import HIDDEN, Finder, Found, Places, RefusedError
from service_nb.client.replay.outcome import ReplayOutcome, Replays
from service_nb.client.replay.running import Ran, Runner
from service_nb.client.replay.stored import Source, Stored, hints, read
from service_nb.client.replayed import replay_evidence
from service_nb.client.verify import Terms, verify_card
from service_nb.core.ids import new_id
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
from service_nb.evidence.changes import REFUSED
from service_nb.evidence.report import words_of
from service_nb.evidence.verify import check_card, find_cards
from service_nb.schema.card import CARD_KINDS, CardKind
from service_nb.schema.entry import Input
from service_nb.schema.replay import Replay, ReplayReport, SourceUsed

Told = Callable[[int, int, str], object]  # how many are done, of how many, and which comes next
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


@dataclass(frozen=True, slots=True, kw_only=True)
class Trust:
    """Whom a replay believes, whether such a key must have signed, and whether an altered card is run as well."""

    terms: Terms
    demands_key: bool = False
    is_forced: bool = False


def silently(_done: int, _total: int, _subject: str) -> None:
    """Nobody is told how far it is."""


class Replaying:
    """Runs stored results again for one client.

    Parameters
    ----------
    runner : Runner
        What runs them: the client's planes, under its policy.
    recorder : Recorder
        Writes every replay down; one that is off writes nothing.
    places : Places
        Where to look for sources beside the client and its project.
    trust : Trust
        Whom to believe.
    told : callable, optional
        Told before each of several replays how far it is.
    stored : Recorder, optional
        Whose ledger holds the results of `result` and `ledger`, if it is another than the recorder's; of another
        nothing is believed that is not proven.
    """

    def __init__(
        self,
        runner: Runner,
        recorder: Recorder,
        *,
        places: Places,
        trust: Trust,
        told: Told = silently,
        stored: Recorder | None = None,
    ) -> None:
        self._runner = runner
        self._recorder = recorder
        self._places = places
        self._trust = trust
        self._told = told
        self._finder = Finder(runner.client, places)
        self._hints: Mapping[tuple[str, str], Input] = {}
        self._runtime: dict[str, str] = {}
        self._stored = recorder if stored is None else stored
        self._recall = Recall(runner.client, self._stored)

    # --- what is replayed -----------------------------------------------------------------------------------------

    def any(self, what: object) -> ReplayOutcome | Replays:
        """Replay what is named: the id of a result, ``"ledger"``, a card, a parsed notebook, or a list of cards.

        Raises
        ------
        InvalidIntentError [invalid_intent]
            It is none of these.
        """
        if isinstance(what, str):
            return self.ledger() if what == "ledger" else self.result(what)
        if isinstance(what, list):
            return self._all(
                [Source(subject=f"card {n}", card=card) for n, card in enumerate(what, 1)], len(what), "cards"
            )
        if isinstance(what, dict):
            return self.notebook(what) if "nbformat" in what else self.card(what)
        raise InvalidIntentError(
            f"An object of type {type(what).__name__} cannot be replayed.",
            hint="Pass the id of a result, a card, a parsed notebook, or a list of cards.",
            met=type(what).__name__,
        )

    def card(self, card: object, *, subject: str = "card") -> ReplayOutcome:
        """Replay a parsed card."""
        return self._replayed(Source(subject=subject, card=card))

    def notebook(self, notebook: Mapping[str, object], *, subject: str = "notebook") -> Replays:
        """Replay every card of a parsed notebook, in the order of its cells.

        Raises
        ------
        EvidenceError [evidence_invalid]
            It does not have the shape of a notebook.
        """
        sources = [Source(subject=placed.subject, card=placed.card) for placed in find_cards(notebook)]
        self._hints = hints(source.card for source in sources)
        return self._all(sources, len(sources), subject)

    def session(self, cards: Sequence[tuple[str, object]], *, subject: str = "this session") -> Replays:
        """Replay cards by name; one whose name is the id of a recorded result with all that is kept of it."""
        sources = [
            self._own(name) if self._recall.has(name) else Source(subject=name, card=card) for name, card in cards
        ]
        return self._all(sources, len(sources), subject)

    def shown(self, result_id: str, card: Mapping[str, object]) -> ReplayOutcome:
        """Replay a card that somebody shows; with all that the ledger keeps of the result, where it is that very card.

        An id alone is no more than what the card says of itself: one that was changed keeps the id of the genuine one.
        """
        source = Source(subject=result_id, card=card)
        if self._recall.has(result_id) and check_card(card).status != "altered":
            own = self._own(result_id)
            source = own if own.card["digests"] == card["digests"] else source
        return self._replayed(source)

    def result(self, result_id: str) -> ReplayOutcome:
        """Replay a result of the client's ledger.

        Raises
        ------
        ResultNotFoundError [result_not_found]
            The ledger has no such result for this tenant and this policy.
        LedgerError [ledger_unavailable]
            No ledger is kept, or it cannot be read.
        """
        return self._replayed(self._own(result_id))

    def ledger(self, *, subject: str = "ledger") -> Replays:
        """Replay every result of the client's ledger that its policy shows, the oldest first.

        What is recorded meanwhile, and replays, are not replayed.
        """
        ids = [told["id"] for told in reversed(self._recall.log(MOST_ENTRIES, None)) if told["kind"] != "replay"]
        return self._all(map(self._own, ids), len(ids), subject)

    def report(self, subject: str, replays: tuple[Replay, ...]) -> ReplayReport:
        """Return the report of some replays."""
        moment = self._runner.clock().astimezone(UTC)
        return ReplayReport(
            subject=subject,
            time=moment.strftime("%Y-%m-%dT%H:%M:%SZ"),
            made_by={"service_nb": __version__, "contract": self._runner.library.contract.hash, **self._runtime},
            keys=tuple(self._trust.terms.trusted),
            replays=replays,
        )

    def close(self) -> None:
        """Give back the sources that were opened."""
        self._finder.close()

    def _own(self, result_id: str) -> Source:
        told = self._recall.get(result_id)
        ledger = self._stored.ledger
        statement = None if ledger is None else ledger.get(result_id, self._stored.tenant).payload
        is_own = self._stored is self._recorder
        return Source(subject=result_id, card=told.card, statement=statement, texts=told.texts, is_own=is_own)

    def _all(self, sources: Iterable[Source], total: int, subject: str) -> Replays:
        outcomes = []
        for done, source in enumerate(sources):
            self._told(done, total, source.subject)
            outcomes.append(self._replayed(source))
        return Replays(outcomes, self.report(subject, tuple(outcome.replay for outcome in outcomes)))

    # --- one replay -----------------------------------------------------------------------------------------------

    def _replayed(self, source: Source) -> ReplayOutcome:
        found: list[Found] = []
        try:
            verdict = verify_card(source.card, self._trust.terms, subject=source.subject)
            stored = read(source, verdict, demands_key=self._trust.demands_key, is_forced=self._trust.is_forced)
        except RefusedError as refused:
            replay = replace(_blank(source.subject, _kind_of(source.card)), question=words_of(source.card))
            return self._recorded(_refused(replay, refused.cause, refused.message), found)
        replay = _begun(stored)
        try:
            found = self._found(stored)
            ran = self._runner.run(stored, found)
            self._runtime |= _ran_by(ran)
            self._require_same_values(stored, ran)
            replay = compared(replay, stored, ran)
        except RefusedError as refused:
            replay = _refused(replay, refused.cause, refused.message)
        except QueryInterruptedError:  # whoever pressed Ctrl-C meant all that was still to come
            raise
        except ServiceError as error:
            cause = _cause(error)
            replay = _refused(replay, cause, f"{REFUSED.get(cause, '')} {error}".strip())
        used = tuple(
            SourceUsed(name=one.name, how=how, sha256=one.content.sha256, schema_revision=one.schema_revision)
            for one, how in ((self._runner.client.seen(each), how) for each, how in found)
        )
        return self._recorded(replace(replay, sources=used), found)

    def _recorded(self, replay: Replay, found: Sequence[Found]) -> ReplayOutcome:
        outcome = Outcome(
            kind="replay",
            id=new_id("replay"),
            evidence=replay_evidence(replay),
            inputs=[self._runner.client.input_of(each.registered) for each in found],
        )
        return ReplayOutcome(replay, self._recorder.one(lambda: outcome))

    def _found(self, stored: Stored) -> list[Found]:
        """Return the sources that a result was made from, or that a refusal was judged by."""
        if stored.kind in _NOTHING:
            raise RefusedError("not_replayable", _NOTHING[stored.kind])
        if stored.kind in ("query", "computation"):
            return [self._finder.find(self._hinted(each), is_own=stored.is_own) for each in stored.inputs]
        if not stored.has_statement:
            return self._at_hand(stored)
        allowed = self._runner.client.policy.allows_source
        name = stored.record("spec").get("source_name")
        named = [each for each in stored.inputs if each["name"] == name]  # then no other has a say
        wanted = [each for each in named or stored.inputs if allowed(each["name"])]
        return [self._finder.find(self._hinted(each), is_own=stored.is_own) for each in wanted]

    def _hinted(self, wanted: Input) -> Input:
        """Return where to look for a source, from other cards of the notebook if its own does not tell."""
        is_hidden = wanted["content"].get("algorithm") == HIDDEN  # its schema is that of some of the columns
        hint = self._hints.get((wanted["name"], "" if is_hidden else wanted["schema_revision"]))
        if wanted["origin"] is not None or hint is None:
            return wanted
        if is_hidden:
            return {**wanted, "origin": hint["origin"]}
        if wanted["content"].get("sha256") not in (None, hint["content"].get("sha256")):
            return wanted
        return {**wanted, "origin": hint["origin"]} if wanted["source_id"] else hint

    def _at_hand(self, stored: Stored) -> list[Found]:
        """Return what the client has: an unsigned refusal does not say which sources there were."""
        found = [Found(registered, "registered") for registered in self._runner.client.allowed()]
        name = stored.record("spec").get("source_name")
        if not isinstance(name, str) or name in [each.registered.name for each in found]:
            return found
        if stored.record("resolution").get("rejection_reason") in _NAMES_NO_SOURCE:
            return found
        wanted = Input(name=name, source_id="", schema_revision="", row_count=0, content={}, origin=None, reading=None)
        return [*found, self._finder.find(wanted)]

    def _require_same_values(self, stored: Stored, ran: Ran) -> None:
        """Refuse what read other values than the call had, where only the values could tell."""
        if not ran.changes or self._places.accepts_changed:
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


def _cause(error: ServiceError) -> str:
    """Return the stable name of why a result is not run again."""
    if isinstance(error, SourceChangedError) and error.details.get("changed") == "columns":
        return "schema_revision_mismatch"
    return next((name for kind, name in _CAUSES if isinstance(error, kind)), error.code)


def _kind_of(card: object) -> CardKind | None:
    kind = card.get("kind") if isinstance(card, dict) else None
    return cast(CardKind, kind) if isinstance(kind, str) and kind in CARD_KINDS else None


def _blank(subject: str, kind: CardKind | None) -> Replay:
    return Replay(subject=subject, kind=kind, status="refused", cause=None, message="")


def _begun(stored: Stored) -> Replay:
    return replace(
        _blank(stored.subject, stored.kind),
        result_id=stored.result_id,
        question=stored.question,
        time=stored.time,
        verified=stored.verdict.status,
        signer=stored.signer,
        digest=stored.digest,
        expected=None if stored.digest is None else stored.digests[stored.digest],
    )


def _refused(replay: Replay, cause: str, message: str) -> Replay:
    return replace(replay, status="refused", cause=cause, message=message)


def _ran_by(ran: Ran) -> dict[str, str]:
    """Return what computed a value, for the report."""
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
