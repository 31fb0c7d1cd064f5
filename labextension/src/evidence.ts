import {
  type Card,
  type CardKind,
  decodeBase64,
  decodeCard,
  decodeReceipt,
  decodeStatement,
  isObject,
  JsonError,
  MAX_STATEMENT_BYTES,
  own,
  parseJson,
  type Receipt,
  ShapeError,
  type Statement,
} from "@service-nb/records";
import { FACE_MIMES, joinedText, markOf, showsData, type StatedPlace, statedPlace } from "@service-nb/verify";
import { type CardOutput, outputOf } from "./output.js";

/** What a card says of itself, for a list of cards. All of it is the card's own word, but for the place. */
export interface Evidence {
  /** Where it stands, by the id of its cell: the same while cells move. */
  readonly key: string;
  /** Cell and output count from 1, as people do. */
  readonly cell: number;
  readonly output: number;
  /** The execution count of the cell, which its prompt shows; null where it has none. */
  readonly prompt: number | null;
  readonly card: unknown;
  /** What else its output holds. */
  readonly others: CardOutput["others"];
  /** The version that wrote these faces, where they are all that is left of a card; null where the card is there. */
  readonly face: string | null;
  /** Whether viewers show the data of its output. */
  readonly isShown: boolean;
  /** Where the card was made, by its signed statement. */
  readonly made: StatedPlace | null;
  readonly kind: CardKind | null;
  readonly question: string;
  /** The name under which the ledger has it; null where neither statement nor view names it. */
  readonly id: string | null;
  readonly time: string | null;
  /** Base64 of the key that the receipt names. */
  readonly signer: string | null;
  /** The short name of that key, as cards show it. */
  readonly device: string | null;
  readonly source: SeenSource | null;
}

/** A source as the view of a card has it. */
export interface SeenSource {
  readonly name: string;
  readonly rows: number | null;
  readonly revision: string | null;
  readonly fields: readonly { readonly name: string; readonly type: string }[];
}

/** A cell as a model or a file has it. */
export interface CellOutputs {
  readonly id: string;
  readonly prompt?: number | null;
  readonly outputs: readonly unknown[];
}

const SHOWN_CHARS = 300;

/** The cards of one cell, in the order of its outputs, and the faces whose card was taken out. */
export function evidenceIn(cell: CellOutputs, number: number): Evidence[] {
  return cell.outputs.flatMap((output, index): Evidence[] => {
    const data = isObject(output) ? own(output, "data") : undefined;
    if (!isObject(output) || !isObject(data)) return [];
    const place = { key: `${cell.id}/${String(index)}`, cell: number, output: index + 1, prompt: cell.prompt ?? null };
    const found = outputOf(data);
    const isShown = showsData(output);
    if (found !== undefined) return [{ ...place, face: null, isShown, others: found.others, ...described(found.card) }];
    if (!isShown) return [];
    const face = markAmong(data);
    return face === null ? [] : [{ ...place, face, isShown, others: data, ...described(null) }];
  });
}

/** The version that wrote the faces among an output's data; null where none of them is marked as a card's. */
function markAmong(data: Readonly<Record<string, unknown>>): string | null {
  for (const mime of FACE_MIMES) {
    const text = joinedText(own(data, mime));
    const version = text === null ? null : markOf(text);
    if (version !== null) return version;
  }
  return null;
}

/** The same cards after cells before them came or went. */
export function movedTo(cards: readonly Evidence[], number: number, prompt: number | null): readonly Evidence[] {
  const [first] = cards;
  if (first?.cell === number && first.prompt === prompt) return cards;
  return cards.map((each) => ({ ...each, cell: number, prompt }));
}

/** The same cards, each with a key of its own: two cells of a file may have one id, and neither card may hide the other. */
export function withOwnKeys(cards: readonly Evidence[]): readonly Evidence[] {
  const met = new Map<string, number>();
  return cards.map((each) => {
    const times = (met.get(each.key) ?? 0) + 1;
    met.set(each.key, times);
    return times === 1 ? each : { ...each, key: `${each.key}#${String(times)}` };
  });
}

