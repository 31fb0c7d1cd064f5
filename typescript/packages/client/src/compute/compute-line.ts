/**
 * The compute line: the text spelling of a ComputationSpec, as Python's client reads it.
 *
 *     finance.npv rate=0.1 cashflows=budget.flow where year = 2024
 *     finance.npv(rate=0.1, cashflows=[-1000, 300, 420])
 *     hypothesis.t_test_welch first=trial.score[arm = 'A'] second=trial.score[arm = 'B']
 *
 * A value is a number, text in quotes, true, false, a list, or a column `source.field`. The form with parentheses is the
 * one that a card prints: there, "text" in double quotes is JSON. A `where` selects the rows of all columns, a condition
 * in [brackets] behind a column those of that one alone, both in the words of the ask line.
 */

import { type ServiceError } from "../errors.js";
import { parseAsk } from "../query/ask-line.js";
import { type AskFilter } from "../query/ask-spec.js";
import { invalidIntent, isInvalidIntent, limitExceeded } from "../query/faults.js";
import { SPACE, WORD } from "../query/lexer.js";
import { cut, describeValue, writeCount } from "../query/text.js";
import { RealNumber } from "../query/values.js";
import { bindVariables } from "../query/variables.js";
import { countChars } from "../values/order.js";
import { buildBindings, joinFilters, Reference, type Selection } from "./line-columns.js";

const MOST_CHARS = 100_000;
const MOST_DEPTH = 8;
const MOST_MET = 40; // characters of what an error met
const MOST_DIGITS = 1_000_000; // of a whole number; the capability's own limit comes later
const SHORTENED = 20; // signs that a card shows of a long text's beginning, and of its end; with … between them
const ASKED = "count where "; // the shortest question that a condition can stand in

const BARE = `[\\p{L}\\p{Nl}\\p{No}_][${WORD}]*`;
const NAME = pattern(`${BARE}|\`(?:[^\`]|\`\`)+\``);
const CAPABILITY = pattern(`[A-Za-z_][${WORD}]*\\.[A-Za-z_][${WORD}]*`);
const VARIABLE = pattern(`[A-Za-z_][${WORD}]*`);
const NUMBER = pattern(String.raw`[-+]?(?:\p{Nd}+(?:_\p{Nd}+)*)(?:\.\p{Nd}*)?(?:[eE][-+]?\p{Nd}+)?|[-+]?\.\p{Nd}+(?:[eE][-+]?\p{Nd}+)?`); // prettier-ignore
const ZEROS = /^[-+]?0[\p{Nd}_]/u; // 1,000 in a list would be 1 and 0
const DATE = pattern(String.raw`\p{Nd}{4}-\p{Nd}{2}-\p{Nd}{2}`);
const TEXT = pattern(`'((?:[^']|'')*)'|"((?:[^"]|"")*)"`);
const SELECTION = pattern(`\\[((?:'[^']*'|"[^"]*"|\`[^\`]*\`|[^\\]\\['"\`])*)\\]`); // a bracket in quotes closes nothing
const JSON_TEXT = pattern(String.raw`"(?:[^"\\\x00-\x1f]|\\.)*"`);
const ENDS = pattern(`[${SPACE},\\])]|$`);
const BLANK = new RegExp(`[${SPACE}]`, "u");
const WHERE = new RegExp(`^where(?![${WORD}])(?![${SPACE}]*=[^=])`, "iu");
const WORDS: ReadonlyMap<string, boolean> = new Map([
  ["true", true],
  ["false", false],
]);

function pattern(written: string): RegExp {
  return new RegExp(written, "uy");
}

