import { canonicalText, isObject } from "@service-nb/records";

/** The author's words: nothing can be compared with them. */
export const WORDS = Symbol("words");

/** What the texts give for the view. Without the text of what came out, its rows have nothing to be compared with. */
export interface Derived {
  readonly leaves: Readonly<Record<string, unknown>>;
  readonly hasRows: boolean;
}

/** What is shown, or recorded, differs from what was recorded of it elsewhere. */
export class Differs extends Error {
  override readonly name = "Differs";

  constructor(leaf: string, recorded: unknown, shown: unknown) {
    super(`${leaf}: recorded is ${told(recorded)}; shown is ${told(shown)}.`);
  }
}

/**
 * Compares a view with what the texts give, leaf by leaf.
 *
 * @throws {Differs}
 */
export function compareView(view: Readonly<Record<string, unknown>>, { leaves, hasRows }: Derived): void {
  for (const leaf of new Set([...Object.keys(leaves), ...Object.keys(view)])) {
    const [recorded, shown] = [leaves[leaf], Object.hasOwn(view, leaf) ? view[leaf] : undefined];
    if (recorded === WORDS) {
      if (shown === undefined || (typeof shown === "object" && shown !== null))
        throw new Differs(leaf, "a word", shown);
    } else if (leaf !== "rows" || hasRows || shown === undefined) {
      expectSame(leaf, recorded, shown);
    }
  }
}

/**
 * Compares two JSON values; numbers by their values, objects without an order.
 *
 * @throws {Differs} at the first leaf that differs
 */
export function expectSame(leaf: string, recorded: unknown, shown: unknown): void {
  if (recorded === shown) return;
  if (Array.isArray(recorded) && Array.isArray(shown)) {
    for (let at = 0; at < Math.max(recorded.length, shown.length); at += 1) {
      expectSame(`${leaf}[${String(at)}]`, recorded[at], shown[at]);
    }
  } else if (isObject(recorded) && isObject(shown)) {
    for (const key of new Set([...Object.keys(recorded), ...Object.keys(shown)])) {
      const [one, other] = [recorded, shown].map((each) => (Object.hasOwn(each, key) ? each[key] : undefined));
      expectSame(`${leaf}.${cut(key)}`, one, other);
    }
  } else {
    throw new Differs(leaf, recorded, shown);
  }
}

/** Whether two JSON values are the same. */
export function isSame(one: unknown, other: unknown): boolean {
  try {
    expectSame("", one, other);
    return true;
  } catch (error) {
    if (error instanceof Differs) return false;
    throw error;
  }
}

const MOST = 80; // characters of a value in a message

function told(value: unknown): string {
  return value === undefined ? "nothing" : cut(typeof value === "string" ? value : canonicalText(value));
}

function cut(text: string): string {
  return text.length > MOST ? `${text.slice(0, MOST).toWellFormed()}…` : text;
}
