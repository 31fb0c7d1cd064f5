/** The client for Node; what needs no Node is in `@service-nb/client/core`. */

import { NODE } from "./node/host.js";
import { createServiceOn } from "./service/create.js";
import { type Service, type ServiceConfig } from "./service/service.js";

export { formatAsk, parseAsk, Policy, ServiceError } from "./core.js";
export type * from "./core.js";

/** Creates a client of files, SQLite, bytes and objects; its cards are signed where the device has a key. */
export function createService(config?: ServiceConfig): Service {
  return createServiceOn(NODE, config);
}
