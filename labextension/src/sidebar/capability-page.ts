import type { TranslationBundle } from "@jupyterlab/translation";
import { isPlainLatex } from "@service-nb/cards";
import type { Capability, Client } from "@service-nb/link";
import { computeForm, type Form } from "@service-nb/panel";
import { computeLine } from "../lines.js";
import { sayIn } from "../translation.js";
import { breakable, button, make } from "./dom.js";

export interface PageActions {
  readonly insert: (line: string) => void;
  readonly insertAndRun: (line: string) => void;
  /** Sets LaTeX in an element as Lab does; absent where there is no typesetter. */
  readonly typeset: (node: HTMLElement) => boolean;
}

/** One capability: what it computes, from what, by which formula, on whose word. And its call. */
export class CapabilityPage {
  readonly node: HTMLElement;
  readonly heading: HTMLElement;
  readonly #form: Form;

  constructor(capability: Capability, client: Client, actions: PageActions, trans: TranslationBundle) {
    this.heading = make("h3", { class: "service-side-name", tabindex: "-1" }, breakable(capability.name));
    const host = make("div", { class: "service-side-form-host" });
    const insert = button(trans.__("Insert call"), () => {
      actions.insert(computeLine(capability));
    });
    insert.title = trans.__("Put the call with example arguments into a new cell");
    this.node = make(
      "article",
      { class: "service-side-capability" },
      this.heading,
      make("p", {}, capability.summary),
      make("code", { class: "service-side-signature" }, breakable(capability.signature)),
      formula(capability, actions),
      insert,
      facts(capability, trans),
      host,
    );
    const form = computeForm(host, {
      argumentsOnly: true, // what it is stands above
      client,
      say: sayIn(trans),
      actions: [
        { label: trans.__("Insert and run"), primary: true, run: actions.insertAndRun },
        { label: trans.__("Insert"), run: actions.insert },
      ],
    });
    this.#form = form;
    void form.open(capability.name);
  }

  dispose(): void {
    this.#form.dispose();
    this.node.remove();
  }
}

function formula({ formula: text, latex }: Capability, actions: PageActions): HTMLElement | null {
  if (text === null) return null;
  const plain = make("code", { class: "service-side-formula" }, text);
  if (latex === null || !isPlainLatex(latex)) return plain;
  const node = make(
    "div",
    { class: "service-side-formula", role: "math", "aria-label": text, tabindex: "0" },
    `\\(\\displaystyle ${latex}\\)`,
  );
  return actions.typeset(node) ? node : plain;
}

function isUnit(unit: string): boolean {
  return unit !== "" && unit !== "1";
}

function facts(
  { result, tier, grade, source, needs_seed: needsSeed }: Capability,
  trans: TranslationBundle,
): HTMLElement {
  const list = make("dl", { class: "service-side-page-facts" });
  const given = [result.type, isUnit(result.unit) ? result.unit : "", result.about]
    .filter((part) => part !== "")
    .join(" · ");
  for (const [label, text] of [
    [trans.__("result"), given],
    [trans.__("tier"), tier],
    [trans.__("evidence"), grade],
    [trans.__("source"), source],
    [trans.__("random"), needsSeed ? trans.__("needs a seed") : ""],
  ] as const) {
    if (text !== "") list.append(make("dt", {}, label), make("dd", {}, text));
  }
  return list;
}
