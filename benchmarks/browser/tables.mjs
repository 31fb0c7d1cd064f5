// Shows a card of many rows in a browser, and writes what it took as JSON, in milliseconds.
//     node tables.mjs CHROMIUM ROWS
// Each is what passed until the next frame was drawn (`wall`) and what of it the page's thread worked (`work`), of the
// processor's time, so that a busy machine does not count as ours: of scrolling the longest frame, and the longest task.
// `parts` are what that task did: scripts, styles, layout, painting.
import { createRequire } from "node:module";
import { argv, stdout } from "node:process";
import { fileURLToPath } from "node:url";

const workspace = new URL("../../package.json", import.meta.url);
const require = createRequire(workspace);
const { chromium } = require("@playwright/test");
const { build } = require("esbuild");
const packages = new URL("../../typescript/packages/", import.meta.url);

const CATEGORIES = ["toplevel", "devtools.timeline", "disabled-by-default-devtools.timeline", "__metadata"];
const PARTS = {
  FunctionCall: "script",
  FireAnimationFrame: "script",
  TimerFire: "script",
  EventDispatch: "script",
  UpdateLayoutTree: "style",
  Layout: "layout",
  PrePaint: "paint",
  Paint: "paint",
  Layerize: "paint",
  Commit: "paint",
};
const [executablePath, rows] = argv.slice(2);
const bundled = (file, name) =>
  build({
    entryPoints: [fileURLToPath(new URL(file, packages))],
    bundle: true,
    write: false,
    minify: true,
    format: "iife",
    target: "es2023",
    logLevel: "error",
    ...(name === undefined ? {} : { globalName: name }),
  });
const script = await bundled("cards/dist/index.js", "cards");
const style = await bundled("cards/style/index.css");

const browser = await chromium.launch({ executablePath, args: ["--no-sandbox", "--disable-gpu"] });
const page = await browser.newPage({ viewport: { width: 1200, height: 900 } });
await page.setContent(`<!doctype html><html lang="en"><style>${style.outputFiles[0].text}</style><body></body></html>`);
await page.addScriptTag({ content: script.outputFiles[0].text });
await page.evaluate(prepare, Number(rows));
const met = {};
for (const step of ["read", "paint", "wheel", "thumb", "filter", "refilter"]) met[step] = await timed(step);
const columns = await page.evaluate(() => globalThis.bench.names);
met.sorts = {};
for (const name of columns) met.sorts[name] = [await timed(`sort:${name}`), await timed(`sort:${name}`)];
stdout.write(JSON.stringify({ ...met, ...(await page.evaluate(() => globalThis.bench.facts())) }));
await browser.close();

async function timed(step) {
  await page.waitForTimeout(100);
  await browser.startTracing(page, { categories: CATEGORIES });
  const wall = await page.evaluate((name) => globalThis.bench.run(name), step);
  const { traceEvents } = JSON.parse((await browser.stopTracing()).toString());
  const mains = traceEvents.filter(({ name, args }) => name === "thread_name" && args.name === "CrRendererMain");
  const tasks = traceEvents.filter(
    ({ name, pid, tid, tdur }) => name === "RunTask" && tdur > 0 && mains.some((main) => main.pid === pid && main.tid === tid),
  );
  const longest = tasks.reduce((most, task) => (task.tdur > most.tdur ? task : most));
  return { wall, work: longest.tdur / 1000, parts: partsOf(longest, traceEvents) };
}

/** What a task did, in milliseconds of the processor's time: a layout that a script waited for counts as layout. */
function partsOf(task, events) {
  const parts = { script: 0, style: 0, layout: 0, paint: 0 };
  const isInside = ({ ts, dur, pid, tid }, { ts: from, dur: length, pid: process, tid: thread }) =>
    pid === process && tid === thread && ts >= from && ts + dur <= from + length;
  const open = [];
  const inside = events.filter((event) => event.tdur >= 0 && Object.hasOwn(PARTS, event.name) && isInside(event, task));
  for (const event of inside.sort((one, other) => one.ts - other.ts || other.dur - one.dur)) {
    while (open.length > 0 && !isInside(event, open.at(-1))) open.pop();
    if (open.length > 0) parts[PARTS[open.at(-1).name]] -= event.tdur / 1000;
    parts[PARTS[event.name]] += event.tdur / 1000;
    open.push(event);
  }
  return parts;
}

