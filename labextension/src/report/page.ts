import { visible } from "@service-nb/cards";
import { CATALOGUE } from "./catalogue.js";
import type { AnswerJson, CheckJson, FileJson, ReportJson, SignerJson, Status, VerdictJson } from "./json.js";
import { STYLE } from "./style.js";

type Words = Readonly<Record<string, { readonly means: string; readonly remedy: string }>>;

const STATUSES = CATALOGUE.statuses;
const CHECKS: Readonly<Record<string, string>> = CATALOGUE.checks;
const CAUSES: Words = CATALOGUE.causes;
const UNKNOWN = {
  means: "This version does not know the cause.",
  remedy: "Verify with the version that wrote the document, or a newer one.",
};
const MARKS = { passed: "✓", not_checkable: "○", failed: "✗" } as const;
const COLUMNS = { passed: "hold", not_checkable: "not here", failed: "failed" } as const;
const ORDER = Object.keys(COLUMNS) as (keyof typeof COLUMNS)[];
const LABELS = [
  ["contract_hash", "contract named"],
  ["schema_revision", "schema"],
  ["_hash", ""],
  ["_", " "],
] as const;
const PROVES =
  "Verification proves who states a result, and that what is shown is what was recorded and signed. " +
  "It does not prove that the result is true: a replay recomputes it from its sources. " +
  "It does not prove that the question was a good one.";

/** The page of a report, as `service_nb/evidence/report_pages.py` writes it: from the report's JSON alone. */
export function reportPage(report: ReportJson): string {
  const total = Object.values(report.counts).reduce((sum, count) => sum + count, 0);
  const status: Status = total > 0 ? report.status : "not_checkable";
  const { word, sign, means } = STATUSES[status];
  return [
    '<!doctype html><html lang="en"><head><meta charset="utf-8">',
    `<meta http-equiv="Content-Security-Policy" content="default-src 'none'; style-src 'unsafe-inline'">`,
    '<meta name="viewport" content="width=device-width, initial-scale=1">',
    `<title>${text(word)} · service-nb verify</title><style>${STYLE}</style></head><body>`,
    "<h1>Verification report</h1>",
    `<div class="verdict ${status}"><strong><span class="sign">${sign}</span> `,
    `${text(word)}</strong><p>${text(means)}</p>`,
    `<p>${text(counted(report))}</p>${strictness(report)}</div>`,
    ...report.files.flatMap(file),
    ...notChecked(report),
    ...signers(report),
    ...made(report),
    ...terms(report),
    ...again(report),
    "</body></html>",
    "",
  ].join("\n");
}

/** The counts of a report in a line. */
function counted({ counts, files }: ReportJson): string {
  const all = Object.keys(STATUSES) as Status[];
  const told = all.flatMap((status) =>
    counts[status] > 0 ? [`${whole(counts[status])} ${STATUSES[status].word.toLowerCase()}`] : [],
  );
  const total = all.reduce((sum, status) => sum + counts[status], 0);
  const number = files.length === 1 ? "1 file" : `${whole(files.length)} files`;
  return `${whole(total)} checked in ${number}: ${told.join(", ") || "nothing to verify"}`;
}

function whole(count: number): string {
  return String(count).replace(/\B(?=(?:\d{3})+$)/g, ",");
}

function strictness({ strict, accepted }: ReportJson): string {
  if (!strict) return "";
  const outcome = accepted ? "Accepted" : "Not accepted";
  return `<p class="soft">Strict: everything that is not verified counts as failed. ${outcome}.</p>`;
}

function file({ file: name, sha256, verdicts }: FileJson): readonly string[] {
  const head = [
    `<h2>${text(name)}</h2>`,
    ...(sha256 ? [`<p class="soft">SHA-256 <span class="hash">${text(sha256)}</span></p>`] : []),
    ...verdicts.filter(({ status }) => status === "altered").flatMap(fault),
  ];
  if (verdicts.length === 0) return [...head, "<p>Nothing to verify.</p>"];
  const answered = verdicts.flatMap((verdict) => (verdict.answer === null ? [] : answer(verdict, verdict.answer)));
  return [
    ...head,
    '<div class="scroll" role="group" aria-label="Cards" tabindex="0"><table class="cards">',
    "<thead><tr><th>Status</th><th>Where</th><th>Claim</th><th>Checks</th></tr></thead><tbody>",
    ...verdicts.map(
      (verdict) =>
        `<tr><td class="${verdict.status}">${standing(verdict)}</td>` +
        `<td class="where">${text(verdict.subject)}</td><td class="words">${text(verdict.words ?? "")}</td>` +
        `<td>${checks(verdict)}</td></tr>`,
    ),
    "</tbody></table></div>",
    ...(answered.length > 0 ? ["<h2>Answers</h2>", ...answered] : []),
  ];
}

