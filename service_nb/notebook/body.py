"""The body of a `%%service_ask` or `%%service_compute` cell.

Its first character or line decides the form, never a guess:

- `{` opens JSON;
- a first line such as `metric: revenue` is YAML;
- anything else is an ask line, or a compute line, which may run over several lines.

YAML is read as the JSON-like subset people mean: no anchors, no tags, one document, no key twice. Only true, false,
null and plain numbers are not text: `no` is a word and 00123 keeps its zeros, as do dates.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from typing import Any, Literal

import yaml

from service_nb.client.compute_line import parse_compute_line
from service_nb.core.canonical import parse_strict
from service_nb.errors import CanonicalJsonError, InvalidIntentError, LimitExceededError
from service_nb.query.ask_line import parse_ask

MAX_CHARS = 100_000
MAX_DEPTH = 16

Form = Literal["json", "yaml", "line"]

_CALL = re.compile(r"^[ \t]*[A-Za-z_]\w*\.[A-Za-z_]\w*(?=[ \t]*$|[ \t(])", re.MULTILINE)


def recognise_form(text: str) -> Form:
    """Tell in which of the three forms a question is written."""
    opening = text.lstrip()
    if opening.startswith("{"):
        return "json"
    return "yaml" if re.match(r"[A-Za-z_]\w*[ \t]*:(\s|$)", opening) else "line"


def read_question(text: str) -> dict[str, object]:
    """Read a question in any of the three forms into a spec.

    Raises
    ------
    InvalidIntentError, LimitExceededError
        The text is malformed or too long; details name `line` and `column`.
    """
    return _read(text, lambda line: {**parse_ask(line)})


def split_calls(text: str) -> list[str]:
    """Split a cell into its calls: each begins on a line of its own with the name of a capability."""
    if recognise_form(text) != "line":
        return [text]
    starts = [found.start() for found in _CALL.finditer(text)]
    return [text[start:end] for start, end in zip([0, *starts[1:]], [*starts[1:], None], strict=True)]


def read_computation(
    text: str,
    variables: Mapping[str, object],
    find_entry: Callable[[str], Mapping[str, Any]] | None = None,
    **options: object,
) -> dict[str, object]:
    """Read a computation in any of the three forms into a spec; see `client.computation`."""
    return _read(text, lambda line: parse_compute_line(line, variables, find_entry, **options))


def _read(text: str, read_line: Callable[[str], dict[str, object]]) -> dict[str, object]:
    if len(text) > MAX_CHARS:
        raise LimitExceededError(
            f"The cell has {len(text):,} characters; the limit is {MAX_CHARS:,}.", limit=MAX_CHARS, value=len(text)
        )
    match recognise_form(text):
        case "json":
            return _read_json(text)
        case "yaml":
            return _read_yaml(text)
        case "line":
            return read_line(text)


def _read_json(text: str) -> dict[str, object]:
    try:
        spec: dict[str, object] = parse_strict(text, max_depth=MAX_DEPTH)
    except CanonicalJsonError as error:
        raise InvalidIntentError(error.message, hint=error.hint, **error.details) from None
    return spec


def _read_yaml(text: str) -> dict[str, object]:
    try:
        _check_events(text)
        spec = yaml.load(text, Loader=_StrictLoader)  # noqa: S506  # a SafeLoader, narrowed further
    except yaml.MarkedYAMLError as error:
        mark = error.problem_mark or error.context_mark
        raise _yaml_error(f"the YAML is malformed ({error.problem})", mark) from None
    except yaml.YAMLError:
        raise InvalidIntentError("The text has a character that YAML does not allow.") from None
    if not isinstance(spec, Mapping):
        raise InvalidIntentError("The YAML is not a question.", expected="keys such as metric: and aggregation:")
    return dict(spec)


def _check_events(text: str) -> None:
    """Refuse aliases, tags and a second document before anything is built: aliases can make small texts immense."""
    depth = documents = 0
    for event in yaml.parse(text, Loader=yaml.SafeLoader):
        if isinstance(event, yaml.AliasEvent) or getattr(event, "anchor", None):
            raise _yaml_error("anchors and aliases are not supported", event.start_mark)
        if getattr(event, "tag", None):
            raise _yaml_error("tags are not supported", event.start_mark)
        if isinstance(event, yaml.DocumentStartEvent):
            documents += 1
            if documents > 1:
                raise _yaml_error("expected one document", event.start_mark)
        depth += isinstance(event, yaml.CollectionStartEvent) - isinstance(event, yaml.CollectionEndEvent)
        if depth > MAX_DEPTH:
            raise LimitExceededError(f"The YAML is deeper than {MAX_DEPTH} levels.", limit=MAX_DEPTH, value=depth)


def _yaml_error(says: str, mark: Any) -> InvalidIntentError:
    line, column = (mark.line + 1, mark.column + 1) if mark else (None, None)
    return InvalidIntentError(f"At line {line}, column {column}: {says}.", line=line, column=column)


class _StrictLoader(yaml.SafeLoader):
    """A safe loader with JSON's scalars, in which no key comes twice."""

    yaml_implicit_resolvers: dict[str, Any] = {}  # noqa: RUF012  # PyYAML's own way of declaring them

    def construct_mapping(self, node: yaml.MappingNode, deep: bool = False) -> dict[object, object]:
        seen = set()
        for key_node, _ in node.value:
            key = self.construct_object(key_node, deep=True)
            if not isinstance(key, str) or key in seen:
                raise _yaml_error(
                    "a key is given twice" if isinstance(key, str) else "a key must be text", key_node.start_mark
                )
            seen.add(key)
        return super().construct_mapping(node, deep=deep)


_StrictLoader.add_implicit_resolver("tag:yaml.org,2002:bool", re.compile(r"^(?:true|false)$"), list("tf"))
_StrictLoader.add_implicit_resolver("tag:yaml.org,2002:null", re.compile(r"^(?:null|~|)$"), ["n", "~", ""])
_StrictLoader.add_implicit_resolver(
    "tag:yaml.org,2002:int", re.compile(r"^-?(?:0|[1-9][0-9]{0,399})$"), list("-0123456789")
)
_StrictLoader.add_implicit_resolver(
    "tag:yaml.org,2002:float",
    re.compile(r"^-?(?:0|[1-9][0-9]*)(?:\.[0-9]+(?:[eE][-+]?[0-9]{1,3})?|[eE][-+]?[0-9]{1,3})$"),
    list("-0123456789"),
)
