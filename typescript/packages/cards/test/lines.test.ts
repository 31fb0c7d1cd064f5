// @vitest-environment jsdom
import { describe, expect, it, vi } from "vitest";
import { linesElement } from "../src/index.js";

const LINES = [
  { line: "%service_ask sum amount from sales", note: "Ask" },
  { line: '%pip install "x"', note: "" },
];

describe("lines to run", () => {
  it("have a button each, which runs what is seen", () => {
    const onRun = vi.fn();
    const root = linesElement(
      { says: "No row has it.", title: "Run one of these", lines: LINES, more: "" },
      { say: (text) => text, copy: () => Promise.resolve(), onRun },
    );
    const [button, ...others] = root.querySelectorAll<HTMLButtonElement>(".service-run");
    expect(others).toEqual([]); // another's magic is copied, and not run
    button?.click();
    expect(onRun).toHaveBeenCalledWith("%service_ask sum amount from sales", button);
    expect(root.textContent).toContain("No row has it.");
    expect(root.getAttribute("role")).toBe("group");
  });

  it("have none where nobody runs them, and hold text alone", () => {
    const root = linesElement(
      { says: "<b>x</b>", title: "", lines: [{ line: "%service_ask <img src=x>", note: "" }], more: "" },
      { say: (text) => text, copy: () => Promise.resolve() },
    );
    expect(root.querySelectorAll(".service-run, b, img")).toHaveLength(0);
  });
});
