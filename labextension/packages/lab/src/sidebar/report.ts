import type { Headline } from "@service-nb/cards";

/** What a report says; every text may come from a stranger. */
export interface Report {
  readonly notebook: string;
  readonly madeAt: string;
  readonly keys: readonly string[];
  readonly contracts: readonly string[];
  readonly summary: string;
  readonly seal: ReportedVerdict | null;
  readonly cards: readonly ReportedCard[];
}

export interface ReportedVerdict {
  readonly state: Headline["state"] | "pending";
  readonly label: string;
  readonly notes: readonly string[];
  readonly checks: Headline["checks"];
}

export interface ReportedCard {
  readonly place: string;
  readonly kind: string;
  readonly question: string;
  readonly id: string | null;
  readonly time: string | null;
  readonly signer: string | null;
  readonly digests: readonly (readonly [string, string])[];
  readonly verdict: ReportedVerdict;
  readonly replay: string | null;
}

type Say = (text: string, ...parts: readonly string[]) => string;

const STYLE = `
:root { color-scheme: light dark; font: 15px/1.5 system-ui, sans-serif; }
body { max-width: 62rem; margin: 2rem auto; padding: 0 1rem; }
h1 { font-size: 1.5rem; margin-bottom: 0.25rem; } h2 { font-size: 1.15rem; margin-top: 2rem; } h3 { font-size: 1rem; margin: 1.5rem 0 0.25rem; }
table { border-collapse: collapse; width: 100%; } th, td { text-align: start; vertical-align: top; padding: 0.3rem 0.6rem; border-bottom: 1px solid #8885; }
th { font-weight: 600; } td:first-child { white-space: nowrap; }
code { font: 0.86em ui-monospace, monospace; overflow-wrap: anywhere; } .note { opacity: 0.8; } .summary { font-size: 1.1rem; font-weight: 600; }
.altered { font-weight: 700; color: light-dark(#b3261e, #ff9d94); } .verified { color: light-dark(#1b6e45, #7fd3a8); } .not_checkable { color: light-dark(#7a5200, #f0c274); } pre { white-space: pre-wrap; overflow-wrap: anywhere; padding: 0.6rem; border: 1px solid #8885; }
section { break-inside: avoid; } @media print { body { margin: 0; max-width: none; } }`;

// No script runs and nothing is fetched, whatever a name in it looks like.
const POLICY = "default-src 'none'; style-src 'unsafe-inline'; base-uri 'none'; form-action 'none'";

const SIGNS: Readonly<Record<ReportedVerdict["state"], string>> = {
  verified: "✓",
  unaltered: "○",
  consistent: "○",
  not_checkable: "?",
  altered: "✗",
  pending: "…",
};
const CHECK_SIGNS = { passed: "✓", failed: "✕", not_checkable: "○" } as const;

/** The report as one page that needs nothing else: to read, to print, to attach. */
export function reportHtml(report: Report, say: Say): string {
  const title = say("Audit report of %1", report.notebook);
  return [
    "<!doctype html>",
    '<html lang="en"><head><meta charset="utf-8">',
    `<meta http-equiv="Content-Security-Policy" content="${POLICY}">`,
    '<meta name="viewport" content="width=device-width, initial-scale=1">',
    `<title>${escaped(title)}</title><style>${STYLE}</style></head><body>`,
    `<h1>${escaped(title)}</h1>`,
    `<p class="note">${escaped(say("Made in the browser at %1, from the notebook as it was open then.", report.madeAt))}</p>`,
    `<p class="summary">${escaped(report.summary)}</p>`,
    ...seal(report, say),
    ...overview(report, say),
    ...report.cards.map((card, index) => details(card, index, say)),
    ...terms(report, say),
    ...again(report, say),
    "</body></html>\n",
  ].join("\n");
}

