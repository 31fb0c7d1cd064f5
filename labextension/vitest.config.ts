import { fileURLToPath } from "node:url";
import { defineConfig } from "vitest/config";

const PACKAGES = ["records", "verify", "cards", "client", "panel"];
const sources = PACKAGES.map((name) => [
  `@service-nb/${name}`,
  fileURLToPath(new URL(`packages/${name}/src/index.ts`, import.meta.url)),
]);

export default defineConfig({
  test: { include: ["packages/*/test/**/*.test.ts"], environment: "node" },
  // The tests run on the sources, whatever was built.
  resolve: { alias: Object.fromEntries(sources) },
});
