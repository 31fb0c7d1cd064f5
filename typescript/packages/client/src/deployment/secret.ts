/** A secret text, so that no print, log, error or copy of an object shows it. */

import { MASK } from "./codes.js";

export class Secret {
  readonly #text: string;

  constructor(text: string) {
    this.#text = text;
  }

  /** The text itself: called where it is sent, and nowhere else. */
  reveal(): string {
    return this.#text;
  }

  toString(): string {
    return MASK;
  }

  toJSON(): string {
    return MASK;
  }
}
