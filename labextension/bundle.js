// Writes the verifier as one file for a page without modules: `serviceNbVerify.verifyDocument(text)`.
//     node bundle.js FILE
import { argv } from "node:process";
import { build } from "esbuild";

await build({
  entryPoints: ["packages/verify/dist/index.js"],
  outfile: argv[2] ?? "build/verify.js",
  bundle: true,
  minify: true,
  format: "iife",
  globalName: "serviceNbVerify",
  platform: "browser",
  target: ["es2023", "chrome119", "firefox119", "safari16.4"],
  charset: "ascii",
  logLevel: "error",
});
