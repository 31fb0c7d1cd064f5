"""A program as a systemd unit hardens it, without systemd: what its filter of system calls forbids ends the process.

Run as a program: ``python hardened.py SETTINGS COMMAND…``. `SETTINGS` is JSON: `calls` that may be made, `families` of
sockets, whether `namespaces` may not be made, `files` that may be open, and `umask`.
"""

from __future__ import annotations

import ctypes
import json
import os
import platform
import resource
import socket
import subprocess
import sys
from pathlib import Path
from typing import Any

ALLOW, KILL, ERRNO = 0x7FFF0000, 0x80000000, 0x00050000
NOT_PERMITTED, NOT_THERE, AFNOSUPPORT = 1, 38, 97
EQUAL = 4
NO_NEW_PRIVILEGES = 38


class _Compared(ctypes.Structure):
    _fields_ = (("arg", ctypes.c_uint), ("op", ctypes.c_int), ("a", ctypes.c_uint64), ("b", ctypes.c_uint64))


def unit_of(path: Path) -> dict[str, list[str]]:
    """Return what a unit says: of each key its values."""
    found: dict[str, list[str]] = {}
    for line in path.read_text(encoding="utf-8").splitlines():
        key, equals, value = line.partition("=")
        if equals and not line.startswith(("#", "[")):
            found.setdefault(key, []).append(value)
    return found


def settings_of(unit: dict[str, list[str]], root: Path) -> dict[str, Any]:
    """Return a unit's hardening for the program below; `root` has Debian's packages of systemd."""
    return {
        "calls": sorted(_calls(unit["SystemCallFilter"][-1], root)),
        "families": [int(getattr(socket, name)) for name in unit["RestrictAddressFamilies"][-1].split()],
        "namespaces": unit["RestrictNamespaces"] == ["yes"],
        "files": int(unit["LimitNOFILE"][-1]),
        "umask": int(unit["UMask"][-1], 8),
    }


def analyze(root: Path, *words: str | Path) -> subprocess.CompletedProcess[str]:
    """Run `systemd-analyze` of Debian's packages."""
    triple = f"{platform.machine()}-linux-gnu"
    found = ":".join(str(root / place / triple / each) for place in ("usr/lib", "lib") for each in ("", "systemd"))
    program = next(each for each in (root / "usr/bin/systemd-analyze", root / "bin/systemd-analyze") if each.exists())
    environment = {**os.environ, "LD_LIBRARY_PATH": found, "SYSTEMD_PAGER": "", "SYSTEMD_COLORS": "0"}
    return subprocess.run([program, *words], capture_output=True, text=True, check=False, env=environment)


def _calls(group: str, root: Path) -> set[str]:
    told = analyze(root, "syscall-filter", group)
    assert told.returncode == 0, told.stderr
    found: set[str] = set()
    for line in told.stdout.splitlines()[1:]:
        word = line.partition("#")[0].strip()
        found |= _calls(word, root) if word.startswith("@") else {word} - {""}
    return found


def main(told: str, command: list[str]) -> None:
    """Give up what the settings do not have, and become the command."""
    settings = json.loads(told)
    os.umask(settings["umask"])
    resource.setrlimit(resource.RLIMIT_NOFILE, (settings["files"], settings["files"]))
    if ctypes.CDLL(None).prctl(NO_NEW_PRIVILEGES, 1, 0, 0, 0):
        raise OSError("no_new_privs")
    refused = {"unshare": NOT_PERMITTED, "setns": NOT_PERMITTED, "clone3": NOT_THERE} if settings["namespaces"] else {}
    _filter(settings["calls"], settings["families"], refused)
    os.execv(command[0], command)


def _filter(calls: list[str], families: list[int], errors: dict[str, int]) -> None:
    library = ctypes.CDLL("libseccomp.so.2")
    library.seccomp_init.restype = ctypes.c_void_p
    context = ctypes.c_void_p(library.seccomp_init(ctypes.c_uint32(KILL)))
    for name in calls:
        number = library.seccomp_syscall_resolve_name(name.encode())
        if number >= 0 and name != "socket":
            action = ERRNO | errors[name] if name in errors else ALLOW
            _done(library.seccomp_rule_add(context, ctypes.c_uint32(action), number, 0), name)
    number = library.seccomp_syscall_resolve_name(b"socket")
    for family in families:
        only = (_Compared * 1)(_Compared(0, EQUAL, family, 0))
        _done(library.seccomp_rule_add_array(context, ctypes.c_uint32(ALLOW), number, 1, only), "socket")
    refused = ctypes.c_uint32(ERRNO | AFNOSUPPORT)
    for count in range(max(families) + 64):
        if count not in families:
            only = (_Compared * 1)(_Compared(0, EQUAL, count, 0))
            _done(library.seccomp_rule_add_array(context, refused, number, 1, only), "socket")
    _done(library.seccomp_load(context), "load")


def _done(status: int, what: str) -> None:
    if status:
        raise OSError(-status, what)


if __name__ == "__main__":
    main(sys.argv[1], sys.argv[2:])
