"""What a reader decided stands on the cards of questions that use it: shown on every face, verified, replayed."""

from __future__ import annotations

import copy
import json
import subprocess
import sys
from collections.abc import Iterator
from decimal import Decimal
from pathlib import Path
from typing import Any

import pandas as pd
import polars as pl
import pyarrow as pa
import pytest

import service_nb
from service_nb.cards.card_builder import build_card
from service_nb.client.service import Service
from service_nb.core.canonical import parse_strict, write_canonical_text
from service_nb.core.digest import PROVENANCE_DOMAIN, digest
from service_nb.evidence import standalone
from service_nb.evidence.documents import check_card
from service_nb.schema.reading_notes import write_note
from tests.tools.node import built, node

SCRIPT = Path(__file__).parents[1] / "tools" / "card_verdicts.mjs"
NOTES_SCRIPT = Path(__file__).parents[1] / "tools" / "reading_notes.mjs"
Json = dict[str, Any]
TEXT = "k,x,y\nA,9007199254740993,1\nB,0.5,2\nC,3,5\nD,4,5\nTotal,7,13\n"
ROUNDED = "x: 1 of its texts became another number, for no double is the same,"
SENTENCES = (
    f"{ROUNDED} first '9007199254740993' (line 2), read as 9007199254740992.",
    "y: the last row (line 6) is the total of the rows above it, and is read as one of them.",
)


@pytest.fixture
def client(tmp_path: Path) -> Iterator[Service]:
    (tmp_path / "t.csv").write_text(TEXT)
    made = service_nb.create_service(project=tmp_path, runtime="in_process")
    made.connect(tmp_path / "t.csv", name="t")
    yield made
    made.close()


def kinds_of(outcome: Any) -> list[str]:
    return [note["kind"] for note in outcome.card["view"].get("reading_notes", ())]


def test_connect_tells_each_note_and_the_line_that_reads_it_exactly(client: Service) -> None:
    notes = client.source("t")["notes"]
    assert f"{SENTENCES[0][:-1]}; types x=decimal(38,1) reads them exactly." in notes
    assert SENTENCES[1] in notes
    assert "--types x=decimal(38,1) --replace" in notes[-1]


@pytest.mark.parametrize(
    ("line", "kinds", "method"),
    [
        ("count x from t", ["rounded", "total"], "exact: of the values as they were read"),
        ("max y by x from t", ["rounded", "total"], "exact: of the values as they were read"),
        ("count from t where x > 1", ["rounded", "total"], "exact: of the values as they were read"),
        ("max x by k from t having max x > 1", ["rounded", "total"], "exact: of the values as they were read"),
        ("sum y, max x by k from t order asc", ["rounded", "total"], None),
        ("count from t", ["total"], "exact: nothing is rounded"),
        ("sum y by k from t", ["total"], "exact sum"),
    ],
)
def test_a_card_tells_what_concerns_the_columns_and_rows_it_used(
    client: Service, line: str, kinds: list[str], method: str | None
) -> None:
    outcome = client.ask(line)
    assert kinds_of(outcome) == kinds
    assert outcome["data"]["provenance"]["reading_notes"] == outcome.card["view"]["reading_notes"]
    view = outcome.card["view"]
    assert method is None or view["method"] == method
    if "rounded" in kinds:
        assert "nothing is rounded" not in json.dumps(view)
    assert not [each for each in outcome.verify().checks if each.status == "failed"]
    assert outcome.replay()["status"] == "identical"


def test_notes_change_no_result_and_no_hash_of_one(client: Service, tmp_path: Path) -> None:
    (tmp_path / "u.csv").write_text(TEXT.replace("9007199254740993", "9007199254740992.5").replace("Total", "E"))
    client.connect(tmp_path / "u.csv", name="u")
    one, other = (client.ask(f"max x by y from {name}")["data"] for name in "tu")
    assert one["result_hash"] == other["result_hash"]


def test_every_face_has_the_words(client: Service) -> None:
    faces, _ = client.ask("count x from t")._repr_mimebundle_()
    for sentence in SENTENCES:
        assert sentence in " ".join(faces["text/plain"].split())
        for mime in ("text/html", "text/markdown", "text/latex"):
            assert sentence.partition(": ")[2][:40] in faces[mime], mime
    assert "numbers rounded when read · the last row is a total" in faces["text/plain"]


