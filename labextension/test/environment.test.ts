// @vitest-environment jsdom
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { environmentOf, onEnvironment, say, setReplay, setTranslator } from "../src/environment.js";

let page: Document;
let selected: string[];

beforeEach(() => {
  page = new DOMParser().parseFromString("<button>Copy</button>", "text/html");
  selected = [];
});

afterEach(() => {
  setTranslator((text) => text);
  setReplay(undefined);
});

/** What a browser without a clipboard does: it copies what is selected. */
function copiesBySelection(isAllowed: boolean): void {
  Object.assign(page, {
    execCommand: (command: string) => {
      selected.push(`${command}: ${page.querySelector("textarea")?.value ?? ""}`);
      return isAllowed;
    },
  });
}

/** The same page with a clipboard; jsdom's own accessors want the very page. */
function withClipboard(writeText: (text: string) => Promise<void>): Document {
  return Object.create(page, {
    defaultView: { value: { navigator: { clipboard: { writeText } } } },
    body: { get: () => page.body },
    activeElement: { get: () => page.activeElement },
    createElement: { value: (tag: string) => page.createElement(tag) },
    execCommand: { get: () => Reflect.get(page, "execCommand") as unknown },
  }) as Document;
}

function environment(of: Document = page): ReturnType<typeof environmentOf> {
  return environmentOf(of, null, () => undefined);
}

describe("copying", () => {
  it("writes to the clipboard where there is one", async () => {
    copiesBySelection(true);
    const written: string[] = [];
    const clipboard = withClipboard((text) => Promise.resolve(void written.push(text)));
    await environment(clipboard).copy("0.1");
    expect(written).toEqual(["0.1"]);
    expect(selected).toEqual([]);
  });

  it("copies what it selects on a page that has no clipboard, and leaves no trace", async () => {
    copiesBySelection(true);
    await environment().copy("two\nlines");
    expect(selected).toEqual(["copy: two\nlines"]);
    expect(page.querySelector("textarea")).toBeNull();
  });

  it("copies what it selects where the clipboard refuses", async () => {
    copiesBySelection(true);
    await environment(withClipboard(() => Promise.reject(new DOMException("no", "NotAllowedError")))).copy("0.1");
    expect(selected).toEqual(["copy: 0.1"]);
  });

  it("says so when neither is allowed", async () => {
    copiesBySelection(false);
    await expect(environment().copy("0.1")).rejects.toMatchObject({ code: "clipboard_refused" });
    expect(page.querySelector("textarea")).toBeNull();
  });

  it("gives the focus back", async () => {
    copiesBySelection(true);
    const focused: string[] = [];
    const [button] = page.getElementsByTagName("button");
    Object.defineProperty(page, "activeElement", { get: () => button });
    if (button !== undefined) button.focus = () => void focused.push("button");
    await environment().copy("0.1");
    expect(focused).toEqual(["button"]);
  });
});

describe("what plugins hand in", () => {
  it("is spoken from then on, by environments that were made before", () => {
    const before = environment();
    setTranslator((text) => `«${text}»`);
    expect([before.say("Verify"), environment().say("Verify"), say("Verify")]).toEqual(Array(3).fill("«Verify»"));
  });

  it("is told to those who show cards, and only when something is another", () => {
    let changes = 0;
    const stop = onEnvironment(() => (changes += 1));
    const replay = (): void => undefined;
    setTranslator((text) => text.toUpperCase());
    setReplay(replay);
    setReplay(() => undefined);
    setReplay(undefined);
    stop();
    setReplay(replay);
    expect(changes).toBe(3);
  });

  it("offers no replay until somebody can run it, and then the newest", () => {
    expect(environment().onReplay).toBeUndefined();
    const ran: string[] = [];
    setReplay((id) => ran.push(`old ${id}`));
    const made = environment();
    setReplay((id) => ran.push(`new ${id}`));
    made.onReplay?.("q-1");
    expect(ran).toEqual(["new q-1"]);
  });

  it("has no mathematics set where there is no typesetter", () => {
    expect(environment()).not.toHaveProperty("typeset");
  });

  it("has mathematics set after the page had its turn", async () => {
    const set: Element[] = [];
    const node = page.createElement("div");
    await new Promise<void>((resolve) => {
      const typesetter = {
        typeset: (each: HTMLElement) => {
          set.push(each);
          resolve();
        },
      };
      environmentOf(page, typesetter, () => undefined).typeset?.(node);
      expect(set).toEqual([]);
    });
    expect(set).toEqual([node]);
  });
});
