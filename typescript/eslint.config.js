import { defineConfig, globalIgnores } from "eslint/config";
import eslint from "@eslint/js";
import jupyter from "@jupyter/eslint-plugin";
import tseslint from "typescript-eslint";

const MAX_FUNCTION_LINES = { max: 50, skipBlankLines: true, skipComments: true };

// Whatever a page shows is made of elements and of text. None of these would keep text from becoming markup or a script.
const MARKUP =
  /^(innerHTML|outerHTML|srcdoc|insertAdjacentHTML|createContextualFragment|parseFromString|setHTMLUnsafe)$/;
const NO_MARKUP = [
  `MemberExpression[property.name=${String(MARKUP)}]`,
  `MemberExpression[property.value=${String(MARKUP)}]`,
  "CallExpression[callee.object.name='document'][callee.property.name=/^write(ln)?$/]",
  "CallExpression[callee.object.property.name='document'][callee.property.name=/^write(ln)?$/]",
].map((selector) => ({ selector, message: "Text becomes markup here: use textContent and createElement." }));

// Evidence is shown, and verified, without a network.
const NETWORK = ["fetch", "XMLHttpRequest", "WebSocket", "EventSource"];
const NODE = ["Buffer", "process"];
const PAGE = ["window", "document"];

const NODE_MODULES = { group: ["node:*"], message: "The packages run in browsers." };
const HOST = { group: ["@jupyterlab/*", "@lumino/*"], message: "Only labextension knows JupyterLab." };

const rulesOfJupyter = Object.keys(jupyter.rules);
const ofSpecs = rulesOfJupyter.filter((name) => /^galata-|soft-assertions/.test(name)); // on screenshots, and on taste
const ofSchemas = ["no-schema-enum"];
const ofSources = rulesOfJupyter.filter((name) => ![...ofSpecs, ...ofSchemas].includes(name));
const asErrors = (names) => Object.fromEntries(names.map((name) => [`jupyter/${name}`, "error"]));
const schemas = jupyter.configs.recommended.find(({ files }) => files.includes("**/schema/*.json"));

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
      "max-lines-per-function": ["error", MAX_FUNCTION_LINES],
      "max-params": ["error", 5],
      "no-eval": "error",
      "no-new-func": "error",
      eqeqeq: "error",
    },
  },
  {
    files: ["{labextension,typescript/packages/*}/src/**/*.ts"],
    rules: {
      "no-console": "error",
      "no-restricted-globals": ["error", ...NODE, ...NETWORK],
      "no-restricted-imports": ["error", { patterns: [NODE_MODULES, HOST] }],
      "no-restricted-syntax": ["error", ...NO_MARKUP],
    },
  },
  {
    // These know no page: they run in workers and in Node as they do in browsers.
    files: ["typescript/packages/{records,verify,client,agents}/src/**/*.ts"],
    rules: { "no-restricted-globals": ["error", ...NODE, ...NETWORK, ...PAGE] },
  },
  {
    files: ["labextension/src/**/*.ts"],
    plugins: { jupyter },
    rules: { ...asErrors(ofSources), "no-restricted-imports": ["error", { patterns: [NODE_MODULES] }] },
  },
  {
    // What cards and forms say comes from packages that know no JupyterLab, as texts in English.
    files: ["labextension/src/translation.ts"],
    rules: { "jupyter/no-dynamic-translation": "off" },
  },
  {
    ...schemas,
    files: ["labextension/schema/*.json"],
    plugins: { jupyter },
    rules: asErrors(ofSchemas),
  },
  {
    // The one entrance that Node runs: verdicts for many documents, over its standard streams.
    files: ["typescript/packages/verify/src/batch.ts"],
    rules: { "no-restricted-imports": "off" },
  },
  {
    // The client's files, databases, keys, runtime and command: whatever else it does runs in browsers too.
    files: ["typescript/packages/client/src/{node,runtime,wasm,command}/**/*.ts"],
    rules: { "no-restricted-imports": "off", "no-restricted-globals": ["error", ...NETWORK, ...PAGE] },
  },
  {
    files: ["{labextension,typescript/packages/*}/test/**/*.ts", "labextension/ui-tests/**/*.ts"],
    rules: { "max-lines-per-function": "off" },
  },
);