def test_previews_and_profiles_show_all_columns_so_all_notes(client: Service) -> None:
    for outcome in (client.preview("t"), client.profile("t")):
        assert kinds_of(outcome) == ["rounded", "total"]
        assert outcome.replay()["status"] == "identical"


def test_a_card_without_values_has_none_in_its_notes(client: Service) -> None:
    outcome = client.ask("max x from t", rows="none")
    assert "9007199254740993" not in json.dumps(outcome.card)
    assert outcome.card["view"]["reading_notes"][0] == {"kind": "rounded", "columns": ["x"], "facts": {"count": "1"}}
    assert outcome.replay()["status"] == "identical"


def test_a_client_that_may_not_see_a_column_learns_nothing_of_it(client: Service) -> None:
    narrow = client.narrow({"allowed_fields": {"t": ["k", "x"]}})
    outcome = narrow.ask("count x from t")
    assert kinds_of(outcome) == ["rounded"]
    assert not [each for each in outcome.verify().checks if each.status == "failed"]
    narrow = client.narrow({"allowed_fields": {"t": ["k"]}})
    assert "reading_notes" not in narrow.ask("count from t").card["view"]


@pytest.mark.parametrize(
    ("name", "text", "kind", "words"),
    [
        ("t.csv", "k,n\nSum of all,6\na,1\nb,5\n", "totals", "totals or averages of others (1, first line 2)"),
        ("t.csv", "k,n\na,1\nb,5\nMean,3\n", "average", "the last row (line 4) is the average"),
        ("t.csv", "k,n,m\na,1,2\nb,5,3\nSource: me,,\n", "remark", "the last rows (1, first line 4)"),
        ("t.csv", "k,n\na,1.5\nb,5.5\nc,1e36\n", "sentinel", "far from all others, and may stand for missing: 1e+36"),
        ("t.csv", "k,n\na,2024-01-01\nb,2024-05-01\nc,1601-01-01\n", "placeholder", "missing: 1601-01-01, beside"),
        ("t.json", '{"n": {"data": [{"a": 1}]}}', "envelope", "a list of 1 objects: n.data"),
        ("t.json", '{"n": {"a": 1}, "m": {"a": 2}}', "keyed", "2 objects of the same fields stand by key"),
        ("t.json", '[{"page": 1, "n": [{"a": 1}]}, {"page": 2, "n": [{"a": 2}]}]', "pages", "have 2 objects in all"),
    ],
)
def test_a_card_tells_of_each_kind_of_row_and_value_and_is_replayed(
    tmp_path: Path, name: str, text: str, kind: str, words: str
) -> None:
    (tmp_path / name).write_text(text)
    with service_nb.create_service(project=tmp_path) as client:
        notes = " ".join(client.connect(tmp_path / name, name="s")["notes"])
        outcome = client.ask("count n from s")
        assert words in notes
        assert words in " ".join(outcome._repr_mimebundle_()[0]["text/plain"].split())
        assert kinds_of(outcome) == [*(["as_text"] if name == "t.json" else []), kind]  # what is nested is text
        assert outcome.replay()["status"] == "identical"
        assert not [each for each in outcome.verify().checks if each.status == "failed"]
        for note in client.ask("count n from s", rows="none").card["view"]["reading_notes"]:
            assert not {"first", "least", "most", "inside"} & note.get("facts", {}).keys()


def make_card_of_before(card: Json) -> Json:
    """The card as a version made it that knew no notes."""
    card = copy.deepcopy({**card, "receipt": None})
    del card["view"]["reading_notes"]
    how = parse_strict(card["canonical"]["provenance"])
    del how["reading_notes"]
    if "method" in how:
        card["view"]["method"] = how["method"] = "exact: nothing is rounded"
    return reseal(card, how)


def reseal(card: Json, how: Json) -> Json:
    text = write_canonical_text(how)
    card["canonical"]["provenance"] = text
    card["digests"]["provenance_hash"] = digest(PROVENANCE_DOMAIN, text)
    parts = {name: card[name] for name in ("canonical", "digests")}
    return dict(build_card(card["kind"], **parts, view=card["view"]))


def test_a_card_of_before_is_verified_and_replayed_as_it_was(client: Service) -> None:
    card = make_card_of_before(dict(client.ask("count x from t").card))
    assert check_card(card).status == "consistent"
    assert client.replay(card)["status"] == "identical"