/** Text that neither markup nor a reader of right-to-left marks takes for anything else. */
export function escaped(text: string): string {
  return text
    .replace(/[\u0000-\u0008\u000b-\u001f\u007f-\u009f\u200e\u200f\u202a-\u202e\u2066-\u2069]/g, "\ufffd") // eslint-disable-line no-control-regex
    .replace(/[&<>"'`]/g, (mark) => `&#${String(mark.charCodeAt(0))};`);
}

/** The name of the file, from that of the notebook. */
export function reportName(path: string): string {
  const name =
    path
      .split("/")
      .at(-1)
      ?.replace(/\.ipynb$/i, "") ?? "";
  const safe = name.replace(/[^\p{L}\p{N}._ -]/gu, "_").slice(0, 100);
  return `${safe === "" ? "notebook" : safe}.audit.html`;
}

function seal({ seal: verdict }: Report, say: Say): string[] {
  if (verdict === null) {
    return [`<p class="note">${escaped(say("Not sealed: that a card was taken out, nobody could tell."))}</p>`];
  }
  return [`<h2>${escaped(say("Seal"))}</h2>`, judged(verdict), checks(verdict, say)];
}

function overview({ cards }: Report, say: Say): string[] {
  const heads = [say("Card"), say("Where"), say("Kind"), say("Question"), say("Verdict")];
  const rows = cards.map(({ place, kind, question, verdict }, index) =>
    row([
      `<a href="#card-${String(index + 1)}">${String(index + 1)}</a>`,
      escaped(place),
      escaped(kind),
      escaped(question),
      judged(verdict),
    ]),
  );
  const head = heads.map((text) => `<th scope="col">${escaped(text)}</th>`).join("");
  return [
    `<h2>${escaped(say("Cards"))}</h2>`,
    `<table><thead><tr>${head}</tr></thead><tbody>`,
    ...rows,
    "</tbody></table>",
  ];
}

function details(card: ReportedCard, index: number, say: Say): string {
  const facts: readonly (readonly [string, string | null])[] = [
    [say("where"), card.place],
    [say("kind"), card.kind],
    [say("id"), card.id],
    [say("stated time"), card.time],
    [say("key its receipt names"), card.signer],
    [say("replay"), card.replay],
    ...card.digests,
  ];
  const told = facts.flatMap(([label, value]) =>
    value === null ? [] : [row([escaped(label), `<code>${escaped(value)}</code>`])],
  );
  const number = String(index + 1);
  const heading = card.question === "" ? say("Card %1", number) : `${number}. ${card.question}`;
  return [
    `<section id="card-${number}"><h3>${escaped(heading)}</h3>`,
    `<p>${judged(card.verdict)}</p>`,
    ...card.verdict.notes.map((note) => `<p class="note">${escaped(note)}</p>`),
    `<table><tbody>${told.join("")}</tbody></table>`,
    checks(card.verdict, say),
    "</section>",
  ].join("\n");
}

function checks({ checks: list }: ReportedVerdict, say: Say): string {
  const words = { passed: say("holds"), failed: say("fails"), not_checkable: say("not checkable here") };
  const head = [say("Check"), say("Outcome"), say("Cause")]
    .map((text) => `<th scope="col">${escaped(text)}</th>`)
    .join("");
  const rows = list.map(({ label, status, said, cause }) => {
    const outcome = `${CHECK_SIGNS[status]} ${escaped(words[status])}${said === "" ? "" : `: ${escaped(said)}`}`;
    return row([escaped(label), outcome, cause === "" ? "" : `<code>${escaped(cause)}</code>`]);
  });
  return `<table><thead><tr>${head}</tr></thead><tbody>${rows.join("")}</tbody></table>`;
}

function terms({ keys, contracts }: Report, say: Say): string[] {
  const list = (values: readonly string[], none: string): string =>
    values.length === 0
      ? `<p>${escaped(none)}</p>`
      : `<ul>${values.map((value) => `<li><code>${escaped(value)}</code></li>`).join("")}</ul>`;
  return [
    `<h2>${escaped(say("What this reader knew"))}</h2>`,
    `<h3>${escaped(say("Trusted keys"))}</h3>`,
    list(keys, say("None were given: whose keys signed is not proven.")),
    `<h3>${escaped(say("Known contracts"))}</h3>`,
    list(contracts, say("None were given.")),
  ];
}

function again({ notebook, keys }: Report, say: Say): string[] {
  const options = keys.map((key) => ` --key ${key}`).join("");
  return [
    `<h2>${escaped(say("How to check it again"))}</h2>`,
    `<p>${escaped(say("This page proves nothing by itself: whoever sends it could have written it. The notebook is the evidence:"))}</p>`,
    `<pre><code>${escaped(`service-nb verify ${quoted(notebook)}${options}`)}</code></pre>`,
  ];
}

/** A file name as a shell takes it, and a program for no option, which quotes do not prevent. */
function quoted(name: string): string {
  const file = name.startsWith("-") ? `./${name}` : name;
  return /^[\w./-]+$/.test(file) ? file : `'${file.replaceAll("'", `'\\''`)}'`;
}

function judged({ state, label }: ReportedVerdict): string {
  return `<span class="${state}">${SIGNS[state]} ${escaped(label)}</span>`;
}

function row(cells: readonly string[]): string {
  return `<tr>${cells.map((cell) => `<td>${cell}</td>`).join("")}</tr>`;
}
