/**
 * Offers a line in place of a question that was not understood: the one entrance of advice.
 *
 * A correction means what was typed. Candidates differ from it in one slot, which they ask about. Where nothing fits, it
 * is said what was not understood. Each line is resolved before it is shown, and none is run.
 */

import { type ServiceError } from "../errors.js";
import { formatAsk } from "../query/ask-format.js";
import { parseAsk } from "../query/ask-line.js";
import { type AskCondition, type AskForm, type AskSpec, joinerOf, partsOf, plainSpec } from "../query/ask-spec.js";
import { findSlip } from "../query/matching.js";
import { type PlanResponse } from "../query/question.js";
import { foldName } from "../query/similar.js";
import { foldCase, makeVisible, quoteText } from "../query/text.js";
import { countChars } from "../values/order.js";
import { readQuestion } from "./question.js";
import { type Known, NotUnderstoodError } from "./scan.js";
import { MEANT, MOST_CHARS, MOST_LINES, SLOTS } from "./words.js";

/** What advice asks of a client: nothing that its policy hides. */
export interface Advised {
  readonly sources: readonly { readonly name: string; readonly typed_fields: readonly { readonly name: string; readonly type: string }[] }[]; // prettier-ignore
  /** Undefined of a malformed question. */
  readonly resolve: (spec: AskSpec) => PlanResponse | undefined;
  /** The values of a column of texts that has few. */
  readonly listValues: (source: string, column: string) => readonly string[];
}

/** Lines of one kind: a correction, or candidates under what they ask. */
interface Offer {
  readonly asks: string;
  readonly lines: readonly string[];
  readonly says?: string;
}

/** Adds to the error of a question what may be said to who typed it. */
export function addAdvice(error: ServiceError, line: string, client: Advised): void {
  if (countChars(line) > MOST_CHARS || !line.isWellFormed()) return;
  try {
    const { asks, lines, says } = offerQuestion(line, client);
    if (lines.length === 0 && !canParse(line)) error.hint = [error.hint, says].filter(Boolean).join(" ") || error.hint;
    if (lines.length === 0) return;
    error.details[asks === MEANT ? "write" : "candidates"] = asks === MEANT ? lines[0] : lines;
    const shown = lines.map((each) => `service.ask(${quoteText(each)})`).join(" | ");
    error.hint = `${asks}${asks === MEANT ? ":" : ""} ${shown}`;
  } catch (met) {
    if (!(met instanceof NotUnderstoodError)) throw met;
    if (canParse(line)) return;
    error.hint = `${error.hint ?? ""} \`${makeVisible(met.message)}\` is not understood here.`.trim();
  }
}

function canParse(line: string): boolean {
  try {
    parseAsk(line);
    return true;
  } catch {
    return false;
  }
}

function offerQuestion(line: string, client: Advised): Offer {
  const first = readQuestion(line, listKnown(client));
  const named = findSource(first.specs[0]?.source_name, client);
  // Names of other sources mean nothing in it.
  const reading = named === undefined ? first : readQuestion(line, listKnown(client, named));
  const found = reading.specs
    .map((each) => fitValues(each, client))
    .map((spec) => ({ spec, met: client.resolve(spec) }));
  const runs = found.filter(({ met }) => met?.status === "ok").map(({ spec }) => formatAsk(spec));
  if (runs.length > 0) return { asks: reading.asks || MEANT, lines: runs.slice(0, MOST_LINES) };
  const [{ spec, met } = {}, second] = found;
  const isOne = second === undefined && reading.asks === "" && spec !== undefined && met !== undefined;
  const offer = isOne ? offerCandidates(spec, met) : { asks: MEANT, lines: [] };
  return offer.lines.length > 0 ? offer : { ...offer, says: isOne ? (met.reason ?? "") : "" };
}

