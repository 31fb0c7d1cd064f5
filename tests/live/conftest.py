"""What tests of sessions share: patience where a machine is busy and a session is to live on."""

from __future__ import annotations

import pytest

from service_nb.connectors import mysql, postgres, redshift, sql_link


@pytest.fixture
def patient(monkeypatch: pytest.MonkeyPatch) -> None:
    """A request to end a statement may take long before the session is cut off instead, and lost."""
    monkeypatch.setattr(sql_link, "GRACE_S", 60.0)
    for module in (mysql, postgres, redshift):
        monkeypatch.setattr(module, "CANCEL_S", 60.0)
