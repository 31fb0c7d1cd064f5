import {
  type Block,
  type Command,
  type Commands,
  type Figure,
  type Formula,
  type Sentence,
  type Table,
  type Title,
  WAYS_ON,
} from "../blocks.js";
import { CELL_WIDTH, count, whole } from "../format.js";
import { isPlainLatex } from "../latex.js";
import { shownTable } from "../table.js";
import { visible } from "../visible.js";
import { chartBox } from "./chart.js";
import { copyIcon, type Desk } from "./copying.js";
import type { CardEnvironment } from "../environment.js";
import { button, data, element, shortened, shown } from "./element.js";

const MOST_COMMANDS = 50;
const MAGIC = "%service_"; // of the lines that a button runs
const LONG = 14; // characters of a number that breaks in a narrow card
const LONGEST = 40; // of a number that breaks in any card
const MOST_COLUMNS = 200; // no card that was made has as many

/** The elements of a block. Facts are built when the details are opened, so they are none here. */
export function blockElements(block: Block, desk: Desk): readonly HTMLElement[] {
  switch (block.block) {
    case "title":
      return [title(block)];
    case "status":
      return []; // the line of the verdict says it
    case "figure":
      return figure(block, desk);
    case "table":
      return table(readable(block), desk);
    case "sentence":
      return [sentence(block)];
    case "formula":
      return [formula(block, desk)];
    case "commands":
      return commandElements(block, desk, block.title === WAYS_ON);
    case "facts":
      return [];
  }
}

function title({ text, note }: Title): HTMLElement {
  const line = element("div", "service-head", data("strong", "service-label", text));
  if (note !== "") line.append(data("span", "service-note", note));
  return line;
}

function figure({ value, caption, exact, isCut }: Figure, desk: Desk): readonly HTMLElement[] {
  const number = element("strong", `service-value${sizeOf(value)}${isCut ? " service-rounded" : ""}`, shown(value));
  if (isCut) number.title = shown(exact);
  const copied = copyIcon(desk, () => exact, desk.environment.say("the exact value"));
  return [element("div", "service-figure", number, copied), data("div", "service-caption", caption)];
}

function table(block: Table, { environment }: Desk): readonly HTMLElement[] {
  return chartBox(block, environment, shownTable(block, environment));
}

function sizeOf({ length }: string): string {
  return length > LONGEST ? " service-value-longest" : length > LONG ? " service-value-long" : "";
}

/** A table with as many columns as a page can show; how its texts are shown is for whoever builds the cells. */
function readable(table: Table): Table {
  const { heads, caption } = table;
  const left = ` · ${whole(MOST_COLUMNS)} of ${count(heads.length, "column")} on this page`;
  return {
    ...table,
    heads: heads.slice(0, MOST_COLUMNS).map((head) => ({ ...head, text: shortened(head.text, CELL_WIDTH) })),
    caption: heads.length > MOST_COLUMNS ? caption + left : caption,
  };
}

function sentence({ text, role }: Sentence): HTMLElement {
  return data("div", `service-${role}`, text);
}

/** A formula as books set it where it is nothing but mathematics and there is who sets it, else as it is computed. */
function formula({ text, latex }: Formula, { environment }: Desk): HTMLElement {
  const made = element("div", "service-formula");
  made.tabIndex = 0; // it scrolls where it is wide
  made.setAttribute("role", "group");
  made.setAttribute("aria-label", environment.say("Formula"));
  if (environment.typeset !== undefined && isPlainLatex(latex)) {
    made.textContent = `\\(\\displaystyle ${latex}\\)`;
    environment.typeset(made);
  } else {
    made.append(element("code", "service-code", shown(text)));
    void writeFormula(made, text, latex);
  }
  return made;
}

/** Writes a formula that nothing sets as readable text; few pages need that, so it is loaded when one does. */
async function writeFormula(made: HTMLElement, text: string, latex: string): Promise<void> {
  const { formulaText } = await import("../formula.js");
  const said = formulaText(text, latex);
  if (said !== text) made.replaceChildren(...said.split("\n").map((line) => element("div", "", shown(line))));
}

/** Lines to copy, and each to be run by a button where it is a way on. */
export function commandElements(block: Commands, desk: Desk, areWaysOn: boolean): readonly HTMLElement[] {
  const title = block.title === "" ? [] : [element("div", "service-title", shown(block.title))];
  const list = element("ul", "service-commands");
  list.setAttribute("role", "list");
  const run = areWaysOn ? desk.environment.onRun : undefined;
  list.append(...block.commands.slice(0, MOST_COMMANDS).map((command) => commandItem(command, desk, run)));
  return [...title, list];
}

/** A button that runs a line of ours. What it runs is what is seen, and one line. */
function runButton(line: string, { environment }: Desk, run: NonNullable<CardEnvironment["onRun"]>): HTMLElement {
  const made = button("service-button service-run", environment.say("Run"), () => {
    run(visible(line), made);
  });
  made.setAttribute("aria-label", `${environment.say("Run")} ${shown(line)}`);
  return made;
}

// What is copied is what is seen: a line break in a question must not become a second line in a cell.
function commandItem({ line, note }: Command, desk: Desk, run: CardEnvironment["onRun"]): HTMLElement {
  const code = element("code", "service-code", shown(line));
  code.dir = "ltr";
  const item = element(
    "li",
    "service-command",
    code,
    copyIcon(desk, () => visible(line), desk.environment.say("the line")),
  );
  if (note !== "") item.prepend(data("span", "service-note", note));
  if (run !== undefined && line.startsWith(MAGIC)) code.after(runButton(line, desk, run));
  return item;
}
