// What the browser's verifier says of cards: a JSON list of them on standard input, their verdicts on standard output.
import { readFileSync } from "node:fs";

const { verifyCard } = await import(new URL("../../typescript/packages/verify/dist/index.js", import.meta.url));
const cards = JSON.parse(readFileSync(0, "utf-8"));
const causes = ({ checks }) => checks.filter(({ status }) => status === "failed").map(({ cause }) => cause);
process.stdout.write(JSON.stringify(cards.map((card) => verifyCard(card)).map((each) => [each.status, causes(each)])));
