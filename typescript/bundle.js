// Writes bundles that a page loads without a server:
//     node typescript/bundle.js verify FILE     the verifier as a classic script: `serviceNbVerify.verifyDocument(text)`
//     node typescript/bundle.js core FILE       the client of bytes and objects as a classic script: `serviceNbClient.createService()`
//     node typescript/bundle.js app FOLDER      the card in hosts of agents: card-app.js, a classic script, and card-app.css
//     node typescript/bundle.js panel FOLDER    the panel as anywidget loads it: panel.js, a module, and panel.css
import { argv, exit, stderr } from "node:process";
import { build } from "esbuild";

const SHARED = {
  bundle: true,
  minify: true,
  platform: "browser",
  target: ["es2023", "chrome119", "firefox119", "safari16.4"],
  charset: "ascii",
  legalComments: "eof",
  logLevel: "error",
};

const BUNDLES = {
  verify: (file) => ({
    entryPoints: ["typescript/packages/verify/dist/index.js"],
    outfile: file,
    format: "iife",
    globalName: "serviceNbVerify",
  }),
  core: (file) => ({
    entryPoints: ["typescript/packages/client/dist/core.js"],
    outfile: file,
    format: "iife",
    globalName: "serviceNbClient",
  }),
  panel: (folder) => ({
    entryPoints: [
      { in: "typescript/packages/panel/dist/widget.js", out: "panel" },
      { in: "typescript/packages/panel/style/index.css", out: "panel" },
    ],
    outdir: folder,
    format: "esm",
  }),
  app: (folder) => ({
    entryPoints: [
      { in: "labextension/dist/app/card-app.js", out: "card-app" },
      { in: "labextension/style/card-app.css", out: "card-app" },
    ],
    outdir: folder,
    format: "iife",
  }),
};

const [name, target] = argv.slice(2);
const options = Object.hasOwn(BUNDLES, name) && target !== undefined ? BUNDLES[name](target) : undefined;
if (options === undefined) {
  stderr.write("usage: node typescript/bundle.js verify FILE | core FILE | app FOLDER | panel FOLDER\n");
  exit(2);
}
await build({ ...SHARED, ...options });
