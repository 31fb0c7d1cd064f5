"""Fetch a key by device code (RFC 8628): ask for codes, then poll until the key is granted."""

from __future__ import annotations

import re
import socket
import time
from collections.abc import Callable

from service_nb.core.secret import Secret
from service_nb.core.stopping import find_current_stop
from service_nb.deployment.faults import build_unavailable
from service_nb.deployment.http import DeploymentClient
from service_nb.deployment.messages import DeviceCodeAnswer, DeviceCodeRequest, DeviceTokenAnswer, DeviceTokenRequest
from service_nb.errors import ForbiddenError, InvalidIntentError, QueryInterruptedError, QueryTimeoutError

_SLOWER_S = 5  # RFC 8628, 3.5
_CALL_S = 30.0
_LONGEST_S, _SLOWEST_S = 3_600, 60.0  # whatever the deployment says
_TICK_S = 0.5
_CODE = re.compile(r"[A-Z0-9]{2,12}(?:-[A-Z0-9]{2,12}){0,3}")
_KEY = re.compile(r"[A-Za-z0-9._~+/-]{8,512}=*")


def _sleep(seconds: float) -> None:
    end, stop = time.monotonic() + seconds, find_current_stop()
    while (left := end - time.monotonic()) > 0:
        if stop is not None and stop.is_requested:
            raise QueryInterruptedError("The login was interrupted.")
        time.sleep(min(left, _TICK_S))


def request_key(
    deployment: DeploymentClient,
    tell: Callable[[DeviceCodeAnswer], object],
    *,
    scope: str | None = None,
    rest: Callable[[float], object] = _sleep,
) -> Secret:
    """Ask for a key, have `tell` show the code that is to be approved, and return the key once it was.

    Raises `forbidden` where it was refused, `timeout` where nobody approved it in time, or what the deployment answers.
    """
    client = f"service-nb on {_name_machine()}"
    asked = DeviceCodeRequest(client_id=client, scope=scope or "")
    codes = deployment.post("/v1/device/code", asked, DeviceCodeAnswer, timeout_s=_CALL_S)
    _check_form(_CODE, codes.user_code)  # it is shown in a terminal, within a command
    tell(codes)
    secret = Secret(codes.device_code)
    until, pause = time.monotonic() + min(codes.expires_in, _LONGEST_S), float(codes.interval)
    while time.monotonic() < until:
        rest(min(max(pause, 0.0), _SLOWEST_S))
        question = DeviceTokenRequest(
            grant_type="urn:ietf:params:oauth:grant-type:device_code", device_code=secret.reveal(), client_id=client
        )
        try:
            answer = deployment.post(
                "/v1/device/token", question, DeviceTokenAnswer, timeout_s=_CALL_S, hidden=(secret,)
            )
        except InvalidIntentError as error:
            pause = _choose_pause(error, pause)
            continue
        _check_form(_KEY, answer.access_token)
        return Secret(answer.access_token)
    raise _build_expired()


def _check_form(form: re.Pattern[str], text: str) -> None:
    if form.fullmatch(text) is None:
        raise build_unavailable(
            "malformed", "The server at that address is not a deployment: its code or key is malformed.", passes=False
        )


def _choose_pause(error: InvalidIntentError, pause: float) -> float:
    """Choose the pause before the next poll; raise what ends the polling."""
    match error.details.get("reason"):
        case "authorization_pending":
            return pause
        case "slow_down":
            return pause + _SLOWER_S
        case "access_denied":
            raise ForbiddenError("The operator of the deployment refused this device a key.") from None
        case "expired_token":
            raise _build_expired() from None
    raise error


def _build_expired() -> QueryTimeoutError:
    return QueryTimeoutError("The code was not approved in time.", hint="Run `service-nb login --deployment` again.")


def _name_machine() -> str:
    name = "".join(each for each in socket.gethostname() if each.isalnum() or each in ".-_")
    return name[:100] or "a machine"
