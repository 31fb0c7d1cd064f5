import { type Block, compose, headline, type Owner, visible } from "@service-nb/cards";
import {
  type Card,
  CARD_MIME,
  decodeCard,
  decodeReceipt,
  decodeSeal,
  isObject,
  JsonError,
  notCheckable,
  own,
  parseJson,
  ShapeError,
  type Verdict,
  verdict,
} from "@service-nb/records";
import { outputsIn } from "@service-nb/verify";
import { VERSION } from "../contract.js";
import type { Terms } from "../judging.js";
import type { AnswerJson, ReportJson, SignerJson, Status, VerdictJson } from "./json.js";

/** What a report is made of. */
export interface Reported {
  readonly name: string;
  /** The document as it stands in its file, or as it is open. */
  readonly text: string;
  /** Of the file; null of what is not saved. */
  readonly sha256: string | null;
  readonly verdicts: readonly Verdict[];
  readonly terms: Terms;
  readonly ownerOf: (key: string) => Owner | undefined;
  readonly madeAt: Date;
  /** What else is told of how it came about. */
  readonly conditions?: ReportJson["conditions"];
}

const RANKED: readonly Status[] = ["altered", "not_checkable", "consistent", "unaltered", "verified"];
const LONGEST_WORDS = 200; // characters that a card may say of itself

/** The report of a document, as `service-nb verify --json` prints it. */
export function buildReport(reported: Reported): ReportJson {
  const { name, sha256, verdicts: found } = reported;
  const held = heldBy(reported.text, found);
  const verdicts = (found.length === 0 ? [NO_CARDS] : found).map((each) => told(each, held(each.subject), reported));
  const status = RANKED.find((each) => verdicts.some((verdict) => verdict.status === each)) ?? "verified";
  return {
    status,
    accepted: status !== "altered",
    strict: false,
    counts: countsOf(verdicts),
    conditions: conditionsOf(reported),
    command: sha256 === null ? null : commandOf(name, reported.terms.keys),
    files: [{ file: visible(name), sha256, status, verdicts }],
    causes: {},
  };
}

const NO_CARDS = verdict("notebook", [notCheckable("cards", "no_cards")]);

function told(verdict: Verdict, held: Held, { ownerOf, terms }: Reported): VerdictJson {
  const { subject, status, checks } = verdict;
  const signed = held.signed;
  const owner = signed === null ? undefined : ownerOf(signed.key);
  const context = signed === null ? {} : { signer: signed.id, key: signed.key, owner };
  const isSigned = signed !== null && checks.some((each) => each.check === "signature" && each.status === "passed");
  return {
    subject,
    status,
    checks: checks.map(({ check, status: met, cause, message }) => ({ check, status: met, cause, message })),
    headline: headline(verdict, context).label,
    words: held.words,
    answer: held.card === null || status === "altered" ? null : answerOf(held.card),
    signer: isSigned && held.words !== null ? signerOf(signed, owner, terms.keys) : null,
  };
}

interface Held {
  readonly card: Card | null;
  readonly words: string | null;
  readonly signed: { readonly key: string; readonly id: string } | null;
}

const NOTHING: Held = { card: null, words: null, signed: null };

/** What stands in a document where a verdict's subject names it. */
function heldBy(text: string, verdicts: readonly Verdict[]): (subject: string) => Held {
  if (verdicts.some(({ subject }) => subject === "document" || subject === "ledger")) return () => NOTHING;
  const document = parsed(text);
  if (!isObject(document)) return () => NOTHING;
  if (!("nbformat" in document)) return () => heldOf(document);
  const data = new Map(outputsIn(document).map((output) => [output.subject, output.data]));
  const metadata = own(document, "metadata");
  return (subject) => {
    if (subject === "index") return sealOf(isObject(metadata) ? own(metadata, "service_nb") : null);
    const output = data.get(subject);
    return output !== undefined && Object.hasOwn(output, CARD_MIME) ? heldOf(output[CARD_MIME]) : NOTHING;
  };
}

function heldOf(value: unknown): Held {
  const card = tried(() => decodeCard(value));
  const receipt = card === null ? null : tried(() => decodeReceipt(card.receipt));
  const signed = receipt === null ? null : { key: receipt.public_key, id: idOf(receipt.envelope.signatures) };
  return { card, words: wordsOf(value), signed };
}

