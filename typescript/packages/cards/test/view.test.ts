// @vitest-environment jsdom
import type { Verdict } from "@service-nb/records";
import { verifyCard } from "@service-nb/verify";
import { afterEach, describe, expect, it, vi } from "vitest";
import { type CardEnvironment, CardView } from "../src/index.js";
import { nameOf, one, pressed } from "./press.js";
import { cardCases, cardNamed } from "./vectors.js";

const copied: string[] = [];
const environment: CardEnvironment = {
  say: (text) => text,
  copy: (text) => {
    copied.push(text);
    return Promise.resolve();
  },
};

const page = globalThis.document;
const views: CardView[] = [];

function viewIn(host: HTMLElement, more: Partial<CardEnvironment> = {}): CardView {
  const view = new CardView(host, { ...environment, ...more });
  views.push(view);
  return view;
}

const verdicts = new Map<unknown, Verdict>();

/** The verdict of a card; signatures take their time, so each is checked once. */
function verdictOf(card: unknown): Verdict {
  const known = verdicts.get(card) ?? verifyCard(card);
  verdicts.set(card, known);
  return known;
}

function shown(card: unknown, more: Partial<CardEnvironment> = {}): HTMLElement {
  const host = page.createElement("div");
  page.body.append(host);
  const view = viewIn(host, more);
  view.show(card);
  view.judge(verdictOf(card));
  return host;
}

// jsdom does not tell of a toggle by itself.
function opened(host: ParentNode, label: string): HTMLElement {
  const found = [...host.querySelectorAll("details")].find(
    (each) => each.querySelector("summary")?.textContent === label,
  );
  if (found === undefined) throw new Error(`nothing is folded under ${label}`);
  found.open = true;
  found.dispatchEvent(new Event("toggle"));
  return found;
}

afterEach(() => {
  for (const view of views.splice(0)) view.dispose();
  page.body.replaceChildren();
  copied.length = 0;
  vi.restoreAllMocks();
});

describe("a card", () => {
  it("is a region with a name of its own, however often it is shown", () => {
    const card = cardNamed("grouped");
    const names = [shown(card), shown(card)].map((host) => one(host, "section").getAttribute("aria-label"));
    expect(names).toEqual([
      "Answered: Average of arr_delay by carrier in flights",
      "Answered: Average of arr_delay by carrier in flights (2)",
    ]);
    expect(page.querySelectorAll('section[role="region"]')).toHaveLength(2);
  });

  it("reads question, answer, verdict, details, actions", () => {
    const section = one(shown(cardNamed("of the evidence")), "section");
    const classes = (parent: Element): string[] => [...parent.children].map((child) => child.className);
    expect(classes(section).join(" ")).toMatch(/^service-head .*service-below service-bottom$/);
    expect(classes(one(section, ".service-below"))).toEqual(["service-verdict", "service-status"]);
    expect([...one(section, ".service-bottom").children].map((child) => child.className)).toEqual([
      "service-details",
      "service-actions",
    ]);
  });

  it("shows an answer large, and copies its exact text", () => {
    const host = shown(cardNamed("one number"));
    expect(one(host, ".service-value").textContent).toBe("2,257,174");
    pressed(host, "Copy the exact value");
    expect(copied).toEqual(["2257174"]);
  });

  it("says first why a question was not run, then what can be, and wears no tick", () => {
    const section = one(shown(cardNamed("clarification")), "section");
    const classes = [...section.children].map((child) => child.className.replace("service-", "")).join(" ");
    expect(classes).toBe("message title commands below bottom");
    expect(one(section, ".service-below").firstElementChild?.textContent).toBe("Needs clarificationnot run");
  });

  it.each(cardCases())("$name: whatever can be pressed or opened has a name", ({ card }) => {
    const host = shown(card);
    for (const label of ["Details", "Copy", "Export"]) opened(host, label);
    for (const control of host.querySelectorAll("button, summary, input, select, [role=region], [tabindex='0']")) {
      expect(nameOf(control), control.outerHTML).not.toBe("");
    }
    for (const list of host.querySelectorAll("dl > div")) {
      expect([...list.children].map((child) => child.tagName)).toEqual(["DT", "DD"]);
    }
  });
});

