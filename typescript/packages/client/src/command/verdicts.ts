/** What a verification says: for people, for programs, as `service-nb verify` has it. */

import { visible, width, wrapText, clip } from "@service-nb/cards/text";
import { isObject, UNDECIDING as OPEN_CAUSES, type Check, type Verdict, type VerdictStatus } from "@service-nb/records";
import { WORDS } from "./words.js";

const RANKED: readonly VerdictStatus[] = ["altered", "not_checkable", "consistent", "unaltered", "verified"];
const UNDECIDING: ReadonlySet<string> = new Set(OPEN_CAUSES);
const ROWS_KEPT = " rows kept";
const NAMING: ReadonlySet<string> = new Set(["card_of_another_cell", "card_repeated", "card_out_of_order"]);
const MOST_PLACES = 10;
const MOST_WORDS = 200;
const [ENTRY, FEWEST, AROUND] = [72, 20, 40];
const UNKNOWN = {
  means: "This version does not know the cause.",
  remedy: "Verify with the version that wrote the document, or a newer one.",
};

/** Who signed a card, and whether that key is trusted here. */
export interface CardSigner {
  readonly key: string;
  readonly id: string;
  readonly name: string;
  readonly trusted: boolean;
}

/** A verdict with what the card says of itself. */
export interface JudgedCard {
  readonly verdict: Verdict;
  readonly words: string | null;
  readonly signer: CardSigner | null;
}

export interface FileReport {
  readonly file: string;
  readonly sha256: string;
  readonly cards: readonly JudgedCard[];
}

/** The verdicts of some files; with `isStrict`, all that is not verified counts as failed. */
export interface Report {
  readonly files: readonly FileReport[];
  readonly isStrict: boolean;
  readonly conditions: Readonly<Record<string, string | readonly string[]>>;
}

/** The worst of all verdicts. */
export function findWorst(report: Report): VerdictStatus {
  const met = new Set(listVerdicts(report).map(({ status }) => status));
  return RANKED.find((status) => met.has(status)) ?? "verified";
}

/** Whether nothing is altered, and if strict, everything is verified. */
export function isAccepted(report: Report): boolean {
  return listVerdicts(report).every(({ status }) => (report.isStrict ? status === "verified" : status !== "altered"));
}

function listVerdicts({ files }: Report): readonly Verdict[] {
  return files.flatMap(({ cards }) => cards.map(({ verdict }) => verdict));
}

/** Describes a card in its own words; nothing is assumed of its form. */
export function describeCard(card: unknown): string {
  const view = isObject(card) ? card["view"] : undefined;
  if (!isObject(view) || !isObject(card)) return "no card";
  const told = [view["question"], view["call"], view["message"], view["summary"], card["kind"]];
  const said = told.find((each) => Boolean(each));
  return typeof said === "string" ? visible(Array.from(said).slice(0, MOST_WORDS).join("")) : "without words";
}

// --- text -------------------------------------------------------------------------------------------------------------

/** The report for a terminal: a line for each card, what failed and what to do, a summary. */
export function writeReport(report: Report, columns: number): string {
  const told = new Set<string>();
  const files = report.files.flatMap((file) => [visible(file.file), ...writeFile(file, columns, told), ""]);
  const strict =
    report.isStrict && findWorst(report) !== "verified"
      ? ["Everything that is not verified counts as failed (--strict)."]
      : [];
  return [...files, ...writeUnchecked(report, columns), writeCounts(report), ...strict].join("\n");
}

function writeFile({ cards }: FileReport, columns: number, told: Set<string>): readonly string[] {
  const margin = Math.max(0, ...cards.map(({ verdict }) => width(visible(verdict.subject))));
  const room = Math.max(FEWEST, Math.min(columns - AROUND - margin, ENTRY));
  if (cards.length === 0) return ["  nothing to verify"];
  return cards.flatMap((card) => {
    const [subject, words] = [visible(card.verdict.subject), clip(card.words ?? "", room)];
    const entry = `${pad(subject, margin)}  ${pad(words, room)}`;
    const line = `  ${WORDS.statuses[card.verdict.status].sign} ${entry}  ${describeVerdict(card)}`;
    return [line, ...listChecks(card.verdict, "failed").flatMap((check) => explain(check, columns, told))];
  });
}

function pad(text: string, size: number): string {
  return text + " ".repeat(Math.max(0, size - width(text)));
}

function explain({ cause, message }: Check, columns: number, told: Set<string>): readonly string[] {
  const name = cause ?? "";
  if (told.has(name)) return wrapText(`${name}: ${visible(message)}`, columns, "      ");
  told.add(name);
  const { means, remedy } = findCause(cause);
  return [
    ...wrapText(`${name}: ${means}`, columns, "      "),
    ...(message === "" ? [] : wrapText(visible(message), columns, "        ")),
    ...wrapText(`→ ${remedy}`, columns, "        "),
  ];
}

