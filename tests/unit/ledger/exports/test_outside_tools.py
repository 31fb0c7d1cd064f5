"""Every export is read back by the tool that it is for."""

from __future__ import annotations

import base64
import hashlib
import io
import json
import re
import zipfile
from datetime import datetime
from pathlib import Path
from typing import Any

import pytest
from prov.identifier import Namespace
from prov.model import ProvActivity, ProvDocument
from rocrate.rocrate import ROCrate
from securesystemslib.dsse import Envelope
from securesystemslib.exceptions import UnverifiedSignatureError, VerificationError
from securesystemslib.signer import SSlibKey

from service_nb.cards.card_builder import build_card
from service_nb.client.replay.flow import build_replay_evidence
from service_nb.errors import EvidenceError, InvalidIntentError
from service_nb.evidence.documents import check_card
from service_nb.ledger.exports import in_toto, ledger_document, openlineage, prov_json, replay_result, ro_crate
from service_nb.ledger.exports.files import zip_files
from service_nb.ledger.exports.formats import ExportMaterial, LedgerPart, find_formats
from service_nb.schema.reports import Replay
from tests.simulators.signing import LEDGER, TIME, Key
from tests.unit.ledger.exports.conftest import Make

KINDS = ("query", "clarification", "rejection", "computation", "error", "replay")


def in_folder(files: Any, folder: Path) -> Path:
    for path, content in files.items():
        (folder / path).parent.mkdir(parents=True, exist_ok=True)
        (folder / path).write_bytes(content)
    return folder


def secure_key(key: Key) -> SSlibKey:
    return SSlibKey(key.id, "ed25519", "ed25519", {"public": key.raw.hex()})


def test_the_cards_that_are_exported_here_are_good_ones(every_kind: dict[str, Any]) -> None:
    for kind in ("query", "clarification", "rejection", "computation"):
        assert check_card(every_kind[kind], keys=[Key().public_key]).causes == ()


# --- Process Run Crate ------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("kind", KINDS)
def test_a_crate_of_every_kind_is_read_by_rocrate(
    kind: str, every_kind: dict[str, Any], given: Make, tmp_path: Path
) -> None:
    card = every_kind[kind]
    folder = in_folder(ro_crate.export(given(card)), tmp_path / "crate")

    crate = ROCrate(folder)
    assert crate.root_dataset["conformsTo"].id == "https://w3id.org/ro/wfrun/process/0.5"
    [action] = crate.root_dataset["mentions"]
    assert action.type == "CreateAction"
    assert action["instrument"][0]["softwareVersion"] == "0.1.0"
    assert all(re.search("Software", str(tool.type)) for tool in action["instrument"])
    assert action["agent"].id == f"#device-{Key().id}"
    assert action["agent"].type == "Thing"
    is_done = kind in ("query", "computation", "replay")
    assert action["actionStatus"] == f"http://schema.org/{'Completed' if is_done else 'Failed'}ActionStatus"
    assert (action.get("error") is None) == is_done
    assert action["endTime"] == "2026-11-21T13:22:52.123+00:00"
    for name, digest in card["digests"].items():
        assert action[f"service_nb:{name}"] == digest


def test_every_file_of_a_crate_is_described_and_has_the_digest_it_states(
    every_kind: dict[str, Any], given: Make, tmp_path: Path
) -> None:
    files = ro_crate.export(given(*every_kind.values()))
    crate = ROCrate(in_folder(files, tmp_path / "crate"))

    described = {entity.id: entity for entity in crate.get_by_type("File")}
    assert described.keys() == files.keys() - {"ro-crate-metadata.json"}
    for path, entity in described.items():
        assert entity["sha256"] == hashlib.sha256(files[path]).hexdigest()
        assert int(entity["contentSize"]) == len(files[path])
    assert len(crate.root_dataset["mentions"]) == len(every_kind)
    assert len(list(crate.get_by_type("CreateAction"))) == len(every_kind)