function standing({ status, headline }: VerdictJson): string {
  return `${STATUSES[status].sign} ${text(headline)}`;
}

function checks({ checks: all }: VerdictJson): string {
  const held = all.filter(({ status }) => status === "passed").length;
  const rest = all.flatMap(({ check, status }) =>
    status === "passed" ? [] : [`<span class="check ${status}">${MARKS[status]} ${text(label(check))}</span>`],
  );
  return [`<span class="check">${String(held)} of ${String(all.length)} hold</span>`, ...rest].join(" ");
}

function fault({ subject, words, checks: all }: VerdictJson): readonly string[] {
  return [
    `<div class="fault"><h3><span class="failed">✗</span> ${text(subject)}</h3>`,
    ...(words ? [`<p class="soft">Claim: ${text(words)}</p>`] : []),
    "<dl>",
    ...all.filter(({ status }) => status === "failed").flatMap(failure),
    "</dl></div>",
  ];
}

function failure({ cause, message }: CheckJson): readonly string[] {
  const { means, remedy } = explained(cause);
  return [
    `<dt><code class="failed">${text(cause ?? "")}</code></dt><dd>${prose(means)}`,
    ...(message === "" ? [] : [`<br><span class="soft">${text(message)}</span>`]),
    `<br>What to do: ${prose(remedy)}</dd>`,
  ];
}

function answer(verdict: VerdictJson, { heads, aligned = [], rows, value, text: said, note }: AnswerJson): string[] {
  const side = (at: number): string => (aligned[at] === "point" ? "point" : "left");
  const head = heads?.map((each, at) => `<th class="${side(at)}">${text(each)}</th>`) ?? [];
  const row = (cells: readonly string[]): string =>
    `<tr>${cells.map((each, at) => `<td class="${side(at)}">${text(each)}</td>`).join("")}</tr>`;
  return [
    `<div class="answer"><h3>${text(verdict.subject)}: ${text(verdict.words ?? "")}</h3>`,
    `<p class="soft">${standing(verdict)}</p>`,
    ...(value === undefined ? [] : [`<p class="figure"><strong>${text(value)}</strong></p>`]),
    ...(said === undefined ? [] : [`<p>${text(said)}</p>`]),
    ...(rows === undefined
      ? []
      : [
          '<div class="scroll" role="group" aria-label="Answer" tabindex="0"><table><thead><tr>',
          head.join(""),
          "</tr></thead><tbody>",
          ...rows.map(row),
          "</tbody></table></div>",
        ]),
    ...(note ? [`<p class="soft">${text(note)}</p>`] : []),
    "</div>",
  ];
}

function label(name: string): string {
  return LABELS.reduce((told, [part, said]) => told.replaceAll(part, said), name);
}

function notChecked(report: ReportJson): readonly string[] {
  const met = allChecks(report).flatMap(({ status, cause }) => (status === "not_checkable" ? [String(cause)] : []));
  if (met.length === 0) return [];
  const told = [...new Set(met)].sort(byCodePoints).map((name) => {
    const { means, remedy } = explained(name);
    return `<dt><code>${text(name)}</code></dt><dd>${prose(means)} ${prose(remedy)}</dd>`;
  });
  return ['<h2>What could not be checked here</h2><dl class="terms">', ...told, "</dl>"];
}

