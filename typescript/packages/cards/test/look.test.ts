// @vitest-environment jsdom
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { Sanitizer } from "@jupyterlab/apputils/lib/sanitizer.js";
import { afterEach, describe, expect, it } from "vitest";
import { CardView, LOOK_ATTRIBUTE } from "../src/index.js";
import { cardCases } from "./vectors.js";

const STYLE = join(import.meta.dirname, "../style");
const page = globalThis.document;

/** What each rule of the style sheets applies to, without its states and pseudo-elements, which a page alone has. */
const selectors = readdirSync(STYLE)
  .filter((name) => name !== "index.css")
  .flatMap((name) => selectorsOf(readFileSync(join(STYLE, name), "utf-8")));

function selectorsOf(css: string): string[] {
  const preludes = css
    .replace(/\/\*[^]*?\*\//g, "")
    .replace(/@keyframes[^{]*\{[^{}]*\{[^}]*\}\s*\}/g, "")
    .match(/[^{};]+(?=\{)/g);
  return (preludes ?? [])
    .map((prelude) => prelude.trim())
    .filter((prelude) => !prelude.startsWith("@"))
    .map((prelude) => prelude.replace(/::[\w-]+|:(hover|focus-visible|empty)/g, "").replace(/:not\(\)/g, ""));
}

/** The cards of the shared vectors as HTML, with all that is folded opened; drawn once for all tests. */
let drawn: string | undefined;

function cardsAsHtml(): string {
  return (drawn ??= drawCards());
}

function drawCards(): string {
  const met = new Set<string>();
  const all = cardCases().map(({ card }) => {
    const host = page.createElement("div");
    const view = new CardView(host, { say: (text) => text, copy: () => Promise.resolve(), onVerify: () => undefined });
    view.show(card);
    for (const details of host.querySelectorAll("details")) {
      details.open = true;
      details.dispatchEvent(new Event("toggle"));
    }
    thin(host, "", met);
    const html = host.innerHTML;
    view.dispose();
    return html;
  });
  return all.join("\n");
}

/** Leave out what looks, in its place, like something that is there: every rule is looked for in what is left. */
function thin(parent: Element, place: string, met: Set<string>): void {
  for (const child of [...parent.children]) {
    const inside = `${place} > ${lookOf(child)}`;
    const parts = [...child.querySelectorAll("*")].map(lookOf).join("|");
    const known = met.size;
    if (met.add(`${inside} ${parts}`).size === known) child.remove();
    else thin(child, inside, met);
  }
}

function lookOf(element: Element): string {
  return [element.localName, element.getAttribute("class"), ...element.getAttributeNames()].join(" ");
}

function matchedIn(html: string): string[] {
  page.body.innerHTML = html;
  return selectors.filter((selector) => page.querySelector(selector) !== null);
}

afterEach(() => {
  page.body.replaceChildren();
});

describe("the look of a card", () => {
  it("is what cards have", () => {
    expect(matchedIn(cardsAsHtml()).length).toBeGreaterThan(60);
  });

  it("is out of reach for HTML that a notebook brings along: JupyterLab's sanitizer takes the attribute off", () => {
    const sanitized = new Sanitizer().sanitize(cardsAsHtml());
    expect(sanitized).toContain('class="service-card');
    expect(sanitized).not.toContain(LOOK_ATTRIBUTE);
    // The tokens of sidebar and panel are lengths and colours that nothing wears by itself.
    expect(matchedIn(sanitized).filter((selector) => !selector.includes(".service-scope"))).toEqual([]);
  });

  it.each([
    `<div ${LOOK_ATTRIBUTE}><div class="service-verdict">Verified</div></div>`,
    `<div ${LOOK_ATTRIBUTE.toUpperCase()}="" class="service-card service-is-verified">Verified</div>`,
    `<table ${LOOK_ATTRIBUTE}><caption class="service-caption">all rows</caption></table>`,
    `<div data-jupyter-id="${LOOK_ATTRIBUTE}" id="${LOOK_ATTRIBUTE}" class="service-card">Verified</div>`,
    `<math ${LOOK_ATTRIBUTE}><mi ${LOOK_ATTRIBUTE} class="service-card">x</mi></math>`,
  ])("is not reached by %s", (html) => {
    expect(matchedIn(new Sanitizer().sanitize(html))).toEqual([]);
  });

  it("is asked for by every rule", () => {
    const free = selectors
      .flatMap((selector) => selector.split(/,(?![^(]*\))/))
      .filter((one) => !one.includes("[data-service-nb]"));
    expect(new Set(free.map((one) => one.trim()))).toEqual(new Set([".service-scope"]));
  });
});
