import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { type ClientErrorCode, Link } from "../src/index.js";
import { HELLO, Transport } from "./transport.js";

beforeEach(() => {
  vi.useFakeTimers();
});

afterEach(() => {
  vi.useRealTimers();
});

async function codeOf(asked: Promise<unknown>): Promise<ClientErrorCode> {
  const met: unknown = await asked.then(
    () => null,
    (error: unknown) => error,
  );
  expect(met).toMatchObject({ name: "ClientError" });
  return (met as { code: ClientErrorCode }).code;
}

function open(): { transport: Transport; link: Link } {
  const transport = new Transport();
  const link = new Link(transport, { answer: 1_000, hello: 60_000, replay: 30_000 });
  transport.greet();
  return { transport, link };
}

describe("the greeting", () => {
  it("is sent at once, and nothing else before it is answered", async () => {
    const transport = new Transport();
    const link = new Link(transport);
    const asked = link.ask("sources", {});
    expect(transport.sent.map(({ id, method }) => [id, method])).toEqual([[0, "hello"]]);
    transport.greet();
    expect(transport.sent.map(({ id, method }) => [id, method])).toEqual([
      [0, "hello"],
      [1, "sources"],
    ]);
    transport.answer(1, { sources: [] });
    expect(await asked).toEqual({ sources: [] });
  });

  it("in another version closes the link with what to do", async () => {
    const transport = new Transport();
    const link = new Link(transport);
    const asked = link.ask("sources", {});
    transport.arrive({ service_nb: 2, id: 0, result: HELLO });
    expect(await codeOf(asked)).toBe("unknown_version");
    expect(await codeOf(link.ask("hello", {}))).toBe("unknown_version");
    expect(transport.sent).toHaveLength(1);
  });

  it("that names another version inside is one too", async () => {
    const transport = new Transport();
    const asked = new Link(transport).ask("sources", {});
    transport.answer(0, { ...HELLO, version: 2 });
    expect(await codeOf(asked)).toBe("unknown_version");
  });

  it("that is refused refuses all", async () => {
    const transport = new Transport();
    const asked = new Link(transport).ask("sources", {});
    transport.arrive({ service_nb: 1, id: 0, error: { code: "invalid_intent", message: "no", hint: "Do." } });
    await expect(asked).rejects.toMatchObject({ code: "invalid_intent", message: "no", hint: "Do." });
  });

  it("opens the link however late it comes; what was given up meanwhile is not asked", async () => {
    const transport = new Transport();
    const link = new Link(transport, { answer: 1_000 });
    const early = link.ask("sources", {});
    const hello = link.ask("hello", {});
    vi.advanceTimersByTime(60_000);
    expect(await codeOf(early)).toBe("busy");
    transport.greet();
    expect(transport.sent.map(({ method }) => method)).toEqual(["hello", "hello"]);
    transport.answer(2, HELLO);
    expect(await hello).toEqual(HELLO);
  });

  it("that cannot be sent closes the link", async () => {
    const transport = new Transport();
    transport.isBroken = true;
    expect(await codeOf(new Link(transport).ask("sources", {}))).toBe("closed");
  });
});

describe("what is asked", () => {
  it("is answered by its id, in whatever order", async () => {
    const { transport, link } = open();
    const first = link.ask("values", { source: "s", field: "a" });
    const second = link.ask("values", { source: "s", field: "b" });
    transport.answer(2, { values: ["b"] });
    transport.answer(1, { values: ["a"] });
    expect(await Promise.all([first, second])).toEqual([{ values: ["a"] }, { values: ["b"] }]);
  });

  it("is given up as busy after a while; its answer is then dropped", async () => {
    const { transport, link } = open();
    const asked = link.ask("sources", {});
    vi.advanceTimersByTime(999);
    await Promise.resolve();
    vi.advanceTimersByTime(1);
    expect(await codeOf(asked)).toBe("busy");
    transport.answer(1, { sources: [] });
    const again = link.ask("sources", {});
    transport.answer(2, { sources: [] });
    expect(await again).toEqual({ sources: [] });
  });

  it("has more time where it is a replay", async () => {
    const { transport, link } = open();
    const asked = link.ask("replay", { id: "x" });
    vi.advanceTimersByTime(29_000);
    transport.answer(1, { status: "identical", message: "", cause: null });
    expect(await asked).toMatchObject({ status: "identical" });
    expect(vi.getTimerCount()).toBe(0);
  });

  it("is not answered twice", async () => {
    const { transport, link } = open();
    const asked = link.ask("values", { source: "s", field: "a" });
    transport.answer(1, { values: ["a"] });
    transport.answer(1, { values: ["b"] });
    expect(await asked).toEqual({ values: ["a"] });
  });

  it("that cannot be sent is told so, and does not wait", async () => {
    const { transport, link } = open();
    transport.isBroken = true;
    expect(await codeOf(link.ask("sources", {}))).toBe("closed");
    expect(vi.getTimerCount()).toBe(0);
  });
});

describe("the end", () => {
  it("by the kernel rejects all that is on its way, and all that comes", async () => {
    const { transport, link } = open();
    const asked = [link.ask("sources", {}), link.ask("hello", {})];
    transport.hangUp();
    expect(await Promise.all(asked.map(codeOf))).toEqual(["closed", "closed"]);
    expect(await codeOf(link.ask("sources", {}))).toBe("closed");
    expect(vi.getTimerCount()).toBe(0);
  });

  it("by the front end closes the channel too, once", async () => {
    const { transport, link } = open();
    const asked = link.ask("sources", {});
    link.close();
    link.close();
    expect(await codeOf(asked)).toBe("closed");
    expect(transport.isClosed).toBe(true);
    transport.answer(1, { sources: [] });
  });
});