def forge(card: Json) -> Iterator[Json]:
    """The card with other notes in its view, which its provenance does not have."""
    told = card["view"]["reading_notes"]
    for notes in (None, [], told[1:], [*told, told[0]], [{**told[0], "facts": {"count": "0"}}], "none"):
        forged = copy.deepcopy(card)
        forged["view"]["reading_notes"] = notes
        if notes is None:
            del forged["view"]["reading_notes"]
        parts = {name: forged[name] for name in ("canonical", "digests")}
        yield dict(build_card(card["kind"], **parts, view=forged["view"]))


ALIKE = "k,n\nOslo\u00a0,1\nOslo,2\nBer\u00adgen,4\nBergen,8\nTurku ,16\n"


def test_a_card_tells_of_texts_that_look_alike_where_they_are_found_or_grouped(tmp_path: Path) -> None:
    (tmp_path / "a.csv").write_text(ALIKE, encoding="utf-8")
    with service_nb.create_service(project=tmp_path) as client:
        notes = client.connect(tmp_path / "a.csv", name="a")["notes"]
        assert sum("have blanks around them" in note for note in notes) == 1  # the reason tells them at connect
        assert sum("look like others" in note for note in notes) == 1
        for line in ("sum n from a where k = 'Oslo'", "sum n by k from a", "count distinct k from a"):
            outcome = client.ask(line)
            assert kinds_of(outcome) == ["alike", "blanks"]
            assert "first 'Oslo\\u00a0' (line 2) beside 'Oslo'" in outcome._repr_mimebundle_()[0]["text/plain"]
            assert outcome.replay()["status"] == "identical"
        assert kinds_of(client.ask("sum n from a")) == []
        client.connect(tmp_path / "a.csv", name="trimmed", trim=True)
        assert kinds_of(client.ask("sum n by k from trimmed")) == ["alike"]  # a soft hyphen is no blank


def test_both_clients_note_the_same_of_texts(tmp_path: Path) -> None:
    """The vectors hold each reader; this holds what a card of the same question has."""
    (tmp_path / "a.csv").write_text(ALIKE, encoding="utf-8")
    with service_nb.create_service(project=tmp_path) as client:
        client.connect(tmp_path / "a.csv", name="a")
        ours = client.ask("sum n by k from a").card["view"]["reading_notes"]
    built()
    theirs = json.loads(node(NOTES_SCRIPT, str(tmp_path / "a.csv"), "sum n by k from a"))
    assert theirs == json.loads(json.dumps(ours))


@pytest.mark.parametrize(
    ("make", "kinds"),
    [
        (lambda: pd.DataFrame({"x": pd.Categorical(["S", "L"], ["S", "M", "L"], ordered=True)}), ["categories"]),
        (lambda: pd.DataFrame({"x": pd.Categorical(["a", "b"], ordered=True)}), []),
        (lambda: pd.DataFrame({"x": pd.Categorical(["S", "L"], ["S", "M", "L"])}), []),
        (lambda: pl.DataFrame({"x": pl.Series(["lo", "hi"], dtype=pl.Enum(["lo", "hi"]))}), ["categories"]),
        (lambda: pd.DataFrame({"x": pd.period_range("2024-03-30", periods=3, freq="D")}), ["as_text"]),
        (lambda: pa.table({"x": [[1, 2], [3]]}), ["as_text"]),
        (lambda: pl.DataFrame({"x": [{"a": 1}, {"a": 2}]}), ["as_text"]),
        (lambda: pd.DataFrame({"x": [1, "one", None]}), ["as_text"]),
        (lambda: pd.DataFrame({"x": [Decimal("1.1"), 2.5]}), ["decimals"]),
        (lambda: pd.DataFrame({"x": [Decimal("1.5"), 2.5]}), []),
        (lambda: [{"x": Decimal("-7.3")}, {"x": 0.25}, {"x": None}], ["decimals"]),
        (lambda: [{"x": Decimal("1.1")}, {"x": 2}], []),
        (lambda: pl.DataFrame({"x": ["Oslo", "Oslo\t"]}), ["alike"]),
        (lambda: pd.DataFrame({"x": ["a", "b"]}), []),
    ],
)
def test_a_card_tells_what_became_of_types_of_frames_and_rows(tmp_path: Path, make: Any, kinds: list[str]) -> None:
    with service_nb.create_service(project=tmp_path) as client:
        notes = " ".join(client.connect(make(), name="s")["notes"])
        outcome = client.ask("count distinct x from s")
        assert kinds_of(outcome) == kinds
        assert all(write_note(note)[:-1] in notes for note in outcome.card["view"].get("reading_notes", ()))
        assert outcome.replay()["status"] == "identical"


