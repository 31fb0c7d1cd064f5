/** Binds the parts of one question to one source, and notes every refusal on the way. */

import { type SourceView } from "../source.js";
import { type Field, type FieldType } from "../values/columns.js";
import { compareTexts } from "../values/order.js";
import { isUtc } from "../values/zones.js";
import { joinConditions, isGroup, sortConditions } from "./condition-groups.js";
import { bindCondition, buildPeriodConditions, listRoundedOperands, OperandError, writeValue } from "./conditions.js";
import {
  buildMeasureField,
  columnOf,
  explainMisfit,
  formSeries,
  percentOf,
  sameKey,
  sameMeasure,
  spellMeasure,
} from "./measures.js";
import { type Refusal, type Resolution, type Way } from "./outcomes.js";
import { buildResultColumns, sealPlan } from "./plan.js";
import { noteClock, noteRounded, noteZones } from "./plan-notes.js";
import { describeDeniedField } from "./policy.js";
import { isRowCount, replaceName, ROWS } from "./replacing.js";
import { findSimilarNames, matchName } from "./similar.js";
import { AGGREGATIONS, LETTERS_NOTE, LIMITS, OPERATORS, ORDER_RULE, PERCENTS } from "./tables.js";
import { describeValue } from "./text.js";
import { explainOrder, explainType, findOrder, goesByLetters } from "./text-columns.js";
import { type AggregationName, type AskedMeasure, type Condition, type ConditionTree, type DecisionPath, type GroupKey, type Plan, type Question } from "./types.js"; // prettier-ignore
import { type BoundValue, type Operand } from "./values.js";

/** The caller's clock: the day that relative periods are counted from, and how the moment and its zone are written. */
export interface Clock {
  readonly today: string;
  readonly moment: string;
  readonly zone: string;
}

type BoundTree = ConditionTree<BoundValue>;
type BindLeaf = (leaf: Condition<Operand>) => readonly BoundTree[];

const PATHS: readonly DecisionPath[] = ["exact_spec", "alias", "normalized_name"]; // weakest last
const NO_ALIASES: ReadonlyMap<string, string> = new Map();
const EQUALS: ReadonlySet<string> = new Set(["one", "list"]); // what operators take that ask for the same value
const COLUMNS_RULE = "columns are named exactly";

export class Binder {
  readonly #spec: Question;
  readonly #source: SourceView;
  readonly #clock: Clock;
  readonly #near: Map<string, readonly string[]>; // similar names, which take time to find
  readonly #letters = new Set<string>(); // columns that are compared letter by letter
  readonly #rounded = new Map<string, Set<string>>(); // operands of columns of doubles, in words
  readonly #refusals: Refusal[] = [];
  #path: DecisionPath = "exact_spec";

  constructor(spec: Question, source: SourceView, clock: Clock, near: Map<string, readonly string[]>) {
    this.#spec = spec;
    this.#source = source;
    this.#clock = clock;
    this.#near = near;
  }

