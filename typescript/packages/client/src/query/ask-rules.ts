/** What each rule of the grammar becomes: the parts of a spec, while a line is read. */

import { type AskCondition, type AskForm, type AskKey, type AskMeasure, type AskSpec, type AskValue, joinerOf, partsOf } from "./ask-spec.js"; // prettier-ignore
import { type LineFault, lineError, unknownPeriodError } from "./ask-errors.js";
import { Decimal, readWritten } from "./decimal.js";
import { limitExceeded } from "./faults.js";
import { type Token, placeOf } from "./lexer.js";
import { isToken, type Part } from "./parser.js";
import { AGGREGATIONS, LIMITS, OPERATORS, PERIODS, SYNONYMS } from "./tables.js";
import { describeValue, writeCount } from "./text.js";
import { type AggregationName, type DateUnit, type Joiner, type Op, type Order, type Period } from "./types.js";
import { RealNumber, type Variable } from "./values.js";

/** What a rule made of its parts. */
export type Piece =
  | { readonly is: "name"; readonly name: string }
  | { readonly is: "measure"; readonly measure: AskMeasure }
  | { readonly is: "key"; readonly key: AskKey }
  | { readonly is: "form"; readonly form: LineForm }
  | { readonly is: "value"; readonly value: AskValue }
  | { readonly is: "values"; readonly values: readonly AskValue[] | Variable }
  | { readonly is: "spec"; readonly spec: AskSpec };

/** A condition, a group of conditions, or a period: still a token, for the place of a second one. */
type LineForm = AskForm | PeriodForm;
interface PeriodForm {
  readonly column: string;
  readonly period: Token;
}

type Parts = readonly Part<Piece>[];

const OPS: ReadonlyMap<string, Op> = new Map(
  Object.entries(OPERATORS).flatMap(([op, record]) =>
    record.ask.map((words) => [record.takes === "two" ? `${words} and` : words, op as Op] as const),
  ),
);

/** Makes the parts of a spec out of the words of one line. */
export class RuleReader {
  readonly #line: string;

  constructor(line: string) {
    this.#line = line;
  }

  readonly reduce = (rule: string, parts: Parts): Piece => {
    switch (rule) {
      case "start":
        return { is: "spec", spec: Object.assign({}, ...parts.map((part) => specOf(part))) as AskSpec };
      case "measures":
        return this.#measures(parts);
      case "measure":
        return { is: "measure", measure: buildMeasure(parts) };
      case "aggregation":
        return { is: "measure", measure: { aggregation: this.#readAggregation(tokenAt(parts, 0)) } };
      case "metric":
      case "key":
      case "of_row":
      case "of_group":
        return rule === "key" ? toKey(pieceAt(parts, 0)) : pieceAt(parts, 0);
      case "test":
        return pieceAt(parts, Math.floor(parts.length / 2));
      case "any":
      case "all":
        return { is: "form", form: joinForms(rule, parts.filter((_, at) => at % 2 === 0).map(formOf)) };
      case "condition":
        return { is: "form", form: buildCondition(parts) };
      case "during":
        return { is: "form", form: this.#buildPeriod(parts) };
      default:
        return this.#reduceRest(rule, parts);
    }
  };

  #reduceRest(rule: string, parts: Parts): Piece {
    switch (rule) {
      case "period_key":
        return { is: "key", key: buildPeriodKey(parts) };
      case "zone":
        return {
          is: "name",
          name: parts.length === 1 ? (words(tokenAt(parts, 0).text).at(-1) ?? "") : nameAt(parts, 1),
        };
      case "bin_key":
        return { is: "key", key: { column: nameAt(parts, 0), width: tokenAt(parts, 2).text } };
      case "values":
        return { is: "values", values: buildValues(parts) };
      case "value":
      case "text":
        return { is: "value", value: this.readValue(tokenAt(parts, 0)) };
      case "name":
        return { is: "name", name: readName(tokenAt(parts, 0)) };
      default:
        return { is: "spec", spec: this.#buildClause(rule, parts) };
    }
  }

  #buildClause(rule: string, parts: Parts): AskSpec {
    switch (rule) {
      case "by":
        return { group_by: parts.filter((_, at) => at % 2 === 1).map(keyOf) };
      case "source":
        return { source_name: nameAt(parts, 1) };
      case "where":
        return { filter: this.#buildFilter(formAt(parts, 1)) };
      case "having":
        return { having: { conditions: conjuncts(formAt(parts, 1)) as AskForm[] } };
      case "order":
        return buildOrder(parts);
      default:
        return { limit: this.#readLimit(tokenAt(parts, 1)) };
    }
  }

  #measures(parts: Parts): Piece {
    const measures = parts.filter((_, at) => at % 2 === 0).map(measureOf);
    return { is: "spec", spec: measures.length > 1 ? { measures } : (measures[0] ?? {}) };
  }

  #readAggregation(token: Token): AggregationName {
    const name = readAggregation(token);
    if (Object.hasOwn(AGGREGATIONS, name)) return name as AggregationName;
    throw this.#refuse(token, `${describeValue(token.text)} is no aggregation`, {
      hint: "Name one for each column: `sum revenue, avg price`.",
      expected: Object.keys(AGGREGATIONS),
    });
  }

