import type { IRenderMime } from "@jupyterlab/rendermime-interfaces";
import type { CardEnvironment, Owner, ResultKeeper } from "@service-nb/cards";
import type { Check } from "@service-nb/records";
import type { StatedPlace } from "@service-nb/verify";
import { Queue } from "./queue.js";

// A renderer is made by JupyterLab without any plugin at hand, so what plugins know is handed in here, once for the page.

/** The cell in which a card is shown, in a notebook that is open. */
export interface LiveCell {
  /** Whether what gave a card is still said there. */
  check(place: StatedPlace): Check;
  /** Calls back when something of the notebook was edited; returns how to stop. */
  onEdit(edited: () => void): () => void;
}

interface Handed {
  say: (text: string) => string;
  replay: ((id: string) => void) | undefined;
  run: ((line: string, from: HTMLElement) => void) | undefined;
  results: ResultKeeper | undefined;
  cellAround: (node: Node) => LiveCell | undefined;
  ownerOf: (key: string) => Owner | undefined;
  digits: number;
}

const handed: Handed = {
  say: (text) => text,
  replay: undefined,
  run: undefined,
  results: undefined,
  cellAround: () => undefined,
  ownerOf: () => undefined,
  digits: 0,
};
/** What is another: the words of everything, what can be done, or what is known of cells. */
export type EnvironmentChange = "words" | "actions" | "cells";

const listeners = new Set<(change: EnvironmentChange) => void>();

/** Words in the language of the reader, for cards that are shown from now on and those that are. */
export function setTranslator(say: (text: string) => string): void {
  handed.say = say;
  changed("words");
}

/** What a card's Replay does; undefined where there is nobody to run it, and then there is no such button. */
export function setReplay(replay: ((id: string) => void) | undefined): void {
  const isOther = (replay === undefined) !== (handed.replay === undefined);
  handed.replay = replay;
  if (isOther) changed("actions");
}

/** The digits that numbers on cards are shown with, where an output asks for none; 0 for the usual ones. */
export function setDigits(digits: number): void {
  const isOther = digits !== handed.digits;
  handed.digits = digits;
  if (isOther) changed("words"); // cards are built again
}

/** What the button beside a line does; it is handed in once, before the first card is shown. */
export function setRun(run: Handed["run"]): void {
  handed.run = run;
}

/** Who has the whole of what was recorded; undefined where there is no kernel. Cards ask when they want rows. */
export function setResults(results: ResultKeeper | undefined): void {
  handed.results = results;
}

/** Whose a public key is. Cards say it when they are judged, so it is set before the terms are. */
export function setOwners(ownersOf: Handed["ownerOf"]): void {
  handed.ownerOf = ownersOf;
}

/** Whose a public key is (base64), where the reader has said so. */
export function ownerOf(key: string): Owner | undefined {
  return handed.ownerOf(key);
}

/** How the cell is found in which a node of the page stands. */
export function setCells(cellOf: Handed["cellAround"]): void {
  handed.cellAround = cellOf;
  changed("cells");
}

/** The cell in which a node of the page stands; undefined where it is in none, or nobody knows. */
export function cellAround(node: Node): LiveCell | undefined {
  return handed.cellAround(node);
}

/** Calls back when cards that are shown should say or offer something else; returns how to stop. */
export function onEnvironment(listener: (change: EnvironmentChange) => void): () => void {
  listeners.add(listener);
  return () => void listeners.delete(listener);
}

function changed(change: EnvironmentChange): void {
  for (const listener of [...listeners]) listener(change);
}

/** A sentence in the language of the reader. */
export function say(text: string): string {
  return handed.say(text);
}

// Mathematics is set as work of its own: some fifty formulas would otherwise be set in one go.
const typesetting = new Queue();

/** What a card needs of the page, from those who were handed in and from JupyterLab's typesetter. */
export function environmentOf(
  page: Document,
  typesetter: IRenderMime.ILatexTypesetter | null,
  onVerify: () => void,
): CardEnvironment {
  return {
    say,
    copy: (text) => copyText(text, page),
    ownerOf,
    digits: handed.digits,
    onVerify,
    get onReplay() {
      return handed.replay; // as it is when a card asks
    },
    get onRun() {
      return handed.run;
    },
    get results() {
      return handed.results;
    },
    ...(typesetter === null ? {} : { typeset: (node) => void typesetting.add(() => typesetter.typeset(node), node) }),
  };
}

/** Puts text on the clipboard. */
export async function copyText(text: string, page: Document): Promise<void> {
  const clipboard = page.defaultView?.navigator.clipboard;
  try {
    if (clipboard !== undefined) {
      await clipboard.writeText(text);
      return;
    }
  } catch {
    // The page may not, though it has one: a frame without the permission, or not the one in front.
  }
  if (!copyBySelection(text, page)) throw new CopyError();
}

/** Neither the clipboard nor a selection may be copied to here. */
export class CopyError extends Error {
  readonly code = "clipboard_refused";

  constructor() {
    super("Copying is not allowed here. Select the text.");
    this.name = "CopyError";
  }
}

/** On plain-http hosts there is no clipboard, but what is selected can be copied. */
function copyBySelection(text: string, page: Document): boolean {
  const focused = page.activeElement;
  const area = page.createElement("textarea");
  area.value = text;
  area.readOnly = true; // no keyboard comes up on a phone
  area.setAttribute("aria-hidden", "true");
  area.className = "service-clipboard";
  page.body.append(area);
  area.select();
  // eslint-disable-next-line @typescript-eslint/no-deprecated -- the only way without a secure context
  const isCopied = page.execCommand("copy");
  area.remove();
  if (isFocusable(focused)) focused.focus({ preventScroll: true });
  return isCopied;
}

function isFocusable(element: Element | null): element is HTMLElement {
  return element !== null && "focus" in element;
}
