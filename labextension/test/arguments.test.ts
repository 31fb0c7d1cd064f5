import { describe, expect, it } from "vitest";
import { ArgumentsError, lineIn, placeIn, sectionIn } from "../src/arguments.js";

describe("what a command is given", () => {
  it("may be nothing", () => {
    for (const nothing of [undefined, {}, { isPalette: true }]) {
      expect(sectionIn(nothing)).toBe("evidence");
      expect(lineIn(nothing, "question")).toBe("");
      expect(placeIn(nothing)).toEqual({ cell: null, output: null, isPointed: false });
    }
  });

  it("is read where it is good", () => {
    expect(sectionIn({ section: "sources" })).toBe("sources");
    expect(lineIn({ call: " finance.npv rate=0.1 " }, "call")).toBe("finance.npv rate=0.1");
    expect(placeIn({ cell: 3, output: 2, pointed: true })).toEqual({ cell: 3, output: 2, isPointed: true });
  });

  it.each([
    () => sectionIn({ section: "settings" }),
    () => sectionIn({ section: 7 }),
    () => lineIn({ question: "x\nimport os" }, "question"),
    () => lineIn({ question: "x\u2028y" }, "question"),
    () => lineIn({ question: ["x"] }, "question"),
    () => lineIn({ question: "x".repeat(10_001) }, "question"),
    () => placeIn({ cell: 0 }),
    () => placeIn({ cell: "1" }),
    () => placeIn({ output: 1.5 }),
  ])("is refused where it is not: case %#", (read) => {
    expect(read).toThrow(ArgumentsError);
  });
});
