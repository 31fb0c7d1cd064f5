import type { Table } from "../blocks.js";
import { chartElement } from "../chart.js";
import type { CardEnvironment } from "../environment.js";
import { ORDER_EVENT, type OrderDetail, type ShownTable } from "../table.js";
import { button, element } from "./element.js";

const FEWEST_ROWS = 2;
const MOST_ROWS = 20; // that a chart has room for, whatever its keys are
const TOO_MANY = "Too many groups to chart; add `limit 20`";

/** A table with a button that draws it, where there is something to draw; what draws is loaded by the first press. */
export function chartBox(table: Table, environment: CardEnvironment, drawn: ShownTable): readonly HTMLElement[] {
  if (!isDrawable(table)) return [drawn.element];
  const box = element("div", "service-chart");
  box.hidden = true;
  const toggle = button("service-button service-chart-toggle", environment.say("Chart"), () => {
    box.hidden = !box.hidden;
    toggle.setAttribute("aria-pressed", String(!box.hidden));
    if (!box.hidden) void draw(drawn.shown(), environment, box);
  });
  toggle.setAttribute("aria-pressed", "false");
  drawn.element.addEventListener(ORDER_EVENT, (event) => {
    if (!box.hidden && event instanceof CustomEvent) {
      void draw((event.detail as OrderDetail).table(), environment, box);
    }
  });
  return [element("div", "service-views", toggle), box, drawn.element];
}

function isDrawable({ heads, rows }: Table): boolean {
  const isKeyed = heads.some(({ role }) => role === "key");
  const isMeasured = heads.some(({ role, type }) => type === "number" && role === "metric");
  // Several counts and no metric: what each column of a source holds, which has its distribution in its own row.
  const isCounted = heads.filter(({ role, type }) => type === "number" && role === "count").length === 1;
  return rows.length >= FEWEST_ROWS && isKeyed && (isMeasured || isCounted);
}

async function draw(table: Table, environment: CardEnvironment, box: HTMLElement): Promise<void> {
  try {
    const drawn = await chartElement(table, environment);
    const why = table.rows.length > MOST_ROWS ? TOO_MANY : "No chart shows these values better than the table.";
    box.replaceChildren(drawn ?? message(environment.say(why)));
  } catch (error) {
    // The part that draws is loaded over the network of the server, which may be gone.
    if (!(error instanceof Error)) throw error;
    box.replaceChildren(message(environment.say("The chart could not be loaded; the table says the same.")));
  }
}

function message(text: string): HTMLElement {
  return element("div", "service-hint", text);
}
