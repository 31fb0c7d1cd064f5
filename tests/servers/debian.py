"""Programs out of Debian's packages, unpacked below `build/servers` and never installed."""

from __future__ import annotations

import os
import platform
import shutil
import subprocess
import tempfile
from collections.abc import Mapping
from pathlib import Path

from tests.servers.environment import alone

PACKAGES: Mapping[str, tuple[str, ...]] = {
    "mariadb": (
        *("mariadb-server-core", "mariadb-server", "mariadb-client-core", "mariadb-common", "libaio1", "libnuma1"),
        *("liburing2", "libpcre2-8-0"),
    ),
    "redis": ("redis-server", "redis-tools", "libjemalloc2", "liblzf1"),
    "odbc": ("libltdl7",),
    "nginx": ("nginx", "libpcre2-8-0", "libssl3"),
    "systemd": ("systemd", "libsystemd-shared", "libseccomp2"),
    "postgres": (
        *("postgresql-15", "libpq5", "libldap-2.5-0", "libsasl2-2", "libgssapi-krb5-2", "libkrb5-3", "libk5crypto3"),
        *("libkrb5support0", "libkeyutils1", "libxml2", "libicu72", "libssl3"),
    ),
}


def unpacked(name: str) -> Path:
    """The root of a folder with the packages of `name`; made once, anew when the list of packages changes."""
    wanted = " ".join(PACKAGES[name])
    with alone(f"debian-{name}") as root:
        made = root / "made-from"
        if not made.is_file() or made.read_text() != wanted:
            shutil.rmtree(root, ignore_errors=True)
            root.mkdir()
            _download_and_unpack(PACKAGES[name], root)
            made.write_text(wanted)
        return root


def libraries(root: Path) -> dict[str, str]:
    """What a program of the packages wants in its environment, to find their libraries."""
    triple = f"{platform.machine()}-linux-gnu"
    return {"LD_LIBRARY_PATH": f"{root}/usr/lib/{triple}:{root}/lib/{triple}"}


def _download_and_unpack(packages: tuple[str, ...], root: Path) -> None:
    for program in ("apt-get", "dpkg-deb"):
        if shutil.which(program) is None:
            raise RuntimeError(
                f"{packages[0]} comes out of Debian's packages, and there is no {program} here. Run the tests on "
                f"Debian or Ubuntu, or unpack {', '.join(packages)} below {root} yourself."
            )
    with tempfile.TemporaryDirectory() as kept:
        fetch = ["apt-get", "-qq", "-o", "APT::Sandbox::User=root", "download", *packages]
        done = subprocess.run(fetch, cwd=kept, check=False, capture_output=True)
        if done.returncode:
            update = ["apt-get", "-qq", "update"]
            if os.geteuid() != 0:  # the lists of packages are root's; what is there must do
                update = ["sudo", "-n", *update]
            subprocess.run(update, check=False, capture_output=True)
            done = subprocess.run(fetch, cwd=kept, check=False, capture_output=True)
        if done.returncode:
            raise RuntimeError(
                f"apt-get could not download {', '.join(packages)}, which tests want once; they are kept below {root} "
                f"from then on. It says:\n{done.stderr.decode(errors='replace')[-2000:]}"
            )
        for package in sorted(Path(kept).glob("*.deb")):
            subprocess.run(["dpkg-deb", "-x", package, root], check=True)