  bind(): Resolution {
    const measures = this.#bindMeasures();
    const groupBy = this.#spec.groupBy.flatMap((key) => this.#bindKey(key) ?? []);
    const conditions = this.#bindConditions();
    const having = this.#bindHaving(measures);
    this.#refuseDoubles(measures, groupBy);
    const [first, ...more] = measures;
    if (this.#refusals.length > 0 || first === undefined) return { refusals: this.#refusals };
    const plan = this.#bindOrder({
      measures: [first, ...more],
      groupBy,
      conditions,
      having,
      orderBy: undefined,
      order: this.#spec.order ?? "desc",
      limit: this.#spec.limit,
      sourceName: this.#source.name,
      schemaRevision: this.#source.schemaRevision,
      decisionPath: this.#path,
      planHash: "",
      notes: {
        ...this.#spec.variables,
        ...noteClock(this.#spec.timeFilter, this.#clock),
        ...noteZones(conditions, this.#source.fields),
      },
    });
    if (plan === undefined) return { refusals: this.#refusals };
    const letters = this.#letters.size > 0 ? { [LETTERS_NOTE]: [...this.#letters].join(", ") } : {};
    const notes = { ...plan.notes, ...letters, ...noteRounded(this.#rounded) };
    return { plan: sealPlan({ ...plan, notes }), refusals: [] };
  }

  // --- measures ---------------------------------------------------------------------------------------------------------

  /** What is asked for; a measure that cannot be bound leaves a refusal in its place. */
  #bindMeasures(): AskedMeasure[] {
    const { aggregation, metric, percent, more } = this.#spec;
    if (aggregation === undefined) {
      this.#refuseNoAggregation();
      this.#bindMetric(undefined, metric, "metric");
      return [];
    }
    return [{ aggregation, metric, percent }, ...more].map((each, place) => {
      const bound = this.#bindMetric(each.aggregation, each.metric, "metric");
      this.#refuseNoPercent(each, place);
      return { ...each, metric: bound?.name };
    });
  }

  #refuseNoPercent(measure: AskedMeasure, place: number): void {
    if (measure.percent !== undefined || !AGGREGATIONS[measure.aggregation].takesPercent) return;
    const spec = this.#spec;
    const ways = PERCENTS.map((each): Way => {
      const percent = percentOf(each);
      const more = spec.more.map((other, at) => (at + 1 === place ? { ...other, percent } : other));
      const changed = { ...spec, percent: place === 0 ? percent : spec.percent, more };
      return { slot: "percent", name: String(each), type: "number", spec: changed };
    });
    const reason = "The question names no percent, and none is the default.";
    this.#refusals.push({ status: "needs_clarification", reason, missing: "percent", ways });
  }

  #refuseNoAggregation(): void {
    const named = this.#source.fields.get(this.#spec.metric ?? "");
    const names = Object.keys(AGGREGATIONS) as AggregationName[];
    const fit = names.filter((name) => named === undefined || accepts(name, named.type));
    const choices = fit.filter((name) => !AGGREGATIONS[name].takesPercent); // a percent would be a second slot
    const reason = "The question names no aggregation, and none is the default.";
    const options = choices.map((name) => [name, "aggregation"] as const);
    this.#clarify(reason, "aggregation", options, { missing: "aggregation" });
  }

  #bindMetric(aggregation: AggregationName | undefined, name: string | undefined, slot: string): Field | undefined {
    if (name === undefined) {
      if (aggregation !== undefined && AGGREGATIONS[aggregation].rowsStep === null)
        this.#refuseNoMetric(aggregation, slot);
      return undefined;
    }
    const suits = (field: Field): boolean => aggregation === undefined || accepts(aggregation, field.type);
    const metric = this.#bindColumn(name, slot, suits);
    if (metric !== undefined && aggregation !== undefined && !accepts(aggregation, metric.type)) {
      const reason = `${aggregation} needs ${AGGREGATIONS[aggregation].needs}; ${metric.name} is ${metric.type}.`;
      this.#rejectType(metric, reason, "aggregations fit their column");
    } else if (metric !== undefined && aggregation !== undefined && AGGREGATIONS[aggregation].isOrdered)
      this.#requireOrder(metric, aggregation);
    return metric;
  }

  /** Refuses the order of letters where it is not that of what the texts of a column read as. */
  #requireOrder(column: Field, what: string, operands: readonly unknown[] = []): boolean {
    const order = findOrder(this.#source, column);
    const reason = order === undefined ? undefined : explainOrder(column.name, order, what, operands);
    if (reason !== undefined) this.#rejectType(column, reason, ORDER_RULE);
    else if (order?.isKnown === false) this.#letters.add(column.name);
    return reason === undefined;
  }

  /** Refuses a column of the wrong type; of text it is told why it is text. */
  #rejectType(column: Field | undefined, reason: string, rule: string): void {
    const told = column === undefined ? undefined : explainType(this.#source, column, reason, rule);
    this.#reject("type_mismatch", told?.reason ?? reason, rule, told?.how);
  }