function signers(report: ReportJson): readonly string[] {
  const found = report.files.flatMap(({ verdicts }) => verdicts.flatMap(({ signer }) => (signer ? [signer] : [])));
  if (found.length === 0) return [];
  const rows = [...new Map(found.map((signer) => [signer.key, signer])).values()].map((signer) => {
    const key = `<code>${text(signer.id)}</code><br><code>${text(signer.key)}</code>`;
    const cards = found.filter((each) => each.key === signer.key).length;
    return `<tr><td>${key}</td><td>${text(whoseOf(signer))}</td><td class="count">${String(cards)}</td></tr>`;
  });
  return [
    '<h2>Who signed</h2><div class="scroll" role="group" aria-label="Signers" tabindex="0">',
    '<table><thead><tr><th>Key</th><th>Whose</th><th class="count">Cards</th></tr></thead><tbody>',
    ...rows,
    "</tbody></table></div>",
  ];
}

function whoseOf({ name, trusted }: SignerJson): string {
  return name || (trusted ? "a key that you trust" : "unknown");
}

function made(report: ReportJson): readonly string[] {
  const all = allChecks(report);
  if (all.length === 0) return [];
  const known = Object.keys(CHECKS);
  const place = (name: string): number => (known.includes(name) ? known.indexOf(name) : known.length);
  const names = [...new Set(all.map(({ check }) => check))].sort(
    (one, other) => place(one) - place(other) || byCodePoints(one, other),
  );
  const rows = names.map((name) => {
    const counts = ORDER.map((status) => {
      const count = all.filter((each) => each.check === name && each.status === status).length;
      return `<td class="count">${count === 0 ? "" : String(count)}</td>`;
    });
    const proof = Object.hasOwn(CHECKS, name) ? (CHECKS[name] ?? "") : "";
    return `<tr><td>${text(label(name))}</td><td>${text(proof)}</td>${counts.join("")}</tr>`;
  });
  return [
    '<h2>What was checked</h2><div class="scroll" role="group" aria-label="Checks" tabindex="0">',
    "<table><thead><tr><th>Check</th>",
    "<th>What it proves where it holds</th>",
    ORDER.map((status) => `<th class="count">${MARKS[status]} ${COLUMNS[status]}</th>`).join(""),
    "</tr></thead><tbody>",
    ...rows,
    "</tbody></table></div>",
  ];
}

function allChecks({ files }: ReportJson): readonly CheckJson[] {
  return files.flatMap(({ verdicts }) => verdicts.flatMap((verdict) => verdict.checks));
}

function terms({ conditions }: ReportJson): readonly string[] {
  const told = Object.entries(conditions).map(
    ([name, value]) => `<dt>${text(name.replaceAll("_", " "))}</dt><dd>${values(value)}</dd>`,
  );
  return ['<h2>How this was checked</h2><dl class="terms">', ...told, `</dl><p class="soft">${text(PROVES)}</p>`];
}

function values(value: string | readonly string[]): string {
  if (typeof value === "string") return text(value);
  return value.map((each) => `<code>${text(each)}</code>`).join("<br>") || "none";
}

function again({ command }: ReportJson): readonly string[] {
  if (!command) return [];
  return [
    "<h2>How to check it again</h2>",
    "<p>This page proves nothing by itself: whoever sends it could have written it. The files are the evidence:</p>",
    `<pre><code>${text(command)}</code></pre>`,
  ];
}

function explained(cause: string | null): { readonly means: string; readonly remedy: string } {
  return cause !== null && Object.hasOwn(CAUSES, cause) ? (CAUSES[cause] ?? UNKNOWN) : UNKNOWN;
}

/** As Python sorts texts. */
function byCodePoints(one: string, other: string): number {
  const [a, b] = [Array.from(one), Array.from(other)];
  const at = a.findIndex((char, index) => char !== b[index]);
  if (at < 0) return a.length - b.length;
  return (a[at]?.codePointAt(0) ?? 0) - (b[at]?.codePointAt(0) ?? -1);
}

const ENTITIES: Readonly<Record<string, string>> = {
  "&": "&amp;",
  "<": "&lt;",
  ">": "&gt;",
  '"': "&quot;",
  "'": "&#x27;",
};

function text(said: string): string {
  return visible(said).replace(/[&<>"']/g, (char) => ENTITIES[char] ?? char);
}

/** Our own sentences, which set commands between backticks. */
function prose(said: string): string {
  return text(said).replace(/`([^`]*)`/g, "<code>$1</code>");
}
