"""Numbers on a card are rounded as the reader asks, and nothing but the view of them changes."""

from __future__ import annotations

from pathlib import Path

import pytest

import service_nb
from service_nb.client.verification import check_faces
from service_nb.schema.card import CARD_MIME


@pytest.mark.parametrize(("digits", "shown"), [(None, "1,234.57"), (3, "1,235"), ("exact", "1,234.5678901234567")])
def test_the_faces_of_an_outcome_show_so_many_digits_and_verify(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, digits: int | str | None, shown: str
) -> None:
    monkeypatch.chdir(tmp_path)
    service = service_nb.create_service(ledger="off")
    service.connect([{"amount": 1234.5678901234567}], name="sales")
    outcome = service.ask("sum amount from sales")
    outcome.digits = digits  # type: ignore[assignment]  # one of them
    data, metadata = outcome._repr_mimebundle_()
    assert metadata == ({} if digits is None else {CARD_MIME: {"digits": digits}})
    assert all(f"{shown}" in data[mime] for mime in ("text/plain", "text/html", "text/markdown"))
    assert data[CARD_MIME] == outcome.card
    assert check_faces(data, outcome.card).status == "passed"
    forged = data | {"text/plain": data["text/plain"].replace(shown, "1,299")}
    assert check_faces(forged, outcome.card).cause == "face_differs"


@pytest.mark.parametrize(("digits", "shown"), [(None, "1234.57"), (3, "1235"), ("exact", "1234.5678901234567")])
def test_the_extremes_of_a_profile_are_shown_with_so_many_digits_and_that_is_said(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, digits: int | str | None, shown: str
) -> None:
    monkeypatch.chdir(tmp_path)
    service = service_nb.create_service(ledger="off")
    service.connect([{"amount": 1234.5678901234567}, {"amount": 0.5}], name="sales")
    profile = service.profile("sales")
    profile.digits = digits  # type: ignore[assignment]  # one of them
    data, _ = profile._repr_mimebundle_()
    assert shown in data["text/plain"]
    assert ("rounded for reading" in data["text/plain"]) is (digits != "exact")
    assert check_faces(data, profile.card).status == "passed"
