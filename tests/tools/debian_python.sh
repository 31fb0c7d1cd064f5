#!/usr/bin/env bash
# Prints a Python of the version that is named (3.14), where Debian's newest packages have it. They are unpacked into
# build/tools, which needs no root, with the C library that they were built for: that of the machine may be older.
set -euo pipefail

version="$1"
tools="$(cd "$(dirname "$0")/../.." && pwd)/build/tools"
system="$tools/python$version"
program="$system/usr/bin/python$version"
mkdir -p "$tools"
exec 9>"$tools/.lock-python"
flock 9
if [ -f "$system/.complete" ]; then
	echo "$program"
	exit 0
fi
if ! command -v apt-get >/dev/null || ! command -v dpkg-deb >/dev/null; then
	echo "Python $version is not installed, and this is no Debian: install it with pyenv or uv." >&2
	exit 1
fi

rm -rf "$system"
mkdir -p "$system"/apt/{lists/partial,cache/archives/partial}
# A list of packages of its own, as if nothing were installed: the machine's is not changed.
keyring=/usr/share/keyrings/debian-archive-keyring.gpg
mirror="$(apt-get indextargets --format '$(REPO_URI)' "Identifier: Packages" | awk '/\/debian\/$/ && !found++')"
for suite in sid bookworm; do
	echo "deb [signed-by=$keyring] $mirror $suite main"
done >"$system/apt/sources.list"
options=(
	-qq -o APT::Sandbox::User= -o Debug::NoLocking=1 -o Dir::State::status=/dev/null -o Dir::Etc::sourceparts=/dev/null
	-o "Dir::Etc::sourcelist=$system/apt/sources.list" -o "Dir::State::lists=$system/apt/lists"
	-o "Dir::Cache=$system/apt/cache"
)
apt-get "${options[@]}" update >&2
apt-get "${options[@]}" install --yes --no-install-recommends --download-only "python$version-venv" libstdc++6 >&2
(cd "$system/apt" && apt-get "${options[@]}" download patchelf/bookworm >&2) # what 0.18 of sid writes does not run
for package in "$system"/apt/cache/archives/*.deb "$system"/apt/patchelf_*.deb; do
	dpkg-deb --fsys-tarfile "$package" | tar -x -C "$system"
done
libraries="$(dirname "$(find "$system/usr/lib" -name 'ld-linux-*.so.*' | head -n 1)")"
loader="$(find "$libraries" -name 'ld-linux-*.so.*')"
"$loader" --library-path "$libraries" "$system/usr/bin/patchelf" --set-interpreter "$loader" --force-rpath \
	--set-rpath "$libraries" "$program"
sed -i "s#/usr/share/python-wheels#$system/usr/share/python-wheels#" \
	"$system/usr/lib/python$version"/{ensurepip/__init__.py,_sysconfigdata_*.py}
rm -rf "$system/apt"
touch "$system/.complete"
echo "$program"
