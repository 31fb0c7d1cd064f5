"""An index as OpenSearch's interface shows it, from memory: enough to read it, and documents in the digits sent."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import Any

from starlette.applications import Starlette
from starlette.requests import Request
from starlette.responses import JSONResponse, Response
from starlette.routing import Route

from tests.servers.asgi import serving

Documents = Mapping[str, str | dict[str, Any]]


@dataclass
class Index:
    """Its documents by their ids, as texts, and what it says of their fields."""

    documents: dict[str, str]
    mapping: Any

    @classmethod
    def of(cls, documents: Documents, mapping: Any) -> Index:
        """Make one; without a mapping, fields are what the first document has in them, as a real index does."""
        texts = {name: text if isinstance(text, str) else json.dumps(text) for name, text in documents.items()}
        if mapping is None:
            kinds = {int: "long", float: "float", bool: "boolean"}  # a float too, though it was sent as a double
            first = json.loads(next(iter(texts.values())))
            mapping = {"properties": {name: {"type": kinds.get(type(value), "text")} for name, value in first.items()}}
        return cls(texts, mapping)

    def page(self, name: str, size: int, after: int) -> str:
        """Answer a search: the documents after a place."""
        chosen = list(enumerate(self.documents.items(), 1))[after : after + size]
        hits = ",".join(
            f'{{"_index":"{name}","_id":{json.dumps(key)},"_source":{text},"sort":[{at}]}}'
            for at, (key, text) in chosen
        )
        total = f'{{"value":{len(self.documents)},"relation":"eq"}}'
        return f'{{"timed_out":false,"_shards":{{"failed":0}},"hits":{{"total":{total},"hits":[{hits}]}}}}'


@dataclass
class DocumentServer:
    """Where it listens, and its indices."""

    port: int
    indices: dict[str, Index] = field(default_factory=dict)

    def put(self, index: str, documents: Documents, mapping: Any = None) -> None:
        """Make an index with these documents, by their ids; a text is sent as it is."""
        self.indices[index] = Index.of(documents, mapping)


@contextmanager
def document_server() -> Iterator[DocumentServer]:
    """Serve it for the block."""
    held: list[DocumentServer] = []

    async def root(_: Request) -> Response:
        return JSONResponse({"version": {"distribution": "opensearch", "number": "3.0.0"}})

    async def mapping(request: Request) -> Response:
        found = held[0].indices.get(request.path_params["index"])
        if found is None:
            return JSONResponse({"error": {"type": "index_not_found_exception"}}, status_code=404)
        return JSONResponse({request.path_params["index"]: {"mappings": found.mapping}})

    async def view(request: Request) -> Response:
        return JSONResponse({"pit_id": request.path_params["index"]})

    async def search(request: Request) -> Response:
        asked = json.loads(await request.body())
        name = asked["pit"]["id"]
        text = held[0].indices[name].page(name, asked["size"], asked.get("search_after", [0])[0])
        return Response(text, media_type="application/json")

    async def close(_: Request) -> Response:
        return JSONResponse({"pits": []})

    routes = [
        Route("/", root),
        Route("/{index}/_mapping", mapping),
        Route("/{index}/_search/point_in_time", view, methods=["POST"]),
        Route("/_search/point_in_time", close, methods=["DELETE"]),
        Route("/_search", search, methods=["POST"]),
    ]
    with serving(Starlette(routes=routes)) as port:
        held.append(DocumentServer(port))
        yield held[0]
