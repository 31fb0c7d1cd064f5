"""The part of a bundle that some modules need: which members, and what `selection.json` says of them.

An archive of a selection carries the whole signed manifest and only these members. Whoever made it signs nothing and is
not believed: whoever takes it computes the members again, and requires exactly these.
"""

from __future__ import annotations

import ast
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import NamedTuple

from service_nb.compute.contract import Contract
from service_nb.core.canonical import write_canonical_bytes
from service_nb.core.digest import compute_sha256_hex
from service_nb.errors import InvalidIntentError
from service_nb.runtimes.archive import OpenedBundle, OpenMember, open_members, write_selected_bundle
from service_nb.runtimes.fetching import is_wheel, parse_project
from service_nb.runtimes.manifest import Manifest, Member, make_refusal

KERNELS = "kernels/"
CONTRACT = "kernels/service_nb_kernels/contract.json"
REQUESTED = ("contract_hash", "modules", "platform", "python")  # of a request, what decides the answer
PACKS = "kernels/service_nb_kernels/packs/"
OPTIONAL = {"scipy": "scipy"}  # project to the package that is imported; the others are always needed


def compute_cache_key(manifest: Manifest, modules: Sequence[str]) -> str:
    """Compute what tells a selection from every other."""
    told = {
        "manifest_sha256": compute_sha256_hex(manifest.content),
        "modules": sorted(modules),
        "platform": manifest.platform,
        "python": manifest.python,
    }
    return compute_sha256_hex(write_canonical_bytes(told))


def require_known(modules: Sequence[str], contract: Contract) -> None:
    """Refuse fields that the contract does not have."""
    known = {name.partition(".")[0] for name in contract}
    for module in modules:
        if module not in known:
            raise InvalidIntentError(
                f"There is no module {module!r} to install.",
                hint="`service-nb capabilities` lists the modules.",
                met=module,
                path="runtime_modules",
            )


def compute_request_key(wanted: Mapping[str, object]) -> str:
    """Compute the name of the file with which a static export answers a request."""
    return compute_sha256_hex(write_canonical_bytes({name: wanted[name] for name in REQUESTED}))


class BuiltSelection(NamedTuple):
    """The archive of a selection."""

    path: Path
    sha256: str
    cache_key: str
    manifest: Manifest


def build_selection(file: Path, modules: Sequence[str], folder: Path) -> BuiltSelection:
    """Write into `folder` the archive of what some modules need of a bundle's file; nothing of it is signed or trusted.

    Raises
    ------
    InvalidIntentError [invalid_intent]
        The bundle's contract has no such module.
    RuntimeProvisionError [runtime_provision_failed]
        The file is no bundle, or the disk is full.
    """
    bundle = open_members(file)
    contract = Contract(_read_contract(bundle))
    require_known(modules, contract)
    members = select_members(bundle.manifest.members, modules, contract, bundle.open_member)
    key = compute_cache_key(bundle.manifest, modules)
    path, sha256 = write_selected_bundle(folder / f"{key}.tar", bundle, modules, members)
    return BuiltSelection(path, sha256, key, bundle.manifest)


def _read_contract(bundle: OpenedBundle) -> bytes:
    for member in bundle.manifest.members:
        if member.path == CONTRACT:
            return _read_source(member, bundle.open_member)
    raise make_refusal("member_missing", "The bundle is refused: it has no contract.")


def select_members(
    members: Sequence[Member], modules: Sequence[str], contract: Contract, open_member: OpenMember
) -> list[Member]:
    """Select the members that the capabilities of some fields need, all when none is named.

    Packs of other fields stay out, unless one that stays imports them; a wheel that nothing imports stays out too.
    """
    if not modules:
        return list(members)
    kernels = {_find_module_name(member.path): member for member in members if member.path.endswith(".py")}
    roots = {name for name in kernels if not kernels[name].path.startswith(PACKS) or _find_field(name) in modules}
    needed, outside = _follow_imports(roots | _find_entries(contract, modules), kernels, open_member)
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


def _follow_imports(
    roots: Iterable[str], kernels: Mapping[str, Member], open_member: OpenMember
) -> tuple[set[str], set[str]]:
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
            left += _find_imports(_read_source(kernels[name], open_member), name)
            left.append(name.rpartition(".")[0])  # a module's package is imported before it
    return needed, outside


def _read_source(member: Member, open_member: OpenMember) -> bytes:
    try:
        with open_member(member) as file:
            return file.read(member.size)
    except FileNotFoundError:
        message = f"The bundle is refused: {member.path}, which the modules need, is missing."
        raise make_refusal("member_missing", message) from None


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
