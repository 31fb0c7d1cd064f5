// Computes with the TypeScript client in WebAssembly: JSON on standard input, one answer for each call, and the times.
import { performance } from "node:perf_hooks";
import { createService } from "../../typescript/packages/client/dist/index.js";
import { createWasmExecutor } from "../../typescript/packages/client/dist/wasm/index.js";

async function compute(service, { timeout: own, ...spec }, timeout) {
  try {
    const { value, determinism, card } = await service.compute(spec, { timeout: own ?? timeout });
    return { value, platform: determinism.platform, card };
  } catch (error) {
    return { code: error.code ?? `crash: ${error.stack}` };
  }
}

const chunks = [];
for await (const chunk of process.stdin) chunks.push(chunk);
const { folder, specs, timeout = 60 } = JSON.parse(Buffer.concat(chunks).toString());
const executor = createWasmExecutor({ folder });
const service = createService({ executor });
const [first] = specs;
const began = performance.now();
const answers = [await compute(service, first, timeout)];
const coldMs = performance.now() - began;
for (const spec of specs.slice(1)) answers.push(await compute(service, spec, timeout));
const times = [];
for (let each = 0; each < 200; each += 1) {
  const started = performance.now();
  await executor.run([{ capabilityId: "number_theory.gcd", args: [12n, 18n], seed: undefined }]);
  times.push(performance.now() - started);
}
times.sort((one, other) => one - other);
executor.close();
process.stdout.write(JSON.stringify({ answers, coldMs, warmMs: times[100], cpuMs: process.cpuUsage().user / 1_000 }));
