// The offsets of zones by the TypeScript client: a JSON list of [zone, low, high] on standard input, their spans out.
import { readFileSync } from "node:fs";

const { listSpans } = await import(new URL("../../typescript/packages/client/dist/values/zones.js", import.meta.url));
process.stdout.write(JSON.stringify(JSON.parse(readFileSync(0, "utf-8")).map((each) => listSpans(...each))));
