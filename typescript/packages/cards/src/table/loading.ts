/** A button whose work takes time: one press begins it, another breaks it off, and what came of it is told. */

import type { Loading } from "../environment.js";
import { create } from "./grid.js";
import { told, type Say } from "./words.js";

/** A button that turns into *Cancel* while its work is under way; `readout` tells how far it is and what came of it. */
export function workButton(
  label: string,
  say: Say,
  readout: HTMLElement,
  work: (loading: Loading) => Promise<string>,
): HTMLButtonElement {
  const button = create("button", "service-copy");
  button.type = "button";
  button.textContent = label;
  let underWay: AbortController | undefined;
  const settle = (text: string): void => {
    underWay = undefined;
    button.textContent = label;
    readout.textContent = text;
  };
  button.addEventListener("click", () => {
    if (underWay !== undefined) {
      underWay.abort();
      return;
    }
    const controller = new AbortController();
    underWay = controller;
    button.textContent = say("Cancel");
    readout.textContent = say("Loading…");
    const loading: Loading = {
      signal: controller.signal,
      progress: (done, total) => {
        if (underWay === controller) readout.textContent = told(say, "Loading: %1 of %2", size(done), size(total));
      },
    };
    work(loading).then(settle, (error: unknown) => {
      settle(controller.signal.aborted ? say("Cancelled: nothing was loaded.") : messageOf(error));
    });
  });
  return button;
}

function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}

const MEGABYTE = 1_000_000;

function size(characters: number): string {
  return characters < MEGABYTE
    ? `${String(Math.ceil(characters / 1_000))} kB`
    : `${(characters / MEGABYTE).toFixed(1)} MB`;
}