def test_no_reference_of_a_crate_leads_nowhere_and_no_person_is_in_it(every_kind: dict[str, Any], given: Make) -> None:
    metadata = json.loads(ro_crate.export(given(*every_kind.values()))["ro-crate-metadata.json"])
    graph = {entity["@id"]: entity for entity in metadata["@graph"]}

    assert len(graph) == len(metadata["@graph"])
    outside = {"https://w3id.org/ro/crate/1.1"}
    referred = set(re.findall(r'{"@id": "([^"]+)"}', json.dumps(metadata)))
    assert referred - graph.keys() <= outside
    assert not re.search(r'"(Person|Organization)"', json.dumps([entity["@type"] for entity in graph.values()]))
    assert {"name", "description", "datePublished", "license"} <= graph["./"].keys()


def types_of(entity: dict[str, Any]) -> set[str]:
    types = entity["@type"]
    return set(types if isinstance(types, list) else [types])


@pytest.mark.parametrize("kind", KINDS)
def test_a_crate_has_what_validators_of_the_profile_look_for(
    kind: str, every_kind: dict[str, Any], given: Make
) -> None:
    """What the shapes of the profile ask for in rocrate-validator (must and should), written down by hand.

    One of them is not met on purpose: an agent should be a person or an organization, and a key is neither.
    """
    metadata = json.loads(ro_crate.export(given(every_kind[kind]))["ro-crate-metadata.json"])
    graph = {entity["@id"]: entity for entity in metadata["@graph"]}
    root = graph["./"]
    [action] = [entity for entity in graph.values() if entity["@type"] == "CreateAction"]

    assert re.match("https://w3id.org/ro/wfrun/process/", root["conformsTo"]["@id"])
    assert graph[root["conformsTo"]["@id"]]["@type"] == "CreativeWork"
    assert {"@id": action["@id"]} in root["mentions"]
    for tool in action["instrument"]:
        assert types_of(graph[tool["@id"]]) & {"SoftwareApplication", "SoftwareSourceCode"}
        assert graph[tool["@id"]]["name"]
    assert {"name", "description", "endTime"} <= action.keys()
    for time in ("startTime", "endTime"):
        assert re.fullmatch(r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d{3})?\+\d\d:\d\d", action.get(time, action["endTime"]))
    assert action["actionStatus"] in {f"http://schema.org/{name}ActionStatus" for name in ("Completed", "Failed")}
    assert ("error" in action) == (action["actionStatus"] == "http://schema.org/FailedActionStatus")
    assert action["result"]
    for reference in (*action.get("object", ()), *action["result"]):
        assert types_of(graph[reference["@id"]]) & {"File", "CreativeWork"}


def test_the_source_of_an_answer_is_the_object_and_its_rows_are_the_result(
    every_kind: dict[str, Any], given: Make, tmp_path: Path
) -> None:
    card = every_kind["query"]
    folder = in_folder(ro_crate.export(given(card)), tmp_path / "crate")
    [action] = ROCrate(folder).root_dataset["mentions"]

    [source] = action["object"] if isinstance(action["object"], list) else [action["object"]]
    assert (source["name"], source["alternateName"]) == ("sales", "sales.csv")
    assert source["service_nb:sha256_file"] == card["view"]["source"]["content"]["sha256"]
    result, rows = action["result"]
    assert (folder / result.id).read_text() == card["canonical"]["result"]
    assert (folder / rows.id).read_text().startswith('"region","revenue","count"')
    kept, envelope, provenance = action["subjectOf"]
    assert (folder / provenance.id).read_text() == card["canonical"]["provenance"]
    assert json.loads((folder / kept.id).read_text()) == card
    assert json.loads((folder / envelope.id).read_text()) == card["receipt"]["envelope"]
    assert datetime.fromisoformat(action["startTime"]) <= datetime.fromisoformat(action["endTime"])


def test_a_zipped_crate_is_read_too_and_is_the_same_each_time(
    every_kind: dict[str, Any], given: Make, tmp_path: Path
) -> None:
    at = datetime.fromisoformat(TIME)
    content = zip_files(ro_crate.export(given(every_kind["computation"])), at=at)
    (tmp_path / "crate.zip").write_bytes(content)

    [action] = ROCrate(tmp_path / "crate.zip").root_dataset["mentions"]
    assert action["instrument"][1]["name"] == "finance.npv"
    assert content == zip_files(ro_crate.export(given(every_kind["computation"])), at=at)
    assert zipfile.ZipFile(io.BytesIO(content)).testzip() is None


