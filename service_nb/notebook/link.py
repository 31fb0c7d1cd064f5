"""The kernel's half of the link: one message in, one answer out, whatever carries them.

A front end asks what there is, what a question resolves to, whether a call fits its capability, and for replays. It
never asks for a question or a computation to be run: those are cells, which a reader can see. What comes is believed
of nobody, and nothing is answered that the client's policy does not allow.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from contextlib import closing
from typing import Any

from service_nb._version import __version__
from service_nb.errors import ServiceError
from service_nb.notebook.link_message import VERSION, Params, Request, read_id, read_request, speaks

MOST_HITS = 100
WAIT_S = 2.0  # for a deployment to say what it has
LONGEST_MESSAGE = 4_000  # characters of an error's words
_Method = Callable[[Any, Mapping[str, Any], Params], dict[str, Any]]


def answer(message: object, session: Any) -> dict[str, Any]:
    """Answer one message. Never raises, whatever the message is.

    Parameters
    ----------
    message : mapping
        ``{"service_nb": 1, "id": …, "method": …, "params": {…}}``
    session : ServiceMagics or Service
        Whose client is asked; magics also lend their notebook's variables to calls that name them.

    Returns
    -------
    dict
        ``{"service_nb": 1, "id": …}`` and either `result` or `error`, ``{"code": …, "message": …, "hint": …}``.
    """
    head = {"service_nb": VERSION, "id": read_id(message)}
    if not speaks(message):
        return {**head, "error": _failure("unknown_version", *_OTHER_VERSION)}
    try:
        return {**head, "result": _result(read_request(message), session)}
    except ServiceError as error:
        return {**head, "error": _failure(error.code, error.message, error.hint)}
    except KeyboardInterrupt:
        return {**head, "error": _failure("interrupted", "It was interrupted.", "Sources and session are intact.")}
    except Exception as error:  # noqa: BLE001  # of what nobody expected only the kind is told: its words may be private
        return {**head, "error": _failure("internal", f"An unexpected {type(error).__name__}.", _REPORT)}


_OTHER_VERSION = (
    f"This kernel's service_nb {__version__} uses version {VERSION} of the protocol; the front end uses another.",
    "Install the same version of service_nb where JupyterLab runs and where the kernel runs.",
)
_REPORT = "This is a bug of service_nb. Run the same with a magic; %service_last_error --full then shows the traceback."


def _failure(code: str, message: str, hint: str | None) -> dict[str, str | None]:
    return {"code": code, "message": _text(message), "hint": None if hint is None else _text(hint)}


def _text(words: str) -> str:
    """Return words that can be sent: of bounded length, and nothing that has no bytes."""
    return words[:LONGEST_MESSAGE].encode("utf-8", "replace").decode()


def _result(request: Request, session: Any) -> dict[str, Any]:
    client = session if callable(getattr(session, "ask", None)) else session.service
    shell = getattr(session, "shell", None)
    return _METHODS[request.method](client, {} if shell is None else shell.user_ns, request.params)


# --- the methods ------------------------------------------------------------------------------------------------------


def _hello(client: Any, _variables: Mapping[str, Any], _params: Params) -> dict[str, Any]:
    return {
        "version": VERSION,
        "made_by": f"service_nb {__version__}",
        "contract_hash": client.contract_hash,
        "capabilities": len(client.capabilities()),
        "project": client.project.resolve().name,
    }


def _sources(client: Any, _variables: Mapping[str, Any], _params: Params) -> dict[str, Any]:
    from service_nb.notebook.link_pages import offer_page, source_page  # noqa: PLC0415  # lazy: loading stays cheap

    told = client.unconnected(wait=WAIT_S)
    pages = [*map(source_page, client.sources()), *map(offer_page, told.sources)]
    return {"sources": pages} | ({} if told.fault is None else {"fault": _text(told.fault.message)})


def _values(client: Any, _variables: Mapping[str, Any], params: Params) -> dict[str, Any]:
    return {"values": list(client.values(params["source"], params["field"]))}


def _search(client: Any, _variables: Mapping[str, Any], params: Params) -> dict[str, Any]:
    from service_nb.notebook.link_pages import hits_page  # noqa: PLC0415  # lazy: as above

    return hits_page(client, params["query"], min(params["limit"], MOST_HITS))


def _capability(client: Any, _variables: Mapping[str, Any], params: Params) -> dict[str, Any]:
    from service_nb.notebook.link_pages import capability_page  # noqa: PLC0415  # lazy: as above

    return capability_page(client.capability(params["name"]))


def _check_ask(client: Any, _variables: Mapping[str, Any], params: Params) -> dict[str, Any]:
    from service_nb.notebook.link_lines import ask_line  # noqa: PLC0415  # lazy: as above

    told = client.resolve(params["spec"])
    return {
        "status": told["status"],
        "line": ask_line(params["spec"]),
        "plan": list(told.get("steps", ())),
        "reason": told["reason"],
        "candidates": [{key: str(each[key]) for key in ("slot", "name", "ask")} for each in told["candidates"]],
    }


def _check_call(client: Any, variables: Mapping[str, Any], params: Params) -> dict[str, Any]:
    from service_nb.notebook.link_calls import check_call  # noqa: PLC0415  # lazy: as above

    return check_call(client, variables, params["name"], params["arguments"])


def _replay(client: Any, _variables: Mapping[str, Any], params: Params) -> dict[str, Any]:
    with closing(client.replaying()) as replaying:
        outcome = replaying.shown(params["id"], params["card"]) if "card" in params else replaying.result(params["id"])
    return {key: outcome[key] for key in ("status", "message", "cause")}


_METHODS: Mapping[str, _Method] = {
    "hello": _hello,
    "sources": _sources,
    "values": _values,
    "search": _search,
    "capability": _capability,
    "check_ask": _check_ask,
    "check_call": _check_call,
    "replay": _replay,
}