/** Whether a text is a line, and not the name of a capability alone; `hasMore`: arguments stand beside it. */
export function isComputeLine(text: string, hasMore: boolean): boolean {
  return text.includes("=") || (!hasMore && /[( ]/.test(text));
}

/**
 * Reads a compute line into a ComputationSpec.
 *
 * @throws {ServiceError} `invalid_intent` of a line that breaks the rules, `limit_exceeded` of one that is too long.
 */
export function parseComputeLine(text: string): Readonly<Record<string, unknown>> {
  const length = text.length > MOST_CHARS ? countChars(text) : 0;
  if (length > MOST_CHARS) {
    const says = `The line has ${writeCount(length)} characters; the limit is ${writeCount(MOST_CHARS)}.`;
    throw limitExceeded(says, { limit: MOST_CHARS, value: length });
  }
  return new LineReader(text).read();
}

/** Reads one line from left to right. */
class LineReader {
  readonly #text: string;
  #place = 0;
  #isCall = false; // written with parentheses, as a card prints it

  constructor(text: string) {
    this.#text = text;
  }

  read(): Readonly<Record<string, unknown>> {
    this.#skipBlanks();
    const capability = this.#take(CAPABILITY, "a capability such as finance.npv");
    const dot = capability.indexOf(".");
    this.#isCall = this.#peek() === "(";
    if (this.#isCall) this.#skip();
    const given = this.#readArguments();
    if (this.#isCall) this.#close();
    const seed = given.get("seed");
    given.delete("seed");
    const columns = [...given].flatMap(([name, value]) => (value instanceof Reference ? [{ name, value }] : []));
    const sources = new Set(columns.map(({ value }) => value.source));
    const common = this.#isAtWhere() ? this.#readWhere(sources) : undefined;
    const filters = new Map(columns.map(({ value }) => [value, this.#parseSelections(value.selection, common)]));
    const literals = [...given].filter(([, value]) => !(value instanceof Reference));
    return {
      module: capability.slice(0, dot),
      function: capability.slice(dot + 1),
      kwargs: Object.fromEntries(literals),
      ...(columns.length > 0 && { bindings: buildBindings(columns, filters) }),
      ...(seed !== undefined && { seed }),
    };
  }

  #readArguments(): Map<string, unknown> {
    const given = new Map<string, unknown>();
    while (!this.#isAtEnd() && !this.#isAtWhere() && !(this.#isCall && this.#peek() === ")")) {
      const start = this.#place;
      const name = stripBackticks(this.#take(NAME, "parameter=value: each argument has its name"));
      this.#takeSign(name);
      const value = this.#readValue(0);
      if (given.has(name)) throw this.#fault(`${name} is given twice`, start, "each parameter once");
      given.set(name, name === "seed" ? this.#requireWhole(value, start) : value);
      if (this.#peek() !== ",") continue;
      this.#skip();
      if (this.#isAtEnd()) throw this.#fault("the line ends with a comma", this.#place, "parameter=value");
    }
    return given;
  }

  #close(): void {
    if (this.#peek() !== ")") throw this.#fault("the call is not closed", this.#place, "parameter=value or )");
    this.#skip();
    if (!this.#isAtEnd() && !this.#isAtWhere())
      throw this.#fault("more text follows the call", this.#place, "where and a condition, or the end of the line");
  }

  /** Reads the condition at the end of the line. */
  #readWhere(sources: ReadonlySet<string>): Selection {
    this.#place += "where".length;
    this.#skipBlanks();
    if (sources.size !== 1) {
      const message = `\`where\` selects rows of one source; the line binds columns of ${String(sources.size)}.`;
      const hint = "Give each column its own condition, source.column[column = value], or its own filter in a spec.";
      throw invalidIntent(message, { met: [...sources] }, hint);
    }
    return { text: this.#text.slice(this.#place).trimEnd(), place: this.#place };
  }

  /** Parses what selects the rows of a column: its own condition, and that of all columns. */
  #parseSelections(own: Selection | undefined, common: Selection | undefined): AskFilter | undefined {
    // That of all columns is read first, as its faults are told first.
    const after = common === undefined ? undefined : this.#parseSelection(common);
    return joinFilters(own === undefined ? undefined : this.#parseSelection(own), after);
  }

  /** Parses a condition; what an error counts is the line's. */
  #parseSelection({ text, place }: Selection): AskFilter | undefined {
    const before = countChars(this.#text.slice(0, place));
    try {
      const asked = parseAsk(ASKED + text);
      if (Object.keys(asked).sort().join() === "aggregation,filter")
        return (bindVariables(asked, {}).spec as { filter?: AskFilter }).filter;
    } catch (error) {
      if (!isInvalidIntent(error) || typeof error.details["column"] !== "number") throw error;
      const column = error.details["column"] + before - ASKED.length;
      const message = error.message.replace(/column \d+/, `column ${String(column)}`);
      throw invalidIntent(message, { ...error.details, column }, error.hint);
    }
    const column = before + 1;
    const message = `At column ${String(column)}: more than a condition stands here.`;
    const details = { column, met: cut(text, MOST_MET), expected: "conditions" };
    throw invalidIntent(message, details, "Expected conditions, joined by and, or.");
  }

  #readValue(depth: number): unknown {
    if (depth > MOST_DEPTH) {
      const message = `The list is deeper than ${String(MOST_DEPTH)} levels.`;
      throw limitExceeded(message, { limit: MOST_DEPTH, value: depth });
    }
    const here = this.#peek();
    if (here === "[") return this.#readList(depth);
    if (here === "'" || here === '"') return this.#readQuoted();
    if (here === "$") return this.#refuseVariable();
    if (here === "…") throw this.#fault("cards shorten long values", this.#place, "the whole value");
    return /^[\p{Nd}\-+.]/u.test(here) ? this.#readNumber() : this.#readWord();
  }

  /** Variables are those of a notebook: a program writes its values into the call. */
  #refuseVariable(): never {
    this.#place += 1;
    const name = this.#take(VARIABLE, "a variable's name behind the $", false);
    const hint = "Give the value in kwargs beside the capability's name.";
    throw invalidIntent(`No variable is called '${name}'.`, { met: `$${name}`, expected: "a variable's name" }, hint);
  }

  #readList(depth: number): unknown[] {
    const items: unknown[] = [];
    this.#skip();
    while (this.#peek() !== "]") {
      const item = this.#readValue(depth + 1);
      items.push(item);
      if (item instanceof Reference) throw this.#fault("a list holds values only", this.#place, "numbers or texts");
      this.#skipBlanks();
      if (this.#peek() === ",") this.#skip();
      else if (this.#peek() !== "]") throw this.#fault("the list is not closed", this.#place, ", or ]");
    }
    this.#skip();
    return items;
  }

  #readQuoted(): string {
    if (this.#isCall && this.#peek() === '"') return this.#readJsonText();
    const found = this.#match(TEXT);
    if (found === undefined) throw this.#fault("the text is not closed", this.#place, "a closing quote");
    this.#place += found[0].length;
    this.#skipBlanks();
    const [, single, double = ""] = found;
    return single === undefined ? double.replaceAll('""', '"') : single.replaceAll("''", "'");
  }

  #readJsonText(): string {
    const written = this.#match(JSON_TEXT)?.[0] ?? "";
    let text: string;
    try {
      text = JSON.parse(written) as string;
    } catch {
      throw this.#fault("this text is not valid JSON", this.#place, "text such as \"a\", or 'a'");
    }
    const signs = Array.from(written);
    if (signs.length === 2 * SHORTENED + 1 && signs[SHORTENED] === "…") {
      const expected = "the whole text, or this one in '…'";
      throw this.#fault("this looks like a text that a card has shortened", this.#place, expected);
    }
    this.#place += written.length;
    this.#skipBlanks();
    return text;
  }

  #readNumber(): unknown {
    const start = this.#place;
    const date = this.#match(DATE)?.[0];
    if (date !== undefined && this.#match(ENDS, start + date.length) !== undefined) return this.#pass(date);
    const met = this.#match(NUMBER)?.[0];
    if (met === undefined || this.#match(ENDS, start + met.length) === undefined)
      throw this.#fault("this is not a number", start, "a number such as -1.5e3");
    if (ZEROS.test(met)) throw this.#fault("a number must not begin with 0", start, "1000 or 1_000 for a thousand");
    this.#pass(met);
    const written = met.replaceAll("_", "");
    if (/^[-+]*[0-9]+$/.test(written)) return this.#convertInteger(written, start);
    const double = Number(written);
    return Number.isInteger(double) ? new RealNumber(double) : double;
  }

  #pass(word: string): string {
    this.#place += word.length;
    this.#skipBlanks();
    return word;
  }

  /** Beyond what every JSON reader keeps, whole numbers travel as text. */
  #convertInteger(written: string, start: number): number | string {
    const digits = written.replace(/^[-+]/, "");
    if (digits.length > MOST_DIGITS)
      throw this.#fault("the number has too many digits", start, `at most ${writeCount(MOST_DIGITS)}`);
    const isSafe = digits.length <= String(Number.MAX_SAFE_INTEGER).length && Number.isSafeInteger(Number(digits));
    return isSafe ? Number(written) + 0 : written.replace(/^\+/, "");
  }

  #readWord(): unknown {
    const start = this.#place;
    const first = this.#take(NAME, "a value: a number, 'text', [list], source.field or $variable", false);
    if (this.#peek() === ".") {
      this.#place += 1;
      const field = this.#take(NAME, "a field's name behind the dot");
      const selection = this.#peek() === "[" ? this.#readSelection() : undefined;
      if (selection !== undefined || this.#peek() !== "(")
        return new Reference(stripBackticks(first), stripBackticks(field), selection);
      // A card says that rows were chosen, and not which: `sales.revenue (filtered)`.
      const expected = "a condition behind it, [column = value], or at the end of the line: where column = value";
      throw this.#fault("this cannot follow a column", this.#place, expected);
    }
    this.#skipBlanks();
    const word = WORDS.get(first.toLowerCase());
    if (word !== undefined) return word;
    const name = stripBackticks(first);
    const expected = `a column source.${name}, text '${name}' or a variable $${name}`;
    throw this.#fault(`${describeValue(name)} alone is not a value`, start, expected, name);
  }

  /** Reads the condition in brackets behind a column, as text: it is parsed as one of an ask line. */
  #readSelection(): Selection {
    const start = this.#place;
    const found = this.#match(SELECTION);
    if (found === undefined) throw this.#fault("the condition is not closed", start, "[column = value]");
    const [whole, written = ""] = found;
    const text = written.trim();
    if (text === "") throw this.#fault("there is no condition in the brackets", start, "[column = value]");
    this.#pass(whole);
    return { text, place: start + 1 + written.indexOf(text) };
  }

  #takeSign(name: string): void {
    if (this.#peek() === ".")
      throw this.#fault("an argument has no name", this.#place - name.length, "parameter=value");
    if (this.#peek() !== "=") throw this.#fault(`${describeValue(name)} has no value`, this.#place, "=");
    this.#skip();
  }

  #requireWhole(value: unknown, start: number): number {
    const whole = typeof value === "string" && /^\p{Nd}+$/u.test(value) ? Number(value) : value;
    if (typeof whole !== "number" || !Number.isInteger(whole))
      throw this.#fault("the seed must be a whole number", start, "seed=7");
    return whole;
  }

  #match(wanted: RegExp, place = this.#place): RegExpExecArray | undefined {
    wanted.lastIndex = place;
    return wanted.exec(this.#text) ?? undefined;
  }

  #take(wanted: RegExp, expected: string, passesBlanks = true): string {
    const found = this.#match(wanted)?.[0];
    if (found === undefined) {
      const met = firstWord(this.#text.slice(this.#place));
      const says = met === "" ? "the line ends too early" : `${describeValue(met)} is not expected here`;
      throw this.#fault(says, this.#place, expected);
    }
    this.#place += found.length;
    if (passesBlanks) this.#skipBlanks();
    return found;
  }

  #skipBlanks(): void {
    while (BLANK.test(this.#peek())) this.#place += 1;
  }

  #peek(): string {
    const code = this.#text.codePointAt(this.#place);
    return code === undefined ? "" : String.fromCodePoint(code);
  }

  /** Skips one sign and the blanks after it. */
  #skip(): void {
    this.#place += 1;
    this.#skipBlanks();
  }

  #isAtEnd(): boolean {
    return this.#place >= this.#text.length;
  }

  #isAtWhere(): boolean {
    return WHERE.test(this.#text.slice(this.#place, this.#place + 12));
  }

  #fault(says: string, place: number, expected: string, name?: string): ServiceError {
    const column = countChars(this.#text.slice(0, place)) + 1;
    const met = cut(firstWord(this.#text.slice(place)), MOST_MET) || "the end of the line";
    const message = `At column ${String(column)}: ${says}.`;
    return invalidIntent(message, { column, met, expected, name }, `Expected ${expected}.`);
  }
}

function firstWord(text: string): string {
  return text.split(BLANK).find((word) => word !== "") ?? "";
}

function stripBackticks(name: string): string {
  return name.startsWith("`") ? name.slice(1, -1).replaceAll("``", "`") : name;
}
