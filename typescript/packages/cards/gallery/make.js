// Writes build/gallery/{light,dark}.html: every card of the vectors in the themes of JupyterLab, for a look at them.
//     node packages/cards/gallery/make.js FOLDER_OF_THEMES
// FOLDER_OF_THEMES is share/jupyter/lab/themes/@jupyterlab of an environment with JupyterLab.
import { mkdirSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { argv } from "node:process";
import { fileURLToPath, URL } from "node:url";
import { build } from "esbuild";

const here = new URL(".", import.meta.url);
const out = new URL("../../../build/gallery/", here);
const vectors = new URL("../../../../tests/vectors/faces/", here);
const themes = argv[2];
mkdirSync(out, { recursive: true });

await build({
  entryPoints: [fileURLToPath(new URL("page.js", here))],
  outfile: fileURLToPath(new URL("gallery.js", out)),
  alias: { "@service-nb/verify": fileURLToPath(new URL("../../verify/dist/index.js", here)) },
  bundle: true,
  format: "iife",
  globalName: "gallery",
  target: "es2023",
  logLevel: "error",
});
const style = await build({
  entryPoints: [fileURLToPath(new URL("../style/index.css", here))],
  bundle: true,
  write: false,
  logLevel: "error",
});

const cases = readdirSync(vectors)
  .flatMap((file) => JSON.parse(readFileSync(new URL(file, vectors), "utf-8")).cases)
  .filter((each) => each.card !== undefined)
  .map(({ name, card }) => ({ name, card }));
const grouped = cases.find(({ name }) => name === "grouped").card;
const single = cases.find(({ name }) => name === "one number").card;
const changed = (card, rows) => ({ ...card, view: { ...card.view, rows } });
const all = [
  { name: "pending", card: single },
  { name: "forged number", card: changed(single, [["2257175", "336776"]]) },
  { name: "forged table", card: changed(grouped, [["F9", "99.5", "685"], ...grouped.view.rows.slice(1)]) },
  { name: "unknown version", card: { ...single, version: 9 } },
  { name: "no card", card: { kind: "query", version: 1 } },
  ...cases,
];

for (const theme of ["light", "dark"]) {
  const variables = readFileSync(`${themes}/theme-${theme}-extension/index.css`, "utf-8");
  const html = `<!doctype html><html lang="en"><meta charset="utf-8"><title>Cards, ${theme}</title>
<meta name="viewport" content="width=device-width, initial-scale=1">
<style>${variables}</style><style>${style.outputFiles[0].text}</style>
<style>body{margin:12px;background:var(--jp-layout-color1);color:var(--jp-content-font-color2);overflow:auto}
h2{font:11px var(--jp-ui-font-family);margin:16px 0 2px}</style>
<body><main></main><script src="gallery.js"></script>
<script>gallery.show(document.querySelector("main"), ${JSON.stringify(all).replaceAll("<", "\\u003c")})</script>`;
  writeFileSync(new URL(`${theme}.html`, out), html);
}
