import { Link } from "@service-nb/link";
import { askForm } from "./ask-form.js";
import { computeForm } from "./compute-form.js";
import { Maker } from "./elements.js";
import type { Action, Form } from "./form.js";
import { giveLine, type Taken } from "./line-out.js";
import { Tabs } from "./tabs.js";
import { type Model, type Ran, Wire } from "./wire.js";

const TAKEN: Readonly<Record<Taken, string>> = {
  cell: "Line added in a new cell.",
  clipboard: "Line copied.",
  nowhere: "The clipboard is not available: select the line and copy it.",
};

const UNREACHED =
  "The notebook was opened again: below may stand an earlier result. Run this cell again to see this one.";

/** The panel: two forms over one kernel. What they run becomes an output of the cell, below the panel. */
export class PanelView {
  readonly #root: HTMLElement;
  readonly #said: HTMLElement;
  readonly #wire: Wire;
  readonly #link: Link;
  #forms: readonly Form[] = [];

  constructor(host: HTMLElement, model: Model) {
    const maker = new Maker(host.ownerDocument);
    const bodies = [
      maker.make("div", { class: "service-body" }),
      maker.make("div", { class: "service-body" }),
    ] as const;
    const tabs = new Tabs(maker, "What to do", [
      { label: "Ask", body: bodies[0] },
      { label: "Compute", body: bodies[1] },
    ]);
    this.#said = maker.make("p", { class: "service-said-last", role: "status" });
    this.#root = maker.make("section", { class: "service-scope service-panel", "aria-label": "service_nb panel" });
    this.#root.append(tabs.element, this.#said);
    host.append(this.#root);
    this.#wire = new Wire(model);
    this.#wire.onClose(() => {
      this.#gone();
    });
    this.#link = new Link(this.#wire);
    const options = { client: this.#link, actions: this.#actions() };
    this.#forms = [askForm(bodies[0], options), computeForm(bodies[1], options)];
    if (!this.#wire.isOpen) this.#gone();
  }

  dispose(): void {
    for (const form of this.#forms) form.dispose();
    this.#link.close();
    this.#root.remove();
  }

  #actions(): readonly Action[] {
    return [
      { label: "Run", primary: true, run: (line) => void this.#run(line) },
      { label: "Copy line", run: (line) => void this.#give(line) },
    ];
  }

  async #run(line: string): Promise<void> {
    this.#hold("Running … To stop it, interrupt the kernel.");
    this.#root.setAttribute("aria-busy", "true");
    this.#say("", "");
    const ran = await this.#wire.run(line);
    this.#root.removeAttribute("aria-busy");
    if (ran === null) return; // the kernel is gone, as was said
    this.#hold(null);
    this.#say([told(ran), ...(this.#reaches(ran) ? [] : [UNREACHED])].join(" "), ran.status);
  }

  /** Whether the card stands below: our extension of JupyterLab finds its place again, and other pages do not. */
  #reaches({ reopened }: Ran): boolean {
    return !reopened || this.#root.closest(".service-panel-output") !== null;
  }

  async #give(line: string): Promise<void> {
    this.#say(TAKEN[await giveLine(this.#root, line)], "");
  }

  #gone(): void {
    this.#root.classList.add("service-gone");
    this.#root.removeAttribute("aria-busy");
    this.#hold("No kernel");
    this.#say("This panel needs its kernel. Run the cell again to open a new panel; results stay.", "error");
  }

  #hold(reason: string | null): void {
    for (const form of this.#forms) form.hold(reason);
  }

  #say(text: string, kind: string): void {
    this.#said.textContent = text;
    this.#said.className = kind === "" ? "service-said-last" : `service-said-last service-said-${kind}`;
  }
}

function told({ status, message }: Ran): string {
  switch (status) {
    case "answered":
      return `✓ ${message}`;
    case "unclear":
      return `? ${message}`;
    case "rejected":
    case "error":
      return `✗ ${message}`;
  }
}