  #refuseNoMetric(aggregation: AggregationName, slot: string): void {
    const isNamed = (field: Field): number => Number(field.name !== this.#spec.metric);
    const fields = [...this.#source.fields.values()].sort((one, other) => isNamed(one) - isNamed(other));
    const options = fields
      .filter(({ type }) => accepts(aggregation, type))
      .map(({ name, type }) => [name, type] as const);
    const reason = `${aggregation} needs a column, and the question names none.`;
    this.#clarify(reason, slot, options, { missing: "metric" });
  }

  // --- keys and order ---------------------------------------------------------------------------------------------------

  #bindKey(key: GroupKey): GroupKey | undefined {
    const field = this.#bindColumn(columnOf(key), "group_by");
    if (field === undefined || typeof key === "string") return field?.name;
    const misfit = explainMisfit(key, field);
    if (misfit !== undefined) this.#rejectType(field, misfit, "group keys fit their column");
    if ("unit" in key && key.zone !== undefined && isUtc(key.zone)) return { column: field.name, unit: key.unit };
    return { ...key, column: field.name };
  }

  /** The plan with its order; undefined where `order_by` names no column of the result. */
  #bindOrder(plan: Plan): Plan | undefined {
    const name = this.#spec.orderBy;
    const columns = buildResultColumns(plan);
    if (name === undefined) {
      const isSeries = this.#spec.order === undefined && formSeries(plan.groupBy, plan.limit);
      return isSeries ? { ...plan, orderBy: columns.keys[0], order: "asc" } : plan;
    }
    const [path, [found, second]] = matchName(name, [...new Set(columns.names)], NO_ALIASES);
    if (found === undefined || second !== undefined) {
      this.#refuseOrder(name, columns.names);
      return undefined;
    }
    const key = plan.groupBy[columns.keys.indexOf(found)];
    const column = typeof key === "string" ? this.#source.fields.get(key) : undefined;
    if (column !== undefined && !this.#requireOrder(column, "order by")) return undefined;
    return {
      ...plan,
      orderBy: found === columns.measures[0] ? undefined : found,
      order: this.#spec.order ?? (columns.keys.includes(found) ? "asc" : "desc"),
      decisionPath: weaker(this.#path, path),
    };
  }

  /** Refuses what no column of the result is called; those that there are, are the question's own words. */
  #refuseOrder(name: string, names: readonly string[]): void {
    const near = findSimilarNames(name, names);
    const listed = names.map(describeValue).join(", ");
    const reason = `order_by is ${describeValue(name)}; the result has the columns ${listed}.`;
    if (near.length === 0) {
      this.#reject("unknown_field", reason, "order_by names a column of the result", { didYouMean: names });
      return;
    }
    const ways = near.map((each) => ({
      slot: "order_by",
      name: each,
      type: "column",
      spec: { ...this.#spec, orderBy: each },
    }));
    this.#refusals.push({ status: "needs_clarification", reason, didYouMean: near, ways });
  }

  // --- columns ----------------------------------------------------------------------------------------------------------

  #bindColumn(name: string, slot: string, suits?: (field: Field) => boolean): Field | undefined {
    if (this.#refusals.length >= LIMITS.refusals) return undefined;
    const { fields, aliases } = this.#source;
    const [path, found] = matchName(name, [...fields.keys()], aliases);
    if (found.length === 1) {
      this.#path = weaker(this.#path, path);
      return fields.get(found[0] ?? "");
    }
    const near = (found.length > 0 ? found : this.#findSimilar(name)).flatMap((other) => fields.get(other) ?? []);
    if (suits !== undefined) near.sort((one, other) => Number(!suits(one)) - Number(!suits(other))); // the fitting ones first
    this.#refuseColumn(name, slot, near, found.length > 1);
    return undefined;
  }

  #refuseColumn(name: string, slot: string, near: readonly Field[], isAmbiguous: boolean): void {
    const source = this.#source.name;
    const didYouMean = near.map((field) => field.name);
    if (this.#source.isRestricted) {
      this.#reject("policy_denied_field", describeDeniedField(source, name), "allowed_fields", { didYouMean, name });
    } else if (near.length === 0) {
      this.#reject("unknown_field", `${source} has no column ${describeValue(name)}.`, COLUMNS_RULE, { name });
    } else {
      const why = isAmbiguous ? "is the folded name of several" : "is no column, but similar names are";
      const reason = `${describeValue(name)} ${why} in ${source}.`;
      this.#clarify(
        reason,
        slot,
        near.map((field) => [field.name, field.type] as const),
        { name, didYouMean },
      );
    }
  }

