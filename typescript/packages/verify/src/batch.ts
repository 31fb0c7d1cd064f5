// Verifies many documents in one process: a JSON line for each on standard input, a JSON line for each on standard
// output. In: {"document": text, or {"base64": …} for bytes, "keys": […], "contracts": […]}.
// Out: [{"subject": …, "status": …, "checks": [{"check": …, "status": …, "cause": …}]}].
import { Buffer } from "node:buffer";
import process from "node:process";
import { verifyDocument, type VerifyOptions } from "./index.js";

interface Line extends VerifyOptions {
  readonly document: string | { readonly base64: string };
}

for await (const text of lines()) {
  const line = JSON.parse(text) as Line;
  const { document } = line;
  const verdicts = verifyDocument(
    typeof document === "string" ? document : Buffer.from(document.base64, "base64"),
    line,
  );
  const answer = verdicts.map(({ subject, status, checks }) => ({
    subject,
    status,
    checks: checks.map((each) => ({ check: each.check, status: each.status, cause: each.cause })),
  }));
  if (!process.stdout.write(`${JSON.stringify(answer)}\n`)) {
    await new Promise((resolve) => process.stdout.once("drain", resolve));
  }
}

/** Lines end at line feeds alone; `node:readline` would end them at U+2028 too, which JSON texts may hold. */
async function* lines(): AsyncGenerator<string> {
  let rest = "";
  for await (const block of process.stdin.setEncoding("utf-8")) {
    const parts = `${rest}${String(block)}`.split("\n");
    rest = parts.pop() ?? "";
    yield* parts;
  }
  if (rest !== "") yield rest;
}
