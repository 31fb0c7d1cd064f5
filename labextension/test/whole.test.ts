import type { Client } from "@service-nb/link";
import { afterEach, describe, expect, it, vi } from "vitest";
import { KernelResults, RefusedResultError } from "../src/whole.js";
import { sha256Hex } from "@service-nb/verify";

const TEXT = JSON.stringify(Array.from({ length: 40 }, (_, at) => ({ n: at, word: "é" })));
const AFTER = "cd".repeat(32);
const WANTED = { name: "result", hash: sha256Hex(`service:result:v1\0${AFTER}${TEXT}`), after: AFTER } as const;

const seen: [number, number][] = [];
const loading = (
  signal = new AbortController().signal,
): { signal: AbortSignal; progress: (d: number, t: number) => void } => ({
  signal,
  progress: (done, total) => void seen.push([done, total]),
});

/** A kernel that sends a text in parts of so many characters. */
function kernel(text: string, most = 10): KernelResults {
  const letters = Array.from(text);
  const ask = (_method: string, { at }: { at: number }): Promise<unknown> =>
    Promise.resolve({ part: letters.slice(at, at + most).join(""), size: letters.length });
  return new KernelResults(() => Promise.resolve({ ask, close: () => undefined } as unknown as Client));
}

afterEach(() => {
  seen.length = 0;
  vi.unstubAllGlobals();
});

describe("the whole of a result from a kernel", () => {
  it("is taken where it has the hash of the card, whoever computes that", async () => {
    expect(await kernel(TEXT).text("query_1", WANTED, loading())).toBe(TEXT);
    expect(seen.at(-1)).toEqual([TEXT.length, TEXT.length]);
    vi.stubGlobal("crypto", {});
    expect(await kernel(TEXT, 1_000_000).text("query_1", WANTED, loading())).toBe(TEXT);
  });

  it("is refused where one character is another, or one is missing, or the plan was another", async () => {
    const others = [
      TEXT.replace(/[0-9]/, (digit) => String((Number(digit) + 1) % 10)),
      TEXT.slice(0, -1),
      `${TEXT} `,
      "[]",
    ];
    for (const text of others) {
      await expect(kernel(text).text("query_1", WANTED, loading())).rejects.toThrow(
        /^Refused: the rows that the kernel/,
      );
    }
    const other = { ...WANTED, after: "0".repeat(64) };
    await expect(kernel(TEXT).text("query_1", other, loading())).rejects.toBeInstanceOf(RefusedResultError);
  });

  it("is put together by characters, of which some are two in UTF-16", async () => {
    const refused = kernel("😀".repeat(25), 10).text("query_1", WANTED, loading());
    await expect(refused).rejects.toThrow(/are not those of this card/);
    expect(seen).toEqual([
      [10, 25],
      [20, 25],
      [25, 25],
    ]);
  });

  it("is refused where its parts make no whole, or more than a page takes", async () => {
    const lying = (answer: unknown): KernelResults =>
      new KernelResults(() =>
        Promise.resolve({ ask: () => Promise.resolve(answer), close: () => undefined } as unknown as Client),
      );
    for (const answer of [
      { part: "", size: 5 },
      { part: "x", size: 64_000_001 },
    ]) {
      await expect(lying(answer).text("query_1", WANTED, loading())).rejects.toThrow(/make no whole/);
    }
  });

  it("is not asked for any more once it was broken off", async () => {
    const breaking = new AbortController();
    const ask = vi.fn(() => {
      breaking.abort();
      return Promise.resolve({ part: "[", size: 1_000 });
    });
    const results = new KernelResults(() => Promise.resolve({ ask, close: () => undefined } as unknown as Client));
    await expect(results.text("query_1", WANTED, loading(breaking.signal))).rejects.toThrow();
    expect(ask).toHaveBeenCalledTimes(1);
  });

  it("as Parquet has to name the hash of the card", async () => {
    const file = (hash: string): KernelResults => kernel(btoa(`PAR1 service_nb.result_hash ${hash} PAR1`));
    expect(await file(WANTED.hash).parquet("query_1", WANTED, loading())).toBeInstanceOf(Uint8Array);
    await expect(file("0".repeat(64)).parquet("query_1", WANTED, loading())).rejects.toThrow(/does not name the hash/);
  });
});