function listKnown({ sources }: Advised, source?: string): Known {
  const shown = sources.filter(({ name }) => source === undefined || name === source);
  const columns = shown.flatMap((each) => each.typed_fields.map(({ name, type }) => [name, type] as const));
  return { columns: new Map(columns), sources: sources.map(({ name }) => name) };
}

function findSource(named: string | undefined, { sources }: Advised): string | undefined {
  return sources.find(({ name }) => named !== undefined && foldName(name) === foldName(named))?.name;
}

/** The resolver's candidates: those that differ in one slot; a name with one letter wrong is a correction. */
function offerCandidates(spec: AskSpec, { candidates }: PlanResponse): Offer {
  const [near, asked, slots]: [string[], string[], Set<string>] = [[], [], new Set()];
  const typed = listLeaves(plainSpec(spec));
  for (const { ask, slot } of candidates) {
    const isDefault = spec.source_name === undefined && slot !== "source_name"; // the only source
    const changed = listChanges(typed, listLeaves(parseAsk(ask))).filter(
      (each) => !(isDefault && each === ".source_name"),
    );
    const [place = "", second] = changed;
    if (changed.length === 0) near.push(ask);
    else if (second === undefined) {
      asked.push(ask);
      slots.add(`${SLOTS[slot] ?? slot}${typed.has(place) ? ` is \`${String(typed.get(place))}\`` : ""}`);
    }
  }
  if (near.length === 1) return { asks: MEANT, lines: near };
  return { asks: `Which ${[...slots].join(" or ")}?`, lines: asked.slice(0, MOST_LINES) };
}

/** The places in which two specs differ by more than one letter of a name. */
function listChanges(typed: ReadonlyMap<string, unknown>, offered: ReadonlyMap<string, unknown>): string[] {
  return [...new Set([...typed.keys(), ...offered.keys()])].filter((place) => {
    const [one, other] = [typed.get(place), offered.get(place) ?? (place === ".order" ? "desc" : undefined)];
    if (one === other || (place === ".order" && one === undefined)) return false;
    const isSlip = typeof one === "string" && typeof other === "string" && findSlip(foldName(one), [foldName(other)]);
    return isSlip === false || isSlip === undefined;
  });
}

function listLeaves(part: unknown, place = ""): Map<string, unknown> {
  if (typeof part !== "object" || part === null) return new Map([[place, part]]);
  return new Map(Object.entries(part).flatMap(([key, each]) => [...listLeaves(each, `${place}.${key}`)]));
}

/** Writes a text of a condition as the one value of its column that it is, but for case, accents or one letter. */
function fitValues(spec: AskSpec, client: Advised): AskSpec {
  if (spec.filter?.conditions === undefined) return spec;
  const named = [...listLeaves(spec.filter.conditions)].filter(([place]) => place.endsWith(".column"));
  const holding = client.sources.filter(({ typed_fields: fields }) =>
    named.every(([, column]) => fields.some(({ name }) => name === column)),
  );
  const source = findSource(spec.source_name, client) ?? (holding.length === 1 ? holding[0]?.name : undefined);
  if (source === undefined) return spec;
  const fit = (form: AskForm): AskForm => {
    const joiner = joinerOf(form);
    if (joiner !== undefined) return { [joiner]: partsOf(form, joiner).map(fit) };
    const { column, op, value } = form as AskCondition;
    if (column === undefined || typeof value !== "string" || !["eq", "ne"].includes(op)) return form;
    const values = client.listValues(source, column);
    const known = new Map(values.map((each) => [foldValue(each), each]));
    const near = known.get(foldValue(value)) ?? known.get(findSlip(foldValue(value), known.keys()) ?? "");
    const isFit = near !== undefined && !values.includes(value) && known.size === values.length;
    return isFit ? { ...form, value: near } : form;
  };
  return { ...spec, filter: { ...spec.filter, conditions: spec.filter.conditions.map(fit) } };
}

/** A value without case and accents. */
function foldValue(text: string): string {
  return foldCase(text).normalize("NFKD").replace(/\p{M}/gu, "");
}
