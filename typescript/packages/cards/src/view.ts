import { type Card, decodeCard, own, ShapeError, type Verdict } from "@service-nb/records";
import { LOOK_ATTRIBUTE } from "./allowed.js";
import type { Block, Fact, Status } from "./blocks.js";
import { compose } from "./compose.js";
import { receiptOf } from "./compose/proof.js";
import { type Actions, actions, type Shown } from "./dom/actions.js";
import { blockElements } from "./dom/blocks.js";
import { type Desk, readout } from "./dom/copying.js";
import { disclosure } from "./dom/disclosure.js";
import { element, shortened } from "./dom/element.js";
import { type Digits, digitsIn } from "./digits.js";
import { factsElement } from "./dom/facts.js";
import { claimName, type ClaimedName } from "./dom/names.js";
import {
  checksElement,
  notesElement,
  showPending,
  showVerdict,
  type State,
  statusElement,
  verdictElement,
} from "./dom/verdict.js";
import { areRowsCompared, isContractCompared, markDetails, markRows, markShown } from "./dom/words.js";
import type { CardEnvironment } from "./environment.js";
import { count, SHORT_DIGEST, whole } from "./format.js";
import { headline, type Headline } from "./headline.js";
import { LOAD_EVENT, type LoadDetail } from "./table.js";
import { told } from "./table/words.js";

const NAME_CELLS = 120;

/** A card on a page: what it says, what its verification says, and what can be done with it. */
export class CardView {
  readonly #host: HTMLElement;
  readonly #environment: CardEnvironment;
  #face: Face | undefined;

  constructor(host: HTMLElement, environment: CardEnvironment) {
    this.#host = host;
    this.#environment = environment;
  }

  /** Shows a value as the card that it is, with its verdict pending; the same value is not built again. The digits that its
   * output asks for stand before those of the environment. */
  show(value: unknown, digits?: unknown): void {
    if (this.#face?.shown.value === value) return;
    this.dispose();
    this.#face = new Face(value, this.#environment, digits);
    this.#host.append(this.#face.root);
  }

  /** Shows what the verification of the shown card says. */
  judge(verdict: Verdict): void {
    this.#face?.judge(verdict);
  }

  /** Offers what the environment can do now, and leaves the rest as the reader has it: sorted, filtered, opened. */
  refresh(): void {
    this.#face?.refresh();
  }

  /** Takes the card off the page, with all that listens to it. */
  dispose(): void {
    this.#face?.dispose();
    this.#face = undefined;
  }
}

class Face {
  readonly shown: Shown;
  readonly root: HTMLElement;
  readonly #desk: Desk;
  readonly #verdictLine = verdictElement();
  readonly #name: ClaimedName;
  readonly #actions: Actions;
  #checks: HTMLElement | undefined; // once the details were opened
  #verdict: Headline | undefined;
  readonly #below: HTMLElement; // the line of the verdict and the status

