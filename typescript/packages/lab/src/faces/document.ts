import { CARD_MIME, decodeCard, isObject, own, parseJson, type Verdict, verdict } from "@service-nb/records";
import {
  joinedText,
  outputsIn,
  type PlacedOutput,
  sha256Hex,
  verifyDocument,
  type VerifyOptions,
} from "@service-nb/verify";
import { type StatedPlace, statedPlace, verdictIn } from "../stated-place.js";
import { checkFaces } from "./compare.js";

type Members = Readonly<Record<string, unknown>>;

/** The verdicts of a document; those of a notebook's cards with the checks of the outputs that hold them. */
export function judgedDocument(text: string, terms: VerifyOptions): readonly Verdict[] {
  const verdicts = verifyDocument(text, terms);
  if (verdicts.some(({ subject }) => ["document", "ledger", "card"].includes(subject))) return verdicts;
  const notebook = parseJson(text, { integers: "exact" }); // which was read, or there were no verdicts of cards
  if (!isObject(notebook) || verdicts.length === 0) return verdicts;
  const held = new Map(outputsIn(notebook).map((output) => [output.subject, output]));
  const cells = cellsOf(notebook);
  return verdicts.map((each) => {
    const output = held.get(each.subject);
    return output === undefined || !Object.hasOwn(output.data, CARD_MIME) ? each : withOutput(each, output, cells);
  });
}

function withOutput(met: Verdict, { data, cell }: PlacedOutput, cells: readonly Members[]): Verdict {
  if (met.checks[0]?.status !== "passed") return met; // what is no card has no faces
  const { [CARD_MIME]: card, ...others } = data;
  const judged = verdict(met.subject, [...met.checks, checkFaces(decodeCard(card), others)]);
  return verdictIn(judged, statedPlace(card), (place) => isSaid(place, cell, cells));
}

/** As `isSaidIn` of a notebook that is open. */
function isSaid({ source, cell: id }: StatedPlace, shown: Members | null, cells: readonly Members[]): boolean {
  if (shown !== null && digestOf(shown) === source) return true;
  const named = cells.filter((each) => own(each, "id") === id);
  return (named.length > 0 ? named : cells).some((each) => digestOf(each) === source);
}

function digestOf(cell: Members): string | null {
  const source = joinedText(own(cell, "source"));
  return source === null ? null : sha256Hex(source);
}

function cellsOf(notebook: Members): readonly Members[] {
  const cells = own(notebook, "cells");
  return Array.isArray(cells) ? cells.filter(isObject) : [];
}