type Described = Omit<Evidence, "key" | "cell" | "output" | "prompt" | "face" | "isShown" | "others">;

function described(value: unknown): Described {
  const card = tried(() => decodeCard(value));
  if (card === null) {
    const nothing = { question: "", id: null, time: null, signer: null, device: null, source: null, made: null };
    return { card: value, kind: null, ...nothing };
  }
  const receipt = tried(() => decodeReceipt(card.receipt));
  const statement = receipt && tried(() => statementOf(receipt));
  return {
    card: value,
    kind: card.kind,
    question: questionOf(card),
    id: statement?.predicate.id ?? textOf(card.view, "query_id") ?? textOf(card.view, "request_id"),
    time: statement?.predicate.time ?? null,
    signer: receipt?.public_key ?? null,
    device: receipt?.envelope.signatures[0]?.keyid ?? null,
    source: card.kind === "query" ? sourceOf(card.view) : null,
    made: statedPlace(card),
  };
}

/** The card that a value is; null where it is none. */
export function cardOf(value: unknown): Card | null {
  return tried(() => decodeCard(value));
}

/** The place that a card's statement states; null where it states none, or is none. */
export function placeOf(card: unknown): StatedPlace | null {
  return tried(() => statedPlace(decodeCard(card)));
}

function statementOf(receipt: Receipt): Statement {
  const bytes = decodeBase64(receipt.envelope.payload);
  if (bytes === undefined) throw new ShapeError("payload", "base64");
  return decodeStatement(parseJson(bytes, { maxBytes: MAX_STATEMENT_BYTES }));
}

/** What does not have its shape is absent here; what is wrong with it, the verdict says. */
function tried<T>(read: () => T): T | null {
  try {
    return read();
  } catch (error) {
    if (error instanceof ShapeError || error instanceof JsonError) return null;
    throw error;
  }
}

function questionOf({ kind, view }: Card): string {
  const told = kind === "error" ? textOf(view, "message") : (textOf(view, "question") ?? textOf(view, "ask"));
  return told ?? textOf(view, "subject") ?? "";
}

function sourceOf(view: Card["view"]): SeenSource | null {
  const source = own(view, "source");
  if (!isObject(source)) return null;
  const name = textOf(source, "name");
  if (name === null) return null;
  const rows = own(source, "row_count");
  return {
    name,
    rows: Number.isSafeInteger(rows) ? (rows as number) : null,
    revision: textOf(source, "schema_revision"),
    fields: fieldsOf(view),
  };
}

/** The columns that a question grouped by: those of its metric are named after it, and are no fields. */
function fieldsOf(view: Card["view"]): SeenSource["fields"] {
  const columns = own(view, "columns");
  if (!Array.isArray(columns)) return [];
  return columns.filter(isObject).flatMap((column) => {
    const name = textOf(column, "name");
    return name !== null && own(column, "role") === "key" ? [{ name, type: textOf(column, "type") ?? "" }] : [];
  });
}

function textOf(members: Readonly<Record<string, unknown>>, key: string): string | null {
  const value = own(members, key);
  if (typeof value !== "string" || value === "") return null;
  return value.length > SHOWN_CHARS ? `${value.slice(0, SHOWN_CHARS)}…` : value;
}

/** The sources that the cards of a notebook name, each once and with all that was seen of it. */
export function sourcesSeen(cards: readonly Evidence[]): SeenSource[] {
  const seen = new Map<string, SeenSource>();
  for (const { source } of cards) {
    if (source === null) continue;
    const before = seen.get(source.name);
    seen.set(source.name, before === undefined ? source : { ...source, fields: united(before.fields, source.fields) });
  }
  return [...seen.values()];
}

function united(one: SeenSource["fields"], other: SeenSource["fields"]): SeenSource["fields"] {
  const names = new Set(one.map((field) => field.name));
  return [...one, ...other.filter((field) => !names.has(field.name))];
}
