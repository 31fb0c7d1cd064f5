import { fileURLToPath } from "node:url";
import { defineConfig } from "vitest/config";

export default defineConfig({
  test: { include: ["packages/*/test/**/*.test.ts"], environment: "node" },
  // The tests run on the sources, whatever was built.
  resolve: {
    alias: { "@service-nb/records": fileURLToPath(new URL("packages/records/src/index.ts", import.meta.url)) },
  },
});