  constructor(value: unknown, environment: CardEnvironment, digits: unknown) {
    this.#desk = { environment, readout: readout() };
    this.shown = read(value, digitsIn(digits ?? environment.digits));
    this.root = element("section", "");
    this.root.setAttribute(LOOK_ATTRIBUTE, "");
    this.root.setAttribute("role", "region");
    this.#name = claimName(nameOf(this.shown));
    this.root.setAttribute("aria-label", this.#name.text);
    for (const block of answerOf(this.shown.blocks)) this.root.append(...blockElements(block, this.#desk));
    this.#below = element("div", "service-below");
    this.#below.append(statusElement(statusOf(this.shown.blocks)));
    const bottom = element("div", "service-bottom");
    this.root.append(this.#below, bottom);
    if (this.shown.card !== undefined) markShown(this.root, this.shown.card, (text) => environment.say(text));
    this.#actions = this.#buildActions();
    bottom.append(this.#details(), this.#actions.row);
    this.root.addEventListener(LOAD_EVENT, (event) => {
      if (!(event instanceof CustomEvent)) return;
      const { name, text } = event.detail as LoadDetail;
      environment.onLoaded?.(name, text);
    });
    this.#pend();
  }

  judge(verdict: Verdict): void {
    const { card } = this.shown;
    const receipt = card === undefined ? undefined : receiptOf(card);
    const { environment } = this.#desk;
    this.#verdict = headline(verdict, {
      say: (text) => environment.say(text),
      signer: receipt?.envelope.signatures[0]?.keyid,
      key: receipt?.public_key,
      kept: keptOf(this.shown.blocks, (text) => environment.say(text)),
      owner: receipt === undefined ? undefined : environment.ownerOf?.(receipt.public_key),
    });
    const failed = this.#verdict.failure?.name;
    const stated = failed === undefined || card === undefined ? undefined : own(card.digests, failed);
    const short = typeof stated === "string" ? `${stated.replace(/^sha256:/, "").slice(0, SHORT_DIGEST)}…` : "";
    showVerdict(this.#verdictLine, this.#verdict, this.#desk.environment, short);
    this.#mark(this.#verdict.state);
    this.root.classList.toggle("service-contract-compared", isContractCompared(verdict));
    markRows(this.root, areRowsCompared(verdict));
    this.#listChecks();
  }

  refresh(): void {
    this.#actions.refresh();
  }

  dispose(): void {
    this.#name.release();
    this.root.remove();
  }

  #pend(): void {
    this.#verdict = undefined;
    showPending(this.#verdictLine, this.#desk.environment);
    this.#mark("pending");
    this.#listChecks();
  }

  #mark(state: State): void {
    // What does not hold is said before anything else; all other verdicts stand below the answer.
    if (state === "altered") this.root.prepend(this.#verdictLine);
    else if (this.#verdictLine.parentElement !== this.#below) {
      if (isAnswered(this.shown.blocks)) this.#below.prepend(this.#verdictLine);
      else this.#below.append(this.#verdictLine);
    }
    this.root.className = `service-card service-${statusOf(this.shown.blocks).tone} service-is-${state}`;
  }

  #details(): HTMLElement {
    return disclosure("service-details", this.#desk.environment.say("Details"), (box) => {
      for (const block of foldedOf(this.shown.blocks)) box.append(...blockElements(block, this.#desk));
      const facts = detailsOf(this.shown.blocks);
      if (facts.length > 0) box.append(factsElement({ block: "facts", facts }, this.#desk));
      this.#checks = element("div", "service-checks-box");
      box.append(this.#checks);
      this.#listChecks();
      const { card } = this.shown;
      if (card !== undefined) markDetails(box, card, (text) => this.#desk.environment.say(text));
    });
  }

  #listChecks(): void {
    const { checks, notes } = this.#verdict ?? { checks: [], notes: [] };
    this.#checks?.replaceChildren(
      ...(checks.length === 0 ? [] : [checksElement(checks, this.#desk.environment)]),
      ...(notes.length === 0 ? [] : [notesElement(notes)]),
    );
  }

  #buildActions(): Actions {
    const { environment } = this.#desk;
    const verify =
      environment.onVerify === undefined
        ? undefined
        : (): void => {
            this.#pend();
            environment.onVerify?.();
          };
    return actions(this.shown, this.#desk, verify);
  }
}

function answerOf(blocks: readonly Block[]): readonly Block[] {
  return blocks.slice(0, statusAt(blocks));
}

function foldedOf(blocks: readonly Block[]): readonly Block[] {
  return blocks.slice(statusAt(blocks) + 1);
}

/** Where the line of status stands: what is behind it is folded. */
function statusAt(blocks: readonly Block[]): number {
  return blocks.findIndex(({ block }) => block === "status");
}

function detailsOf(blocks: readonly Block[]): readonly Fact[] {
  return blocks.flatMap((block) => (block.block === "facts" ? block.facts : []));
}

function statusOf(blocks: readonly Block[]): Status {
  const found = blocks.find((block): block is Status => block.block === "status");
  return found ?? { block: "status", tone: "source", label: "", note: "" };
}

/** How many rows a card holds, where its answer has more. */
function keptOf(blocks: readonly Block[], say: CardEnvironment["say"]): string | undefined {
  const table = answerOf(blocks).find((block) => block.block === "table");
  if (table?.total === undefined || table.exact.length >= table.total) return undefined;
  return told(say, "%1 of %2 kept", whole(table.exact.length), count(table.total));
}

function isAnswered(blocks: readonly Block[]): boolean {
  return statusOf(blocks).tone === "answered";
}

function nameOf({ blocks }: Shown): string {
  const said = blocks.find((block) => block.block === "title" || block.block === "sentence");
  const parts = [statusOf(blocks).label, said === undefined ? "" : said.text];
  return shortened(parts.filter((part) => part !== "").join(": "), NAME_CELLS);
}

/** What can be shown of a value, a card or not. */
function read(value: unknown, digits: Digits): Shown {
  try {
    const card: Card = decodeCard(value);
    return { value, card, blocks: compose(card, digits) };
  } catch (error) {
    if (!(error instanceof ShapeError)) throw error;
    return { value, card: undefined, blocks: unreadable(error) };
  }
}

function unreadable({ message, reason }: ShapeError): readonly Block[] {
  const told =
    reason === "malformed"
      ? `It does not have the form of a card: ${message}`
      : "It is a card of a version or a kind that is not known here. A newer service_nb may show it.";
  return [
    { block: "sentence", text: told, role: "message" },
    { block: "status", tone: "source", label: "Card", note: "cannot be shown" },
  ];
}
