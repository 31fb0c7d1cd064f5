"""Select the part of a bundle to install when only some fields are wanted; values never depend on it."""

from __future__ import annotations

import ast
import os
from collections.abc import Callable, Iterable, Mapping, Sequence

from service_nb.compute.contract import Contract
from service_nb.core.digest import compute_sha256_hex
from service_nb.errors import InvalidIntentError
from service_nb.runtimes.fetching import is_wheel, parse_project
from service_nb.runtimes.manifest import Member

KERNELS = "kernels/"
PACKS = "kernels/service_nb_kernels/packs/"
OPTIONAL = {"scipy": "scipy"}  # project to the package that is imported; the others are always needed

ReadMember = Callable[[Member], bytes]


def choose_modules(modules: Sequence[str]) -> tuple[str, ...]:
    """Choose the fields that are wanted, sorted: those given, else those of SERVICE_RUNTIME_MODULES; none means all."""
    named = modules or os.environ.get("SERVICE_RUNTIME_MODULES", "").split(",")
    return tuple(sorted({name.strip() for name in named if name.strip()}))


def compute_cache_key(modules: Sequence[str]) -> str:
    """Compute what tells a selection from every other; nothing for all."""
    return compute_sha256_hex(",".join(modules).encode()) if modules else ""


def require_known(modules: Sequence[str], contract: Contract) -> None:
    """Refuse fields that the contract does not have.

    Raises
    ------
    InvalidIntentError [invalid_intent]
    """
    known = {name.partition(".")[0] for name in contract}
    for module in modules:
        if module not in known:
            raise InvalidIntentError(
                f"There is no module {module!r} to install.",
                hint="`service-nb capabilities` lists the modules.",
                met=module,
                path="runtime_modules",
            )


def select_members(
    members: Sequence[Member], modules: Sequence[str], contract: Contract, read: ReadMember
) -> list[Member]:
    """Select the members that the capabilities of some fields need, all when none is named.

    Packs of other fields stay out, unless one that stays imports them; a wheel that nothing imports stays out too.
    """
    if not modules:
        return list(members)
    kernels = {_find_module_name(member.path): member for member in members if member.path.endswith(".py")}
    roots = {name for name in kernels if not kernels[name].path.startswith(PACKS) or _find_field(name) in modules}
    needed, outside = _follow_imports(roots | _find_entries(contract, modules), kernels, read)
    kept = {kernels[name] for name in needed}
    return [
        member
        for member in members
        if (is_wheel(member) and OPTIONAL.get(parse_project(member.path)) in outside | {None})
        or (not is_wheel(member) and (member in kept or not member.path.startswith(PACKS)))
    ]


def _find_module_name(path: str) -> str:
    """The name by which a file of the kernels is imported."""
    return path.removeprefix(KERNELS).removesuffix(".py").removesuffix("/__init__").replace("/", ".")


def _find_field(name: str) -> str:
    parts = name.split(".")
    return parts[2] if len(parts) > 2 else ""


def _find_entries(contract: Contract, modules: Sequence[str]) -> set[str]:
    """Find the modules that the capabilities of some fields name as where they are computed."""
    entries = (contract.read_entry(name) for name in contract if name.partition(".")[0] in modules)
    named = (entry.get("entry") or entry.get("call") for entry in entries)
    return {text.partition(":")[0] for text in named if text}


def _follow_imports(roots: Iterable[str], kernels: Mapping[str, Member], read: ReadMember) -> tuple[set[str], set[str]]:
    """Find our modules that are imported from `roots` on, and the packages of others that these import."""
    needed: set[str] = set()
    outside: set[str] = set()
    left = list(roots)
    while left:
        name = left.pop()
        if name not in kernels:  # of another package, or a name in a module of ours
            outside.add(name.partition(".")[0])
        elif name not in needed:
            needed.add(name)
            left += _find_imports(read(kernels[name]), name)
            left.append(name.rpartition(".")[0])  # a module's package is imported before it
    return needed, outside


def _find_imports(source: bytes, name: str) -> set[str]:
    """Find what a file imports, at its top or later; of `from a import b`, both a and a.b."""
    found: set[str] = set()
    for node in ast.walk(ast.parse(source)):
        if isinstance(node, ast.Import):
            found.update(alias.name for alias in node.names)
        elif isinstance(node, ast.ImportFrom):
            base = ".".join(name.split(".")[: -node.level]) if node.level else ""
            whole = ".".join(part for part in (base, node.module) if part)
            found.add(whole)
            found.update(f"{whole}.{alias.name}" for alias in node.names)
    return found
