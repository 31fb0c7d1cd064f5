"""A table with a column that nothing here holds: the others are asked about, and the source says which is missing."""

from __future__ import annotations

import json
from pathlib import Path
from urllib.request import Request, urlopen

import pytest

import service_nb
from service_nb.errors import UnsupportedSourceError
from tests.deployment.stand import TEXT, key, made, standing
from tests.servers.fixtures import PostgresDatabase

HOSTS = TEXT + '\n[connectors]\nprivate_hosts = ["127.0.0.1"]\n'


def test_notes_name_the_columns_that_are_left_out_but_not_to_a_key_that_may_not_see_them(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, postgres_database: PostgresDatabase
) -> None:
    run = postgres_database.run
    run("DROP TABLE IF EXISTS odd")
    run("CREATE TABLE odd (city text, price numeric, tags jsonb, units int8)")
    run("INSERT INTO odd VALUES ('a', 1.5, '{}', 3), ('b', 2.5, '[]', 4)")
    run("GRANT SELECT ON odd TO reader")
    deployment = made(tmp_path / "served", HOSTS)
    with standing(deployment) as stand:
        monkeypatch.setenv("SERVICE_DEPLOYMENT_URL", stand.url)
        monkeypatch.setenv("SERVICE_API_KEY", key(deployment, "one"))
        with_all = service_nb.create_service(project=tmp_path, ledger=tmp_path / "ledger", timeout=120.0)
        source = with_all.connect(connector=postgres_database.descriptor(table="odd"), name="odd")
        assert source["fields"] == ["city", "units"]
        assert [("price" in note, "tags" in note) for note in source["notes"]] == [(True, False), (False, True)]
        outcome = with_all.ask("sum units by city")
        assert {row["city"]: row["units"] for row in outcome["data"]["result"]} == {"a": 3, "b": 4}
        with pytest.raises(UnsupportedSourceError):
            with_all.connect(connector=postgres_database.descriptor(query="SELECT city, tags FROM odd"), name="tags")
        with_all.close()
        policy = {"allowed_sources": ["odd"], "allowed_fields": {"odd": ["city"]}}
        asked = Request(f"{stand.url}/v1/sources/odd")  # our own server
        asked.add_header("Authorization", f"Bearer {key(deployment, 'one', policy=policy)}")
        with urlopen(asked, timeout=120) as answer:  # as above
            told = json.loads(answer.read())
        assert told["fields"] == ["city"]
        assert told["notes"] == []
