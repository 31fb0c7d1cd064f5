/** What a page of Next.js would get: nothing, because what asks for it on a page does not build. */

import "server-only";

export * from "./next-edge.js";
