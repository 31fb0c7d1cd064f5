"""Every message's type is resolved before two threads can meet in it: msgspec does so at its first use, unprotected."""

from __future__ import annotations

import subprocess
import sys

import pytest

FIRST = """
import importlib, sys, threading
import msgspec
sys.setswitchinterval(1e-6)
module = importlib.import_module(sys.argv[1])
met = []
kinds = [each for each in vars(module).values() if isinstance(each, type) and issubclass(each, msgspec.Struct)]
for kind in reversed(kinds):  # those that hold others first
    start = threading.Barrier(16)
    body = msgspec.json.encode({name: {} for name in kind.__struct_encode_fields__ or ["x"]})
    def decode(kind=kind, start=start, body=body):
        start.wait()
        try:
            msgspec.json.decode(body, type=kind)
        except msgspec.ValidationError:
            pass
        met.append(kind)
    threads = [threading.Thread(target=decode) for _ in range(16)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
print(len(met) // 16)
"""


@pytest.mark.parametrize("module", ["service_nb.deployment.messages"])
def test_threads_that_decode_a_type_first_at_once_all_get_an_answer(module: str) -> None:
    for _ in range(3):
        done = subprocess.run([sys.executable, "-c", FIRST, module], capture_output=True, text=True, check=False)
        assert (done.returncode, done.stderr) == (0, "")
        assert int(done.stdout) > 5
