"""The reference pages: a page for each field, each capability with formula, units, domains, citation and cases."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping
from itertools import groupby
from typing import Any

from service_nb_kernels.bibliography import Publication, read_publications
from service_nb_kernels.check import count_grades
from service_nb_kernels.declare import WHOLE_LINE, Capability, Case, Parameter, Result, Tier
from service_nb_kernels.formula.text import to_text
from service_nb_kernels.origins import Grade

HEAD = "<!-- Written by `make reference` from the packs. Edit those. -->\n"
SHOWN = 60  # characters of a value in a table
TIER: Mapping[Tier, str] = {
    "certified": "certified: the double nearest to the true value, proven, the same on every machine",
    "pinned": "pinned: the same bits in the pinned runtime",
    "seeded": "seeded: a simulation, the same bits for the same seed",
}
GRADE: Mapping[Grade, str] = {
    "published": "published: held to a value from a book, an article or an official table",
    "independent": "independent: held to a value of other software",
    "derived": "derived: held to values computed from the formula itself, none from outside",
}


def pages(found: Iterable[Capability]) -> Mapping[str, str]:
    """Return the text of every page by its name."""
    in_order = sorted(found, key=lambda declared: declared.id)
    fields = {field: list(group) for field, group in groupby(in_order, key=lambda declared: declared.module)}
    return {"README.md": _index(fields)} | {f"{field}.md": _page(field, group) for field, group in fields.items()}


def _index(fields: Mapping[str, list[Capability]]) -> str:
    everything = [declared for group in fields.values() for declared in group]
    tiers = Counter(declared.tier for declared in everything)
    counted = ", ".join(f"{tiers[tier]:,} {tier}" for tier in TIER if tiers[tier])
    rows = [f"| [{field}]({field}.md) | {len(group)} | {_names(group)} |" for field, group in fields.items()]
    return "\n".join(
        [
            HEAD,
            "# Capabilities",
            "",
            f"{len(everything):,} capabilities in {len(fields)} fields: {counted}; {count_grades(everything)}.",
            "[What the grades of evidence say](../handbook/packs.md#grades-of-evidence) ·",
            "[What the tiers promise](../handbook/tiers.md) · [how to call one](../handbook/computing.md)",
            "",
            "| field | | among them |",
            "|---|---:|---|",
            *rows,
            "",
        ]
    )


def _names(group: list[Capability]) -> str:
    shown = [f"`{declared.function}`" for declared in group[:6]]
    return ", ".join(shown) + (" …" if len(group) > len(shown) else "")


def _page(field: str, group: list[Capability]) -> str:
    contents = " · ".join(f"[{declared.function}](#{declared.function})" for declared in group)
    return "\n".join(
        [HEAD, f"# {field}", "", contents, "", *(_entry(declared) for declared in group), *_sources(group)]
    )


def _entry(declared: Capability) -> str:
    parts = [
        f"## {declared.function}",
        "",
        declared.summary,
        "",
        f"`{signature(declared)}`",
        "",
        *_formula(declared),
        "| parameter | type | unit | domain | |",
        "|---|---|---|---|---|",
        *map(_parameter, declared.params),
        *_results(declared.result),
        "",
        *(f"Needs `{text}`.\n" for text in declared.requires),
        f"*{TIER[declared.tier]}* · *{GRADE[declared.grade]}*",
        "",
        _escaped(declared.source),
        "",
        *_cases(declared),
        "",
    ]
    return "\n".join(parts)


def _sources(group: list[Capability]) -> list[str]:
    """The sources of a field, each with where it is found, and whether it was confirmed."""
    known = read_publications()
    cited = sorted({key for declared in group for key in declared.cited})
    return ["## Sources", "", "| key | source | |", "|---|---|---|", *(_source(known[key]) for key in cited), ""]


def _source(source: Publication) -> str:
    notes = [*source.links, *([] if source.confirmed else ["*citation not confirmed*"])]
    return f"| `{source.key}` | {_escaped(source.text)} | {' · '.join(notes)} |"


def signature(declared: Capability) -> str:
    """Return how a capability is called, with the types."""
    inside = ", ".join(f"{parameter.name}: {parameter.type}" for parameter in declared.params)
    return f"{declared.id}({inside}) -> {_type(declared.result)}"


def _type(result: Result) -> str:
    if result.fields:
        return "{" + ", ".join(f"{name}: {_type(field)}" for name, field in result.fields.items()) + "}"
    return result.type


def _formula(declared: Capability) -> list[str]:
    if declared.latex is not None:
        return ["```math", declared.latex, "```", ""]
    return [] if declared.tree is None else ["```", to_text(declared.tree), "```", ""]


def _parameter(parameter: Parameter) -> str:
    choices = f" ({', '.join(parameter.choices)})" if parameter.choices else ""
    default = "" if parameter.default is None else f"; default {parameter.default}"
    structure = f" ({parameter.structure.replace('_', ' ')})" if parameter.structure else ""
    about = _escaped(parameter.about) + choices + structure + default
    return (
        f"| `{parameter.name}` | {parameter.type} | {_unit(parameter.unit)} | {_domain(parameter.domain)} | {about} |"
    )


def _results(result: Result) -> list[str]:
    if not result.fields:
        return [f"| → | {result.type} | {_unit(result.unit)} | {_domain(result.range)} | {_escaped(result.about)} |"]
    return [
        f"| → `{name}` | {field.type} | {_unit(field.unit)} | {_domain(field.range)} | {_escaped(field.about)} |"
        for name, field in result.fields.items()
    ]


def _domain(text: str) -> str:
    return "" if text == WHOLE_LINE else f"`{text}`"


def _unit(text: str) -> str:
    return "" if text == "1" else f"`{text}`"


def _cases(declared: Capability) -> list[str]:
    return ["| case | gives | says |", "|---|---|---|", *map(_case, declared.cases)]


def _case(case: Case) -> str:
    gives = f"`{_short(case.error or case.result)}`{_within(case)}"
    return f"| `{_short(_arguments(case))}` | {gives} | {_escaped(case.origin)} |"


def _arguments(case: Case) -> str:
    seed = "" if case.seed is None else f", seed={case.seed}"
    return ", ".join(f"{name}={value!r}" for name, value in case.arguments.items()) + seed


def _within(case: Case) -> str:
    return f" ± {case.within:.0e}" if case.within else ""


def _short(value: Any) -> str:
    text = value if isinstance(value, str) else repr(value)
    text = text.replace("|", "\\|")
    return text if len(text) <= 2 * SHOWN else text[: 2 * SHOWN] + " …"


def _escaped(text: str) -> str:
    return text.replace("|", "\\|").replace("<", "&lt;")
