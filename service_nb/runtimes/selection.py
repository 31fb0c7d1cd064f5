"""Which part of a bundle is installed when only some fields are wanted; what a value is never depends on it."""

from __future__ import annotations

import ast
import os
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence

from service_nb.compute.contract import Contract
from service_nb.core.digest import sha256_hex
from service_nb.errors import InvalidIntentError
from service_nb.runtimes.fetching import is_wheel, project
from service_nb.runtimes.manifest import Member

KERNELS = "kernels/"
PACKS = "kernels/service_nb_kernels/packs/"
OPTIONAL = {"scipy": "scipy"}  # project to the package that is imported; the others are always needed

ReadMember = Callable[[Member], bytes]


def chosen(modules: Sequence[str]) -> tuple[str, ...]:
    """Return the fields that are wanted, sorted: those given, else those of SERVICE_RUNTIME_MODULES; none means all."""
    named = modules or os.environ.get("SERVICE_RUNTIME_MODULES", "").split(",")
    return tuple(sorted({name.strip() for name in named if name.strip()}))


def cache_key(modules: Sequence[str]) -> str:
    """Return what tells a selection from every other; nothing for all."""
    return sha256_hex(",".join(modules).encode()) if modules else ""


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


def selected(members: Sequence[Member], modules: Sequence[str], contract: Contract, read: ReadMember) -> list[Member]:
    """Return the members that the capabilities of some fields need, all when none is named.

    Packs of other fields stay out, unless one that stays imports them; a wheel that nothing imports stays out too.
    """
    if not modules:
        return list(members)
    kernels = {_module(member.path): member for member in members if member.path.endswith(".py")}
    roots = {name for name in kernels if not kernels[name].path.startswith(PACKS) or _field(name) in modules}
    needed, outside = _reached(roots | _entries(contract, modules), kernels, read)
    kept = {kernels[name] for name in needed}
    return [
        member
        for member in members
        if (is_wheel(member) and OPTIONAL.get(project(member.path)) in outside | {None})
        or (not is_wheel(member) and (member in kept or not member.path.startswith(PACKS)))
    ]


def _module(path: str) -> str:
    """The name by which a file of the kernels is imported."""
    return path.removeprefix(KERNELS).removesuffix(".py").removesuffix("/__init__").replace("/", ".")


def _field(name: str) -> str:
    parts = name.split(".")
    return parts[2] if len(parts) > 2 else ""


def _entries(contract: Contract, modules: Sequence[str]) -> set[str]:
    """The modules that the capabilities of some fields name as where they are computed."""
    entries = (contract.entry(name) for name in contract if name.partition(".")[0] in modules)
    named = (entry.get("entry") or entry.get("call") for entry in entries)
    return {text.partition(":")[0] for text in named if text}


def _reached(roots: Iterable[str], kernels: Mapping[str, Member], read: ReadMember) -> tuple[set[str], set[str]]:
    """Return our modules that are imported from `roots` on, and the packages of others that these import."""
    needed: set[str] = set()
    outside: set[str] = set()
    left = list(roots)
    while left:
        name = left.pop()
        if name not in kernels:
            outside.add(name.partition(".")[0])
        elif name not in needed:
            needed.add(name)
            left += _imports(read(kernels[name]), name)
            # A module's packages are imported before it.
            left += [parent for parent in _parents(name) if parent in kernels]
    return needed, outside


def _parents(name: str) -> Iterator[str]:
    while "." in name:
        name = name.rpartition(".")[0]
        yield name


def _imports(source: bytes, name: str) -> set[str]:
    """Return what a file imports, at its top or later; of `from a import b`, both a and a.b."""
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
