import { ClientError } from "@service-nb/link";
import { type Child, freshId, type Maker } from "./elements.js";
import type { Action } from "./form.js";

const PAUSE_MS = 250; // of typing, after which the kernel is asked

/** What is known of the form as it stands. */
export type Judgement =
  | { readonly state: "ok"; readonly line: string; readonly steps: readonly string[] }
  | {
      readonly state: "unclear" | "rejected";
      readonly line: string | null;
      readonly reason: string | null;
      readonly ways: readonly Way[];
    }
  | { readonly state: "incomplete"; readonly reason: string }
  | { readonly state: "checking" }
  | { readonly state: "silent"; readonly reason: string };

/** Something that could be said instead: a button that says it, where the form can. */
export interface Way {
  readonly label: string;
  readonly line: string;
  readonly take: (() => void) | null;
}

const SIGNS = { ok: "✓", unclear: "?", rejected: "✗", incomplete: "…", checking: "…", silent: "!" } as const;

/** The line that a form means, what the kernel says of it, and the buttons that act on it. */
export class Live {
  readonly element: HTMLElement;
  readonly #maker: Maker;
  readonly #status: HTMLElement;
  readonly #code: HTMLElement;
  readonly #line: HTMLElement;
  readonly #said: HTMLElement;
  readonly #buttons: readonly (readonly [HTMLButtonElement, Action])[];
  #good: string | null = null;
  #held: string | null = null;
  #judgement: Judgement = { state: "checking" };
  #timer: ReturnType<typeof setTimeout> | undefined;
  #asked = 0;

  constructor(maker: Maker, actions: readonly Action[]) {
    this.#maker = maker;
    this.#status = maker.make("p", { class: "service-live-status", role: "status" });
    const label = maker.make("span", { class: "service-label", id: freshId() }, maker.say("The same as a line"));
    this.#code = maker.make("code", { class: "service-code", "aria-labelledby": label.id, tabindex: "0" });
    this.#line = maker.make("div", { class: "service-line", hidden: true }, label, maker.make("pre", {}, this.#code));
    this.#said = maker.make("div", { class: "service-found" });
    this.#buttons = actions.map((action) => {
      const kind = action.primary === true ? "service-primary" : "";
      return [
        maker.button(action.label, kind, () => {
          this.#act(action);
        }),
        action,
      ] as const;
    });
    const bar = maker.make("div", { class: "service-actions" }, ...this.#buttons.map(([button]) => button));
    this.element = maker.make("div", { class: "service-live" }, this.#line, this.#status, this.#said, bar);
  }

  /** The line that may be acted on now. */
  get line(): string | null {
    return this.#held === null ? this.#good : null;
  }

  hold(reason: string | null): void {
    this.#held = reason;
    this.#enable();
    this.#tell();
  }

  /** Do what the primary button does. */
  submit(): void {
    const primary = this.#buttons.find(([, action]) => action.primary === true) ?? this.#buttons[0];
    if (primary !== undefined) this.#act(primary[1]);
  }

  /** Show what is known without asking. */
  show(judgement: Judgement): void {
    this.cancel();
    this.#show(judgement);
  }

  /** Ask after a pause, and show the answer unless something else was asked meanwhile. */
  check(ask: () => Promise<Judgement>): void {
    this.cancel();
    this.#show({ state: "checking" });
    const asked = this.#asked;
    this.#timer = setTimeout(() => {
      ask()
        .catch((error: unknown): Judgement => ({ state: "silent", reason: this.#spoken(error) }))
        .then(
          (judgement) => {
            if (asked === this.#asked) this.#show(judgement);
          },
          (error: unknown) => {
            reportError(error);
          },
        );
    }, PAUSE_MS);
  }

  /** Whatever is under way is no longer of interest. */
  cancel(): void {
    this.#asked += 1;
    clearTimeout(this.#timer);
  }

  #spoken(error: unknown): string {
    return spoken(error, this.#maker.say);
  }

  #show(judgement: Judgement): void {
    this.#judgement = judgement;
    this.#good = judgement.state === "ok" ? judgement.line : null;
    this.element.className = `service-live service-live-${judgement.state}`;
    this.element.setAttribute("aria-busy", String(judgement.state === "checking"));
    // While it is asked again, what was said stays: text that goes and comes cannot be read.
    if (judgement.state !== "checking") this.#fill(judgement);
    this.#enable();
    this.#tell();
  }

  #fill(judgement: Exclude<Judgement, { state: "checking" }>): void {
    const line = "line" in judgement ? judgement.line : null;
    this.#line.hidden = line === null;
    this.#code.textContent = line ?? "";
    switch (judgement.state) {
      case "ok":
        this.#said.replaceChildren(...this.#steps(judgement.steps));
        break;
      case "unclear":
      case "rejected":
        this.#said.replaceChildren(...this.#refusal(judgement.reason, judgement.ways));
        break;
      case "incomplete":
      case "silent":
        this.#said.replaceChildren();
    }
  }

  #tell(): void {
    this.#status.textContent = this.#held ?? `${SIGNS[this.#judgement.state]} ${this.#told(this.#judgement)}`;
  }

  #told(judgement: Judgement): string {
    const { say } = this.#maker;
    switch (judgement.state) {
      case "ok":
        return say("Ready to run");
      case "unclear":
        return say("Needs clarification");
      case "rejected":
        return say("Would be rejected");
      case "incomplete":
      case "silent":
        return judgement.reason;
      case "checking":
        return say("Checking …");
    }
  }

  #steps(steps: readonly string[]): Node[] {
    if (steps.length === 0) return [];
    const items = steps.map((step) => this.#maker.make("li", {}, step));
    return [
      this.#maker.make("ol", { class: "service-steps", "aria-label": this.#maker.say("What is done") }, ...items),
    ];
  }

  #refusal(reason: string | null, ways: readonly Way[]): Node[] {
    const maker = this.#maker;
    const items = ways.map((way) => maker.make("li", {}, this.#way(way)));
    const list = maker.make("ul", { class: "service-ways", "aria-label": maker.say("Choose one") }, ...items);
    return [
      ...(reason === null ? [] : [maker.make("p", { class: "service-reason" }, reason)]),
      ...(items.length === 0 ? [] : [list]),
    ];
  }

  #way({ label, line, take }: Way): Child {
    return take === null
      ? this.#maker.make("code", { class: "service-code" }, line)
      : this.#maker.button(label, "service-way", take);
  }

  #enable(): void {
    for (const [button] of this.#buttons) button.disabled = this.line === null;
  }

  #act(action: Action): void {
    if (this.line !== null) action.run(this.line);
  }
}

/** Why the kernel said nothing, for a reader. */
export function spoken(error: unknown, say: (text: string) => string): string {
  if (!(error instanceof ClientError)) return say("Something went wrong here; the form is as it was.");
  switch (error.code) {
    case "busy":
      return say("The kernel has not answered: it is busy, or gone. Change anything to ask again.");
    case "closed":
      return say("There is no kernel to ask. Start one, and load the extension with %load_ext service_nb.");
    default:
      return error.message;
  }
}
