import type { TranslationBundle } from "@jupyterlab/translation";
import type { Capability, Client, Parameter } from "@service-nb/client";
import { computeLine } from "../lines.js";
import { button, make } from "./dom.js";

export interface PageActions {
  insert(line: string): void;
  insertAndRun(line: string): void;
  /** Sets LaTeX in an element as Lab does; absent where there is no typesetter. */
  typeset(node: HTMLElement): boolean;
}

/** One capability: what it computes, from what, by which formula, on whose word. And its call. */
export class CapabilityPage {
  readonly node: HTMLElement;
  readonly heading: HTMLElement;

  constructor(capability: Capability, _client: Client, actions: PageActions, trans: TranslationBundle) {
    this.heading = make("h3", { class: "service-side-name", tabindex: "-1" }, capability.name);
    const insert = button(trans.__("Insert call"), () => {
      actions.insert(computeLine(capability));
    });
    insert.title = trans.__("Put the call with example arguments into a new cell");
    this.node = make(
      "article",
      { class: "service-side-capability" },
      this.heading,
      make("p", {}, capability.summary),
      make("code", { class: "service-side-signature" }, capability.signature),
      formula(capability, actions),
      insert,
      parameters(capability.params, trans),
      facts(capability, trans),
    );
  }

  dispose(): void {
    this.node.remove();
  }
}

function formula({ formula: text, latex }: Capability, actions: PageActions): HTMLElement | null {
  if (text === null) return null;
  const plain = make("code", { class: "service-side-formula" }, text);
  if (latex === null || !isFormula(latex)) return plain;
  const node = make("div", { class: "service-side-formula", role: "math", "aria-label": text }, `\\(${latex}\\)`);
  return actions.typeset(node) ? node : plain;
}

const MATHEMATICS = /^[A-Za-z0-9 \\{}^_+\-*/=().,|[\]<>!&:;']+$/;
const MORE =
  /<[A-Za-z/!?]|\\(?:[()[\]]|href|url|class|cssId|style|html|data|require|[gex]?def|(?:re|provide)?newcommand|let|input|include|write|catcode|unicode|bbox|special|csname|tag|label|ref)/;

/** Whether LaTeX is a formula and nothing else: no link, no definition, no end of the mathematics around it. */
export function isFormula(latex: string): boolean {
  return MATHEMATICS.test(latex) && !MORE.test(latex);
}

function parameters(params: readonly Parameter[], trans: TranslationBundle): HTMLElement | null {
  if (params.length === 0) return null;
  const list = make("dl", { class: "service-side-params", "aria-label": trans.__("Parameters") });
  for (const each of params) {
    const kind = [each.type, isUnit(each.unit) ? each.unit : "", each.domain ?? ""]
      .filter((part) => part !== "")
      .join(" · ");
    list.append(
      make("dt", {}, make("code", {}, each.name), make("span", { class: "service-side-field-type" }, kind)),
      make(
        "dd",
        {},
        each.about,
        ...(each.choices.length > 0
          ? [make("span", { class: "service-side-note" }, ` ${each.choices.join(", ")}`)]
          : []),
      ),
    );
  }
  return list;
}

function isUnit(unit: string): boolean {
  return unit !== "" && unit !== "1";
}

function facts({ result, tier, source, needs_seed: needsSeed }: Capability, trans: TranslationBundle): HTMLElement {
  const list = make("dl", { class: "service-side-page-facts" });
  const given = [result.type, isUnit(result.unit) ? result.unit : "", result.about]
    .filter((part) => part !== "")
    .join(" · ");
  for (const [label, text] of [
    [trans.__("result"), given],
    [trans.__("tier"), tier],
    [trans.__("source"), source],
    [trans.__("random"), needsSeed ? trans.__("needs a seed") : ""],
  ] as const) {
    if (text !== "") list.append(make("dt", {}, label), make("dd", {}, text));
  }
  return list;
}
