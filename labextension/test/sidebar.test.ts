// @vitest-environment jsdom
import { beforeEach, describe, expect, it } from "vitest";
import { allow, breakable, button, make } from "../src/sidebar/dom.js";
import { Tabs } from "../src/sidebar/tabs.js";
import { oneStop, walkable } from "../src/sidebar/walk.js";

beforeEach(() => {
  globalThis.document.body.replaceChildren();
});

function press(target: Element, key: string, more: KeyboardEventInit = {}): void {
  target.dispatchEvent(new KeyboardEvent("keydown", { key, bubbles: true, cancelable: true, ...more }));
}

function focused(): string | null {
  return globalThis.document.activeElement?.textContent ?? null;
}

describe("tabs", () => {
  function tabs(): { made: Tabs; list: Element; shown: string[] } {
    const shown: string[] = [];
    const sections = ["a", "b", "c"].map((name) => ({ name, label: name.toUpperCase(), node: make("div") }));
    const made = new Tabs("Sections", sections, (name) => shown.push(name));
    globalThis.document.body.append(made.node);
    return { made, list: made.node.firstElementChild ?? made.node, shown };
  }

  it("are one stop of Tab, each names its panel, and one panel shows", () => {
    const { made } = tabs();
    const all = [...made.node.querySelectorAll<HTMLElement>("[role=tab]")];
    expect(all.map((tab) => [tab.getAttribute("aria-selected"), tab.tabIndex])).toEqual([
      ["true", 0],
      ["false", -1],
      ["false", -1],
    ]);
    for (const tab of all) {
      const panel = globalThis.document.getElementById(tab.getAttribute("aria-controls") ?? "");
      expect(panel?.getAttribute("role")).toBe("tabpanel");
      expect(panel?.getAttribute("aria-labelledby")).toBe(tab.id);
      expect(panel?.hidden).toBe(tab.textContent !== "A");
    }
  });

  it("are walked by arrows, round the ends, and by Home and End", () => {
    const { list, shown } = tabs();
    for (const key of ["ArrowRight", "ArrowRight", "ArrowRight", "ArrowLeft", "Home", "End", "x"]) press(list, key);
    expect(shown).toEqual(["b", "c", "a", "c", "a", "c"]);
    expect(focused()).toBe("C");
  });

  it("say a count in words", () => {
    const { made } = tabs();
    made.count("b", "✗ 1", "1 altered");
    expect(made.node.querySelectorAll("[role=tab]")[1]?.getAttribute("aria-label")).toBe("B, 1 altered");
  });
});

describe("a grid of buttons", () => {
  function grid(...rows: string[][]): HTMLElement {
    const cells = rows.map((row) =>
      make(
        "div",
        { role: "row" },
        ...row.map((text) =>
          make(
            "div",
            { role: "gridcell" },
            button(text, () => undefined),
          ),
        ),
      ),
    );
    const made = make("div", { role: "grid" }, ...cells);
    walkable(made);
    oneStop(made);
    globalThis.document.body.append(made);
    made.querySelector("button")?.focus();
    return made;
  }

  function go(...keys: string[]): string | null {
    for (const key of keys) press(globalThis.document.activeElement ?? globalThis.document.body, key);
    return focused();
  }

  it("is walked by arrows, and ends at its edges", () => {
    grid(["a", "b"], ["c"], ["d", "e"]);
    expect(go("ArrowRight")).toBe("b");
    expect(go("ArrowRight")).toBe("b");
    expect(go("ArrowDown")).toBe("c");
    expect(go("ArrowDown")).toBe("d");
    expect(go("End")).toBe("e");
    expect(go("ArrowDown")).toBe("e");
    expect(go("Home")).toBe("d");
    expect(go("ArrowUp", "ArrowUp", "ArrowUp")).toBe("a");
  });

  it("goes to the first and the last row with Ctrl", () => {
    grid(["a"], ["b"], ["c", "d"]);
    press(globalThis.document.activeElement ?? globalThis.document.body, "End", { ctrlKey: true });
    expect(focused()).toBe("d");
    press(globalThis.document.activeElement ?? globalThis.document.body, "Home", { ctrlKey: true });
    expect(focused()).toBe("a");
  });

  it("is one stop of Tab, where the reader was last", () => {
    const made = grid(["a", "b"], ["c"]);
    go("ArrowDown");
    const stops = [...made.querySelectorAll("button")].filter((each) => each.tabIndex === 0);
    expect(stops.map((each) => each.textContent)).toEqual(["c"]);
  });

  it("passes over rows that a filter hides", () => {
    const made = grid(["a"], ["b"], ["c"]);
    made.querySelectorAll<HTMLElement>("[role=row]")[1]?.setAttribute("hidden", "");
    expect(go("ArrowDown")).toBe("c");
  });
});

describe("a button that cannot be used", () => {
  it("says why, stays in reach of the keyboard, and does nothing", () => {
    let pressed = 0;
    const made = button("Replay all", () => (pressed += 1));
    allow(made, "It needs a kernel.");
    made.click();
    expect([pressed, made.title, made.disabled]).toEqual([0, "It needs a kernel.", false]);
    allow(made, null);
    made.click();
    expect([pressed, made.hasAttribute("aria-disabled"), made.title]).toEqual([1, false, ""]);
  });
});

describe("a dotted name", () => {
  it("may break between its parts, and its text stays the same", () => {
    const made = make("p", {}, breakable("insurance.term_reserve<b>"));
    expect(made.textContent).toBe("insurance.term_reserve<b>");
    expect(made.querySelectorAll("wbr").length).toBe(3);
    expect(made.querySelector("b")).toBeNull();
  });
});
