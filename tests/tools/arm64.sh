#!/usr/bin/env bash
# Prints the folder of an arm64 system that has Python and what the kernels import: its root, unpacked from Debian's
# packages and from the package index into build/tools/arm64, which needs no root. Run below qemu-aarch64.
# The versions are those of the environment that asks, whose Python is the first argument.
set -euo pipefail

python="$1"
tools="$(cd "$(dirname "$0")/../.." && pwd)/build/tools"
system="$tools/arm64"
mkdir -p "$tools"
exec 9>"$tools/.lock-arm64"
flock 9
if [ -f "$system/.complete" ]; then
	echo "$system"
	exit 0
fi
if ! command -v apt-get >/dev/null || ! command -v dpkg-deb >/dev/null; then
	echo "This is no Debian, of whose packages an arm64 system is made." >&2
	exit 1
fi

rm -rf "$system"
mkdir -p "$system"/{lists/partial,cache/archives/partial,packages,site,wheels}
# A list of packages of its own: the machine's is neither of arm64 nor to be changed.
keyring=/usr/share/keyrings/debian-archive-keyring.gpg
mirror="$(apt-get indextargets --format '$(REPO_URI)' "Identifier: Packages" | awk '/\/debian\/$/ && !found++')"
echo "deb [arch=arm64 signed-by=$keyring] $mirror bookworm main" >"$system/sources.list"
options=(
	-qq -o APT::Architecture=arm64 -o APT::Architectures=arm64 -o APT::Sandbox::User=
	-o "Dir::Etc::sourcelist=$system/sources.list" -o Dir::Etc::sourceparts=/dev/null -o Dir::State::status=/dev/null
	-o "Dir::State::lists=$system/lists" -o "Dir::Cache=$system/cache"
)
apt-get "${options[@]}" update >&2
(
	cd "$system/packages"
	apt-get "${options[@]}" download python3.11-minimal libpython3.11-minimal libpython3.11-stdlib libc6 libgcc-s1 \
		libstdc++6 libbz2-1.0 libcrypt1 libexpat1 libffi8 liblzma5 libsqlite3-0 libssl3 libuuid1 zlib1g >&2
	for package in *.deb; do dpkg-deb --fsys-tarfile "$package" | tar -x -C "$system"; done
)
platforms=(manylinux_2_28_aarch64 manylinux_2_27_aarch64 manylinux_2_17_aarch64 manylinux2014_aarch64)
# shellcheck disable=SC2046  # one argument a library
"$python" -m pip download -qq --no-deps --only-binary :all: --dest "$system/wheels" "${platforms[@]/#/--platform=}" \
	--python-version 311 --implementation cp --abi cp311 --abi abi3 --abi none \
	$("$python" -c 'from importlib.metadata import version
for name in ("numpy", "orjson", "protobuf", "python-flint", "scipy", "threadpoolctl"): print(f"{name}=={version(name)}")') >&2
for wheel in "$system"/wheels/*.whl; do "$python" -m zipfile -e "$wheel" "$system/site"; done
rm -rf "$system"/{lists,cache,packages,wheels}
touch "$system/.complete"
echo "$system"