describe("a verdict", () => {
  it("is told politely, in text and by a sign", () => {
    const line = one(shown(cardNamed("of the evidence")), ".service-verdict");
    expect(line.getAttribute("aria-live")).toBe("polite");
    expect(line.textContent).toBe("Consistent, unsigned: anyone can have made it");
    expect(line.querySelector("svg[aria-hidden=true]")).not.toBeNull();
    expect(line.querySelector("[role=alert]")).toBeNull();
  });

  it("is pending until it is reached", () => {
    const host = page.createElement("div");
    viewIn(host).show(cardNamed("grouped"));
    expect(one(host, ".service-verdict").textContent).toBe("Verifying…");
    expect(one(host, "section").classList).toContain("service-is-pending");
  });

  it("keeps a forged number in sight, and says above it what is wrong", () => {
    const card = cardNamed("one number");
    const forged = { ...card, view: { ...(card["view"] as object), rows: [["2257175", "336776"]] } };
    const host = shown(forged);
    expect(one(host, "section").className).toBe("service-card service-answered service-is-altered");
    expect(one(host, "section").firstElementChild?.className).toBe("service-verdict");
    expect(one(host, ".service-verdict").textContent).toContain("Altered: the rows that the card shows were changed");
    expect(one(host, ".service-failure").textContent).toMatch(/rows hash.*[0-9a-f]{12}…/);
    expect(one(host, ".service-value").textContent).toBe("2,257,175");
  });

  it("lists every check in the details, before they are opened and after", () => {
    const card = cardNamed("grouped");
    const host = page.createElement("div");
    const view = viewIn(host);
    view.show(card);
    opened(host, "Details");
    expect(host.querySelector(".service-check")).toBeNull();
    view.judge(verifyCard(card));
    const said = [...host.querySelectorAll(".service-check")].map((check) => check.textContent);
    expect(said).toHaveLength(14);
    expect(said).toContain("result hashpassed");
    expect(said).toContain("signeropenSigner not confirmed: the key is not among those that you trust.unknown_signer");
  });

  it("is reached anew when that is asked for", () => {
    const card = cardNamed("grouped");
    const host = page.createElement("div");
    let asked = 0;
    const view = viewIn(host, { onVerify: () => (asked += 1) });
    view.show(card);
    view.judge(verifyCard(card));
    pressed(host, "Verify");
    expect(asked).toBe(1);
    expect(one(host, ".service-verdict").textContent).toBe("Verifying…");
  });
});

describe("the author's words", () => {
  const words = (host: ParentNode): string[] =>
    [...host.querySelectorAll(".service-words")].map((each) => each.textContent);

  it("are set apart: how long it took, and the id of a card that nobody signed", () => {
    const card = cardNamed("of the evidence");
    const host = shown(card);
    expect(words(host)).toEqual([expect.stringMatching(/^ · [0-9.,]+ m?s$/)]);
    opened(host, "Details");
    expect(words(host)).toContain((card["view"] as { query_id: string }).query_id);
    expect(one(host, ".service-details").textContent).toContain(
      "the author's words, which nothing can be compared with",
    );
  });

  it("do not count an id that was signed", () => {
    const card = cardNamed("grouped");
    const host = shown(card);
    opened(host, "Details");
    expect(words(host)).not.toContain((card["view"] as { query_id: string }).query_id);
  });

  it("are rows whose result is not in the card", () => {
    expect(one(shown(cardNamed("cut")), ".service-data").classList).toContain("service-words");
    expect(one(shown(cardNamed("grouped")), ".service-data").classList).not.toContain("service-words");
  });

  it("are what claims to be certified, until the contract was compared", () => {
    const card = cardNamed("money");
    const host = page.createElement("div");
    const view = viewIn(host);
    view.show(card);
    view.judge(verifyCard(card));
    opened(host, "Details");
    expect(host.querySelectorAll(".service-claim")).toHaveLength(2);
    expect(one(host, ".service-status").textContent).toContain("certified (claimed: the contract was not compared)");
    expect(one(host, "section").classList).not.toContain("service-contract-compared");
    const { contract_hash: contract } = card["digests"] as Record<string, string>;
    view.judge(verifyCard(card, { contracts: [contract ?? ""] }));
    expect(one(host, "section").classList).toContain("service-contract-compared");
  });
});

