// Opens notebooks in a JupyterLab that runs, and writes what it met as JSON.
//     node probe.mjs URL CHROMIUM OUTPUTS timed|traced NOTEBOOK...
// `ready` is from the command to open until each of the outputs is there and nothing in it is pending any more; `waited`
// from the first card to the last verdict. `parts` are the tasks of the main thread, and what of them were scripts,
// styles and layout, whoever's they are. Traced runs say more: `longest` and `total` are what scripts of
// @service-nb/lab took of the main thread, in one task and in all, and `busy` what everybody took of it. All but the
// first two are the processor's time, so that a busy machine does not count as ours. V8's profiler slows whoever runs
// scripts: a traced run says nothing about time.
import { createRequire } from "node:module";
import { argv, stdout } from "node:process";

const workspace = new URL("../../package.json", import.meta.url);
const { chromium } = createRequire(workspace)("@playwright/test");
const OURS = "/@service-nb/lab/";
const CATEGORIES = ["disabled-by-default-devtools.timeline", "disabled-by-default-v8.cpu_profiler", "__metadata"];
const PATIENCE_MS = 180_000;

const [url, executablePath, outputs, kind, ...notebooks] = argv.slice(2);
const isTraced = kind === "traced";
const browser = await chromium.launch({ executablePath, args: ["--no-sandbox", "--disable-gpu"] });
const met = [];
for (const notebook of notebooks) met.push({ notebook, ...(await opened(notebook)) });
await browser.close();
stdout.write(JSON.stringify(met));

async function opened(notebook) {
  const context = await browser.newContext({ viewport: { width: 1200, height: 1000 } });
  const page = await context.newPage();
  await page.goto(`${url}/lab?reset`);
  await page.waitForFunction(() => globalThis.jupyterapp !== undefined, null, { timeout: PATIENCE_MS });
  await page.evaluate(() => globalThis.jupyterapp.restored);
  await page.waitForTimeout(2000); // what JupyterLab still does by itself is nobody's notebook
  if (isTraced) await browser.startTracing(page, { categories: CATEGORIES });
  const session = await context.newCDPSession(page);
  await session.send("Performance.enable", { timeDomain: "threadTicks" });
  const before = await partsOf(session);
  const times = await page.evaluate(open, { notebook, outputs: Number(outputs), patience: PATIENCE_MS });
  const after = await partsOf(session);
  const parts = Object.fromEntries(Object.entries(after).map(([name, took]) => [name, took - before[name]]));
  const work = isTraced ? ours(JSON.parse((await browser.stopTracing()).toString()).traceEvents) : {};
  await context.close();
  return { ...times, parts, ...work };
}

/** What the main thread has worked so far, in milliseconds of the processor's time. */
async function partsOf(session) {
  const { metrics } = await session.send("Performance.getMetrics");
  const took = (name) => 1000 * metrics.find((metric) => metric.name === name).value;
  return { task: took("TaskDuration"), script: took("ScriptDuration"), style: took("RecalcStyleDuration"), layout: took("LayoutDuration") };
}

/** In the page. */
async function open({ notebook, outputs, patience }) {
  const started = performance.now();
  let firstCard;
  const isReady = () => {
    const all = document.querySelectorAll(".jp-Notebook .jp-OutputArea-output");
    const cards = document.querySelectorAll("section.service-card");
    if (cards.length > 0) firstCard ??= performance.now();
    const open = ".service-is-pending, .jp-Notebook .service-output:empty"; // a card that waits to be built, or for its verdict
    return all.length >= outputs && document.querySelector(open) === null;
  };
  const ready = new Promise((resolve, reject) => {
    const timer = setInterval(() => {
      if (isReady()) resolve(clearInterval(timer));
      else if (performance.now() - started > patience) reject(new Error("the notebook is not ready"));
    }, 100);
  });
  void globalThis.jupyterapp.commands.execute("docmanager:open", {
    path: notebook,
    factory: "Notebook",
    kernelPreference: { shouldStart: false, canStart: false },
  });
  await ready;
  const cards = [...document.querySelectorAll("section.service-card")];
  return {
    ready: performance.now() - started,
    waited: firstCard === undefined ? null : performance.now() - firstCard,
    cards: cards.length,
    verified: cards.filter((card) => /service-is-(verified|unaltered)/.test(card.className)).length,
  };
}

/** What scripts of ours took, from the samples of V8's profiler: by task, and in all. */
function ours(events) {
  const { pid, tid } = mainThread(events);
  const samples = ourSamples(events.filter((event) => event.pid === pid), tid);
  const tasks = events
    .filter((event) => event.name === "RunTask" && event.pid === pid && event.tid === tid && event.dur > 0 && event.tdur >= 0)
    .sort((one, other) => one.ts - other.ts);
  let longest = 0;
  let total = 0;
  let next = 0;
  for (const task of tasks) {
    let taken = 0;
    while (next < samples.length && samples[next].ts < task.ts) next += 1;
    for (; next < samples.length && samples[next].ts < task.ts + task.dur; next += 1) taken += samples[next].took;
    const worked = Math.min(taken * Math.min(1, task.tdur / task.dur), task.tdur) / 1000;
    longest = Math.max(longest, worked);
    total += worked;
  }
  const busy = tasks.reduce((sum, task) => sum + task.tdur, 0) / 1000;
  return { longest, total, busy };
}

function mainThread(events) {
  const mains = events.filter(({ name, args }) => name === "thread_name" && args.name === "CrRendererMain");
  const tasks = (main) => events.filter((event) => event.name === "RunTask" && event.pid === main.pid).length;
  return mains.sort((one, other) => tasks(other) - tasks(one))[0];
}

function ourSamples(events, tid) {
  const profile = events.find((event) => event.name === "Profile" && event.tid === tid);
  const nodes = new Map();
  const samples = [];
  let ts = profile.args.data.startTime;
  for (const { name, id, args } of events) {
    if (name !== "ProfileChunk" || id !== profile.id) continue;
    const { cpuProfile = {}, timeDeltas = [] } = args.data;
    for (const node of cpuProfile.nodes ?? []) {
      const isOurs = node.callFrame.url?.includes(OURS) || nodes.get(node.parent) === true;
      nodes.set(node.id, isOurs);
    }
    (cpuProfile.samples ?? []).forEach((node, index) => {
      const took = timeDeltas[index] ?? 0;
      if (nodes.get(node) === true) samples.push({ ts, took });
      ts += took;
    });
  }
  return samples.sort((one, other) => one.ts - other.ts);
}
