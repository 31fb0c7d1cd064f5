/** What a chart says in words: its name, and what is lowest, highest and missing in it. */

import { whole } from "../format.js";
import { compareParts, type Parts } from "../number.js";
import { told, type Say } from "../table/words.js";
import type { Mark, Plot } from "./data.js";
import { partOf } from "./heading.js";

/** The name of a chart. */
export function nameOf({ kind, title }: Plot, say: Say): string {
  const text = kind === "bars" ? "Bar chart: %1 by %2" : "Line chart: %1 by %2";
  return told(say, text, title.metric, title.key);
}

/** The description of a chart. */
export function summaryOf(plot: Plot, say: Say): string {
  const marks = plot.groups.flatMap((group) => group.marks.map((mark) => named(mark, group.label)));
  const finite = marks.filter((mark): mark is Mark & { value: Parts } => mark.value?.kind === "finite");
  const sorted = finite.toSorted((a, b) => compareParts(a.value, b.value));
  const [least, most] = [sorted[0], sorted.at(-1)];
  const part = partOf(plot, say);
  const said = [...(part === "" ? [] : [part]), told(say, "%1 values", whole(finite.length))];
  if (least !== undefined && most !== undefined) {
    said.push(
      compareParts(least.value, most.value) === 0
        ? told(say, "all of them %1", least.shown)
        : told(say, "from %1 (%2) to %3 (%4)", least.shown, least.label, most.shown, most.label),
    );
  }
  const missing = marks.length - finite.length;
  if (missing > 0) said.push(told(say, "%1 without a value", whole(missing)));
  const sentence = `${said.join("; ")}.`;
  return plot.isKept ? `${sentence} ${say("The card has every value.")}` : sentence;
}

function named(mark: Mark, group: string | null): Mark {
  return group === null ? mark : { ...mark, label: `${group}, ${mark.label}` };
}
