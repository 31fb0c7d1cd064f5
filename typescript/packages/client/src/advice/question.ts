/**
 * Reads a question that the grammar refused: prose, SQL, a call.
 *
 * Every word has to be accounted for: it is a name, a value, an aggregation, a word with a role, or the line is not
 * read. One slot may stay open; the candidates then differ in it alone.
 */

import { readLiteral } from "../query/ask-line.js";
import { type AskCondition, type AskForm, type AskMeasure, type AskSpec, type AskValue } from "../query/ask-spec.js";
import { multiply } from "../query/ask-sugar.js";
import { foldName } from "../query/similar.js";
import { OPERATORS } from "../query/tables.js";
import { cut } from "../query/text.js";
import { type Op } from "../query/types.js";
import { countChars } from "../values/order.js";
import { copy, fitsSuperlative, hasRole, isPlain, type Item, joinPhrases, type Known, listDays, listNumbers, NotUnderstoodError, refuse, scan } from "./scan.js"; // prettier-ignore
import { MODULES, MOST_CHARS, SHARES, SKIPPED } from "./words.js";

/** What a line means: the spec, or one for each choice of the slot that `asks` is about. */
export interface Reading {
  readonly specs: readonly AskSpec[];
  readonly asks: string;
}

const COMPARISONS = new Map<string, Op>(
  Object.entries(OPERATORS).flatMap(([op, { takes, ask }]) => (takes === "one" ? [[ask[0], op as Op] as const] : [])),
);
const SKIPPED_BETWEEN = [...SKIPPED.filter((sign) => !"()".includes(sign)), "noise"];
const PHRASED = ["aggregation", "name", "quoted", "number", "distinct", "rows", "many", "percentile"];

type Writable<T> = { -readonly [K in keyof T]: T[K] };
type Part = Record<string, unknown>;