@pytest.mark.parametrize("line", ["count x from t", "stats.sum values=t.x"])
def test_other_notes_than_those_recorded_are_found_by_every_verifier(
    client: Service, line: str, tmp_path: Path
) -> None:
    outcome = client.ask(line) if line.startswith("count") else client.compute(line)
    card = {**outcome.card, "receipt": None}
    cases = list(forge(card))
    odd = copy.deepcopy(card)
    odd["view"]["reading_notes"] = notes = [{"kind": "rounded", "columns": "x"}]
    cases.append(reseal(odd, parse_strict(odd["canonical"]["provenance"]) | {"reading_notes": notes}))
    built()
    unforged, *told = json.loads(node(SCRIPT, stdin=json.dumps([card, *cases]).encode()))
    of_program = run_program([card, *cases], tmp_path)
    status = check_card(card).status
    assert status == ("consistent" if card["kind"] == "query" else "not_checkable")  # without a contract that is known
    assert (unforged, of_program[0]) == ([status, []], (status, set()))
    for each, (verdict, causes), (said, failed) in zip(cases, told, of_program[1:], strict=True):
        found = check_card(each)
        assert (found.status, verdict, said) == ("altered", "altered", "altered"), each["view"]
        assert "shown_differs" in found.causes
        assert "shown_differs" in causes
        assert "shown_differs" in failed


def run_program(cards: list[Json], folder: Path) -> list[tuple[str, set[str]]]:
    """Return what the standalone verifier says of cards, run alone: of each the status, and the causes of failures."""
    paths = [folder / f"card{at}.json" for at in range(len(cards))]
    for path, card in zip(paths, cards, strict=True):
        path.write_text(json.dumps(card))
    program = [sys.executable, "-I", standalone.__file__, "--json", *map(str, paths)]
    found = json.loads(subprocess.run(program, capture_output=True, check=False).stdout)
    return [(each["status"], {c["cause"] for c in each["checks"] if c["status"] == "failed"}) for each in found]


# --- computations -----------------------------------------------------------------------------------------------------

CODES = "k,n,z\nA,12,1\nA,15,2\nB,11,4\nB,14,1\nA,13,2\nB,16,4\nA,-999,1\nB,-999,2\n"


@pytest.mark.parametrize(
    ("line", "kinds"),
    [
        ("stats.sum values=t.x", ["rounded", "total"]),
        ("stats.mean values=t.y where x > 1", ["rounded", "total"]),
        ("stats.mean values=t.y where k = 'A' or x > 1", ["rounded", "total"]),
        ("stats.correlation x=t.y y=t.x", ["rounded", "total"]),
        ("stats.mean values=t.y", ["total"]),
        ("stats.mean values=u.z", []),
        ("stats.mean values=u.n", ["sentinel"]),
        ("stats.mean values=[1, 2]", []),
    ],
)
def test_a_computation_tells_what_concerns_the_columns_that_it_read(
    client: Service, line: str, kinds: list[str], tmp_path: Path
) -> None:
    (tmp_path / "u.csv").write_text(CODES)
    client.connect(tmp_path / "u.csv", name="u")
    computed = client.compute(line)
    assert kinds_of(computed) == kinds
    check_recorded(computed)
    assert [any(word in " ".join(computed.explain()) for word in ("total", "stand for missing"))] == [bool(kinds)]


def check_recorded(computed: Any) -> None:
    """The notes of the view are those of the result, and of the text that is hashed; without notes there is no key."""
    told = computed.card["view"].get("reading_notes")
    how = parse_strict(computed.card["canonical"]["provenance"])
    assert computed.get("provenance", {}).get("reading_notes") == how.get("reading_notes") == told
    assert how.keys() == {"bindings", "determinism", "sources", *(["reading_notes"] if told else [])}
    assert told != []
    assert not [each for each in computed.verify().checks if each.status == "failed"]
    assert computed.replay()["status"] == "identical"