  #findSimilar(name: string): readonly string[] {
    const key = `${this.#source.name}\0${name}`;
    const known = this.#near.get(key);
    if (known !== undefined) return known;
    if (this.#near.size >= LIMITS.searched) return [];
    const found = findSimilarNames(name, this.#source.fields.keys());
    this.#near.set(key, found);
    return found;
  }

  // --- conditions -------------------------------------------------------------------------------------------------------

  #bindConditions(): readonly BoundTree[] {
    const bound = this.#bindTrees(this.#spec.conditions, (leaf) => {
      const column = this.#bindColumn(leaf.column, "filter");
      return column === undefined ? [] : this.#bindCondition(leaf, column);
    });
    const period = this.#spec.timeFilter;
    if (period !== undefined) {
      const column = this.#bindColumn(period.column, "filter", ({ type }) => type === "date" || type === "datetime");
      const { today } = this.#clock;
      if (column !== undefined)
        bound.push(...this.#bindOrReject(() => buildPeriodConditions(column, period.period, today), column));
    }
    return sortConditions("all", bound, writeValue);
  }

  #bindCondition(leaf: Condition<Operand>, column: Field): readonly BoundTree[] {
    const bound = this.#bindOperands(leaf, column, column);
    const { isOrdered, ask, takes } = OPERATORS[leaf.op];
    const operands: readonly unknown[] = Array.isArray(leaf.operand) ? leaf.operand : [leaf.operand];
    if (bound.length > 0 && isOrdered) this.#requireOrder(column, ask[0], operands);
    else if (bound.length > 0 && EQUALS.has(takes) && goesByLetters(this.#source, column, operands))
      this.#letters.add(column.name);
    return bound;
  }

  /** Conditions on measures, once these are bound themselves. */
  #bindHaving(measures: readonly AskedMeasure[]): readonly BoundTree[] {
    if (this.#spec.having.length === 0 || this.#refusals.length > 0) return [];
    if (this.#spec.groupBy.length === 0) {
      const options = [...this.#source.fields.values()].map(({ name, type }) => [name, type] as const);
      const reason = "having keeps some of several groups, and the question groups by nothing.";
      this.#clarify(reason, "group_by", options, { missing: "group_by" });
    }
    return sortConditions(
      "all",
      this.#bindTrees(this.#spec.having, (leaf) => this.#bindMeasured(leaf, measures)),
      writeValue,
    );
  }

  /** A condition on a measure that the question asks for; the count of rows is in every answer. */
  #bindMeasured(leaf: Condition<Operand>, measures: readonly AskedMeasure[]): readonly BoundTree[] {
    const asked = leaf.measure ?? ROWS;
    const metric = this.#bindMetric(asked.aggregation, asked.metric, "having");
    const measure = { ...asked, metric: metric?.name };
    if (metric === undefined && !isRowCount({ aggregation: asked.aggregation, metric: asked.metric })) return [];
    if (metric !== undefined && !measures.some((each) => sameMeasure(each, measure))) {
      this.#refuseUnasked(measure);
      return [];
    }
    const field = buildMeasureField(spellMeasure(measure), measure, this.#source.fields);
    return this.#bindOperands({ ...leaf, measure }, field, metric);
  }

  /** Refuses a condition on what the question does not ask for, and offers the question that asks for it too. */
  #refuseUnasked(measure: AskedMeasure): void {
    const words = spellMeasure(measure);
    const reason = `having compares ${words}, and the question does not ask for it.`;
    const more = [...this.#spec.more, measure];
    const way = { slot: "measures", name: words, type: "aggregation", spec: { ...this.#spec, more } };
    const ways = more.length < LIMITS.measures ? [way] : [];
    this.#refusals.push({ status: "needs_clarification", reason, missing: "measures", ways });
  }

  /** Conditions that all have to hold; of those that cannot be bound there is a refusal. */
  #bindTrees(trees: readonly ConditionTree<Operand>[], bind: BindLeaf): BoundTree[] {
    return trees.flatMap((tree) => this.#bindTree(tree, bind));
  }

  #bindTree(tree: ConditionTree<Operand>, bind: BindLeaf): readonly BoundTree[] {
    if (!isGroup(tree)) return bind(tree);
    if (tree.joiner === "all") return this.#bindTrees(tree.parts, bind);
    const parts = tree.parts.map((part) => sortConditions("all", this.#bindTree(part, bind), writeValue));
    const joined = parts.filter((part) => part.length > 0).map((part) => joinConditions("all", part));
    return joined.length > 0 ? [joinConditions("any", sortConditions("any", joined, writeValue))] : [];
  }

  /** Binds a condition to its column or measure, and remembers which operands no double of it equals. */
  #bindOperands(leaf: Condition<Operand>, field: Field, column: Field | undefined): readonly BoundTree[] {
    const bound = this.#bindOrReject(() => bindCondition(leaf, field), column);
    const told = bound.length > 0 ? listRoundedOperands(leaf, field) : [];
    if (told.length > 0) this.#rounded.set(field.name, new Set([...(this.#rounded.get(field.name) ?? []), ...told]));
    return bound;
  }

  #bindOrReject(bind: () => readonly BoundTree[], column: Field | undefined): readonly BoundTree[] {
    try {
      return bind();
    } catch (error) {
      if (!(error instanceof OperandError)) throw error;
      const reason = `${error.message.charAt(0).toUpperCase()}${error.message.slice(1)}.`;
      this.#rejectType(column, reason, "operands fit their column");
      return [];
    }
  }

  // --- refusals ---------------------------------------------------------------------------------------------------------

  #refuseDoubles(measures: readonly AskedMeasure[], groupBy: readonly GroupKey[]): void {
    const twice = groupBy.filter((key) => groupBy.filter((other) => sameKey(key, other)).length > 1);
    for (const name of [...new Set(twice.map(columnOf))].sort(compareTexts))
      this.#reject("duplicate_field", `group_by names ${name} twice.`, "a column groups once");
    if (this.#refusals.length > 0) return;
    const double = measures.find((each) => measures.filter((other) => sameMeasure(each, other)).length > 1);
    if (double !== undefined)
      this.#reject("duplicate_field", `measures names ${spellMeasure(double)} twice.`, "a measure is asked for once");
  }

  /** Notes that one of some names, each with its type, has to stand in a slot. */
  #clarify(
    reason: string,
    slot: string,
    choices: readonly (readonly [string, string])[],
    how: Pick<Refusal, "name" | "missing" | "didYouMean">,
  ): void {
    const ways = choices.map(([name, type]) => ({
      slot,
      name,
      type,
      spec: replaceName(this.#spec, slot, how.name, name),
    }));
    this.#refusals.push({ status: "needs_clarification", reason, ways, ...how });
  }

  #reject(
    code: string,
    reason: string,
    rule: string,
    how: Pick<Refusal, "name" | "column" | "cause" | "didYouMean"> = {},
  ): void {
    this.#refusals.push({ status: "rejected", code, reason, rule, ...how });
  }
}

function accepts(aggregation: AggregationName, type: FieldType): boolean {
  return (AGGREGATIONS[aggregation].accepts as readonly string[]).includes(type);
}

function weaker(one: DecisionPath, other: DecisionPath): DecisionPath {
  return PATHS.indexOf(other) > PATHS.indexOf(one) ? other : one;
}
