// A file of a million rows in the TypeScript client: connected, then summed by group beside a loop that adds doubles.
import { readFileSync } from "node:fs";
import { performance } from "node:perf_hooks";
import { createService } from "../typescript/packages/client/dist/index.js";

const [path, rounds] = [process.argv[2], Number(process.argv[3])];
const started = performance.now();
const service = createService();
await service.connect(path, { name: "sales" });
const connect = performance.now() - started;
const { maxRSS, userCPUTime, systemCPUTime } = process.resourceUsage();

const lines = readFileSync(path, "utf8").trimEnd().split("\n").slice(1);
const names = [...new Set(lines.map((line) => line.split(",")[0]))];
const codes = Int32Array.from(lines, (line) => names.indexOf(line.split(",")[0]));
const values = Float64Array.from(lines, (line) => Number(line.split(",")[1]));

function addDoubles() {
  const sums = new Float64Array(names.length);
  for (let row = 0; row < values.length; row += 1) sums[codes[row]] += values[row];
  return sums;
}

async function time(work) {
  const begun = performance.now();
  await work();
  return performance.now() - begun;
}

const question = { aggregation: "sum", metric: "revenue", group_by: ["region"], source_name: "sales" };
let [ask, loop] = [Infinity, Infinity];
for (let round = 0; round < rounds; round += 1) {
  ask = Math.min(ask, await time(() => service.ask(question)));
  loop = Math.min(loop, await time(addDoubles));
}
const processor = (userCPUTime + systemCPUTime) / 1_000_000;
const times = { connect: connect / 1_000, ask: ask / 1_000, loop: loop / 1_000 };
process.stdout.write(JSON.stringify({ ...times, processor, peak: maxRSS * 1_024 }));
