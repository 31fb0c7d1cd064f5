import { CARD_MIME, decodeCard, isObject, parseJson, type Verdict, verdict } from "@service-nb/records";
import { outputsIn, type PlacedOutput, verifyDocument, type VerifyOptions } from "@service-nb/verify";
import { checkFaces } from "./compare.js";

const AROUND = ["cell", "cards"]; // the checks of where a card stands, which come after those of its output

/** The verdicts of a document; those of a notebook's cards with the check of the outputs that hold them. */
export function judgedDocument(text: string, terms: VerifyOptions): readonly Verdict[] {
  const verdicts = verifyDocument(text, terms);
  if (verdicts.some(({ subject }) => ["document", "ledger", "card"].includes(subject))) return verdicts;
  const notebook = parseJson(text, { integers: "exact" }); // which was read, or there were no verdicts of cards
  if (!isObject(notebook) || verdicts.length === 0) return verdicts;
  const held = new Map(outputsIn(notebook).map((output) => [output.subject, output]));
  return verdicts
    .filter(({ subject }) => subject !== "faces") // which are compared here
    .map((each) => withFaces(each, held.get(each.subject)));
}

function withFaces(met: Verdict, output: PlacedOutput | undefined): Verdict {
  if (output === undefined || !Object.hasOwn(output.data, CARD_MIME)) return met;
  if (met.checks[0]?.status !== "passed") return met; // what is no card has no faces
  const { [CARD_MIME]: card, ...others } = output.data;
  const before = met.checks.filter(({ check }) => !AROUND.includes(check));
  const around = met.checks.filter(({ check }) => AROUND.includes(check));
  return verdict(met.subject, [...before, checkFaces(decodeCard(card), others), ...around]);
}
