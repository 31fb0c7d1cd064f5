/** Fetches a key by device code (RFC 8628): asks for codes, then polls until the key is granted. */

import { ServiceError } from "../errors.js";
import { type DeploymentClient } from "./client.js";
import { buildUnavailable } from "./faults.js";
import { type DeviceCodeAnswer, type DeviceTokenAnswer } from "./messages.js";
import { Secret } from "./secret.js";
import { type Transport } from "./transport.js";

const SLOWER_S = 5; // RFC 8628, 3.5
const CALL_S = 30;
const [LONGEST_S, SLOWEST_S] = [3_600, 60]; // whatever the deployment says
const CODE = /^[A-Z0-9]{2,12}(?:-[A-Z0-9]{2,12}){0,3}$/;
const KEY = /^[A-Za-z0-9._~+/-]{8,512}=*$/;
const GRANT = "urn:ietf:params:oauth:grant-type:device_code";

/** Who asks for a key, for what, and how the code is shown that is to be approved. */
export interface Enrolment {
  readonly machine: string;
  readonly scope: string;
  readonly tell: (codes: DeviceCodeAnswer) => void;
}

/**
 * Asks for a key, has `tell` show the code that is to be approved, and returns the key once it was.
 *
 * @throws {ServiceError} `forbidden` where it was refused, `timeout` where nobody approved it in time, or what the deployment answers.
 */
export async function requestKey(
  deployment: DeploymentClient,
  { now, sleep }: Pick<Transport, "now" | "sleep">,
  { machine, scope, tell }: Enrolment,
): Promise<Secret> {
  const client = `service-nb on ${machine}`;
  const asked = { client_id: client, scope };
  const codes = await deployment.post("/v1/device/code", asked, "DeviceCodeAnswer", { timeoutS: CALL_S });
  requireForm(CODE, codes.user_code); // it is shown in a terminal, within a command
  tell(codes);
  const secret = new Secret(codes.device_code);
  const until = now() + Math.min(codes.expires_in, LONGEST_S) * 1_000;
  let pause = codes.interval;
  while (now() < until) {
    await sleep(Math.min(Math.max(pause, 0), SLOWEST_S) * 1_000);
    const answer = await poll(deployment, client, secret);
    if (!(answer instanceof ServiceError)) {
      requireForm(KEY, answer.access_token);
      return new Secret(answer.access_token);
    }
    pause = choosePause(answer, pause);
  }
  throw expiredError();
}

/** The key, or why there is none yet. */
async function poll(
  deployment: DeploymentClient,
  client: string,
  secret: Secret,
): Promise<DeviceTokenAnswer | ServiceError> {
  const question = { grant_type: GRANT, device_code: secret.reveal(), client_id: client };
  try {
    const about = { timeoutS: CALL_S, hidden: [secret] };
    return await deployment.post("/v1/device/token", question, "DeviceTokenAnswer", about);
  } catch (error) {
    if (error instanceof ServiceError && error.code === "invalid_intent") return error;
    throw error;
  }
}

/** The pause before the next poll; throws what ends the polling. */
function choosePause(error: ServiceError, pause: number): number {
  switch (error.details["reason"]) {
    case "authorization_pending":
      return pause;
    case "slow_down":
      return pause + SLOWER_S;
    case "access_denied":
      throw new ServiceError("forbidden", "The operator of the deployment refused this device a key.");
    case "expired_token":
      throw expiredError();
    default:
      throw error;
  }
}

function requireForm(form: RegExp, text: string): void {
  if (form.test(text)) return;
  const message = "The server at that address is not a deployment: its code or key is malformed.";
  throw buildUnavailable("malformed", message, { passes: false });
}

function expiredError(): ServiceError {
  const hint = "Run `service-nb-client login --deployment` again.";
  return new ServiceError("timeout", "The code was not approved in time.", { hint });
}
