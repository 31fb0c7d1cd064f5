"""A client in a process of its own: a request is a line of JSON, and so is its answer."""

from __future__ import annotations

import json
import os
import queue
import shlex
import subprocess
import sys
import tempfile
import threading
from collections.abc import Mapping
from typing import Any, Self

Message = dict[str, Any]
# An Ed25519 key that opens nothing: both clients can sign, and whoever runs this has no key of theirs in it.
DEVICE_KEY = "Y29uZm9ybWFuY2Ugb2YgdHdvIGNsaWVudHMsIDMyQiE="
SECONDS = 30.0  # that one answer may take
STARTING = 60.0  # seconds more, of the first answer of a process
INFINITE = "<1e400>"  # stands for a number beyond all doubles, which JSON can write and Python's values cannot
MEGABYTES = 2_048  # that a process may hold


class Adapter:
    """A client behind its adapter. One that crashes or does not answer says so in its answer, and is started again."""

    def __init__(self, command: str, seconds: float = SECONDS, home: str | None = None) -> None:
        self.command = command
        self.client = command
        self.verbs: frozenset[str] = frozenset()
        self.formats: frozenset[str] = frozenset()
        self.options: frozenset[str] = frozenset()
        self.peak_megabytes = 0
        self._seconds = seconds
        self._folder = tempfile.TemporaryDirectory()
        self._home = home
        self._process: subprocess.Popen[bytes] | None = None
        self._has_answered = False
        self._lines: queue.Queue[bytes] = queue.Queue()
        hello = self.ask({"verb": "hello"})
        if hello.get("protocol") != 1:
            raise ChildProcessError(f"{command} answers {json.dumps(hello)[:1_000]}; expected protocol 1.")
        self.client = str(hello["client"])
        self.verbs, self.formats = frozenset(hello["verbs"]), frozenset(hello["formats"])
        if home is None:  # without a login, nothing is computed
            self.verbs -= {"compute"}
        self.options = frozenset(hello.get("options", ()))

    def ask(self, request: Mapping[str, Any]) -> Message:
        """Send a request, and return its answer."""
        self.send(request)
        return self.receive()

    def send(self, request: Mapping[str, Any]) -> None:
        """Send a request; `receive` has its answer."""
        if self._process is None:
            self._start()
        assert self._process is not None and self._process.stdin is not None  # noqa: PT018, S101
        try:
            self._process.stdin.write(json.dumps(request).replace(json.dumps(INFINITE), "1e400").encode() + b"\n")
            self._process.stdin.flush()
        except BrokenPipeError:
            return  # `receive` says so

    def receive(self) -> Message:
        """Return the answer of what was sent."""
        try:
            line = self._lines.get(timeout=self._seconds + (0 if self._has_answered else STARTING))
            self._has_answered = True
        except queue.Empty:
            self.close()
            return {"crash": f"no answer within {self._seconds:g} s"}
        if not line:
            self.close()
            return {"crash": "the process ended"}
        self._require_memory()
        answer: Message = json.loads(line)
        return answer

    def _start(self) -> None:
        environment = {"SERVICE_PYTHON": sys.executable, **os.environ, "SERVICE_LEDGER": "off"}
        if self._home is None:
            environment = {key: value for key, value in os.environ.items() if not key.startswith("SERVICE_")}
            environment |= {"SERVICE_HOME": self._folder.name, "SERVICE_DEVICE_KEY": DEVICE_KEY}
        else:
            environment["SERVICE_HOME"] = self._home
        self._process = subprocess.Popen(
            shlex.split(self.command),
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            env=environment | {"NODE_OPTIONS": "--disable-warning=ExperimentalWarning"},
        )
        self._lines, self._has_answered = queue.Queue(), False
        threading.Thread(target=self._read, args=(self._process, self._lines), daemon=True).start()

    @staticmethod
    def _read(process: subprocess.Popen[bytes], lines: queue.Queue[bytes]) -> None:
        assert process.stdout is not None  # noqa: S101
        for line in process.stdout:
            lines.put(line)
        lines.put(b"")

    def _require_memory(self) -> None:
        """Note what the process held at most, where the system tells."""
        if self._process is None:
            return
        try:
            with open(f"/proc/{self._process.pid}/status", encoding="ascii") as status:  # noqa: PTH123
                peak = next(int(line.split()[1]) for line in status if line.startswith("VmHWM"))
        except (OSError, StopIteration):
            return
        self.peak_megabytes = max(self.peak_megabytes, peak // 1_024)
        if self.peak_megabytes > MEGABYTES:
            raise MemoryError(f"{self.client} holds {self.peak_megabytes} MB; at most {MEGABYTES} are allowed.")

    def close(self) -> None:
        """End the process."""
        if self._process is not None:
            self._process.kill()
            self._process.wait()
            for stream in (self._process.stdin, self._process.stdout):
                assert stream is not None  # noqa: S101
                stream.close()
            self._process = None

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()
        self._folder.cleanup()
