/** The deployment that the environment names, ready for calls. */

import { DeploymentClient } from "../deployment/client.js";
import { buildDeployment } from "../deployment/sources.js";
import { type DeploymentOptions } from "../service/host.js";
import { type Deployment } from "../service/live.js";
import { findAddress } from "./address.js";
import { openTransport } from "./http.js";

/**
 * Opens the deployment that the environment names; undefined if it names none.
 *
 * @throws {ServiceError} `invalid_intent` of a malformed address or key, `secret_unavailable` of a stored key that others may have read.
 */
export function openDeployment({ environment, tenantId, limits }: DeploymentOptions): Deployment | undefined {
  const address = findAddress(environment);
  if (address === undefined) return undefined;
  const transport = openTransport(address);
  return buildDeployment(new DeploymentClient(transport, address.key, tenantId), limits, transport.now);
}
