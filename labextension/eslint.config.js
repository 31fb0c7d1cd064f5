import { defineConfig, globalIgnores } from "eslint/config";
import eslint from "@eslint/js";
import tseslint from "typescript-eslint";

const MAX_LINES = { max: 400 };
const MAX_FUNCTION_LINES = { max: 50, skipBlankLines: true, skipComments: true };

export default defineConfig(
  globalIgnores(["**/dist/", "**/node_modules/", "**/build/"]),
  eslint.configs.recommended,
  {
    files: ["**/*.ts"],
    extends: [tseslint.configs.strictTypeChecked, tseslint.configs.stylisticTypeChecked],
    languageOptions: { parserOptions: { projectService: true, tsconfigRootDir: import.meta.dirname } },
    rules: {
      "@typescript-eslint/switch-exhaustiveness-check": ["error", { considerDefaultExhaustiveForUnions: true }],
      "@typescript-eslint/explicit-module-boundary-types": "error",
      "@typescript-eslint/consistent-type-imports": ["error", { fixStyle: "inline-type-imports" }],
      "max-lines": ["error", MAX_LINES],
      "max-lines-per-function": ["error", MAX_FUNCTION_LINES],
      "max-params": ["error", 5],
      "no-restricted-globals": ["error", "Buffer", "process", "window", "document"],
      eqeqeq: "error",
    },
  },
  {
    // The library runs in browsers as it does in Node.
    files: ["packages/*/src/**/*.ts"],
    ignores: ["packages/verify/src/batch.ts"],
    rules: { "no-restricted-imports": ["error", { patterns: ["node:*"] }], "no-console": "error" },
  },
  {
    files: ["packages/*/test/**/*.ts"],
    rules: { "max-lines-per-function": "off" },
  },
);
