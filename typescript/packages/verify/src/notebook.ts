import { failed, isObject, ShapeError, type Verdict, verdict } from "@service-nb/records";
import { refused, verifyCardAt } from "./card.js";
import { cardsAmong, isWithoutCard, metadataOf, outputsIn, type PlacedOutput } from "./cards-in.js";
import type { VerifyOptions } from "./options.js";
import { verifySeal } from "./seal.js";
import { decoded } from "./shape.js";

/**
 * Verifies each card of a parsed notebook, and the index that seals it where it has one. A notebook without cards and
 * without an index has no verdicts.
 */
export function verifyNotebook(notebook: unknown, options: VerifyOptions = {}): Verdict[] {
  const read = decoded(readNotebook, notebook);
  if (read instanceof ShapeError) return [refused("document", "malformed_notebook", read.message)];
  const verdicts = read.outputs.flatMap((output) => verifyOutput(output, options));
  if (Object.hasOwn(read.metadata, "service_nb")) {
    verdicts.push(verifySeal(read.metadata["service_nb"], cardsAmong(read.outputs), options));
  }
  return verdicts;
}

function verifyOutput(output: PlacedOutput, options: VerifyOptions): Verdict[] {
  const [placed] = cardsAmong([output]);
  if (placed !== undefined) return [verifyCardAt(placed.subject, placed.card, options)];
  if (!isWithoutCard(output)) return [];
  return [verdict(output.subject, [failed("faces", "card_missing")])];
}

interface Notebook {
  readonly outputs: readonly PlacedOutput[];
  readonly metadata: Readonly<Record<string, unknown>>;
}

function readNotebook(value: unknown): Notebook {
  if (!isObject(value)) throw new ShapeError("The notebook", "an object");
  return { outputs: outputsIn(value), metadata: metadataOf(value) };
}
