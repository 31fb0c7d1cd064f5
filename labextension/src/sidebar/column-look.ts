import type { TranslationBundle } from "@jupyterlab/translation";
import type { ColumnLook, ValueCount } from "@service-nb/link";
import { digitsOf, rounded } from "@service-nb/cards";
import { make } from "./dom.js";

const SVG = "http://www.w3.org/2000/svg";
const [WIDTH, HEIGHT, GAP] = [72, 18, 1];
const MOST_VALUES = 3;

/** What is known of a column, below its name: nulls, distinct values, range, and a histogram or frequent values. */
export function lookNode(look: ColumnLook, trans: TranslationBundle): HTMLElement {
  const counts = look.counts ?? [];
  const isBinned = counts.length > 0 && counts.every(({ below }) => below !== null);
  const ends = [look.minimum, look.maximum].flatMap((each) => (each === null ? [] : [isBinned ? short(each) : each]));
  const range = ends.length < 2 ? "" : trans.__("%1 to %2", ends[0], ends[1]);
  const facts = [
    trans._n("%1 null", "%1 nulls", look.nulls, whole(look.nulls)),
    look.distinct === null ? "" : trans.__("%1 distinct", whole(look.distinct)),
    isBinned ? "" : range,
  ];
  const said = make("span", { class: "service-side-look-facts" }, facts.filter((each) => each !== "").join(" · "));
  const picture = isBinned ? histogram(counts, range, trans) : frequent(counts, trans);
  return make("span", { class: "service-side-look" }, picture, said);
}

function histogram(counts: readonly ValueCount[], range: string, trans: TranslationBundle): HTMLElement {
  const svg = globalThis.document.createElementNS(SVG, "svg");
  const words = counts.map(({ value, below, rows }) => trans.__("%1 to %2: %3", value, below ?? "", whole(rows)));
  svg.setAttribute("role", "img");
  svg.setAttribute("aria-label", trans.__("Histogram. %1", words.join("; ")));
  svg.setAttribute("viewBox", `0 0 ${String(WIDTH)} ${String(HEIGHT)}`);
  svg.setAttribute("class", "service-side-histogram");
  const most = Math.max(...counts.map(({ rows }) => rows), 1);
  const step = WIDTH / counts.length;
  counts.forEach(({ rows }, at) => {
    const bar = globalThis.document.createElementNS(SVG, "rect");
    const height = rows === 0 ? 0 : Math.max((rows / most) * HEIGHT, 1);
    const places = { x: at * step, y: HEIGHT - height, width: Math.max(step - GAP, 1), height };
    for (const [name, value] of Object.entries(places)) bar.setAttribute(name, value.toFixed(2));
    svg.append(bar);
  });
  return make("span", { class: "service-side-picture" }, svg, make("span", {}, range));
}

function frequent(counts: readonly ValueCount[], trans: TranslationBundle): HTMLElement | null {
  if (counts.length === 0) return null;
  const told = counts.slice(0, MOST_VALUES).map(({ value, rows }) => `${value} ${whole(rows)}`);
  const text = counts.length > MOST_VALUES ? `${told.join(" · ")} · …` : told.join(" · ");
  return make("span", { class: "service-side-frequent", title: trans.__("The most frequent values") }, text);
}

/** A number rounded for reading; a date as it is. */
function short(exact: string): string {
  return rounded(exact, digitsOf([exact], undefined));
}

function whole(number: number): string {
  return number.toLocaleString("en-US");
}
