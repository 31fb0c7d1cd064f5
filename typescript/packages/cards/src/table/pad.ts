/** Alignment at the decimal point: how much blank stands behind a number so that the points come below each other. */

import { tailOf } from "../number.js";

const WIDEST = 20; // a longer tail is shown as it is, and no blank is made for it

/** The blank behind the cells of a column, as classes: it is for the eye, and never a part of the text. */
export class Blanks {
  #widest = 0;
  #hasPoint = false;

  /** Makes room for a cell; true where others stand elsewhere from now on. */
  note(text: string): boolean {
    const tail = tailOf(text);
    if (tail.length > WIDEST) return false;
    const isMore = tail.length > this.#widest || (tail.startsWith(".") && !this.#hasPoint);
    this.#widest = Math.max(this.#widest, tail.length);
    this.#hasPoint ||= tail.startsWith(".");
    return isMore;
  }

  /** The classes of a cell. */
  of(text: string): string {
    const tail = tailOf(text);
    const missing = Math.max(this.#widest - tail.length, 0);
    const isPointMissing = tail === "" && this.#hasPoint;
    const digits = isPointMissing ? missing - 1 : missing;
    return (isPointMissing ? " service-blank-point" : "") + (digits > 0 ? ` service-blank-${String(digits)}` : "");
  }
}