function sealOf(value: unknown): Held {
  const seal = tried(() => decodeSeal(value));
  if (seal === null) return NOTHING;
  return { ...NOTHING, signed: { key: seal.public_key, id: idOf(seal.envelope.signatures) } };
}

function idOf(signatures: readonly { readonly keyid: string }[]): string {
  return signatures[0]?.keyid ?? "";
}

/** What a card says of itself, in a line; whatever it is, and whatever it holds. */
export function wordsOf(card: unknown): string {
  const view = isObject(card) ? own(card, "view") : undefined;
  if (!isObject(card) || !isObject(view)) return "no card";
  const said = ["question", "call", "message", "summary"].map((key) => own(view, key));
  const first = [...said, own(card, "kind")].find((each) => each !== "" && each !== null && each !== undefined);
  return typeof first === "string" ? visible(Array.from(first).slice(0, LONGEST_WORDS).join("")) : "without words";
}

/** What a card shows as its answer: a table, one value, or a sentence. */
function answerOf(card: Card): AnswerJson | null {
  const blocks = compose(card);
  const isWhole = blocks.every((each) => each.block !== "sentence" || each.role !== "hint" || card.kind === "error");
  const isAnswer = ({ block }: Block): boolean => ["table", "figure", "sentence"].includes(block);
  const block = isWhole ? blocks.find(isAnswer) : undefined; // else the card says that it cannot be shown
  switch (block?.block) {
    case "table":
      return {
        heads: block.heads.map(({ text }) => text),
        aligned: block.heads.map(({ aligned }) => aligned),
        rows: block.rows,
        note: block.caption,
      };
    case "figure":
      return { value: block.value, note: block.caption };
    case "sentence":
      return { text: block.text };
    default:
      return null;
  }
}

function signerOf(
  { key, id }: { readonly key: string; readonly id: string },
  owner: Owner | undefined,
  keys: readonly string[],
): SignerJson {
  return { key, id, name: nameOf(owner), trusted: keys.includes(key) };
}

function nameOf(owner: Owner | undefined): string {
  return owner === "you" ? "you" : (owner?.name ?? "");
}

function countsOf(verdicts: readonly VerdictJson[]): ReportJson["counts"] {
  const counts = { verified: 0, unaltered: 0, consistent: 0, not_checkable: 0, altered: 0 };
  for (const { status } of verdicts) counts[status] += 1;
  return counts;
}

function conditionsOf({ terms, ownerOf, madeAt, conditions }: Reported): ReportJson["conditions"] {
  return {
    service_nb: VERSION,
    verified: `${madeAt.toISOString().slice(0, 19)}Z`,
    trusted_keys: terms.keys.map((key) => `${key} ${nameOf(ownerOf(key))}`.trim()),
    key_of_this_machine: terms.own ?? [],
    known_contracts: terms.contracts,
    signature_required: "no",
    seal_required: "no",
    ...conditions,
  };
}

/** The line that verifies the same file under the same keys. */
function commandOf(name: string, keys: readonly string[]): string {
  const shown = visible(name);
  const file = shown.startsWith("-") ? `./${shown}` : shown;
  return ["service-nb", "verify", quoted(file), ...keys.flatMap((key) => ["--key", quoted(key)])].join(" ");
}

/** As a shell takes it. */
function quoted(word: string): string {
  return /^[\w@%+=:,./-]+$/.test(word) ? word : `'${word.replaceAll("'", `'"'"'`)}'`;
}

/** The name of the page's file, from that of the notebook. */
export function reportName(path: string): string {
  const name =
    path
      .split("/")
      .at(-1)
      ?.replace(/\.ipynb$/i, "") ?? "";
  const safe = name.replace(/[^\p{L}\p{N}._ -]/gu, "_").slice(0, 100);
  return `${safe === "" ? "notebook" : safe}.audit.html`;
}

function parsed(text: string): unknown {
  return tried(() => parseJson(text, { integers: "exact" }));
}

function tried<T>(read: () => T): T | null {
  try {
    return read();
  } catch (error) {
    if (error instanceof ShapeError || error instanceof JsonError) return null;
    throw error;
  }
}