  /**
   * The value that a token stands for.
   *
   * @throws {ServiceError} It is a number that is too long, or one that begins with 0.
   */
  readValue(token: Token): AskValue {
    switch (token.kind) {
      case "STRING": {
        const quote = token.text.charAt(0);
        return token.text.slice(1, -1).replaceAll(quote + quote, quote);
      }
      case "INT":
      case "DECIMAL":
        return this.#readNumber(token);
      case "VARIABLE":
        return { variable: token.text.slice(1) };
      case "DATE":
        return token.text;
      default:
        return token.kind === "TRUE";
    }
  }

  #readNumber(token: Token): number | bigint | RealNumber | string {
    const { kind, text } = token;
    if (text.length > LIMITS.digits) {
      const at = placeOf(this.#line, token.start);
      const says = `A number of ${writeCount(text.length)} characters at column ${String(at.column)}`;
      throw limitExceeded(`${says}; the limit is ${String(LIMITS.digits)}.`, {
        limit: LIMITS.digits,
        value: text.length,
        ...at,
      });
    }
    if (/^0[0-9]/.test(text.replace(/^[+-]+/, "")))
      throw this.#refuse(token, "a number must not begin with 0", {
        hint: "Write a thousand as 1000, and a code such as 007 in quotes.",
      });
    if (kind === "INT") {
      const whole = BigInt(text.replace("+", ""));
      return Number.isSafeInteger(Number(whole)) ? Number(whole) : whole;
    }
    const number = Number(text);
    return isSameNumber(number, text) ? (Number.isInteger(number) ? new RealNumber(number) : number) : text;
  }

  #readLimit(token: Token): number | bigint {
    const count = this.#readNumber(token);
    if ((typeof count === "bigint" || typeof count === "number") && count >= 1) return count;
    throw this.#refuse(token, "limit must be a whole number of at least 1", { expected: ["a whole number"] });
  }

  #buildPeriod(parts: Parts): PeriodForm {
    const period = tokenAt(parts, 2);
    if (!(PERIODS as readonly string[]).includes(period.text.toLowerCase()))
      throw unknownPeriodError(this.#line, period);
    return { column: nameAt(parts, 0), period };
  }

  #buildFilter(tree: LineForm): NonNullable<AskSpec["filter"]> {
    const parts = conjuncts(tree);
    const periods = parts.filter(isPeriod);
    const conditions = parts.filter((part): part is AskForm => !isPeriod(part));
    const inner = listPeriods(conditions)[0];
    const write = "as dates: `column between 2013-01-01 and 2013-03-31`.";
    if (inner !== undefined)
      throw this.#refuse(inner.period, "a period cannot be one of several alternatives", { hint: `Write it ${write}` });
    const [first, second] = periods;
    if (second !== undefined)
      throw this.#refuse(second.period, "a question has at most one period", { hint: `Write the second ${write}` });
    const during = first && { column: first.column, period: first.period.text.toLowerCase() as Period };
    return { ...(conditions.length > 0 && { conditions }), ...(during && { time_filter: during }) };
  }

  #refuse(token: Token, says: string, fault: LineFault): Error {
    return lineError({ line: this.#line, start: token.start, met: token.text }, says, fault);
  }
}

/** A name without its backticks. */
export function readName(token: Token): string {
  return token.kind === "QUOTED_NAME" ? token.text.slice(1, -1).replaceAll("``", "`") : token.text;
}

/** The name of an aggregation, which may stand as two words, or as what people say for it. */
export function readAggregation(token: Token): string {
  if (token.kind === "PERCENTILE_OF") return "percentile";
  const name = words(token.text.toLowerCase()).join("_");
  return Object.hasOwn(SYNONYMS, name) ? SYNONYMS[name as keyof typeof SYNONYMS] : name;
}

function words(text: string): string[] {
  return text.split(/[\s\x1c-\x1f\x85]+/u).filter((word) => word !== ""); // eslint-disable-line no-control-regex
}

function isSameNumber(number: number, text: string): boolean {
  const [one, other] = [readWritten(String(number)), readWritten(text)];
  return one !== undefined && other !== undefined && Decimal.fromWritten(one).compare(Decimal.fromWritten(other)) === 0;
}

function unitOf(token: Token): DateUnit {
  return token.text.toLowerCase().split(/[^\p{L}\p{N}_]/u)[0] as DateUnit;
}

