import {
  type Card,
  CARD_MIME,
  decodeCard,
  failed,
  isObject,
  notCheckable,
  OUTPUT_CELL,
  own,
  ShapeError,
  type Verdict,
  verdict,
} from "@service-nb/records";
import { refused, verifyCardAt } from "./card.js";
import {
  cardsAmong,
  cellsOf,
  isWithoutCard,
  metadataOf,
  oddCell,
  otherForm,
  outputsIn,
  type PlacedOutput,
  straysIn,
} from "./cards-in.js";
import { type CellSource, checkCell, statedPlace, verdictIn } from "./cell.js";
import { sha256Hex } from "./digest.js";
import { joinedText } from "./mark.js";
import type { VerifyOptions } from "./options.js";
import { CardsMet } from "./order.js";
import { verifySeal } from "./seal.js";
import { decoded } from "./shape.js";

type Members = Readonly<Record<string, unknown>>;

const SEAL_KEY = "service_nb";
const NOT_SHOWN = "A card stands here, where no viewer shows it.";

/**
 * Verifies each card of a parsed notebook where it stands, and the index that seals it where it has one. A notebook
 * without cards and without an index has no verdicts.
 */
export function verifyNotebook(notebook: unknown, options: VerifyOptions = {}): Verdict[] {
  const told = isObject(notebook) ? otherForm(notebook) : null;
  if (told !== null) return [verdict("document", [notCheckable("form", "notebook_form", told)])];
  const read = decoded(readNotebook, notebook);
  if (read instanceof ShapeError) return [refused("document", "malformed_notebook", read.message)];
  const { book, metadata, outputs } = read;
  const isSealed = Object.hasOwn(metadata, SEAL_KEY);
  const cells = new Map(cellsOf(book).map((cell) => [cell, sourceOf(cell)]));
  const met = isSealed ? null : new CardsMet();
  const verdicts = outputs.flatMap((output) => verifyOutput(output, cells, met, options));
  verdicts.push(...verifyRest(book, outputs));
  if (isSealed) verdicts.push(verifySeal(metadata[SEAL_KEY], cardsAmong(outputs), options));
  return [...verdicts, ...leaveFacesOpen(outputs)];
}

function verifyOutput(
  output: PlacedOutput,
  cells: ReadonlyMap<Members, CellSource>,
  met: CardsMet | null,
  options: VerifyOptions,
): Verdict[] {
  const { subject, data } = output;
  if (isWithoutCard(output)) return [verdict(subject, [failed("faces", "card_missing")])];
  if (!Object.hasOwn(data, CARD_MIME)) return [];
  if (!output.isShown) return [refused(subject, "card_not_shown", NOT_SHOWN)];
  const judged = verifyCardAt(subject, data[CARD_MIME], options);
  if (judged.checks[0]?.status !== "passed") return [judged];
  const card = decodeCard(data[CARD_MIME]);
  const placed = inCell(judged, card, output, cells);
  if (met === null) return [placed];
  const isLogged = judged.checks.some(({ check, status }) => check === "checkpoint" && status === "passed");
  return [verdict(subject, [...placed.checks, met.check(subject, card, isLogged)])];
}

function inCell(
  judged: Verdict,
  card: Card,
  { subject, cell }: PlacedOutput,
  cells: ReadonlyMap<Members, CellSource>,
): Verdict {
  const shown = cell === null ? undefined : cells.get(cell);
  if (shown !== undefined) {
    return verdictIn(judged, statedPlace(card), (place) => checkCell(place, shown, cells.values()));
  }
  const message = "A widget holds the card: its layout and the viewer decide whether it is shown.";
  return verdict(subject, [...judged.checks, notCheckable("cell", "in_widget", message)]);
}

/** What is wrong with the rest of a notebook: cards outside of its outputs, kinds of cells or of outputs. */
function verifyRest(book: Members, outputs: readonly PlacedOutput[]): Verdict[] {
  const strays = straysIn(book, outputs);
  const verdicts = strays.map((subject) => refused(subject, "card_not_shown", NOT_SHOWN));
  const odd = oddCell(book);
  if (odd === null || strays.includes("notebook")) return verdicts;
  const told = `Cell ${String(odd)}, or an output of it, is of a kind that viewers do not know.`;
  return [...verdicts, verdict("notebook", [notCheckable("form", "notebook_form", told)])];
}

/** An undecided verdict where outputs have other forms beside a card, which are not compared here. */
function leaveFacesOpen(outputs: readonly PlacedOutput[]): Verdict[] {
  const open = outputs.filter(
    ({ data, isShown }) => isShown && Object.hasOwn(data, CARD_MIME) && Object.keys(data).length > 1,
  );
  if (open.length === 0) return [];
  const told = `${String(open.length)} outputs show their card in other forms too.`;
  return [verdict("faces", [notCheckable("faces", "faces_not_compared", told)])];
}

interface Notebook {
  readonly book: Members;
  readonly outputs: readonly PlacedOutput[];
  readonly metadata: Members;
}

function readNotebook(value: unknown): Notebook {
  if (!isObject(value)) throw new ShapeError("The notebook", "an object");
  return { book: value, outputs: outputsIn(value), metadata: metadataOf(value) };
}

/** A cell as `checkCell` needs it; its source is hashed once, and only where it is asked for. */
function sourceOf(cell: Members): CellSource {
  const id = own(cell, "id");
  let known: { readonly digest: string | null } | undefined;
  const digest = (): string | null => {
    if (known === undefined) {
      const source = joinedText(own(cell, "source"));
      known = { digest: source === null ? null : sha256Hex(source) };
    }
    return known.digest;
  };
  return { id: typeof id === "string" ? id : null, isCode: own(cell, "cell_type") === OUTPUT_CELL, digest };
}
