// @vitest-environment jsdom
import type { IRenderMime } from "@jupyterlab/rendermime-interfaces";
import type { Widget } from "@lumino/widgets";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { completePlatform } from "./platform.js";
import { firstDocument } from "./vectors.js";

completePlatform();
const { default: extensions } = await import("../src/mime.js");
const { setTerms } = await import("../src/verdicts.js");
const { StackedPanel } = await import("@lumino/widgets");

const [outputs, documents] = extensions;
const CARD = "application/vnd.service-nb.card.v1+json";
const DOCUMENT = "application/vnd.service-nb.document";
const GENUINE = firstDocument("cards");
const LEDGER = firstDocument("ledgers");
const NOTEBOOK = firstDocument("notebooks");
const TRUSTING = { keys: ["3Q3tn217Fs+GSfmxB4KItxuLP90Mm22xUzvwTZCMyiE="], contracts: [] };

let shown: (IRenderMime.IRenderer & Widget)[];

beforeEach(() => {
  shown = [];
});

afterEach(() => {
  for (const each of shown) each.dispose();
  setTerms({ keys: [], contracts: [] });
});

function renderer(extension: IRenderMime.IExtension): IRenderMime.IRenderer {
  const options = { latexTypesetter: null } as IRenderMime.IRendererOptions;
  const made = extension.rendererFactory.createRenderer(options);
  shown.push(made);
  return made;
}

/** What JupyterLab hands over: frozen, and not to be written to. */
function model(mime: string, value: unknown, trusted = false): IRenderMime.IMimeModel {
  return Object.freeze({
    trusted,
    metadata: {},
    data: Object.freeze({ [mime]: value }) as IRenderMime.IMimeModel["data"],
    setData: () => {
      throw new Error("a renderer has written into the notebook");
    },
  });
}

async function opened(text: string): Promise<HTMLElement> {
  const made = renderer(documents);
  const content = new StackedPanel();
  content.addClass("jp-MimeDocument");
  content.addWidget(made);
  await made.renderModel(model(DOCUMENT, text));
  return made.node;
}

function state(node: HTMLElement): string {
  const card = node.querySelector(".service-report-item") ?? node.querySelector("section.service-card");
  return /service-is-(\w+)/.exec(card?.className ?? "")?.[1] ?? "nothing";
}

function parsed(text: string): Record<string, unknown> {
  return JSON.parse(text) as Record<string, unknown>;
}

describe("a card among outputs", () => {
  it("is chosen before HTML, in a notebook that is not trusted too", () => {
    expect(outputs.rank).toBeLessThan(50);
    expect(outputs.rendererFactory).toMatchObject({ safe: true, mimeTypes: [CARD] });
  });

  it.each([true, false])("is shown at once, and then says that it verifies; trusted: %s", async (trusted) => {
    const made = renderer(outputs);
    const done = made.renderModel(model(CARD, parsed(GENUINE), trusted));
    expect(state(made.node)).toMatch(/pending|unaltered/);
    await done;
    await expect.poll(() => state(made.node)).toBe("unaltered");
  });

  it("is not built again when the same is rendered again", async () => {
    const made = renderer(outputs);
    const same = model(CARD, parsed(GENUINE));
    await made.renderModel(same);
    const card = made.node.querySelector("section");
    await made.renderModel(same);
    expect(made.node.querySelectorAll("section")).toHaveLength(1);
    expect(made.node.querySelector("section")).toBe(card);
  });

  it("gives way to the card that takes its place", async () => {
    const made = renderer(outputs);
    await made.renderModel(model(CARD, parsed(GENUINE)));
    await made.renderModel(model(CARD, { ...parsed(GENUINE), view: { question: "another" } }));
    await expect.poll(() => state(made.node)).toBe("altered");
    expect(made.node.querySelectorAll("section")).toHaveLength(1);
  });

  it.each([[undefined], [null], ["a text"], [[]], [{}], [{ kind: "query", version: 99 }]])(
    "says what is wrong where it is none: %j",
    async (value) => {
      const made = renderer(outputs);
      await made.renderModel(model(CARD, value));
      await expect.poll(() => state(made.node)).toMatch(/altered|not_checkable/);
    },
  );

  it("is judged anew when the reader trusts other keys", async () => {
    const made = renderer(outputs);
    await made.renderModel(model(CARD, parsed(GENUINE)));
    await expect.poll(() => state(made.node)).toBe("unaltered");
    setTerms(TRUSTING);
    await expect.poll(() => state(made.node)).toBe("verified");
  });

  it("leaves nothing behind when it is taken off the page", async () => {
    const made = renderer(outputs);
    await made.renderModel(model(CARD, parsed(GENUINE)));
    made.dispose();
    setTerms(TRUSTING);
    expect(made.node.childElementCount).toBe(0);
    expect(made.isDisposed).toBe(true);
  });
});

describe("a document", () => {
  it("that is a card is shown and verified", async () => {
    expect(state(await opened(GENUINE))).toBe("unaltered");
  });

  it("is judged by its text, in which a key may stand twice", async () => {
    const twice = GENUINE.replace("{", '{"kind":"query",');
    expect(state(await opened(twice))).toBe("altered");
  });

  it.each([["{"], [""], ["\u0000"], ["[1"]])("that is malformed says so: %j", async (text) => {
    const node = await opened(text);
    expect(state(node)).toBe("altered");
    expect(node.querySelectorAll("section")).toHaveLength(1);
  });

  it.each([
    ["a number", "1"],
    ["something else", "{}"],
  ])("that is %s says so", async (_, text) => {
    expect(state(await opened(text))).toBe("altered");
  });

  it.each([
    ["a ledger", LEDGER],
    ["a notebook", NOTEBOOK],
  ])("that is %s has its verdicts listed", async (_, each) => {
    const node = await opened(each);
    expect(node.querySelectorAll(".service-report-item").length).toBeGreaterThan(0);
  });

  it("that is a notebook without cards says that there are none", async () => {
    const node = await opened('{"nbformat":4,"cells":[]}');
    expect(node.querySelectorAll(".service-report-item")).toHaveLength(0);
    expect(node.querySelector(".service-message")).not.toBeNull();
  });

  it("is judged anew when the reader trusts other keys", async () => {
    const node = await opened(GENUINE);
    setTerms(TRUSTING);
    await expect.poll(() => state(node)).toBe("verified");
  });

  it("shows nothing among the outputs of a notebook, whose verdict would not count it", async () => {
    const made = renderer(documents);
    await made.renderModel(model(DOCUMENT, GENUINE, true));
    expect(made.node.childElementCount).toBe(0);
    expect(documents.rendererFactory.safe).toBe(false);
  });
});