/** @throws {NotUnderstoodError} With the first word that has no place in a question. */
export function readQuestion(line: string, known: Known): Reading {
  if (countChars(line) > MOST_CHARS) throw new NotUnderstoodError(`${cut(line, 40)}…`);
  const [, quote = "", inside = ""] = /^\s*(["'])(.*)\1\s*$/u.exec(line) ?? [];
  return new Reader(scan(quote === "" || inside.includes(quote) ? line : inside, known), known).read();
}

/** Reads items from left to right; each is taken by one clause. */
class Reader {
  readonly #items: readonly Item[];
  readonly #known: Known;
  readonly #spec: Part = {};
  readonly #open: { readonly asks: string; readonly fills: readonly (() => void)[] }[] = []; // what each choice fills in
  readonly #orders: (readonly [Item, Item | undefined])[] = []; // the measures that an order is by
  #cut: Item | undefined; // what leaves out rows: `top`, `first`, `head`
  #place = 0;
  #phrases: Item[][] = [[]];
  #keys: (string | Part)[] = [];

  constructor(items: readonly Item[], known: Known) {
    [this.#items, this.#known] = [items, known];
  }

  read(): Reading {
    for (let item = this.#items[0]; item !== undefined; item = this.#items[this.#place]) this.#readClause(item);
    this.#phrases = joinPhrases(this.#phrases);
    const isRanked = this.#findRanked();
    const measures = this.#phrases.flatMap((phrase) => this.#readMeasure(phrase, isRanked) ?? []);
    const [open, second] = this.#open;
    this.#checkOrder(measures[0]);
    this.#checkCut();
    if (measures.length === 0) refuse(this.#items.slice(0, 4).map(({ text }) => text).join(" ") || "an empty line"); // prettier-ignore
    if (second !== undefined) refuse(second.asks);
    const keys = this.#keys.length > 0 ? { group_by: this.#keys } : {};
    const specs = (open?.fills ?? [() => undefined]).map((fill) => {
      fill();
      return copy({ ...this.#spec, ...keys, ...(measures.length === 1 ? measures[0] : { measures }) }) as AskSpec;
    });
    return { specs, asks: open?.asks ?? "" };
  }

  /** The next item behind what means nothing, if it is one of these kinds. */
  #take(...kinds: string[]): Item | undefined {
    while ([...SKIPPED, "noise"].includes(this.#items[this.#place]?.kind ?? "")) this.#place += 1;
    return this.#takeNext(...kinds);
  }

  #takeNext(...kinds: string[]): Item | undefined {
    const item = this.#items[this.#place];
    if (item === undefined || !kinds.includes(item.kind)) return undefined;
    this.#place += 1;
    return item;
  }

  /** A word between conditions, before which brackets count. */
  #takeJoiner(kind: string): Item | undefined {
    const start = this.#place;
    while (SKIPPED_BETWEEN.includes(this.#items[this.#place]?.kind ?? "")) this.#place += 1;
    const item = this.#takeNext(kind);
    if (item === undefined) this.#place = start;
    return item;
  }

  #require(...kinds: string[]): Item {
    return this.#take(...kinds) ?? refuse(this.#items[this.#place]?.text ?? "the end of the line");
  }

  #readClause(item: Item): void {
    this.#place += 1;
    const { kind, text } = item;
    if (kind === "by") this.#readKeys();
    else if (kind === "from") this.#setSource(this.#require("source", "name", "word", "quoted"));
    else if (kind === "source") this.#setSource(item);
    else if (kind === "where" || kind === "having") this.#addConditions(kind);
    else if (kind === "order") this.#readOrder();
    else if (kind === "asc" || kind === "desc") this.#spec["order"] = kind;
    else if (kind === "limit" || kind === "first" || kind === "top" || kind === "bottom") {
      const number = this.#require("number");
      this.#spec["limit"] = /^\d+$/.test(number.value) ? Number(number.value) : refuse(number.text);
      if (kind !== "limit") this.#cut = item;
      if (kind === "top" || kind === "bottom") this.#spec["order"] = kind === "top" ? "desc" : "asc";
    } else if (kind === "in") this.#readPlace();
    else if (kind === "relative") this.#setPeriod(item);
    else if (kind === "period" && /(ly|annual)$/i.test(item.text) && !this.#isColumn(item))
      this.#addKey(item, undefined);
    else if (kind === "," || kind === "and") this.#phrases.push(kind === "and" ? [item] : []);
    else if (kind === "word" && this.#isFrame(item)) {
      const fills = this.#known.sources.map((name) => () => (this.#spec["source_name"] = name));
      this.#open.push({ asks: `Which source is \`${text}\`?`, fills });
    } else if (kind === "word") this.#phrases.at(-1)?.push(this.#joinWords(item));
    else if (kind === "*") this.#phrases.at(-1)?.push({ ...item, kind: "rows" });
    else if (PHRASED.includes(kind)) this.#phrases.at(-1)?.push(item);
    else if (![...SKIPPED, "noise", "of", "is", "between"].includes(kind)) refuse(kind === "text" ? `'${text}'` : text);
  }

  /** Whether a line begins with a name that something is taken from, as from a frame: `df['sales']`. */
  #isFrame(item: Item): boolean {
    return this.#place === 1 && [".", "["].includes(this.#items[1]?.kind ?? "") && !MODULES.includes(item.text);
  }

  /** Joins unknown words in a row into one name, which the resolver may know by a similar one. */
  #joinWords(first: Item): Item {
    let text = first.text;
    for (let next = this.#takeNext("word"); next !== undefined; next = this.#takeNext("word")) text += ` ${next.text}`;
    return { kind: "word", value: text, text };
  }

  #isColumn({ text }: Item): boolean {
    return [...this.#known.columns.keys()].some((name) => foldName(name) === foldName(text));
  }

  #setSource({ value, text }: Item): void {
    if ((this.#spec["source_name"] ??= value) !== value) refuse(text);
  }

  // --- keys ---

  #readKeys(): void {
    const kinds = ["period", "name", "quoted", "word", "source"];
    for (;;) {
      const item = this.#require(...kinds, "aggregation");
      if (item.kind === "aggregation" && this.#keys.length === 0) {
        this.#place -= 1; // `top 5 city by sum revenue`
        break;
      }
      if (item.kind === "period" && !this.#isColumn(item)) {
        const isGiven = this.#items[this.#place]?.kind === "(" || this.#take("of") !== undefined;
        this.#addKey(item, isGiven ? this.#take("name", "quoted") : undefined);
      } else {
        const column = item.kind === "word" ? this.#joinWords(item).text : ["source", "period"].includes(item.kind) ? item.text : item.value; // prettier-ignore
        this.#keys.push(this.#take("bins") ? { column, width: this.#require("number").value } : column);
      }
      if (this.#take(",", "and") === undefined || ![...kinds, "'"].includes(this.#items[this.#place]?.kind ?? ""))
        break;
    }
    this.#phrases.push([]);
  }

  #addKey({ value }: Item, column: Item | undefined): void {
    const key: Part = { column: column?.value, unit: value };
    this.#keys.push(key);
    if (column === undefined) this.#askDate(`Which date is the ${value} of?`, key);
  }

  /** Puts the only date into a period or a condition, which is the default; asks for it where there are more. */
  #askDate(asks: string, target: Part): void {
    const dates = [...this.#known.columns].filter(([, type]) => type.startsWith("date")).map(([name]) => name);
    target["column"] = dates[0] ?? refuse("a period, and no column is a date");
    if (dates.length > 1) this.#open.push({ asks, fills: dates.map((name) => () => (target["column"] = name)) });
  }

  /** Finds the number behind `by` in `top 5 product by amount`, and makes the name before it the key. */
  #findRanked(): boolean {
    const [name, second] = this.#phrases.flat();
    const [column, other] = this.#keys;
    const isRanking = "limit" in this.#spec && name?.kind === "name" && second === undefined && other === undefined;
    if (!isRanking || typeof column !== "string" || this.#known.columns.get(column) !== "number") return false;
    this.#keys = [name.value];
    this.#phrases = [[{ kind: "name", value: column, text: column }]];
    return true;
  }

  // --- measures ---

  /** One measure: an aggregation and its column, in either order. */
  #readMeasure(phrase: readonly Item[], isRanked: boolean): AskMeasure | undefined {
    const find = (...kinds: string[]): Item[] => phrase.filter(({ kind }) => kinds.includes(kind));
    const [words, names] = [find("aggregation", "many", "percentile"), find("name", "quoted", "word")];
    const [numbers, rows, isDistinct] = [find("number"), find("rows"), find("distinct").length > 0];
    if (isDistinct && words[0] && !["count", "count_distinct", "many"].includes(words[0].value))
      refuse(phrase.find(({ kind }) => kind === "distinct")?.text);
    const word = isDistinct && words[0]?.value === "count" ? undefined : words[0];
    if (words[1] !== undefined) refuse(words[1].text);
    if (names.length > 1 || (numbers.length > 0 && word?.value !== "percentile"))
      refuse([...names.filter(({ kind }) => kind === "word"), ...numbers, ...names.slice(1)][0]?.text);
    const metric = names[0] && { metric: names[0].value };
    if (word !== undefined && !fitsSuperlative(word, this.#known.columns.get(metric?.metric ?? ""))) refuse(word.text);
    if (isDistinct && words[0]?.value === "count" && metric !== undefined) return { aggregation: "count_distinct", ...metric }; // prettier-ignore
    if (word === undefined) return this.#readBare(metric, names, phrase, { isDistinct, isRanked });
    if (word.kind === "percentile") return { aggregation: "percentile", percent: word.value, ...metric };
    if (word.value === "percentile") {
      const [number, other] = numbers;
      if (number === undefined || other !== undefined) return refuse(word.text);
      if (!isPlain(number.value)) refuse(number.text);
      const percent = multiply(number.value, SHARES.includes(word.text.toLowerCase()) ? 2 : 0);
      return { aggregation: "percentile", percent, ...metric };
    }
    if (word.kind === "many" && names[0]?.kind === "word" && !isDistinct) return this.#readRows(names[0]);
    if (word.kind === "many" && metric !== undefined) {
      if (this.#known.columns.get(metric.metric) === "boolean") refuse(names[0]?.text); // those that are so?
      if (isDistinct) return { aggregation: "count_distinct", ...metric };
      const measure: Writable<AskMeasure> = { aggregation: "count", ...metric };
      const asks = `Are the values of \`${names[0]?.text ?? ""}\` counted, or the different ones?`;
      const choices = ["count_distinct", "count"] as const;
      this.#open.push({ asks, fills: choices.map((name) => () => (measure.aggregation = name)) });
      return measure;
    }
    const aggregation = (word.kind === "many" ? "count" : word.value) as NonNullable<AskMeasure["aggregation"]>;
    if (rows[0] !== undefined && (metric !== undefined || aggregation !== "count")) refuse(rows[0].text);
    return { aggregation, ...metric };
  }

  /** A phrase without an aggregation: a key that SQL selects, a count of different values, or an open slot. */
  #readBare(
    metric: AskMeasure | undefined,
    names: readonly Item[],
    phrase: readonly Item[],
    { isDistinct, isRanked }: { readonly isDistinct: boolean; readonly isRanked: boolean },
  ): AskMeasure | undefined {
    if (isDistinct && metric?.metric !== undefined) return this.#readDistinct(metric.metric);
    if (metric?.metric === undefined || names[0]?.kind === "word") return refuse(phrase[0]?.text);
    if (this.#keys.includes(metric.metric)) return undefined;
    const others = this.#phrases.filter(([first]) => !this.#keys.includes(first?.value ?? ""));
    if (others.length > 1 && !isRanked) refuse(names[0]?.text);
    return metric; // the resolver asks which aggregation
  }

  /** Different values, which may be listed or counted; in each group they are counted. */
  #readDistinct(metric: string): AskMeasure {
    const counted = { aggregation: "count_distinct", metric } as const;
    if (this.#keys.length > 0 || this.#phrases.filter(({ length }) => length > 0).length > 1) return counted;
    const measure: Writable<AskMeasure> = { ...counted };
    const list = (): void => {
      delete measure.metric;
      [measure.aggregation, this.#spec["group_by"]] = ["count", [metric]];
    };
    const count = (): void => {
      delete this.#spec["group_by"];
      Object.assign(measure, counted);
    };
    this.#open.push({ asks: `Are the different values of \`${metric}\` listed, or counted?`, fills: [list, count] });
    return measure;
  }

  /** Refuses `top`, `first` and `head` where groups are not in the order that they mean, or there are none. */
  #checkCut(): void {
    const isBehind = this.#keys.length > 0 && (this.#cut?.kind !== "first" || "order" in this.#spec);
    if (this.#cut !== undefined && !isBehind) refuse(this.#cut.text);
  }

  /** What is counted under a name that no column has, as the rows of a source: `how many flights`. */
  #readRows({ text }: Item): AskMeasure {
    const named = this.#spec["source_name"] as string | undefined;
    const [source, other] = named === undefined ? this.#known.sources : [named];
    const isPart = [...this.#known.columns.keys()].some((name) => foldName(name).includes(foldName(text).replace(/s$/, ""))); // prettier-ignore
    if (source === undefined || other !== undefined || isPart) return refuse(text);
    this.#open.push({ asks: `Is each of the ${text} a row of ${source}?`, fills: [() => (this.#spec["source_name"] = source)] }); // prettier-ignore
    return { aggregation: "count" };
  }

  // --- source, order, conditions ---

  /** What follows `in`: the source, or a year. */
  #readPlace(): void {
    const item = this.#require("source", "number", "word", "relative");
    if (item.kind === "source") this.#setSource(item);
    else if (item.kind === "relative") this.#setPeriod(item);
    else {
      if (item.kind !== "number" || !/^[12]\d{3}$/.test(item.value)) refuse(item.text);
      const condition = { op: "between", values: [`${item.value}-01-01`, `${item.value}-12-31`] };
      this.#hold("filter").push(condition as AskForm);
      this.#askDate(`Which date is in ${item.value}?`, condition);
    }
  }

  /** Puts a period that is counted from today into the one place that a question has for it. */
  #setPeriod({ value, text }: Item, column?: string): void {
    const place = (this.#spec["filter"] ??= { conditions: [] }) as Part;
    if ("time_filter" in place) refuse(text);
    const period: Part = { column, period: value };
    place["time_filter"] = period;
    if (column === undefined) this.#askDate(`Which date is in ${text}?`, period);
  }

  #hold(clause: "filter" | "having"): AskForm[] {
    return ((this.#spec[clause] ??= { conditions: [] }) as { conditions: AskForm[] }).conditions;
  }

  /** Refuses an order by another measure than the first, by which answers are in order. */
  #checkOrder(first: AskMeasure | undefined): void {
    for (const [{ kind, value, text }, item] of this.#orders)
      if ((kind === "many" ? "count" : value) !== first?.aggregation || (item && item.value !== first.metric))
        refuse(`${text} ${item?.text ?? ""}`.trim());
  }

  #readOrder(): void {
    const by = this.#take("by");
    const word = this.#take("aggregation", "many");
    const [item] = [this.#take("name", "quoted", "word"), this.#take("*")];
    if (item !== undefined && word === undefined) this.#spec["order_by"] = item.value;
    const end = this.#take("asc", "desc")?.kind ?? (word && "asc");
    if (word !== undefined) this.#orders.push([word, item]);
    else if (item === undefined && end === undefined) refuse((by ?? this.#items[this.#place - 1])?.text);
    if (end !== undefined) this.#spec["order"] = end;
  }

  #addConditions(clause: "where" | "having"): void {
    const tree = this.#readTree("or", clause === "having");
    const conditions = tree === undefined ? [] : "all" in tree ? (tree.all ?? []) : [tree];
    this.#hold(clause === "where" ? "filter" : "having").push(...conditions);
    this.#phrases.push([]);
  }

  /** Conditions joined by *or*, of which each is some joined by *and*; a period is no part of them. */
  #readTree(joiner: "or" | "and", isMeasured: boolean): AskForm | undefined {
    const met: (AskForm | undefined)[] = [];
    do met.push(joiner === "or" ? this.#readTree("and", isMeasured) : this.#readTest(isMeasured));
    while (this.#takeJoiner(joiner) !== undefined);
    const parts = met.filter((each) => each !== undefined);
    if (joiner === "or" && met.length > 1 && parts.length < met.length) refuse("or");
    if (parts.length < 2) return parts[0];
    return joiner === "or" ? { any: parts } : { all: parts.flatMap((part) => ("all" in part && part.all) || [part]) };
  }

  #readTest(isMeasured: boolean): AskForm | undefined {
    if (this.#takeJoiner("not") !== undefined) {
      const tree = this.#readTest(isMeasured);
      if (tree === undefined || !("op" in tree)) return refuse("not");
      return { ...tree, op: OPERATORS[tree.op].opposite ?? refuse("not") };
    }
    if (this.#takeJoiner("(") === undefined) return this.#readComparison(isMeasured);
    const tree = this.#readTree("or", isMeasured);
    return this.#takeJoiner(")") === undefined || tree === undefined ? refuse("(") : tree;
  }

  #readComparison(isMeasured: boolean): AskForm | undefined {
    const word = isMeasured ? this.#require("aggregation", "many") : undefined;
    const item = word ? (this.#take("name", "quoted") ?? this.#take("*")) : this.#require("name", "quoted", "word");
    const name = item?.kind === "word" ? this.#joinWords(item).text : item?.kind === "*" ? undefined : item?.value;
    const left: Part = word === undefined ? { column: name } : { aggregation: word.kind === "many" ? "count" : word.value, ...(name !== undefined && { metric: name }) }; // prettier-ignore
    this.#take("is");
    const isDenied = this.#take("not") !== undefined;
    const sign = this.#takeNext("sign", "between", "in", "contains", "starts", "null");
    const build = (op: string, rest: Part = {}): AskForm => ({ ...left, op: op as Op, ...rest });
    if (sign?.kind === "null") return build(isDenied ? "is_not_null" : "is_null");
    const period = sign?.kind === "in" && !isDenied && !isMeasured ? this.#take("relative") : undefined;
    if (period !== undefined) {
      this.#setPeriod(period, name);
      return undefined;
    }
    if (sign?.kind === "in") return build(isDenied ? "not_in" : "in", { values: this.#readList() });
    if (sign?.kind === "between" && !isDenied) {
      const first = this.#readValue();
      this.#require("and");
      return build("between", { values: [first, this.#readValue()] });
    }
    if ((sign?.kind === "contains" || sign?.kind === "starts") && !isDenied)
      return build(sign.kind === "contains" ? "contains" : "starts_with", { value: this.#require("text", "word", "quoted").text }); // prettier-ignore
    const op = COMPARISONS.get(sign?.value ?? "=") ?? refuse(sign?.text);
    if (sign === undefined && !["is", "not"].includes(this.#items[this.#place - 1]?.kind ?? ""))
      refuse(this.#items[this.#place]?.text ?? item?.text ?? "a condition");
    const condition = build(isDenied ? (OPERATORS[op].opposite ?? "") : op) as Writable<AskCondition>;
    condition.value = this.#readValue(condition);
    return condition;
  }

  #readList(): AskValue[] {
    while (this.#takeNext("(", "[") !== undefined);
    const values: AskValue[] = [];
    do values.push(this.#readValue());
    while (this.#takeNext(",") !== undefined);
    return this.#takeNext(")", "]") === undefined ? refuse("in") : values;
  }

  #readValue(condition?: Writable<AskCondition>): AskValue {
    while (this.#takeNext("noise") !== undefined);
    const item = this.#items[this.#place];
    this.#place += 1;
    const { kind = "", value = "", text = "the end of the line" } = item ?? {};
    if (kind === "number" || kind === "date") {
      const read = kind === "date" ? listDays(value) : listNumbers(value).map((each) => readLiteral(each) as AskValue);
      const isSure = kind === "date" ? read[0] === value : read.length === 1 && isPlain(value.replace(/%$/, ""));
      if (!isSure && (condition === undefined || (kind === "number" && read.length === 0))) refuse(text);
      const asks = `Which ${kind === "date" ? "day" : "number"} is ${text}?`;
      if (!isSure) this.#open.push({ asks, fills: read.map((each) => () => condition && (condition.value = each)) });
      return read[0] ?? value;
    }
    if (kind === "variable") return { variable: value.slice(1) };
    if (kind === "true" || kind === "false") return kind === "true";
    if (kind === "text") return value;
    if (kind === "word" && item !== undefined) return this.#joinWords(item).text;
    const isMended = item !== undefined && !hasRole(text); // `Süd`, one letter from a word with a role
    const isValue = isMended || ["name", "source", "period", "quoted"].includes(kind);
    return isValue && /^\p{L}+$/u.test(text) ? text : refuse(text);
  }
}
