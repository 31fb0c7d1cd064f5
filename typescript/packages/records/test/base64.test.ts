import { Buffer } from "node:buffer";
import { describe, expect, it } from "vitest";
import { decodeBase64 } from "../src/base64.js";

describe("base64", () => {
  it("reads what Node writes", () => {
    for (let length = 0; length < 200; length += 1) {
      const bytes = Uint8Array.from({ length }, (_, index) => (index * 151 + length * 7) & 0xff);
      expect(decodeBase64(Buffer.from(bytes).toString("base64"))).toEqual(bytes);
    }
  });

  it.each([
    "A",
    "AA",
    "AAA",
    "AB==",
    "AAB=",
    "A===",
    "AA==\n",
    " AA==",
    "AA ==",
    "A-__",
    "AA==AA==",
    "AAAA=",
    "====",
    "ÀÀ==",
  ])("refuses %j: no two texts are the same bytes", (text) => {
    expect(decodeBase64(text)).toBeUndefined();
  });
});