describe("details", () => {
  it("are built when they are first opened, and once", () => {
    const host = shown(cardNamed("grouped"));
    expect(host.querySelector("dl.service-facts")).toBeNull();
    opened(host, "Details");
    opened(host, "Details");
    expect(host.querySelectorAll("dl.service-facts")).toHaveLength(1);
  });

  it("show the exact text of a number that is shown rounded, first", () => {
    const host = shown(cardNamed("money"));
    opened(host, "Details");
    expect(one(host, ".service-value").title).toBe("-0.4628099173553719");
    expect(one(host, ".service-facts .service-fact").textContent).toBe("exact value-0.4628099173553719");
  });

  it("show hashes short, and give them whole to who selects or copies", () => {
    const card = cardNamed("grouped");
    const host = shown(card);
    opened(host, "Details");
    const { result_hash: whole } = card["digests"] as Record<string, string>;
    pressed(host, "Copy the result hash");
    expect(copied).toEqual([whole]);
    const code = [...host.querySelectorAll(".service-digest code")].find((each) => each.textContent === whole);
    expect(code?.firstElementChild?.textContent).toBe(whole?.slice(0, 12));
  });
});

describe("actions", () => {
  it("replay only where there is a kernel, by the id that was signed", () => {
    const ids: string[] = [];
    const card = cardNamed("clarification");
    expect(shown(card).textContent).not.toContain("Replay");
    pressed(shown(card, { onReplay: (id) => ids.push(id) }), "Replay");
    expect(ids).toEqual(["refusal_0000000000000000"]);
  });

  it("come and go with a kernel, and what was sorted and opened stays", () => {
    const ids: string[] = [];
    const now: CardEnvironment = { ...environment, onReplay: undefined };
    const host = page.createElement("div");
    page.body.append(host);
    const view = new CardView(host, now);
    views.push(view);
    view.show(cardNamed("grouped"));
    const details = opened(host, "Details");
    const rows = one(host, "table");
    now.onReplay = (id) => ids.push(id);
    view.refresh();
    view.refresh();
    const names = [...host.querySelectorAll(".service-actions > *")].map((each) => each.textContent);
    expect(names.filter((name) => name === "Replay")).toHaveLength(1);
    pressed(host, "Replay");
    expect(ids).toHaveLength(1);
    now.onReplay = undefined;
    view.refresh();
    expect(one(host, ".service-actions").textContent).not.toContain("Replay");
    expect([one(host, "table"), details.isConnected, details.hasAttribute("open")]).toEqual([rows, true, true]);
  });

  it("do not offer to replay what cannot be", () => {
    expect(shown(cardNamed("error"), { onReplay: () => undefined }).textContent).not.toContain("Replay");
  });

  it("copy the digest, the line and the card", () => {
    const card = cardNamed("grouped");
    const host = shown(card);
    opened(host, "Copy");
    for (const name of ["Copy hash", "Copy question", "Copy card JSON"]) pressed(host, name);
    const { result_hash: digest } = card["digests"] as Record<string, string>;
    expect(copied).toEqual([digest, "%service_ask sum delay by carrier from flights", JSON.stringify(card)]);
  });

  it("copy one line as one line, whatever the question holds", () => {
    const host = shown(cardNamed("two lines"));
    opened(host, "Copy");
    pressed(host, "Copy question");
    expect(copied).toEqual(["%service_ask sum a\\n!echo from flights"]);
  });

  it("tell when something could not be copied", async () => {
    const host = shown(cardNamed("one number"), { copy: () => Promise.reject(new Error("not allowed")) });
    pressed(host, "Copy the exact value");
    await Promise.resolve();
    await Promise.resolve();
    expect(one(host, ".service-said").textContent).toBe("Not copied: not allowed");
  });

  it("save the card and its rows as files named after the result and its hash", async () => {
    const blobs: Blob[] = [];
    const names: string[] = [];
    vi.spyOn(URL, "revokeObjectURL").mockReturnValue();
    vi.spyOn(HTMLAnchorElement.prototype, "click").mockImplementation(function (this: HTMLAnchorElement) {
      names.push(this.download);
    });
    vi.spyOn(URL, "createObjectURL").mockImplementation((blob) => `blob:${String(blobs.push(blob as Blob))}`);
    const card = cardNamed("grouped");
    const host = shown(card);
    opened(host, "Export");
    pressed(host, "Card (.servicecard.json)");
    opened(host, "Download");
    for (const format of ["CSV", "Markdown", "JSON"]) pressed(host, format);
    await vi.waitFor(() => {
      expect(names).toHaveLength(4);
    });
    const stem = `query_0000000000000000.result-${(card["digests"] as { result_hash: string }).result_hash}`;
    expect(names).toEqual([
      "query_0000000000000000.servicecard.json",
      ...["csv", "md", "json"].map((ending) => `${stem}.${ending}`),
    ]);
    const { result } = card["canonical"] as { result: string };
    expect(await blobs[3]?.text()).toContain(`"result":${result}}`);
    expect(blobs[0]?.size).toBe(new TextEncoder().encode(JSON.stringify(card)).length);
    expect(host.querySelector("a")).toBeNull();
  });
});

