/**
 * Conditions joined by *and* and *or*: one form of each meaning, and walks over their leaves.
 *
 * The conditions of a filter all hold. A group among them says of its parts that any holds, or all.
 */

import { canonicalText } from "@service-nb/records";
import { compareTexts } from "../values/order.js";
import { JOINING_WORDS } from "./ask-format.js";
import { type AskCondition, type AskForm, joinerOf, partsOf } from "./ask-spec.js";
import { writeMeasure } from "./measures.js";

import { type Condition, type ConditionGroup, type ConditionTree, type Joiner } from "./types.js";
import { type Operand } from "./values.js";

export function isGroup<V>(tree: ConditionTree<V>): tree is ConditionGroup<V> {
  return "joiner" in tree;
}

/** The parts of a group; those of a group of its own kind among them take that one's place. */
export function flattenConditions<V>(joiner: Joiner, parts: readonly ConditionTree<V>[]): ConditionTree<V>[] {
  return parts.flatMap((part) => (isGroup(part) && part.joiner === joiner ? part.parts : [part]));
}

/** Joins conditions: one alone is what it is. */
export function joinConditions<V>(joiner: Joiner, parts: readonly ConditionTree<V>[]): ConditionTree<V> {
  const listed = flattenConditions(joiner, parts);
  const [first] = listed;
  return listed.length === 1 && first !== undefined ? first : { joiner, parts: listed };
}

/** How a value of a condition is written. */
export type WriteValue<V> = (value: V) => Operand;

/** Sorts the parts of a group and drops repetitions, so that neither changes the plan hash. */
export function sortConditions<V>(
  joiner: Joiner,
  parts: readonly ConditionTree<V>[],
  write: WriteValue<V>,
): readonly ConditionTree<V>[] {
  const listed = flattenConditions(joiner, parts);
  if (listed.length < 2) return listed;
  const keyed = new Map(listed.map((tree) => [rankForm(writeTree(tree, write)), tree] as const));
  return [...keyed].sort(([one], [other]) => compareTexts(one, other)).map(([, tree]) => tree);
}

/** Sorts conditions in their JSON form, groups last, and drops repetitions. */
export function sortForms(forms: readonly AskForm[]): readonly AskForm[] {
  const keyed = new Map(forms.map((form) => [rankForm(form), form] as const));
  return [...keyed].sort(([one], [other]) => compareTexts(one, other)).map(([, form]) => form);
}

/** Conditions first by their column, groups last. */
function rankForm(form: AskForm): string {
  if (joinerOf(form) !== undefined) return canonicalText(form);
  const { op, value, values, ...measure } = form as AskCondition;
  return canonicalText([measure.column ?? measure, op, values ?? value ?? null]);
}

/** The conditions inside all groups, in their order. */
export function listLeaves<V>(trees: readonly ConditionTree<V>[]): Condition<V>[] {
  return trees.flatMap((tree) => (isGroup(tree) ? listLeaves(tree.parts) : [tree]));
}

/** The columns of the conditions inside all groups, of a resolved filter's JSON. */
export function listFormColumns(forms: readonly AskForm[]): readonly string[] {
  return forms.flatMap((form) => {
    const joiner = joinerOf(form);
    return joiner === undefined ? ((form as AskCondition).column ?? []) : listFormColumns(partsOf(form, joiner));
  });
}

/** The same conditions, joined as they are, each changed. */
export function changeLeaves<V>(
  tree: ConditionTree<V>,
  change: (leaf: Condition<V>) => Condition<V>,
): ConditionTree<V> {
  if (!isGroup(tree)) return change(tree);
  return { joiner: tree.joiner, parts: tree.parts.map((part) => changeLeaves(part, change)) };
}

/** A condition or a group as the object that a caller would write. */
export function writeTree<V>(tree: ConditionTree<V>, write: WriteValue<V>): AskForm {
  if (isGroup(tree)) return { [tree.joiner]: tree.parts.map((part) => writeTree(part, write)) };
  const { column, op, operand, measure } = tree;
  const left = measure === undefined ? { column } : writeMeasure(measure);
  if (isList(operand)) return { ...left, op, values: operand.map(write) };
  return operand === undefined ? { ...left, op } : { ...left, op, value: write(operand) };
}

/** Whether an operand is a list of values. */
export function isList<V>(operand: V | readonly V[] | undefined): operand is readonly V[] {
  return Array.isArray(operand);
}

/** What holds of a row or a group in words, every group among others in brackets. */
export function describeConditions<V>(
  trees: readonly ConditionTree<V>[],
  describe: (condition: Condition<V>) => string,
): string {
  const [only] = trees;
  if (trees.length === 1 && only !== undefined && isGroup(only)) return joinWords(only.joiner, only.parts, describe);
  return joinWords("all", trees, describe);
}

function joinWords<V>(
  joiner: Joiner,
  trees: readonly ConditionTree<V>[],
  describe: (condition: Condition<V>) => string,
): string {
  const parts = trees.map((tree) =>
    isGroup(tree) ? `(${joinWords(tree.joiner, tree.parts, describe)})` : describe(tree),
  );
  return parts.join(JOINING_WORDS[joiner]);
}
