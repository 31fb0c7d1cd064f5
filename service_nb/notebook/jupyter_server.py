"""The part of the Jupyter server: tells the page whose signatures its user knows, before any kernel runs.

One route, `GET service-nb/keys`, for whoever is logged in to the server. A file in the wheel enables it,
`etc/jupyter/jupyter_server_config.d/service_nb.json`; where it is missing, only the settings of the page name keys.
"""

from __future__ import annotations

import json
from typing import Any

from jupyter_server.auth.decorator import authorized
from jupyter_server.base.handlers import APIHandler
from jupyter_server.utils import url_path_join
from tornado import web

from service_nb.client import user_keys as device
from service_nb.client.user_keys import read_trusted_keys
from service_nb.errors import InvalidIntentError, LoginRequiredError

ROUTE = ("service-nb", "keys")

Known = dict[str, object]  # JSON: own, trusted, faults


def read_known_keys() -> Known:
    """Read the key of this device and the keys that its user trusts, with the faults met."""
    faults: list[str] = []
    own: list[str] = []
    try:
        found = device.find_device()
        own = [found.public_key] if found is not None else []
    except LoginRequiredError as error:
        faults.append(str(error))
    try:
        trusted = [{"key": each.key, "name": each.name} for each in read_trusted_keys()]
    except InvalidIntentError as error:
        trusted = []
        faults.append(str(error))
    return {"own": own, "trusted": trusted, "faults": faults}


class KeysHandler(APIHandler):
    """Answers which keys are known. It changes nothing and holds no secret."""

    auth_resource = "service_nb"

    @web.authenticated
    @authorized
    def get(self) -> None:
        """Answer with `read_known_keys` as JSON."""
        self.set_header("Cache-Control", "no-store")
        self.finish(json.dumps(read_known_keys()))


def _jupyter_server_extension_points() -> list[dict[str, str]]:
    return [{"module": "service_nb.notebook.jupyter_server"}]


def _load_jupyter_server_extension(server: Any) -> None:
    app = server.web_app
    app.add_handlers(".*$", [(url_path_join(app.settings["base_url"], *ROUTE), KeysHandler)])
