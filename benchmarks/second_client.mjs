// The TypeScript client beside Python's: for each line of standard input a round of warm computations, and their median.
import { createInterface } from "node:readline";
import { createService } from "../typescript/packages/client/dist/index.js";

const service = createService();
const spec = JSON.parse(process.argv[2]);

for await (const line of createInterface({ input: process.stdin })) {
  const times = [];
  for (let run = 0; run < Number(line); run += 1) {
    const started = performance.now();
    await service.compute(spec);
    times.push(performance.now() - started);
  }
  times.sort((one, other) => one - other);
  process.stdout.write(`${times[times.length >> 1] / 1_000}\n`);
}
