// What JupyterLab's extension says of notebooks, asked without a browser: a JSON text on standard input,
// {"keys": […], "own": […], "contracts": […], "names": {key: name}, "notebooks": [{"name", "text", "sha256", "report"}]},
// and for each notebook {"document", "sidebar", "seal", "page", "pageOfCommand"} on standard output; without a report of
// the command the document alone.
//
// JupyterLab's model of a notebook is all that is made here; who reads, judges and words it is the extension.
import { readFileSync } from "node:fs";

const packages = new URL("../../typescript/packages/", import.meta.url);
const labextension = new URL("../../labextension/", import.meta.url);
const load = (path, folder = labextension) => import(new URL(path, folder));
const { headline } = await load("cards/dist/index.js", packages);
const { ownerOf, setOwners } = await load("dist/environment.js");
const { buildReport } = await load("dist/report/build.js");
const { reportPage } = await load("dist/report/page.js");
const { NotebookEvidence } = await load("dist/tracking.js");
const { setTerms, verdictOf, verdictOfSeal, verdictsOfDocument } = await load("dist/verdicts.js");

const { keys, own, contracts, names, notebooks } = JSON.parse(readFileSync(0, "utf-8"));
const terms = { keys, own, contracts };
setOwners((key) => (own.includes(key) ? "you" : keys.includes(key) ? { name: names[key] ?? "" } : undefined));
setTerms(terms);

const signal = { connect() {}, disconnect() {}, emit() {} };

/** A notebook as JupyterLab has it once it is open: sources and texts joined, outputs of code cells alone. */
function modelOf({ cells, metadata }) {
  const made = cells.map((cell) => ({
    id: cell.id,
    type: cell.cell_type,
    isDisposed: false,
    executionCount: cell.execution_count ?? null,
    contentChanged: signal,
    sharedModel: { getSource: () => [cell.source].flat().join("") },
    outputs: { changed: signal, toJSON: () => cell.outputs ?? [] },
  }));
  const list = { changed: signal, length: made.length, get: (at) => made[at], [Symbol.iterator]: () => made.values() };
  return { cells: list, metadata, metadataChanged: signal };
}

async function sidebarOf(document) {
  const evidence = new NotebookEvidence({ model: modelOf(document) }, { card: verdictOf, seal: verdictOfSeal });
  await evidence.look();
  await evidence.verifyAll(() => undefined);
  const cards = evidence.cards.map(({ evidence: { cell, output, signer, device }, verdict }) => {
    const context = signer === null ? {} : { signer: device ?? undefined, key: signer, owner: ownerOf(signer) };
    const { state, label } = headline(verdict, context);
    return { subject: `cell ${cell}, output ${output}`, status: state, headline: label };
  });
  const told = { sidebar: cards, seal: evidence.seal === null ? null : evidence.seal.status };
  evidence.dispose();
  return told;
}

const answers = [];
for (const { name, text, sha256, report } of notebooks) {
  const verdicts = await verdictsOfDocument(text);
  const made = buildReport({ name, text, sha256, verdicts, terms, ownerOf, madeAt: new Date() });
  const document = made.files[0].verdicts.map(({ subject, status, headline: label }) => ({ subject, status, headline: label }));
  if (report === null) {
    answers.push({ document }); // its verdicts alone are asked for
    continue;
  }
  const isOpen = verdicts[0]?.subject !== "document"; // JupyterLab opens what is a notebook
  const seen = isOpen ? await sidebarOf(JSON.parse(text)) : { sidebar: null, seal: null };
  answers.push({ document, ...seen, page: reportPage(made), pageOfCommand: reportPage(report) });
}
process.stdout.write(JSON.stringify(answers), () => process.exit(0)); // the queues of a page never end
