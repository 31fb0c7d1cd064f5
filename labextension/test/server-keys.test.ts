import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { KeysOfServer, NO_KEYS, readKeys, type ServerKeys } from "../src/server-keys.js";

const KEY = "3Q3tn217Fs+GSfmxB4KItxuLP90Mm22xUzvwTZCMyiA=";

describe("what the server answers", () => {
  it("is read: own keys, trusted keys with their names, faults", () => {
    const answer = { own: [KEY], trusted: [{ key: KEY, name: "Ada" }], faults: ["The device key is missing."] };
    expect(readKeys(answer)).toEqual(answer);
  });

  it.each([null, 1, "x", [], {}, { own: 1, trusted: {}, faults: null }, { own: ["x", 7], trusted: [{ key: "x" }, 1] }])(
    "knows no key where it is %j",
    (answer) => {
      expect(readKeys(answer)).toEqual(NO_KEYS);
    },
  );
});

describe("the server", () => {
  beforeEach(() => void vi.useFakeTimers());
  afterEach(() => void vi.useRealTimers());

  it("is asked at once, and then once for all that happens within seconds", async () => {
    const told: ServerKeys[] = [];
    let asked = 0;
    const answer = (): Promise<ServerKeys> => Promise.resolve({ ...NO_KEYS, faults: [String((asked += 1))] });
    const keys = new KeysOfServer(answer, (each) => told.push(each));
    for (let each = 0; each < 1_000; each += 1) keys.refresh();
    await vi.advanceTimersByTimeAsync(1_000);
    expect(asked).toBe(1);
    await vi.advanceTimersByTimeAsync(60_000);
    expect(asked).toBe(2);
    keys.refresh();
    await vi.advanceTimersByTimeAsync(0);
    expect(told.map(({ faults }) => faults)).toEqual([["1"], ["2"], ["3"]]);
  });
});
