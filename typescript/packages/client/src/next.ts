/** The client for what Next.js runs on its Node runtime: whatever would send it to a browser does not build. */

import "server-only";

export * from "./index.js";
