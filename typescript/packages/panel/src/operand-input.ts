import { freshId, type Maker, Picker } from "./elements.js";
import { type Arity, PERIODS } from "./question.js";

/** The controls for what a condition compares with. */
export interface OperandInput {
  readonly element: HTMLElement;
  texts(): readonly string[];
}

const MOST_LISTED = 12; // values to tick; more are chosen from a list that scrolls

/** The control that suits the type of what is compared, the number of operands, and the values that are known. */
export function operandInput(
  maker: Maker,
  type: string,
  arity: Arity,
  known: readonly string[],
  changed: () => void,
): OperandInput | null {
  switch (arity) {
    case "none":
      return null;
    case "period":
      return picked(maker, PERIODS, (period) => period.replace("_", " "), changed);
    case "many":
      return known.length > 0 ? ticked(maker, known, changed) : listed(maker, changed);
    case "two":
      return pair(maker, type, changed);
    case "one":
      return single(maker, type, known, changed);
  }
}

function single(maker: Maker, type: string, known: readonly string[], changed: () => void): OperandInput {
  if (type === "boolean") return picked(maker, ["true", "false"], (text) => text, changed);
  if (known.length > 0)
    return picked(maker, known, (text) => (text === "" ? maker.say("(empty text)") : text), changed);
  const input = typed(maker, type, maker.say("Value"), changed);
  return { element: input, texts: () => [input.value] };
}

function pair(maker: Maker, type: string, changed: () => void): OperandInput {
  const low = typed(maker, type, maker.say("From"), changed);
  const high = typed(maker, type, maker.say("To"), changed);
  const and = maker.make("span", { class: "service-and" }, maker.say("and"));
  const element = maker.make("div", { class: "service-pair" }, low, and, high);
  return { element, texts: () => [low.value, high.value] };
}

/** A text field. Numbers are text too: a number input would round what it shows. */
function typed(maker: Maker, type: string, label: string, changed: () => void): HTMLInputElement {
  const isNumber = type === "number";
  const input = maker.make("input", {
    class: "service-input",
    type: type === "date" ? "date" : "text",
    "aria-label": label,
    autocomplete: "off",
    spellcheck: "false",
    inputmode: isNumber ? "decimal" : undefined,
    placeholder: type === "datetime" ? "2024-01-31T12:00" : isNumber ? "0" : undefined,
  });
  input.addEventListener("input", changed);
  return input;
}

function picked(
  maker: Maker,
  values: readonly string[],
  label: (value: string) => string,
  changed: () => void,
): OperandInput {
  const picker = new Picker<string>(maker, changed);
  picker.element.setAttribute("aria-label", maker.say("Value"));
  const choices = values.map((value) => ({ value, label: label(value) }));
  picker.offer(choices, null, maker.say("choose …"));
  return { element: picker.element, texts: () => (picker.value === null ? [] : [picker.value]) };
}

function ticked(maker: Maker, values: readonly string[], changed: () => void): OperandInput {
  const boxes = values.map((value) => {
    const id = freshId();
    const box = maker.make("input", { type: "checkbox", id });
    box.addEventListener("change", changed);
    const shown = value === "" ? maker.say("(empty text)") : value;
    const row = maker.make("div", { class: "service-tick" }, box, maker.make("label", { for: id }, shown));
    return { value, box, row };
  });
  const scrolls = values.length > MOST_LISTED ? "service-ticks service-scrolls" : "service-ticks";
  const attributes = { class: scrolls, role: "group", "aria-label": maker.say("Values") };
  const element = maker.make("div", attributes, ...boxes.map(({ row }) => row));
  return { element, texts: () => boxes.filter(({ box }) => box.checked).map(({ value }) => value) };
}

function listed(maker: Maker, changed: () => void): OperandInput {
  const area = maker.make("textarea", {
    class: "service-input",
    rows: "3",
    "aria-label": maker.say("Values, one a line"),
    placeholder: maker.say("one value a line"),
    spellcheck: "false",
  });
  area.addEventListener("input", changed);
  return { element: area, texts: () => area.value.split("\n").filter((line) => line !== "") };
}
