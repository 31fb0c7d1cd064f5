"""The half of a client that speaks of what is stored: results, the log of them, and their replays."""

from __future__ import annotations

import os
from collections.abc import Collection, Mapping, Sequence
from contextlib import closing
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar

from service_nb.client.recall import Recall
from service_nb.client.recording import FILE, Recorder, ledger_folder
from service_nb.client.results import Replayable, StoredResult, result_id, several
from service_nb.client.sources import Sources
from service_nb.core.words import shown
from service_nb.errors import InvalidIntentError

if TYPE_CHECKING:
    from service_nb.client.replay.outcome import ReplayOutcome, Replays
    from service_nb.client.replay.replaying import Replaying, Told
    from service_nb.client.replay.running import Runner
    from service_nb.evidence.standalone import Verdict
    from service_nb.schema.card import Card

Result = TypeVar("Result", bound=Replayable)


class Recalling:
    """What `Service` can tell of earlier outcomes, under its own policy."""

    def __init__(self, sources: Sources, recorder: Recorder) -> None:
        self._recorder = recorder
        self._sources = sources
        self._recall = Recall(sources, recorder)

    @property
    def tenant_id(self) -> str | None:
        """The tenant that outcomes are recorded for."""
        return self._recorder.tenant

    def get_result(self, result_id: str) -> StoredResult:
        """Return what the ledger keeps of an outcome: `data["query_id"]`, `request_id` or `result_id` names it.

        Raises
        ------
        ResultNotFoundError [result_not_found]
            None of that id is stored for this tenant, or the policy does not allow what it was made from.
        LedgerError [ledger_unavailable]
        """
        return self._replayable(self._recall.get(result_id))

    def log(self, limit: int = 20, kind: str | None = None) -> list[dict[str, Any]]:
        """Return what was recorded last, the newest first: `id`, `time`, `kind`, `status`, `question`, `digests`."""
        return self._recall.log(limit, kind)

    def replay(self, what: Any, *, sources: Mapping[str, Any] | None = None, **options: Any) -> ReplayOutcome | Replays:
        """Run stored results again, and compare every value; the replay is recorded too.

        Parameters
        ----------
        what : str, dict or list
            The id of a stored result, ``"ledger"`` for all of them, a card, a parsed notebook, or a list of cards.
        sources : dict, optional
            Where sources are now, by name: ``{"sales": "moved/sales.csv"}``. Their content must be what it was.
        **options
            As `replaying` takes them.

        Returns
        -------
        ReplayOutcome or Replays
            Of each result `identical`, `differs` (how far each value is off, and why), or `refused` (why).
        """
        with closing(self.replaying(sources=sources, **options)) as replaying:
            return replaying.any(what)

    def replaying(
        self,
        *,
        sources: Mapping[str, Any] | None = None,
        keys: Sequence[str] = (),
        changed_sources: bool = False,
        unverified: bool = False,
        ledger: str | os.PathLike[str] | None = None,
        told: Told | None = None,
    ) -> Replaying:
        """Return what replays for this client, to be closed after use.

        Parameters
        ----------
        keys : list of str
            Public keys (base64) that are trusted; a card that none of them signed is not run then.
        changed_sources : bool
            Run on a source of the same name whose content is another, and tell what differs.
        unverified : bool
            Run also what does not verify.
        ledger : path, optional
            The folder of another ledger, whose results are replayed.
        told : callable, optional
            Told before each replay how many are done, of how many, and which comes next.
        """
        # Lazy: whoever asks and never replays loads neither the comparisons nor the reader of Parquet.
        from service_nb.client.replay.assembly import Wishes, assembled  # noqa: PLC0415
        from service_nb.client.replay.replaying import silently  # noqa: PLC0415

        if not isinstance(sources, Mapping | None):
            raise InvalidIntentError(f"sources is {shown(sources)}; expected sources by name.", path="sources")
        if sources or ledger is not None:
            self._sources.require_choice()
        return assembled(
            self._runner(),
            self._recorder,
            Wishes(
                sources=dict(sources or {}),
                keys=tuple(several(keys)),
                accepts_changed=changed_sources,
                is_forced=unverified,
                ledger=None if ledger is None else _existing(ledger),
            ),
            told or silently,
        )

    def _runner(self) -> Runner:
        """Return what runs a stored result again."""
        raise NotImplementedError

    def _replayable(self, result: Result) -> Result:
        """Give a result the way to its replay and to its verdict."""
        result.belong_to(self._replayed, _verified)
        return result

    def _replayed(self, result: Replayable) -> ReplayOutcome:
        # From the ledger, which may keep more than the card holds; from the card where the ledger tells nothing.
        with closing(self.replaying()) as replaying:
            return replaying.session([(result_id(result), result.card)])[0]


def _verified(card: Card, keys: Collection[str]) -> Verdict:
    from service_nb.client.verify import local_terms, verify_card  # noqa: PLC0415  # lazy: loads cryptography

    return verify_card(card, local_terms(list(keys)), subject="card")


def _existing(ledger: str | os.PathLike[str]) -> Path:
    """Return the folder of a ledger that is there: of one that is not, every result would be the same."""
    folder = ledger_folder(ledger, Path())
    if folder is None or not (folder / FILE).exists():
        raise InvalidIntentError(
            f"{shown(Path(ledger).name)} is not the folder of a ledger.",
            path="ledger",
            expected=f"a folder with {FILE} in it",
        )
    return folder
