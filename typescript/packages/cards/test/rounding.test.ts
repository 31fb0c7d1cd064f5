// @vitest-environment jsdom
import { expect, it } from "vitest";
import { type CardEnvironment, CardView } from "../src/index.js";
import { cardNamed } from "./vectors.js";

const copied: string[] = [];
const environment: CardEnvironment = {
  say: (text) => text,
  copy: (text) => {
    copied.push(text);
    return Promise.resolve();
  },
};

function shown(more: Partial<CardEnvironment>, digits?: unknown): HTMLElement {
  const host = globalThis.document.createElement("div");
  new CardView(host, { ...environment, ...more }).show(cardNamed("grouped"), digits);
  return host;
}

function first(more: Partial<CardEnvironment>, digits?: unknown): string | undefined {
  return shown(more, digits).querySelector("td.service-number")?.textContent;
}

it("shows numbers rounded, with the digits that the output asks for before those of the reader", () => {
  expect(first({})).toBe("21.9207");
  expect(first({ digits: 3 })).toBe("21.9");
  expect(first({ digits: 3 }, "exact")).toBe("21.920704845814978");
  expect(first({ digits: -1 }, "many")).toBe("21.9207");
});

it("copies every digit", () => {
  const buttons = [...shown({}).querySelectorAll("button")];
  buttons.find((each) => each.textContent === "Copy CSV")?.click();
  expect(copied[0]).toContain("21.920704845814978");
});
