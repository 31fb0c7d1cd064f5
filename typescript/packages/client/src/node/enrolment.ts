/** The login at a deployment: its key by device code, stored for this user and that address. */

import { hostname } from "node:os";
import { env } from "node:process";
import { DeploymentClient } from "../deployment/client.js";
import { requestKey } from "../deployment/enrolment.js";
import { type DeviceCodeAnswer } from "../deployment/messages.js";
import { readAddress, storeKey } from "./address.js";
import { openTransport } from "./http.js";

/**
 * Fetches and stores the key of a deployment, and returns its address.
 *
 * @throws {ServiceError} `invalid_intent`, `forbidden`, `timeout`, `secret_unavailable`, or what the deployment answers.
 */
export async function enrol(
  url: string,
  scope: string,
  tell: (codes: DeviceCodeAnswer) => void,
): Promise<{ readonly base: string }> {
  const address = readAddress(url, (name) => env[name]);
  const transport = openTransport(address);
  try {
    const deployment = new DeploymentClient(transport, undefined);
    storeKey(address.base, await requestKey(deployment, transport, { machine: nameMachine(), scope, tell }));
  } finally {
    transport.close();
  }
  return { base: address.base };
}

function nameMachine(): string {
  return (
    hostname()
      .replace(/[^\p{L}\p{N}._-]/gu, "")
      .slice(0, 100) || "a machine"
  );
}
