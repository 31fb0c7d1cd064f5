"""The magics of sources: connect, sources, refresh, disconnect, forget."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

from service_nb.cards.blocks import Command
from service_nb.cards.page_blocks import SourceOffer, compose_source, compose_source_list, list_source_lines
from service_nb.errors import (
    InvalidIntentError,
    SourceAlreadyRegisteredError,
    SourceNotFoundError,
    UnsupportedSourceError,
)
from service_nb.notebook.completion import offer_connected, offer_every_source, offer_input
from service_nb.notebook.connect_lines import is_table, quote_word, repair_connect_line
from service_nb.notebook.displays import ShownDict, ShownList, compose_deletion
from service_nb.notebook.magic import DIGITS, ONE_SOURCE, Arguments, Flag, Magic, Word, Words, read_pairs
from service_nb.notebook.session import ServiceMagics
from service_nb.query.inspection import MOST_PREVIEWED
from service_nb.readers.descriptor import is_descriptor, read_descriptor
from service_nb.readers.misplaced_descriptors import is_json
from service_nb.readers.text_forms import read_sign

if TYPE_CHECKING:
    from service_nb.client.live_sources import Unconnected
    from service_nb.client.service import Service

SAMPLES = 5  # values of a column
PREVIEWED = 20  # rows
MOST_OFFERED = 4  # sources that are not connected, with a line each
CONNECT_FORM = "%service_connect NAME PATH"
WAIT_S = 3.0  # for a deployment to say what it has


class SourceList(ShownList):
    """The sources that the policy allows; `unconnected` has the others that could be connected."""

    def __init__(self, sources: Iterable[Mapping[str, object]], unconnected: Unconnected) -> None:
        fault = None if unconnected.fault is None else unconnected.fault.message
        offers = [SourceOffer(each.name, each.row_count, len(each.fields), each.place) for each in unconnected.sources]
        super().__init__(sources, compose_source_list, offers, fault)
        self.unconnected = unconnected


def run_connect(session: ServiceMagics, arguments: Arguments) -> object:
    """Register a source under a name. It never changes afterwards, unless --replace takes its place.

    %service_connect NAME PATH
    %service_connect PATH
    %service_connect NAME VARIABLE
    %service_connect NAME --connector FILE
    %service_connect NAME

    The second word is a variable if it is $name, or the bare name of a variable of the notebook; everything
    else, and whatever stands in quotes, is a path: CSV, TSV, JSON, NDJSON, Excel, Parquet, Arrow, SQLite, a
    folder or glob of Parquet. A path alone is named after the file, and the variable of a frame or of a list of
    rows alone after itself.
    A name alone connects what --persist has kept in service.toml, or else the source that the deployment has
    under it. --connector names a TOML or JSON file: the descriptor of a live source,
    in which a secret is referred to (password = "env:NAME") and not written down.

    %service_connect sales data/sales.csv --types zip=string,amount=decimal(12,2)
    %service_connect umsatz umsatz.csv --decimal , --thousands . --date-format %d.%m.%Y
    %service_connect flights $df --alias delay=arr_delay
    %service_connect paid shop.sqlite --query "SELECT * FROM orders WHERE paid"
    %service_connect orders --connector shop.toml --table orders
    """
    _refuse_json(arguments)
    _refuse_other_forms(arguments)
    CONNECT.check_words(arguments, Words(1, 2, "a name and a source"))
    client, options = session.service, _read_options(arguments)
    name, source = _find_name_and_source(arguments, client)
    try:
        connected = client.connect(**_describe_input(source, arguments), name=name, **options)
    except SourceAlreadyRegisteredError as error:
        raise _add_replacing_line(error, arguments) from None
    except UnsupportedSourceError as error:
        raise _add_line(error, arguments) from None
    if len(arguments.words) == 1 and source is not None:
        named = f"Named {connected['name']} after its file or variable. To choose a name, write it before the path."
        connected["notes"].insert(0, named)
    if session.screen.has_buttons(CONNECT.name) and not arguments.is_silent:
        _attach_lines(session, connected.take_lines(), "Go on with")
    return connected


def run_sources(session: ServiceMagics, arguments: Arguments) -> object:
    """List the sources, connected or not, or describe one: fields, types and a few values.

    %service_sources
    %service_sources NAME

    Connected sources come first, then those that can be connected by name: the deployment's, and what
    service.toml keeps. It waits for a deployment at most three seconds.

    %service_sources
    %service_sources flights
    flights = %service_sources flights
    """
    client, name = session.service, " ".join(word.text for word in arguments.words)
    if not name:
        listed = SourceList(client.sources(), client.unconnected(wait=WAIT_S))
        if session.screen.has_buttons(SOURCES.name) and not arguments.is_silent:
            names = [each.name for each in listed.unconnected.sources[:MOST_OFFERED]]
            _attach_lines(session, [Command(f"{CONNECT.magic} {quote_word(name)}") for name in names], "Connect")
        return listed
    try:
        source = client.source(name)
    except SourceNotFoundError:
        if name not in {offer.name for offer in client.unconnected(wait=WAIT_S).sources}:
            raise
        hint = f"%service_connect {arguments.words[0].raw}" if len(arguments.words) == 1 else "%service_connect"
        raise SourceNotFoundError(f"{name!r} is not connected.", hint=f"{hint} connects it.", met=name) from None
    samples = {field: client.values(name, field) for field in source["fields"]}
    few = {field: values[:SAMPLES] for field, values in samples.items() if values}
    look, has_lines = client.look(name), not session.screen.has_buttons(SOURCES.name)
    if not has_lines:
        _attach_lines(session, list_source_lines(source, look), "Go on with")
    return ShownDict(source, partial(compose_source, has_lines=has_lines), few, look)


def run_preview(session: ServiceMagics, arguments: Arguments) -> object:
    """Show the first rows of a source, in its own order: a result with a card, hashed and recorded.

    %service_preview NAME
    %service_preview NAME --rows N --digits D

    Columns that the policy denies are not shown. A live source's are in ascending order of all columns.

    %service_preview sales
    %service_preview sales --rows 50
    first = %service_preview sales
    """
    rows, digits = arguments.read_count("--rows", PREVIEWED, MOST_PREVIEWED), arguments.read_digits(session.digits)
    shown = session.service.preview(_read_source_name(arguments), rows)
    shown.digits = digits
    return shown


def run_profile(session: ServiceMagics, arguments: Arguments) -> object:
    """Show what each column of a source holds: nulls, distinct values, extremes, and how they are distributed.

    %service_profile NAME
    %service_profile NAME --digits D

    All is counted exactly, over all rows: a result with a card, hashed and recorded. The distribution of numbers and
    dates is drawn as bins; of text and truth values the most frequent are named.

    %service_profile sales
    columns = %service_profile sales
    %service_profile "my sales"
    """
    digits = arguments.read_digits(session.digits)
    shown = session.service.profile(_read_source_name(arguments))
    shown.digits = digits
    return shown


def _attach_lines(session: ServiceMagics, lines: Sequence[Command], title: str) -> None:
    from service_nb.notebook.run_lines import build_lines_bundle  # noqa: PLC0415  # lazy: only kernels have buttons

    if lines:
        session.screen.attach(build_lines_bundle(lines, title=title))


def _read_source_name(arguments: Arguments) -> str:
    """Read a name as it stands in an ask line, in backticks, or in quotes."""
    raw, text = arguments.words[0].raw, arguments.words[0].text
    if len(raw) > 1 and raw[0] == raw[-1] == "`":
        return raw[1:-1].replace("``", "`")
    return text


def run_refresh(session: ServiceMagics, arguments: Arguments) -> object:
    """Describe a live source again: its columns and rows, or the pages that are read of it.

    %service_refresh NAME

    Plans for the old columns are refused from then on. Existing cards do not change, and verify.

    %service_refresh orders
    orders = %service_refresh orders
    %service_refresh orders --as orders
    """
    return session.service.refresh(arguments.words[0].text)


def run_disconnect(session: ServiceMagics, arguments: Arguments) -> object:
    """Disconnect a source. Its name can be used again in this session.

    %service_disconnect NAME

    The deployment keeps the source. Recorded results stay.

    %service_disconnect orders
    %service_disconnect sales --persist
    %service_disconnect "my sales"
    """
    name, persist = arguments.words[0].text, "--persist" in arguments.options
    session.service.disconnect(name, persist=persist)
    places = ["session", "service.toml"] if persist else ["session"]
    return ShownList(places, compose_deletion, name, "Disconnected")


def run_forget(session: ServiceMagics, arguments: Arguments) -> object:
    """Delete a source here, in service.toml and, with its secrets, at the deployment, for all its users.

    %service_forget NAME
    %service_forget --connector ID

    Recorded results stay in every ledger. A connector can be deleted when no source uses it.

    %service_forget orders
    places = %service_forget orders
    %service_forget --connector connector_0123
    """
    connector = arguments.get_text("--connector")
    if connector is None:
        FORGET.check_words(arguments, ONE_SOURCE)
        name = arguments.words[0].text
        return ShownList(session.service.forget(name), compose_deletion, name, "Forgotten")
    FORGET.check_words(arguments, Words(what="a source or a connector, not both"))
    session.service.forget_connector(connector)
    return ShownList(["deployment"], compose_deletion, connector, "Forgotten")


def _find_name_and_source(arguments: Arguments, client: Service) -> tuple[str | None, Any]:
    """Find a name and its source. One word is a stored name, or else a path or a frame."""
    first = arguments.words[0]
    if len(arguments.words) == 2:
        return first.text, _find_input(arguments.words[1], arguments)
    if arguments.get_text("--connector") is not None or first.text in client.stored_sources():
        return first.text, None
    if first.raw.startswith("$"):
        return first.raw[1:], arguments.find_variable(first.raw[1:])
    is_word = not first.quoted and first.raw.isidentifier()
    if not Path(first.text).is_file() and first.text in client.live_sources():
        return first.text, None
    if is_word and is_table(arguments.scope.get(first.raw)):
        return first.text, arguments.scope[first.raw]
    is_name = is_word and not Path(first.text).exists()
    return (first.text, None) if is_name else (None, first.text)


def _refuse_json(arguments: Arguments) -> None:
    """Raise for JSON that is typed into the line, and say how it is connected."""
    place = next((word for word in arguments.words if is_json(word.raw) or is_json(word.text)), None)
    if place is None:
        return
    name = arguments.words[0].raw if place is not arguments.words[0] else "NAME"
    raise UnsupportedSourceError(
        "This is JSON, and no path.",
        hint=f"Put it into a variable, rows = [{{…}}, …], and write: {CONNECT.magic} {name} $rows",
        met="JSON",
        expected="a path or $variable",
    )


def _refuse_other_forms(arguments: Arguments) -> None:
    """Raise for a line that puts a comma behind a word, or the name behind `as`; say how it is written."""
    words = [word.raw for word in arguments.words]
    has_comma = any(word.endswith(",") and not Path(word).exists() for word in words)
    if not has_comma and "as" not in words[1:]:
        return
    mended = repair_connect_line(arguments.line, arguments.scope)
    raise InvalidIntentError(
        "Words are separated by blanks, not commas." if has_comma else "The name is written before the source.",
        hint=f"Write: {mended}" if mended is not None else f"Write: {CONNECT.magic} NAME PATH",
        met=" ".join(words),
        expected="a name and a source",
    )


def _add_line(error: UnsupportedSourceError, arguments: Arguments) -> UnsupportedSourceError:
    """Add to an error the line that the user may have meant."""
    word, line = arguments.words[-1], f"{CONNECT.magic} {arguments.line}"
    if error.details.get("tables"):
        hint = f"Name its table: {line} --table {_quote(error.details['tables'][0])}"
    elif error.details.get("did_you_mean"):
        hint = f"Did you mean: {line.replace(word.raw, _quote(error.details['did_you_mean'][0]))}"
    else:
        return error
    return UnsupportedSourceError(error.message, hint=hint, **error.details)


def _quote(text: str) -> str:
    return f'"{text}"' if " " in text else text


def _add_replacing_line(error: SourceAlreadyRegisteredError, arguments: Arguments) -> SourceAlreadyRegisteredError:
    """Add to an error the line that replaces what is registered, where there is one."""
    if arguments.get_text("--connector") is not None:
        return error
    line = f"{CONNECT.magic} {arguments.line} --replace"
    hint = f"To replace it: {line}. Another name connects both."
    return SourceAlreadyRegisteredError(error.message, hint=hint, **error.details)


def _find_input(word: Word, arguments: Arguments) -> Any:
    """Resolve the second word: `$name`, then quotes, then a bare name that is bound, else a path."""
    if word.raw.startswith("$"):
        return arguments.find_variable(word.raw[1:])
    if not word.quoted and word.raw.isidentifier() and word.raw in arguments.scope:
        return arguments.scope[word.raw]
    return word.text


def _describe_input(source: Any, arguments: Arguments) -> dict[str, Any]:
    """Describe the source to connect, from a file or a variable; for a live source the descriptor."""
    options = {key: arguments.get_text(f"--{key}") for key in ("table", "query")}
    parts = {key: text for key, text in options.items() if text is not None}
    file = arguments.get_text("--connector")
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


def _read_options(arguments: Arguments) -> dict[str, Any]:
    delimiter, nulls = arguments.get_text("--delimiter"), arguments.get_text("--nulls")
    types, aliases = arguments.get_text("--types"), arguments.get_text("--alias")
    return {
        "types": read_pairs("--types", types) if types is not None else None,
        "aliases": read_pairs("--alias", aliases) if aliases is not None else None,
        "sheet": arguments.get_text("--sheet"),
        "delimiter": "\t" if delimiter == "tab" else delimiter,
        "encoding": arguments.get_text("--encoding"),
        "nulls": nulls.split(",") if nulls is not None else None,
        "thousands": read_sign(arguments.get_text("--thousands")),
        "decimal": read_sign(arguments.get_text("--decimal")),
        "date_format": arguments.get_text("--date-format"),
        "percent": "--percent" in arguments.options,
        "trim": "--trim" in arguments.options,
        "currency": arguments.get_text("--currency"),
        "content": arguments.get_text("--content") or "now",
        "persist": "--persist" in arguments.options,
        "replace": "--replace" in arguments.options,
    }


CONNECT = Magic(
    "%service_connect",
    run_connect,
    flags=(
        Flag("--types", "types that replace inference", "COLUMN=TYPE,…"),
        Flag("--alias", "aliases of columns", "NAME=COLUMN,…"),
        Flag("--sheet", "the sheet of a workbook", "SHEET"),
        Flag("--connector", "the descriptor of a live source, TOML or JSON", "FILE"),
        Flag("--table", "the table of an SQLite file or a connector", "TABLE"),
        Flag("--query", "a read-only query of an SQLite file or a connector", "SELECT"),
        Flag("--delimiter", "the delimiter of a text file; tab for a tab", "CHARACTER", also="--sep"),
        Flag("--encoding", "the encoding of a text file; default UTF-8", "ENCODING"),
        Flag("--nulls", "texts that are read as null, beside the empty cell, such as NA", "TEXT,…"),
        Flag("--thousands", "the sign between thousands: . , space apostrophe", "SIGN"),
        Flag("--decimal", "the sign before decimal places: , or .", "SIGN"),
        Flag("--date-format", "how dates are written, such as %d.%m.%Y", "FORMAT"),
        Flag("--percent", "read percents as exact hundredths: 10% as 0.10"),
        Flag("--trim", "remove blanks around values"),
        Flag("--currency", "the sign that stands with numbers, such as € or CHF", "SIGN"),
        Flag("--content", "when to hash large Parquet", "WHEN", choices=("now", "deferred")),
        Flag("--replace", "replace the source of this name, also with other reading options"),
        Flag("--persist", "save the description in service.toml, without data or secrets"),
    ),
    words=None,
    instead={"--name": f"The name is written before the path: {CONNECT_FORM}"},
    label="Reading {}",
    offers=offer_input,
)
SOURCES = Magic("%service_sources", run_sources, words=None, offers=offer_connected)
PREVIEW = Magic(
    "%service_preview",
    run_preview,
    words=ONE_SOURCE,
    flags=(Flag("--rows", "how many rows, at most 10,000", "N"), DIGITS),
    label="Reading {}",
    offers=offer_every_source,
)
PROFILE = Magic(
    "%service_profile",
    run_profile,
    words=ONE_SOURCE,
    flags=(DIGITS,),
    label="Counting {}",
    offers=offer_every_source,
)
REFRESH = Magic("%service_refresh", run_refresh, words=ONE_SOURCE, label="Describing {}", offers=offer_every_source)
DISCONNECT = Magic(
    "%service_disconnect",
    run_disconnect,
    words=ONE_SOURCE,
    flags=(Flag("--persist", "also remove it from service.toml"),),
    offers=offer_connected,
)
FORGET = Magic(
    "%service_forget",
    run_forget,
    flags=(Flag("--connector", "a connector that create_connector made, by its id", "ID"),),
    words=None,
    offers=offer_every_source,
)
