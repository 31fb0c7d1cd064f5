"""The TypeScript client of a deployment, in a process of its own."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from tests.tools import node

ADAPTER = Path(node.__file__).parent / "second_deployment.mjs"
Step = list[Any]


def describe_client(url: str, key: str | None, steps: list[Step], **config: Any) -> dict[str, Any]:
    """Describe a client with what it is to do; `steps` are its methods, each with its arguments."""
    environment = {"SERVICE_DEPLOYMENT_URL": url, "SERVICE_API_KEY": key, "SERVICE_DEVICE_KEY": None}
    return {"environment": environment, "config": {"timeout": 30, **config}, "steps": steps}


def run_clients(*clients: dict[str, Any]) -> list[list[dict[str, Any]]]:
    """Run clients one after the other; each answer is `{"ok": …}`, or an error as JSON."""
    node.built()
    answers: list[list[dict[str, Any]]] = json.loads(node.node(ADAPTER, stdin=json.dumps(clients).encode()))
    return answers


def run_client(url: str, key: str | None, *steps: Step, **config: Any) -> list[dict[str, Any]]:
    """Run one client."""
    return run_clients(describe_client(url, key, list(steps), **config))[0]
