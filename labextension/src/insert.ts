/** What the panel sends up the page when a line shall become a cell: `detail` is `{line}`. */
export const INSERT_EVENT = "service-nb:insert";

const MOST_CHARS = 100_000; // of a compute line; an ask line has fewer
const MAGIC = /^%%?service_[a-z]/;
const ODD_IN_LINE = /[\p{Cc}\u2028\u2029]/u;
const ODD_IN_BODY = /[^\P{Cc}\t\n]|[\u2028\u2029]/u;

/** Why a text does not become a cell. */
export type InsertRefusal = "not_text" | "not_ours" | "too_long" | "odd_characters";

/**
 * The text of a new cell, or why there will be none.
 *
 * The event can be sent by any output that runs scripts, so only our own magics pass: `%service_…` on one line, or
 * `%%service_…` with its body. Nothing after the first line of a line magic could be Python.
 */
export function cellText(line: unknown): { readonly text: string } | { readonly refusal: InsertRefusal } {
  if (typeof line !== "string") return { refusal: "not_text" };
  const text = line.trimEnd();
  if (!MAGIC.test(text)) return { refusal: "not_ours" };
  if (text.length > MOST_CHARS) return { refusal: "too_long" };
  return (text.startsWith("%%") ? ODD_IN_BODY : ODD_IN_LINE).test(text) ? { refusal: "odd_characters" } : { text };
}

const NOT_BY_BUTTON = /^%service_(?:forget|disconnect)\b/;

/** Whether a button may run a line: one line of ours, and none that takes something away. */
export function isRunnable(line: string): boolean {
  return "text" in cellText(line) && !line.startsWith("%%") && !NOT_BY_BUTTON.test(line);
}

/** The line that an event carries, whatever it is; undefined where the event is another one. */
export function lineOf(event: Event): unknown {
  const detail: unknown = event instanceof CustomEvent ? event.detail : undefined;
  return typeof detail === "object" && detail !== null && "line" in detail ? detail.line : undefined;
}