function writeUnchecked(report: Report, columns: number): readonly string[] {
  const counts = new Map<string, number>();
  for (const verdict of listVerdicts(report))
    for (const cause of new Set(listChecks(verdict, "not_checkable").map((check) => check.cause ?? "")))
      counts.set(cause, (counts.get(cause) ?? 0) + 1);
  if (counts.size === 0) return [];
  const listed = [...counts].sort(([a, many], [b, more]) => more - many || (a < b ? -1 : 1));
  const lines = listed.flatMap(([name, count]) => {
    const { means, remedy } = findCause(name);
    const told = wrapText(`${name} (${count.toLocaleString("en")}): ${means} ${remedy}`, columns, "  ");
    return [...told, ...listPlaces(report, name).flatMap((each) => wrapText(visible(each), columns, "    "))];
  });
  return ["Not checked here:", ...lines, ""];
}

/** Where a cause was met whose message names another card or cell. */
function listPlaces(report: Report, cause: string): readonly string[] {
  if (!NAMING.has(cause)) return [];
  const places = listVerdicts(report).flatMap(({ subject, checks }) =>
    checks.flatMap((check) => (check.cause === cause ? [`${subject}: ${check.message}`] : [])),
  );
  return places.slice(0, MOST_PLACES);
}

function writeCounts(report: Report): string {
  const counts = Object.entries(countVerdicts(report)).filter(([, count]) => count > 0);
  const told = counts.map(([status, count]) => {
    return `${count.toLocaleString("en")} ${WORDS.statuses[status as VerdictStatus].word.toLowerCase()}`;
  });
  const { length } = report.files;
  const files = length === 1 ? "1 file" : `${length.toLocaleString("en")} files`;
  const total = listVerdicts(report).length.toLocaleString("en");
  return `${total} checked in ${files}: ${told.join(", ") || "nothing to verify"}`;
}

function countVerdicts(report: Report): Readonly<Record<VerdictStatus, number>> {
  const counts = { verified: 0, unaltered: 0, consistent: 0, not_checkable: 0, altered: 0 };
  for (const { status } of listVerdicts(report)) counts[status] += 1;
  return counts;
}

/** A verdict in one line, the same wherever verdicts are shown. */
function describeVerdict({ verdict, signer }: JudgedCard): string {
  const { status, checks } = verdict;
  const { word } = WORDS.statuses[status];
  if (status === "consistent") return `${word}: anyone can have made it`;
  if (status === "altered" || status === "not_checkable") {
    const kept = findKeptRows(verdict);
    if (kept !== undefined) return kept;
    const open = listChecks(verdict, status === "altered" ? "failed" : "not_checkable");
    const { means } = findCause(open.find((check) => !UNDECIDING.has(check.cause ?? ""))?.cause);
    return `${word}: ${means.charAt(0).toLowerCase()}${means.slice(1).replace(/\.+$/, "")}`;
  }
  if (signer === null || !checks.some(({ check }) => check === "signer")) return word;
  const key = `key ${signer.id.slice(0, 8)}…`;
  if (!signer.trusted) return `${word} · signed by an unknown ${key}`;
  const name = signer.name === "" ? key : signer.name === "you" ? "you" : `${signer.name}, ${key}`;
  return `${word} · signed by ${name}`;
}

/** What is said where nothing failed, and all that is open is that a card shows rows that it does not hold. */
function findKeptRows({ checks }: Verdict): string | undefined {
  const deciding = checks.filter(({ status, cause }) => status !== "passed" && !UNDECIDING.has(cause));
  const isKept = deciding.every(
    ({ status, cause, message }) =>
      status === "not_checkable" && cause === "shown_not_kept" && message.endsWith(ROWS_KEPT),
  );
  const [first] = deciding;
  if (!isKept || first === undefined) return undefined;
  return checks.some(({ cause }) => cause === "unsigned") ? `${first.message} · not signed` : first.message;
}

function listChecks({ checks }: Verdict, status: Check["status"]): readonly Check[] {
  return checks.filter((check) => check.status === status);
}

function findCause(cause: string | null | undefined): { readonly means: string; readonly remedy: string } {
  const causes: Readonly<Record<string, typeof UNKNOWN>> = WORDS.causes;
  return Object.hasOwn(causes, cause ?? "") ? (causes[cause ?? ""] ?? UNKNOWN) : UNKNOWN;
}

// --- JSON -------------------------------------------------------------------------------------------------------------

/** The report as JSON has it; the causes that occur are explained beside the verdicts. */
export function buildReportForm(report: Report): Readonly<Record<string, unknown>> {
  const causes = listVerdicts(report).flatMap(({ checks }) => checks.map(({ cause }) => cause ?? ""));
  const met = [...new Set(causes)].filter((cause) => cause !== "").sort();
  return {
    status: findWorst(report),
    accepted: isAccepted(report),
    strict: report.isStrict,
    counts: countVerdicts(report),
    conditions: report.conditions,
    files: report.files.map(({ file, sha256, cards }) => ({
      file: visible(file),
      sha256,
      status: findWorst({ ...report, files: [{ file, sha256, cards }] }),
      verdicts: cards.map((card) => ({
        ...card.verdict,
        headline: describeVerdict(card),
        words: card.words,
        signer: card.signer,
      })),
    })),
    causes: Object.fromEntries(met.map((name) => [name, findCause(name)])),
  };
}
