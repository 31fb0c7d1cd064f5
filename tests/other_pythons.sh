#!/usr/bin/env bash
# Run the tests on other versions of Python, each in an environment of its own under build/.
# A version is that of the PATH, of pyenv, or of Debian's newest packages, which are unpacked below build/tools.
# One that cannot be found is named at the end: nobody shall believe it was tested.
set -euo pipefail

tools="$(cd "$(dirname "$0")" && pwd)/tools"

find_python() {
    "python$1" -c 'import sys; print(sys.executable)' 2>/dev/null || pyenv whence --path "python$1" 2>/dev/null | tail -n 1 ||
        "$tools/debian_python.sh" "$1" 2>/dev/null
}

missing=()
for version in "$@"; do
    python=$(find_python "$version" || true)
    if [ -z "$python" ]; then
        missing+=("$version")
        continue
    fi
    environment="build/venv-$version"
    make "$environment/.installed" PYTHON="$python"
    echo "Testing on Python $version ..."
    # shellcheck disable=SC2086  # arguments, split on purpose
    "$environment/bin/python" -m pytest -n "${WORKERS:-auto}" --dist worksteal -q ${PYTEST_ARGS:-}
done
if [ ${#missing[@]} -gt 0 ]; then
    echo "NOT TESTED, because not found on this machine: Python ${missing[*]}" >&2
    if [ "${CI:-}" = true ]; then exit 1; fi
fi
