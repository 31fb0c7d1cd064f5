#!/usr/bin/env bash
# Prints a program that runs x86-64 programs on an emulated CPU, or programs of the architecture that is named (aarch64).
# Where the system has none, Debian's is unpacked into build/tools, which needs no root; elsewhere: install the package
# qemu-user.
set -euo pipefail

emulator="qemu-${1:-x86_64}"
for name in "$emulator" "$emulator-static"; do
	if command -v "$name"; then exit 0; fi
done

tools="$(cd "$(dirname "$0")/../.." && pwd)/build/tools"
program="$tools/$emulator-static"
mkdir -p "$tools"
exec 9>"$tools/.lock"
flock 9 # the tests run in several processes
if [ ! -x "$program" ]; then
	if ! command -v apt-get >/dev/null || ! command -v dpkg-deb >/dev/null; then
		echo "$emulator is not installed, and this is no Debian: install the package qemu-user." >&2
		exit 1
	fi
	folder="$(mktemp -d "$tools/unpacked.XXXXXX")"
	trap 'rm -rf "$folder"' EXIT
	cd "$folder"
	# The lists of packages may be missing, or older than the archive.
	apt-get -qq download qemu-user-static >&2 || { apt-get -qq update >&2 && apt-get -qq download qemu-user-static >&2; }
	dpkg-deb --fsys-tarfile qemu-user-static_*.deb | tar -x "./usr/bin/$emulator-static"
	mv "usr/bin/$emulator-static" "$program"
fi
echo "$program"
