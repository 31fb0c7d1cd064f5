import { whole } from "../format.js";
import { told, type Say } from "../table/words.js";
import { drawnOf, type Plot, type Title } from "./data.js";
import type { Pen } from "./pen.js";
import { shape } from "./svg.js";

/** Said above all else where a chart does not draw the whole answer; nothing where it does. */
export function partOf(plot: Plot, say: Say): string {
  const drawn = drawnOf(plot);
  return drawn < plot.total ? told(say, "%1 of %2 rows", whole(drawn), whole(plot.total)) : "";
}

/** What is measured, and by what where there is room for it; the name of the chart says both. */
export function headingOf(title: Title, room: number, pen: Pen, say: Say, top = 0): SVGElement {
  const by = ` ${told(say, "by %1", title.key)}`;
  const place = { x: 0, y: top + 13 };
  if (pen.strong(title.metric) + pen.widthOf(by) > room) {
    return pen.label(title.metric, "service-chart-metric", place, room / (pen.strong("m") / pen.widthOf("m")));
  }
  const head = shape("text", "service-chart-metric", place);
  const rest = shape("tspan", "service-chart-by");
  rest.textContent = by;
  head.append(title.metric, rest);
  return head;
}
