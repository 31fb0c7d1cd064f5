"""The adapter of the Python client: requests as lines of JSON on standard input, an answer for each on standard output.

python -m conformance.python_client
"""

from __future__ import annotations

import base64
import datetime
import json
import os
import sys
import tempfile
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any

import service_nb
from service_nb.client.record import read_local_clock
from service_nb.client.results import Computation
from service_nb.core.canonical import write_canonical_text
from service_nb.errors import ServiceError
from service_nb.evidence.documents import check_card
from service_nb.query.ask_line import format_ask, parse_ask

Request = Mapping[str, Any]
Answer = Mapping[str, object]
DESCRIBED = ("source_id", "schema_revision", "row_count", "content", "reading", "aliases")
ANSWERED = ("result", "plan", "row_count", "decision_path", "confidence", "plan_hash", "schema_revision", "result_hash")
OF_ONE_RUN = ("request_id", "latency_ms")


class Client:
    """One client at a time, which `open` makes anew, and the folder that its files are in."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        self._service = service_nb.create_service(ledger="off")
        self._files = 0
        self._verbs: dict[str, Callable[[Request], Answer]] = {
            "hello": self._greet,
            "open": self._open,
            "connect": self._connect,
            "parse": self._parse,
            "ask": self._ask,
            "resolve": self._resolve,
            "query": self._query,
            "verify": self._verify,
            "check": self._check,
            "search": self._search,
            "compute": self._compute,
        }

    def answer(self, request: Request) -> Answer:
        """Return what a request ends in."""
        try:
            return self._verbs[request["verb"]](request)
        except ServiceError as error:
            return {"error": describe_error(error)}

    def _greet(self, _: Request) -> Answer:
        formats = ["csv", "tsv", "json", "ndjson", "sqlite", "rows"]
        name = f"service_nb {service_nb.__version__}"
        told = {"protocol": 1, "client": name, "verbs": sorted(self._verbs), "formats": formats}
        return {**told, "options": ["clock", "policy"]}

    def _open(self, request: Request) -> Answer:
        told = request.get("clock")
        clock = read_local_clock if told is None else lambda: datetime.datetime.fromisoformat(told)
        self._service = service_nb.create_service(ledger="off", policy=request.get("policy"), clock=clock)
        return {}

    def _connect(self, request: Request) -> Answer:
        source = self._service.connect(
            self._build_input(request), {"name": request["name"], **request.get("options", {})}
        )
        fields = [[each["name"], each["type"], each["physical"]] for each in source["typed_fields"]]
        return {"fields": fields, **{key: source[key] for key in DESCRIBED}}

    def _build_input(self, request: Request) -> Any:
        form = request["format"]
        if form == "rows":
            return request["rows"]
        text = request.get("text")
        data = base64.b64decode(request["data"]) if text is None else text.encode()
        self._files += 1
        path = self._folder / f"{self._files}.{'db' if form == 'sqlite' else form}"
        path.write_bytes(data)
        named = {key: request[key] for key in ("table", "query") if key in request}
        return {"provider": "sqlite", "path": path, **named} if form == "sqlite" else path

    def _parse(self, request: Request) -> Answer:
        spec = parse_ask(request["line"])
        return {"spec": spec, "line": format_ask(spec)}

    def _ask(self, request: Request) -> Answer:
        outcome = self._service.ask(request["question"], variables=request.get("variables"))
        card: Any = outcome.card
        described: dict[str, object] = {"status": outcome["status"], "card": card}
        if outcome["status"] != "ok":
            return described | {"refusal_hash": outcome["refusal_hash"], "resolution": outcome["resolution"]}
        return described | describe_answer(outcome["data"])

    def _resolve(self, request: Request) -> Answer:
        return self._service.resolve(request["question"], variables=request.get("variables"))

    def _query(self, request: Request) -> Answer:
        return describe_answer(self._service.query_with_metadata(request["plan"]))

    def _verify(self, request: Request) -> Answer:
        return self._service.verify(request["plan"])

    def _check(self, request: Request) -> Answer:
        verdict = check_card(request["card"])
        checks = [[each.name, each.status, each.cause] for each in verdict.checks]
        return {"status": verdict.status, "checks": checks}

    def _search(self, request: Request) -> Answer:
        hits = self._service.search_capabilities(request["query"], request.get("limit", 10))
        return {"capabilities": [hit["name"] for hit in hits]}

    def _compute(self, request: Request) -> Answer:
        over: Any = request.get("over")
        if over is not None:
            return {
                "groups": [_describe_computation(each) for each in self._service.compute(request["call"], over=over)]
            }
        computed = self._service.compute(request["call"])
        return {**_describe_computation(computed), "card": computed.card}


def _describe_computation(computed: Computation) -> dict[str, Any]:
    return {key: value for key, value in json.loads(json.dumps(computed)).items() if key not in OF_ONE_RUN}


def describe_error(error: ServiceError) -> dict[str, object]:
    """Return an error as JSON; of details that JSON has not, their text."""
    details = {
        key: json.loads(json.dumps(value, default=str)) for key, value in error.details.items() if value is not None
    }
    told = {"code": error.code, "source": error.source, "message": error.message, "hint": error.hint}
    return {**told, "retryable": error.retryable, "details": details}


def describe_answer(data: Mapping[str, Any]) -> dict[str, object]:
    """Return what clients have to agree on of an answer."""
    told = data["provenance"]
    used = {key: told[key] for key in ("method", "used_rows", "dropped") if key in told}
    return {**{key: data[key] for key in ANSWERED}, **used}


@contextmanager
def open_folder() -> Iterator[Path]:
    """Work in a folder of one's own, so that no project is found."""
    with tempfile.TemporaryDirectory() as folder:
        before = Path.cwd()
        os.chdir(folder)
        try:
            yield Path(folder)
        finally:
            os.chdir(before)


def main() -> None:
    """Answer until standard input ends."""
    with open_folder() as folder, suppress(KeyboardInterrupt):
        client = Client(folder)
        for line in sys.stdin:
            print(write_canonical_text(client.answer(json.loads(line))), flush=True)


if __name__ == "__main__":
    main()