def test_two_outcomes_of_one_id_do_not_share_an_action(every_kind: dict[str, Any], given: Make, tmp_path: Path) -> None:
    card = every_kind["query"]
    crate = ROCrate(in_folder(ro_crate.export(given(card, card)), tmp_path / "crate"))

    assert len(crate.root_dataset["mentions"]) == 2


def test_an_unsigned_card_makes_a_crate_without_agent_or_time(ask: Make, given: Make, tmp_path: Path) -> None:
    crate = ROCrate(in_folder(ro_crate.export(given(ask("sum revenue by region"))), tmp_path / "crate"))

    [action] = crate.root_dataset["mentions"]
    assert {"agent", "startTime", "endTime"}.isdisjoint(action.properties())


# --- PROV -------------------------------------------------------------------------------------------------------------


def test_a_prov_document_comes_back_unchanged(every_kind: dict[str, Any], given: Make) -> None:
    content = prov_json.export(given(*every_kind.values())).decode()

    document = ProvDocument.deserialize(content=content, format="json")
    again = ProvDocument.deserialize(content=document.serialize(format="json"), format="json")
    assert again == document
    assert document.get_provn()
    assert len(list(document.get_records(ProvActivity))) == len(every_kind)


def test_prov_tells_what_was_used_generated_and_by_whom(every_kind: dict[str, Any], given: Make) -> None:
    card = every_kind["query"]
    document = ProvDocument.deserialize(content=prov_json.export(given(card)).decode(), format="json")
    ours = Namespace("service_nb", "urn:service-nb:terms:v1#")

    [activity] = document.get_records(ProvActivity)
    assert activity.identifier == ours[card["view"]["query_id"]]
    assert activity.get_endTime() == datetime.fromisoformat(TIME)
    [outcome] = document.get_record(ours[f"outcome-{card['view']['query_id']}"])
    assert outcome.get_attribute(ours["result_hash"]) == {card["digests"]["result_hash"]}
    assert outcome.value == {card["canonical"]["result"]}
    [source] = document.get_record(ours[f"source-{card['view']['source']['source_id']}"])
    assert source.get_attribute(ours["sha256_file"]) == {card["view"]["source"]["content"]["sha256"]}
    [device] = document.get_record(ours[f"device-{Key().id}"])
    assert device.get_attribute(ours["public_key"]) == {Key().public_key}
    kinds = [type(record).__name__ for record in document.get_records()]
    assert {"ProvUsage", "ProvGeneration", "ProvDerivation", "ProvAssociation", "ProvAttribution"} <= set(kinds)


def test_every_digest_of_a_card_is_somewhere_in_prov(every_kind: dict[str, Any], given: Make) -> None:
    for card in every_kind.values():
        content = prov_json.export(given(card)).decode()
        assert [name for name, digest in card["digests"].items() if digest not in content] == []


# --- in-toto ----------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("kind", KINDS)
def test_securesystemslib_verifies_the_envelope(kind: str, every_kind: dict[str, Any], given: Make) -> None:
    envelope = Envelope.from_dict(json.loads(in_toto.export(given(every_kind[kind]))))

    assert envelope.verify([secure_key(Key())], 1).keys() == {Key().id}
    statement = json.loads(envelope.payload)
    assert statement["_type"] == "https://in-toto.io/Statement/v1"
    assert statement["predicate"]["digests"] == every_kind[kind]["digests"]


def test_securesystemslib_refuses_another_key_and_another_payload(every_kind: dict[str, Any], given: Make) -> None:
    line = in_toto.export(given(every_kind["query"]))

    with pytest.raises((VerificationError, UnverifiedSignatureError)):
        Envelope.from_dict(json.loads(line)).verify([secure_key(Key(2))], 1)
    told = json.loads(line)
    told["payload"] = base64.b64encode(base64.b64decode(told["payload"]).replace(b"query", b"queri", 1)).decode()
    with pytest.raises((VerificationError, UnverifiedSignatureError)):
        Envelope.from_dict(told).verify([secure_key(Key())], 1)


def test_envelopes_of_several_cards_stand_one_a_line(every_kind: dict[str, Any], given: Make) -> None:
    lines = in_toto.export(given(*every_kind.values())).splitlines()

    assert len(lines) == len(every_kind)
    for line in lines:
        Envelope.from_dict(json.loads(line)).verify([secure_key(Key())], 1)


