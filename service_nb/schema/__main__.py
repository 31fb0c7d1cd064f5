"""Print the JSON Schema of cards, statements, receipts, ledger documents and hashed texts."""

from __future__ import annotations

import json
import sys

from service_nb.schema.json_schema import describe_shapes

sys.stdout.write(json.dumps(describe_shapes(), indent=2, ensure_ascii=False) + "\n")
