/** What a route of Next.js gets on the edge, where there are no files, no processes and no keys: a refusal. */

import { ServiceError } from "./errors.js";

export * from "./core.js";

/** @throws {ServiceError} `unsupported_platform`, always. */
export function createService(): never {
  throw new ServiceError("unsupported_platform", "This route runs on the edge, and the client needs Node.", {
    hint: 'Write in the file of the route: export const runtime = "nodejs"',
    details: { met: "edge", expected: "nodejs" },
  });
}