def test_a_card_that_nobody_signed_has_no_envelope(ask: Make, given: Make) -> None:
    with pytest.raises(EvidenceError) as caught:
        in_toto.export(given(ask("sum revenue by region")))
    assert caught.value.reason == "unsigned"


def replay_card(status: str, **told: Any) -> Any:
    of = {"kind": "query", "result_id": "query_0011223344556677", "digest": "result_hash", "expected": "a" * 64}
    made = build_replay_evidence(
        Replay(**{"subject": "card", "status": status, "cause": None, "message": "…", **of, **told})
    )
    return build_card("replay", canonical=made.canonical, digests=made.digests, view=made.view)


def test_replays_are_a_test_result_that_securesystemslib_verifies() -> None:
    key = Key(5)
    cards = [replay_card("identical"), replay_card("differs", result_id="query_8899aabbccddeeff", met="c" * 64)]
    refused = replay_card("refused", result_id=None, digest=None, expected=None, cause="source_missing")
    passed = Envelope.from_dict(
        json.loads(replay_result.export(ExportMaterial(cards=cards[:1], time=TIME, signer=key)))
    )
    failed = Envelope.from_dict(
        json.loads(replay_result.export(ExportMaterial(cards=[*cards, refused], time=TIME, signer=key)))
    )

    for envelope in (passed, failed):
        envelope.verify([secure_key(key)], 1)
        statement = json.loads(envelope.payload)
        assert statement["_type"] == "https://in-toto.io/Statement/v1"
        assert statement["predicateType"] == "https://in-toto.io/attestation/test-result/v0.1"
        assert {"result", "configuration"} <= statement["predicate"].keys()
        assert all(subject["name"] and subject["digest"] for subject in statement["subject"])
    assert json.loads(passed.payload)["predicate"]["result"] == "PASSED"
    predicate = json.loads(failed.payload)["predicate"]
    assert predicate["result"] == "FAILED"
    assert predicate["passedTests"] == ["query_0011223344556677"]
    assert predicate["failedTests"] == ["query_8899aabbccddeeff", "card"]


def test_only_replays_are_a_test_result(every_kind: dict[str, Any]) -> None:
    with pytest.raises(InvalidIntentError):
        replay_result.export(ExportMaterial(cards=[every_kind["query"]], time=TIME))
    with pytest.raises(EvidenceError) as caught:
        replay_result.export(ExportMaterial(cards=[replay_card("identical") | {"view": {}}], time=TIME))
    assert caught.value.reason == "malformed_card"


# --- OpenLineage ------------------------------------------------------------------------------------------------------

UUID = re.compile(r"[0-9a-f]{8}-[0-9a-f]{4}-[1-8][0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}")
URI = re.compile(r"[a-z][a-z0-9+.-]*:\S+")


def check_facets(facets: dict[str, Any]) -> None:
    for name, facet in facets.items():
        assert re.fullmatch(r"[a-z][A-Za-z]*(_[a-z][A-Za-z]*)?", name)
        assert URI.fullmatch(facet["_producer"])
        assert URI.fullmatch(facet["_schemaURL"])


def check_event(event: dict[str, Any]) -> None:
    """What spec/OpenLineage.json 2-0-2 asks of a RunEvent, read and written down by hand."""
    allowed = {"eventType", "eventTime", "run", "job", "inputs", "outputs", "producer", "schemaURL"}
    assert {"eventTime", "producer", "schemaURL", "run", "job"} <= event.keys() <= allowed
    assert event["eventType"] in ("START", "RUNNING", "COMPLETE", "ABORT", "FAIL", "OTHER")
    assert datetime.fromisoformat(event["eventTime"]).tzinfo is not None
    assert URI.fullmatch(event["producer"])
    assert event["schemaURL"] == "https://openlineage.io/spec/2-0-2/OpenLineage.json#/$defs/RunEvent"
    assert UUID.fullmatch(event["run"]["runId"])
    check_facets(event["run"].get("facets", {}))
    assert all(isinstance(event["job"][name], str) and event["job"][name] for name in ("namespace", "name"))
    for dataset in (*event["inputs"], *event["outputs"]):
        assert all(isinstance(dataset[name], str) and dataset[name] for name in ("namespace", "name"))
        check_facets(dataset.get("facets", {}))


