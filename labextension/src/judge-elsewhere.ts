import type { Verdict } from "@service-nb/records";
import type { Case, Judge } from "./judge.js";

export const READY = "ready";

/** To the worker. */
export interface Question extends Case {
  readonly id: number;
}

/** From the worker, after it said that it is ready. */
export interface Answer {
  readonly id: number;
  readonly verdicts: readonly Verdict[];
}

const PATIENCE_MS = 5000; // for a worker to come up; it is a file of our own server

interface Open {
  readonly each: Case;
  readonly resolve: (verdicts: Promise<readonly Verdict[]> | readonly Verdict[]) => void;
}

/**
 * A judge that works in a thread beside the page, so that the page has nothing to wait for. Where there can be none (a
 * strict policy of content, no server any more), or where it breaks, everything goes to `instead`.
 */
export function judgeElsewhere(create: () => Worker, instead: Judge): Judge {
  const open = new Map<number, Open>();
  let count = 0;
  let worker: Worker | undefined;
  let isBroken = false;

  const giveUp = (): void => {
    isBroken = true;
    worker?.terminate();
    for (const { each, resolve } of open.values()) resolve(instead(each));
    open.clear();
  };
  const start = (): void => {
    try {
      worker = create();
    } catch {
      isBroken = true; // the page may not have one: not an error of anybody
      return;
    }
    const impatience = setTimeout(giveUp, PATIENCE_MS);
    worker.onerror = (event) => {
      event.preventDefault();
      clearTimeout(impatience);
      giveUp();
    };
    worker.onmessage = ({ data }: MessageEvent<Answer | typeof READY>) => {
      clearTimeout(impatience);
      if (data === READY) return;
      open.get(data.id)?.resolve(data.verdicts);
      open.delete(data.id);
    };
  };

  return (each) => {
    if (worker === undefined && !isBroken) start();
    if (worker === undefined || isBroken) return instead(each);
    const id = count++;
    const question: Question = { id, ...each };
    worker.postMessage(question);
    return new Promise((resolve) => open.set(id, { each, resolve }));
  };
}
