"""The magics of sources: connect, list, describe anew, let go, forget."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

from IPython.core.magic import line_magic, magics_class, needs_local_scope, no_var_expand

from service_nb.errors import (
    InvalidIntentError,
    SourceAlreadyRegisteredError,
    SourceNotFoundError,
    UnsupportedSourceError,
)
from service_nb.notebook import usages
from service_nb.notebook.arguments import Arguments, Usage, Word, read_pairs
from service_nb.notebook.beside import BesideMagics
from service_nb.notebook.reads import reads, variable
from service_nb.notebook.source_faces import Done, SourceList, SourcePage
from service_nb.readers.descriptor import is_descriptor, read_descriptor
from service_nb.readers.mistaken import is_json

WAIT_S = 3.0  # for a deployment to say what it has


@magics_class
class SourceMagics(BesideMagics):
    """What is done with sources."""

    @no_var_expand
    @needs_local_scope
    @line_magic
    @reads(usages.CONNECT)
    def service_connect(self, arguments: Arguments, _cell: None, scope: Mapping[str, Any]) -> Any:
        """See `usages.CONNECT`."""
        _refuse_json(arguments)
        if not 1 <= len(arguments.words) <= 2:
            raise InvalidIntentError(
                "%service_connect takes a name and a source.",
                hint=f"Write {' or '.join(usages.CONNECT.forms)}; write a path with blanks in quotes.",
                met=len(arguments.words),
                expected="NAME PATH",
            )
        client, options = self._session.service, _connect_options(arguments)
        name, source = _name_and_source(arguments, scope, client)
        with self.screen.working(f"Reading {arguments.words[0].text}") as progress:
            try:
                connected = client.connect(**_connected(source, arguments), name=name, **options)
            except SourceAlreadyRegisteredError as error:
                raise _replaceable(error, arguments) from None
            except UnsupportedSourceError as error:
                raise _with_line(error, arguments) from None
        if len(arguments.words) == 1 and source is not None:
            named = f"Named {connected['name']} after its file or variable. To choose a name, write it before the path."
            connected["notes"].insert(0, named)
        return self._session.shown(usages.CONNECT, connected, progress, silent=arguments.silent)

    @no_var_expand
    @needs_local_scope
    @line_magic
    @reads(usages.SOURCES)
    def service_sources(self, arguments: Arguments, _cell: None, _scope: Mapping[str, Any]) -> Any:
        """See `usages.SOURCES`."""
        client, name = self._session.service, " ".join(word.text for word in arguments.words)
        if not name:
            return SourceList(client.sources(), client.unconnected(wait=WAIT_S))
        try:
            source = client.source(name)
        except SourceNotFoundError:
            if name not in {offer.name for offer in client.unconnected(wait=WAIT_S).sources}:
                raise
            hint = f"%service_connect {arguments.words[0].raw}" if len(arguments.words) == 1 else "%service_connect"
            raise SourceNotFoundError(f"{name!r} is not connected.", hint=f"{hint} connects it.", met=name) from None
        samples = {field: client.values(name, field) for field in source["fields"]}
        return SourcePage(source, {field: values for field, values in samples.items() if values})

    @no_var_expand
    @needs_local_scope
    @line_magic
    @reads(usages.REFRESH)
    def service_refresh(self, arguments: Arguments, _cell: None, _scope: Mapping[str, Any]) -> Any:
        """See `usages.REFRESH`."""
        name = _one_name(usages.REFRESH, arguments)
        with self.screen.working(f"Describing {name}") as progress:
            refreshed = self._session.service.refresh(name)
        return self._session.shown(usages.REFRESH, refreshed, progress, silent=arguments.silent)

    @no_var_expand
    @needs_local_scope
    @line_magic
    @reads(usages.DISCONNECT)
    def service_disconnect(self, arguments: Arguments, _cell: None, _scope: Mapping[str, Any]) -> Any:
        """See `usages.DISCONNECT`."""
        name, persist = _one_name(usages.DISCONNECT, arguments), "--persist" in arguments.options
        self._session.service.disconnect(name, persist=persist)
        return Done(name, "Disconnected", ["session", "service.toml"] if persist else ["session"])

    @no_var_expand
    @needs_local_scope
    @line_magic
    @reads(usages.FORGET)
    def service_forget(self, arguments: Arguments, _cell: None, _scope: Mapping[str, Any]) -> Any:
        """See `usages.FORGET`."""
        client = self._session.service
        if "--connector" not in arguments.options:
            name = _one_name(usages.FORGET, arguments)
            return Done(name, "Forgotten", client.forget(name))
        connector = str(arguments.text("--connector"))
        if arguments.words:
            raise InvalidIntentError(
                "%service_forget takes a source or a connector, not both.", hint="Name one.", met=connector
            )
        client.forget_connector(connector)
        return Done(connector, "Forgotten", ["deployment"])


def _name_and_source(arguments: Arguments, scope: Mapping[str, Any], client: Any) -> tuple[str | None, Any]:
    """Return the name and what it names. One word is a name that is kept, or else a path or a frame."""
    first = arguments.words[0]
    if len(arguments.words) == 2:
        return first.text, _named_input(arguments.words[1], scope)
    if arguments.text("--connector") is not None or first.text in client.stored_sources():
        return first.text, None
    if first.raw.startswith("$"):
        return first.raw[1:], variable(first.raw[1:], scope)
    is_word = not first.quoted and first.raw.isidentifier()
    if not Path(first.text).is_file() and first.text in client.live_sources():
        return first.text, None
    if is_word and hasattr(scope.get(first.raw), "__arrow_c_stream__"):
        return first.text, scope[first.raw]
    is_name = is_word and not Path(first.text).exists()
    return (first.text, None) if is_name else (None, first.text)


def _refuse_json(arguments: Arguments) -> None:
    """Say of JSON that is typed into the line how it is connected."""
    place = next((word for word in arguments.words if is_json(word.raw) or is_json(word.text)), None)
    if place is None:
        return
    name = arguments.words[0].raw if place is not arguments.words[0] else "NAME"
    raise UnsupportedSourceError(
        "This is JSON, and no path.",
        hint=f"Put it into a variable, rows = [{{…}}, …], and write: {usages.CONNECT.magic} {name} $rows",
        met="JSON",
        expected="a path or $variable",
    )


def _with_line(error: UnsupportedSourceError, arguments: Arguments) -> UnsupportedSourceError:
    """Return the error with the line that reads what may be meant."""
    word, line = arguments.words[-1], f"{usages.CONNECT.magic} {arguments.line}"
    if error.details.get("tables"):
        hint = f"Name its table: {line} --table {_quoted(error.details['tables'][0])}"
    elif error.details.get("did_you_mean"):
        hint = f"Did you mean: {line.replace(word.raw, _quoted(error.details['did_you_mean'][0]))}"
    else:
        return error
    return UnsupportedSourceError(error.message, hint=hint, **error.details)


def _quoted(text: str) -> str:
    return f'"{text}"' if " " in text else text


def _replaceable(error: SourceAlreadyRegisteredError, arguments: Arguments) -> SourceAlreadyRegisteredError:
    """Return the error with the line that takes the place of what is registered, where there is one."""
    if arguments.text("--connector") is not None:
        return error
    line = f"{usages.CONNECT.magic} {arguments.line} --replace"
    hint = f"To replace it: {line}. Another name connects both."
    return SourceAlreadyRegisteredError(error.message, hint=hint, **error.details)


def _one_name(usage: Usage, arguments: Arguments) -> str:
    if len(arguments.words) != 1:
        raise InvalidIntentError(
            f"{usage.magic} takes the name of one source.",
            hint=f"For example: {usage.examples[0]}. Write a name with blanks in quotes.",
            met=len(arguments.words),
            expected="NAME",
        )
    return arguments.words[0].text


def _named_input(word: Word, scope: Mapping[str, Any]) -> Any:
    """The second word of %service_connect: `$name`, then quotes, then a bare name that is bound, else a path."""
    if word.raw.startswith("$"):
        return variable(word.raw[1:], scope)
    if not word.quoted and word.raw.isidentifier() and word.raw in scope:
        return scope[word.raw]
    return word.text


def _connected(source: Any, arguments: Arguments) -> dict[str, Any]:
    """Return what is connected: a source, or of a live one the descriptor, from a file or a variable."""
    parts = {key: arguments.text(f"--{key}") for key in ("table", "query") if arguments.text(f"--{key}") is not None}
    file = arguments.text("--connector")
    if file is None and not is_descriptor(source):
        return {"source": {"provider": "sqlite", "path": source, **parts} if parts else source}
    if file is not None and source is not None:
        raise InvalidIntentError(
            "%service_connect takes a source or a connector, not both.",
            hint="Name one of them.",
            met=file,
            path="--connector",
        )
    connector = read_descriptor(file) if file is not None else source
    return {"connector": {**connector, **parts} if parts else connector}


def _connect_options(arguments: Arguments) -> dict[str, Any]:
    delimiter, nulls = arguments.text("--delimiter"), arguments.text("--nulls")
    types, aliases = arguments.text("--types"), arguments.text("--alias")
    return {
        "types": read_pairs("--types", types) if types is not None else None,
        "aliases": read_pairs("--alias", aliases) if aliases is not None else None,
        "sheet": arguments.text("--sheet"),
        "delimiter": "\t" if delimiter == "tab" else delimiter,
        "encoding": arguments.text("--encoding"),
        "nulls": nulls.split(",") if nulls is not None else None,
        "content": arguments.text("--content") or "now",
        "persist": "--persist" in arguments.options,
        "replace": "--replace" in arguments.options,
    }