def test_groups_of_over_tell_what_concerns_the_column_that_parts_them(client: Service, tmp_path: Path) -> None:
    (tmp_path / "u.csv").write_text(CODES)
    client.connect(tmp_path / "u.csv", name="u")
    for over, kinds in (("n", ["sentinel"]), ("k", [])):
        for computed in client.compute("stats.mean values=u.z", over=over):
            assert kinds_of(computed) == kinds
            check_recorded(computed)


def test_notes_of_several_sources_name_theirs(client: Service, tmp_path: Path) -> None:
    (tmp_path / "u.csv").write_text(CODES.partition("\nB,-999")[0] + "\n")
    (tmp_path / "v.csv").write_text(CODES)
    for name in "uv":
        client.connect(tmp_path / f"{name}.csv", name=name)
    computed = client.compute("hypothesis.t_test_welch first=t.y second=v.n")
    assert kinds_of(computed) == ["total", "sentinel"]
    text = " ".join(computed._repr_mimebundle_()[0]["text/plain"].split())
    assert "t.y: the last row (line 6) is the total" in text
    assert "v.n: 2 of its values are far from all others" in text
    check_recorded(computed)


@pytest.mark.parametrize(
    ("line", "is_told"),
    [
        ("hypothesis.t_test_paired before=s.v[t = 'a'] after=s.w[t = 'b']", True),
        ("stats.correlation x=s.v[w is not null] y=s.w[v is not null]", True),
        ("stats.correlation x=s.v y=o.v", True),
        ("stats.correlation x=s.v y=s.w", False),
        ("stats.correlation x=s.v y=s.w where t = 'a'", False),
        ("hypothesis.t_test_welch first=s.v[t = 'a'] second=s.v[t = 'b']", False),  # independent samples
    ],
)
def test_a_card_tells_that_rows_are_paired_by_their_place(tmp_path: Path, line: str, is_told: bool) -> None:
    rows = "".join(f"{'ab'[at % 2]},{at * 1.5},{at**2 + 0.5}\n" for at in range(8))
    with service_nb.create_service(project=tmp_path, runtime="in_process") as service:
        for name in "so":
            (tmp_path / f"{name}.csv").write_text(f"t,v,w\n{rows}")
            service.connect(tmp_path / f"{name}.csv", name=name)
        computed = service.compute(line)
        assert kinds_of(computed) == (["by_place"] if is_told else [])
        assert ("paired in the order of their rows" in " ".join(computed.explain())) is is_told
        check_recorded(computed)


def test_every_face_of_a_computation_has_the_words(client: Service) -> None:
    faces, _ = client.compute("stats.sum values=t.x")._repr_mimebundle_()
    for sentence in SENTENCES:
        assert sentence in " ".join(faces["text/plain"].split())
        for mime in ("text/html", "text/markdown", "text/latex"):
            assert sentence.partition(": ")[2][:40] in faces[mime], mime
    assert "numbers rounded when read · the last row is a total" in faces["text/plain"]


def test_a_computation_under_a_policy_tells_nothing_of_other_columns(client: Service) -> None:
    narrow = client.narrow({"allowed_fields": {"t": ["k", "x"]}})
    computed = narrow.compute("stats.sum values=t.x")
    assert kinds_of(computed) == ["rounded"]
    check_recorded(computed)


def test_a_computation_of_before_is_verified_and_replayed_as_it_was(client: Service) -> None:
    card = make_card_of_before(dict(client.compute("stats.sum values=t.x").card))
    assert "reading_notes" not in card["canonical"]["provenance"]
    assert check_card(card, contracts=[card["digests"]["contract_hash"]]).status == "consistent"
    assert client.replay(card)["status"] == "identical"


def test_a_computation_whose_notes_were_changed_is_contradicted_by_its_replay(client: Service) -> None:
    card = copy.deepcopy({**client.compute("stats.sum values=t.x").card, "receipt": None})
    card["view"]["reading_notes"][0]["facts"]["count"] = "7"
    how = parse_strict(card["canonical"]["provenance"])
    how["reading_notes"] = card["view"]["reading_notes"]
    card = reseal(card, how)
    assert check_card(card, contracts=[card["digests"]["contract_hash"]]).status == "consistent"
    assert client.replay(card)["cause"] == "view_contradicted"
