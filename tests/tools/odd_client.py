"""A client to try the runner of `conformance` on, wrong in known ways: `min` is `max`, `sum` ends it, `avg` hangs."""

from __future__ import annotations

import json
import sys
import time
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[2]))

from conformance.python_client import Client, open_folder

with open_folder() as folder:
    client = Client(folder)
    for line in sys.stdin:
        request = json.loads(line.replace('"min"', '"max"'))
        if "sum a" in line:
            sys.exit(3)
        if "avg a" in line:
            time.sleep(600)
        answer = dict(client.answer(request))
        if request["verb"] == "hello":
            answer["verbs"] = ["open", "connect", "ask", "check"]
        print(json.dumps(answer), flush=True)