describe("mathematics", () => {
  it("is set where it is nothing else and there is who sets it", () => {
    const set: string[] = [];
    const host = shown(cardNamed("money"), { typeset: (node) => set.push(node.textContent) });
    expect(set).toHaveLength(0);
    opened(host, "Details");
    expect(set).toHaveLength(1);
    expect(set[0]).toMatch(/^\\\(.*\\\)$/);
    expect(one(host, ".service-formula").children).toHaveLength(0);
  });

  it("is shown as it is computed where it is more, and as readable text where nobody sets it", async () => {
    const set: string[] = [];
    const typeset = (node: HTMLElement): number => set.push(node.textContent);
    const host = shown(cardNamed("LaTeX that is more than mathematics"), { typeset });
    opened(host, "Details");
    expect(set).toEqual([]);
    expect(one(host, ".service-formula code").textContent).toBe("x\\r\\ny\\n");
    const plain = shown(cardNamed("money"));
    opened(plain, "Details");
    await expect.poll(() => one(plain, ".service-formula").textContent).toMatch(/^npv = ∑\[/);
  });
});

describe("a view that is used again", () => {
  it("does not build the same card again, and keeps its verdict", () => {
    const card = cardNamed("of the evidence");
    const host = page.createElement("div");
    const view = viewIn(host);
    view.show(card);
    view.judge(verifyCard(card));
    const before = host.firstElementChild;
    view.show(card);
    expect(host.firstElementChild).toBe(before);
    expect(one(host, ".service-verdict").textContent).toMatch(/^Consistent/);
  });

  it("shows another card in the place of the first, without a verdict of the first", () => {
    const host = page.createElement("div");
    const view = viewIn(host);
    view.show(cardNamed("grouped"));
    view.judge(verifyCard(cardNamed("grouped")));
    view.show(cardNamed("error"));
    expect(host.children).toHaveLength(1);
    expect(one(host, ".service-status").textContent).toBe("Errorinvalid_intent");
    expect(one(host, ".service-verdict").textContent).toBe("Verifying…");
  });

  it("leaves nothing behind, and its name to others", () => {
    const host = page.createElement("div");
    const view = viewIn(host);
    view.show(cardNamed("grouped"));
    view.dispose();
    view.judge(verifyCard(cardNamed("grouped")));
    expect(host.childNodes).toHaveLength(0);
    expect(one(shown(cardNamed("grouped")), "section").getAttribute("aria-label")).not.toMatch(/\(2\)/);
  });
});

describe("what is no card", () => {
  it.each([null, 7, "text", [], {}, { kind: "query", version: 9 }, { kind: "x", version: 1 }])(
    "%j is shown as what it is: not readable, with the verdict",
    (value) => {
      const host = shown(value);
      expect(one(host, ".service-status").textContent).toBe("Cardcannot be shown");
      expect(one(host, ".service-verdict").textContent).toMatch(/^Altered: /);
    },
  );
});