@pytest.mark.parametrize("kind", KINDS)
def test_the_events_of_every_kind_have_the_shape_that_openlineage_asks_for(
    kind: str, every_kind: dict[str, Any], given: Make
) -> None:
    events = [json.loads(line) for line in openlineage.export(given(every_kind[kind])).splitlines()]

    for event in events:
        check_event(event)
    start, end = events
    is_done = kind in ("query", "computation", "replay")
    assert (start["eventType"], end["eventType"]) == ("START", "COMPLETE" if is_done else "FAIL")
    assert start["run"]["runId"] == end["run"]["runId"]
    assert start["job"] == end["job"]
    assert datetime.fromisoformat(start["eventTime"]) <= datetime.fromisoformat(end["eventTime"])
    assert end["run"]["facets"]["serviceNb_evidence"]["digests"] == every_kind[kind]["digests"]
    failure = end["run"]["facets"].get("errorMessage")
    assert (failure is None) == is_done
    if failure is not None:
        assert isinstance(failure["message"], str)
        assert failure["programmingLanguage"] == "Python"
        assert failure["_schemaURL"].endswith("1-0-0/ErrorMessageRunFacet.json#/$defs/ErrorMessageRunFacet")


def test_runs_of_different_outcomes_have_different_ids(every_kind: dict[str, Any], given: Make) -> None:
    lines = openlineage.export(given(*every_kind.values())).splitlines()

    assert len({json.loads(line)["run"]["runId"] for line in lines}) == len(every_kind)


def test_an_unsigned_card_is_dated_by_its_export(ask: Make, given: Make) -> None:
    events = [json.loads(line) for line in openlineage.export(given(ask("sum revenue by region"))).splitlines()]

    assert {event["eventTime"] for event in events} == {"2026-11-21T15:00:00Z"}


# --- our own ----------------------------------------------------------------------------------------------------------


def test_every_format_refuses_to_export_nothing(given: Make) -> None:
    for form in find_formats().values():
        with pytest.raises(InvalidIntentError):
            form.write(given())


def test_formats_of_one_result_refuse_two(every_kind: dict[str, Any], given: Make) -> None:
    for name in ("csv", "xlsx", "card", "json", "markdown", "parquet"):
        with pytest.raises(InvalidIntentError):
            find_formats()[name].write(given(every_kind["query"], every_kind["query"]))


def test_a_card_file_is_the_card(every_kind: dict[str, Any], given: Make) -> None:
    for card in every_kind.values():
        assert json.loads(find_formats()["card"].write(given(card))) == card


def test_a_ledger_document_holds_what_it_was_given(every_kind: dict[str, Any]) -> None:
    card = every_kind["query"]
    receipt = card["receipt"]
    texts = {hashlib.sha256(text.encode()).hexdigest(): text for text in card["canonical"].values()}
    part = LedgerPart(
        ledger=LEDGER,
        entries=[receipt["envelope"]],
        public_key=receipt["public_key"],
        checkpoint=receipt["log"]["checkpoint"],
        texts=texts,
    )

    document = json.loads(ledger_document.export(ExportMaterial(time=TIME, ledger=part)))
    assert list(document) == ["service_nb_ledger", "ledger", "entries", "public_key", "checkpoint", "texts"]
    assert document["service_nb_ledger"] == 1
    assert document["entries"] == [receipt["envelope"]]
    assert document["texts"] == texts


def test_a_card_of_another_form_is_refused_by_every_format(every_kind: dict[str, Any], given: Make) -> None:
    card = every_kind["query"]
    broken = card | {"receipt": {"envelope": 1}}
    for name in ("ro-crate", "prov-json", "openlineage", "xlsx"):
        with pytest.raises(EvidenceError) as caught:
            find_formats()[name].write(given(broken))
        assert caught.value.reason == "receipt_malformed"
    for view in ({}, {"columns": 3}, card["view"] | {"rows": 3}, card["view"] | {"columns": [{}]}):
        with pytest.raises(EvidenceError):
            find_formats()["csv"].write(given(card | {"view": view, "receipt": None, "canonical": {}}))
    for source in (3, {}, "x"):
        with pytest.raises(EvidenceError) as caught:
            find_formats()["prov-json"].write(given(card | {"view": {"source": source}, "receipt": None}))
        assert caught.value.reason == "malformed_card"