function buildPeriodKey(parts: Parts): AskKey {
  const last = parts.at(-1); // the zone, or its place
  const zone = isAbsent(last) ? {} : { zone: nameAt(parts, parts.length - 1) };
  return { column: nameAt(parts, 1), unit: unitOf(tokenAt(parts, 0)), ...zone };
}

function buildMeasure(parts: Parts): AskMeasure {
  const first = parts[0];
  const metric = isAbsent(parts[1]) ? {} : { metric: nameAt(parts, 1) };
  if (isToken(first)) return { aggregation: "percentile", percent: words(first.text)[1] ?? "", ...metric };
  return { ...measureOf(first ?? null), ...metric };
}

function buildOrder(parts: Parts): AskSpec {
  if (parts.length === 2) return { order: tokenAt(parts, 1).text as Order };
  const order = isAbsent(parts[3]) ? {} : { order: tokenAt(parts, 3).text as Order };
  return { order_by: nameAt(parts, 2), ...order };
}

function buildValues(parts: Parts): readonly AskValue[] | Variable {
  if (parts.length === 1) return { variable: tokenAt(parts, 0).text.slice(1) };
  return parts.filter((_, at) => at % 2 === 1).map(valueOf);
}

function buildCondition(parts: Parts): AskCondition {
  const [first = null, ...rest] = parts;
  const left = !isToken(first) && first?.is === "name" ? { column: first.name } : measureOf(first);
  const said = rest.filter(isToken).map((token) => token.text.toLowerCase().replaceAll("_", " "));
  const op = OPS.get(words(said.join(" ")).join(" "));
  if (op === undefined) throw new Error("the tables of the grammar are damaged");
  const pieces = rest.filter((part): part is Piece => part !== null && !isToken(part));
  const listed = pieces.find((piece) => piece.is === "values");
  const values = pieces.filter((piece) => piece.is === "value").map((piece) => piece.value);
  switch (OPERATORS[op].takes) {
    case "none":
      return { ...left, op };
    case "two":
    case "list":
      return { ...left, op, values: listed?.values ?? values };
    case "one":
    case "text":
      return { ...left, op, value: values[0] ?? "" };
  }
}

function joinForms(joiner: Joiner, parts: readonly LineForm[]): LineForm {
  const [first] = parts;
  if (parts.length === 1 && first !== undefined) return first;
  const inside = parts.flatMap((part): readonly LineForm[] =>
    !isPeriod(part) && joinerOf(part) === joiner ? partsOf(part, joiner) : [part],
  );
  return { [joiner]: inside }; // a period among them is refused with the filter
}

function conjuncts(tree: LineForm): readonly LineForm[] {
  return !isPeriod(tree) && joinerOf(tree) === "all" ? partsOf(tree, "all") : [tree];
}

function isPeriod(form: LineForm): form is PeriodForm {
  return "period" in form;
}

function listPeriods(forms: readonly LineForm[]): PeriodForm[] {
  return forms.flatMap((form) => {
    if (isPeriod(form)) return [form];
    const joiner = joinerOf(form);
    return joiner === undefined ? [] : listPeriods(partsOf(form, joiner));
  });
}

// --- parts of a rule: the grammar says what stands where ---------------------------------------------------------------

function isAbsent(part: Part<Piece> | undefined): part is null | undefined {
  return part === null || part === undefined;
}

function tokenAt(parts: Parts, at: number): Token {
  const part = parts[at];
  if (isToken(part)) return part;
  throw new Error("the tables of the grammar are damaged");
}

function pieceAt(parts: Parts, at: number): Piece {
  const part = parts[at];
  if (!isAbsent(part) && !isToken(part)) return part;
  throw new Error("the tables of the grammar are damaged");
}

function require<K extends Piece["is"]>(part: Part<Piece>, kind: K): Extract<Piece, { is: K }> {
  if (part !== null && !isToken(part) && part.is === kind) return part as Extract<Piece, { is: K }>;
  throw new Error("the tables of the grammar are damaged");
}

const nameAt = (parts: Parts, at: number): string => require(pieceAt(parts, at), "name").name;
const formAt = (parts: Parts, at: number): LineForm => require(pieceAt(parts, at), "form").form;
const formOf = (part: Part<Piece>): LineForm => require(part, "form").form;
const keyOf = (part: Part<Piece>): AskKey => require(part, "key").key;
const measureOf = (part: Part<Piece>): AskMeasure => require(part, "measure").measure;
const valueOf = (part: Part<Piece>): AskValue => require(part, "value").value;

function specOf(part: Part<Piece>): AskSpec {
  return part === null ? {} : require(part, "spec").spec;
}

function toKey(piece: Piece): Piece {
  return piece.is === "name" ? { is: "key", key: piece.name } : piece;
}
