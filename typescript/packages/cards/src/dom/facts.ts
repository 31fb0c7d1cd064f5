import type { Fact, Facts, Span } from "../blocks.js";
import { SHORT_DIGEST } from "../format.js";
import { told } from "../table/words.js";
import { copyIcon, type Desk } from "./copying.js";
import { data, element, shown } from "./element.js";

const MOST_FACTS = 100;
const MOST_LINES = 100;

/** The details of a card: labels, and what is said under each. */
export function factsElement({ facts }: Facts, desk: Desk): HTMLElement {
  return element("dl", "service-facts", ...facts.slice(0, MOST_FACTS).map((fact) => factElement(fact, desk)));
}

function factElement(fact: Fact, desk: Desk): HTMLElement {
  const label = element("dt", "service-label", shown(fact.label));
  return element("div", "service-fact", label, element("dd", "service-lines", said(fact, desk)));
}

function said(fact: Fact, desk: Desk): HTMLElement {
  const list = element(fact.isSteps ? "ol" : "ul", fact.isSteps ? "service-steps" : "service-said-lines");
  list.setAttribute("role", "list");
  for (const line of fact.lines.slice(0, MOST_LINES)) {
    const name = line.find((span) => span.kind === "text")?.text.trim() ?? "";
    const item = element("li", "", ...line.flatMap((span) => spanElements(span, name, desk)));
    item.dir = "auto";
    list.append(item);
  }
  return list;
}

function spanElements(span: Span, name: string, desk: Desk): readonly HTMLElement[] {
  switch (span.kind) {
    case "text":
      return [data("span", "", span.text)];
    case "code":
      return [codeElement(shown(span.text))];
    case "digest":
      return [digestElement(span.text, name, desk)];
  }
}

function codeElement(text: string): HTMLElement {
  const code = element("code", "service-code", text);
  code.dir = "ltr";
  return code;
}

/** A digest, short to the eye; selected or copied, it is whole. */
function digestElement(text: string, name: string, desk: Desk): HTMLElement {
  const whole = shown(text);
  const code = codeElement("");
  code.append(element("span", "service-hash-head", whole.slice(0, SHORT_DIGEST)));
  if (whole.length > SHORT_DIGEST) {
    const rest = element("span", "service-hash-rest", whole.slice(SHORT_DIGEST));
    rest.setAttribute("aria-hidden", "true");
    code.append(rest);
  }
  const what = told((sentence) => desk.environment.say(sentence), "the %1 hash", shown(name));
  return element(
    "span",
    "service-digest",
    code,
    copyIcon(desk, () => whole, what),
  );
}