/** In the page. */
function prepare(count) {
  const columns = [
    { name: "customer", type: "string", role: "key" },
    { name: "day", type: "date", role: "key" },
    { name: "amount", type: "number", role: "metric" },
    { name: "decimal", type: "number", role: "metric" },
    { name: "count", type: "number", role: "count" },
  ];
  const result = Array.from({ length: count }, (_, at) => {
    const mixed = (at * 2654435761) % 4294967296;
    return {
      amount: mixed / 1000 - 1e6,
      count: mixed % 97,
      customer: `customer ${String(mixed)} of ${String(at)}`,
      day: new Date(Date.UTC(2000, 0, 1 + (mixed % 9000))).toISOString().slice(0, 10),
      decimal: `${String(mixed)}${String(at)}.${String(mixed % 100)}`,
    };
  });
  const text = JSON.stringify(result);
  const exact = ({ customer, day, amount, decimal, count: met }) => [customer, day, String(amount), decimal, String(met)];
  const names = ["plan_hash", "result_hash", "schema_revision", "provenance_hash", "view_hash", "rows_hash"];
  const card = {
    kind: "query",
    version: 1,
    canonical: {},
    digests: Object.fromEntries(names.map((name) => [name, "0".repeat(64)])),
    receipt: null,
    view: { status: "ok", columns, rows: result.slice(0, 20).map(exact), row_count: count },
  };
  const drawn = () => new Promise((resolve) => requestAnimationFrame(() => setTimeout(resolve)));
  const took = async (work) => {
    await drawn();
    const started = performance.now();
    work();
    await drawn();
    return performance.now() - started;
  };
  const [table] = cards.compose(card).filter(({ block }) => block === "table");
  let rows;
  let element;
  const frames = async (step) => {
    const scroll = element.querySelector(".service-scroll");
    const lengths = [];
    await drawn();
    let before = performance.now();
    for (let frame = 0; frame < 90; frame += 1) {
      scroll.scrollTop = step(frame, scroll.scrollHeight);
      await new Promise(requestAnimationFrame);
      lengths.push(performance.now() - before);
      before = performance.now();
    }
    return Math.max(...lengths);
  };
  const filter = (text) => {
    const input = element.querySelector("input");
    input.value = text;
    input.dispatchEvent(new Event("input"));
  };
  const steps = {
    read: () => took(() => (rows = table.recorded.read(text))),
    paint: () =>
      took(() => {
        const whole = { ...table, recorded: { ...table.recorded, text, read: () => rows } };
        element = cards.tableElement(whole, { say: (said) => said, copy: () => Promise.resolve() });
        const card = document.createElement("section");
        card.className = "service-card";
        card.setAttribute("data-service-nb", "");
        card.append(element);
        document.body.append(card);
      }),
    wheel: () => frames((frame) => frame * 120),
    thumb: () => frames((frame, height) => ((frame * 37) % 90) * (height / 90)),
    filter: () => took(() => filter("9")),
    refilter: () => took(() => filter("99")),
  };
  globalThis.bench = {
    names: columns.map(({ name }) => name),
    run: async (step) => {
      if (!step.startsWith("sort:")) return steps[step]();
      filter("");
      const at = columns.findIndex(({ name }) => name === step.slice(5));
      return took(() => element.querySelectorAll("thead button")[at].click());
    },
    facts: () => ({
      rowcount: element.querySelector("table").getAttribute("aria-rowcount"),
      lines: element.querySelectorAll("tbody tr").length,
      characters: text.length,
    }),
  };
}
