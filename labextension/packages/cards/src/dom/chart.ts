import type { Table } from "../blocks.js";
import { chartElement } from "../chart.js";
import type { CardEnvironment } from "../environment.js";
import { ORDER_EVENT } from "../table.js";
import { button, element } from "./element.js";

const FEWEST_ROWS = 2;
const MOST_ROWS = 20; // that a chart has room for, whatever its keys are
const TOO_MANY = "Too many groups to chart; add `limit 20`";

/** A table with a button that draws it, where there is something to draw; what draws is loaded by the first press. */
export function chartBox(table: Table, environment: CardEnvironment, drawnTable: HTMLElement): readonly HTMLElement[] {
  if (!isDrawable(table)) return [drawnTable];
  const box = element("div", "service-chart");
  box.hidden = true;
  const isPart = (table.total ?? 0) > table.rows.length;
  let now = table;
  const toggle = button("service-button service-chart-toggle", environment.say("Chart"), () => {
    box.hidden = !box.hidden;
    toggle.setAttribute("aria-pressed", String(!box.hidden));
    // The rows of a part are sorted and filtered as such; the chart draws the whole answer where the card has it.
    if (!box.hidden) void draw((isPart ? table.all?.() : null) ?? now, environment, box);
  });
  toggle.setAttribute("aria-pressed", "false");
  drawnTable.addEventListener(ORDER_EVENT, (event) => {
    now = tableOf(event) ?? table;
    if (!box.hidden && (!isPart || table.all === undefined)) void draw(now, environment, box);
  });
  return [element("div", "service-views", toggle), box, drawnTable];
}

function isDrawable({ heads, rows }: Table): boolean {
  const isKeyed = heads.some(({ role }) => role === "key");
  const isCounted = heads.some(({ role, type }) => type === "number" && (role === "metric" || role === "count"));
  return rows.length >= FEWEST_ROWS && isKeyed && isCounted;
}

function tableOf(event: Event): Table | undefined {
  return event instanceof CustomEvent ? (event.detail as { table: Table }).table : undefined;
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
