import { fileURLToPath } from "node:url";
import * as workers from "node:worker_threads";
import { defineConfig } from "vitest/config";

// On an older Node every file that needs a page fails before its first test, in words that do not say why.
if (!("markAsUncloneable" in workers))
  throw new Error(
    `These tests need Node 22.22 or 24.15, or later; this is ${process.version}. ` +
      "In a checkout with its Python environment: python -m tests.tools.node test packages/panel",
  );

const source = (name: string): string => fileURLToPath(new URL(`packages/${name}/src/index.ts`, import.meta.url));

export default defineConfig({
  root: fileURLToPath(new URL("..", import.meta.url)),
  // A busy machine is no fault of a test's: what hangs ends all the same.
  test: {
    include: ["{labextension,typescript/packages/*}/test/**/*.test.ts"],
    environment: "node",
    testTimeout: 120_000,
    hookTimeout: 120_000,
    expect: { poll: { timeout: 60_000 } },
  },
  // The tests run on the sources, whatever was built.
  resolve: {
    alias: {
      "@service-nb/records": source("records"),
      "@service-nb/verify": source("verify"),
      "@service-nb/cards/text": source("cards").replace(/index\.ts$/, "text.ts"),
      "@service-nb/cards": source("cards"),
      "@service-nb/link": source("link"),
      "@service-nb/panel": source("panel"),
      "@service-nb/client/core": source("client").replace(/index\.ts$/, "core.ts"),
      "@service-nb/client": source("client"),
      "@service-nb/agents": source("agents"),
    },
  },
});
