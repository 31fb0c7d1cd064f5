import { describe, expect, it } from "vitest";
import { cases } from "../../../tests/vectors.js";
import { ANSWERS } from "../src/answers.js";
import { MAX_ITEMS, MAX_TEXT } from "../src/decode.js";
import { ClientError, KERNEL_CODES, Link, type Method, type Request } from "../src/index.js";
import { Transport } from "./transport.js";

type Body = { readonly result: unknown } | { readonly error: { readonly code: string } };

interface Exchange {
  readonly name: string;
  readonly request: Request;
  readonly response: Body & { readonly id: number };
}

interface Hostile {
  readonly name: string;
  readonly method: Method;
  readonly response: unknown;
  readonly refused: string;
}

const EXCHANGES = cases<Exchange>("link/exchanges.json");

/** What a link makes of a response to its first question; "dropped" where it still waits. */
async function met(method: Method, params: Request["params"], response: unknown): Promise<unknown> {
  const transport = new Transport();
  const link = new Link(transport);
  transport.greet();
  const asked = link.ask(method, params).catch((error: unknown) => error);
  transport.arrive(response);
  const told = await Promise.race([asked, settled()]);
  link.close();
  return told;
}

/** Resolves when nothing that was settled is still on its way. */
function settled(): Promise<"dropped"> {
  return new Promise((resolve) => {
    setTimeout(resolve, 0, "dropped");
  });
}

describe("what the kernel says", () => {
  it.each(EXCHANGES)("$name", async ({ request, response }) => {
    const told = await met(request.method, request.params, { ...response, id: 1 });
    if ("result" in response) expect(told).toEqual(response.result);
    else expect(told).toMatchObject({ name: "ClientError", ...response.error });
  });

  it("has these codes and no other", () => {
    expect([...KERNEL_CODES]).toEqual(cases<string>("link/codes.json"));
  });

  it("covers every method", () => {
    expect(new Set(EXCHANGES.map(({ request }) => request.method))).toEqual(new Set(Object.keys(ANSWERS)));
  });
});

describe("what no kernel of ours says", () => {
  it.each(cases<Hostile>("link/hostile.json"))("$name", async ({ method, response, refused }) => {
    const told = await met(method, {}, response);
    if (refused === "dropped") expect(told).toBe("dropped");
    else expect(told).toMatchObject({ name: "ClientError", code: refused });
  });

  it("is refused wherever one value of an answer is of another kind, or missing", async () => {
    let tried = 0;
    for (const { request, response } of EXCHANGES) {
      if (!("result" in response)) continue;
      for (const spoilt of spoiled(response.result)) {
        const told = await met(request.method, request.params, { service_nb: 1, id: 1, result: spoilt });
        expect(told, JSON.stringify(spoilt)).toBeInstanceOf(ClientError);
        expect((told as ClientError).code).toBe("malformed_answer");
        tried += 1;
      }
    }
    expect(tried).toBeGreaterThan(300);
  });

  it("is refused where it is too long", async () => {
    for (const values of [["x".repeat(MAX_TEXT + 1)], Array.from({ length: MAX_ITEMS + 1 }, () => "")]) {
      const told = await met("values", { source: "s", field: "f" }, { service_nb: 1, id: 1, result: { values } });
      expect(told).toMatchObject({ code: "malformed_answer" });
    }
  });

  it("is left behind where it stands under a key that nobody knows", async () => {
    const told = await met(
      "values",
      { source: "s", field: "f" },
      { service_nb: 1, id: 1, result: { values: [], more: 1 } },
    );
    expect(told).toEqual({ values: [] });
  });
});

/** The value with one part of it spoilt: each part in turn. */
function* spoiled(value: unknown): Generator {
  if (Array.isArray(value)) {
    yield 7;
    for (const [index, each] of value.entries()) {
      for (const bad of spoiled(each)) yield value.with(index, bad);
    }
  } else if (typeof value === "object" && value !== null) {
    yield 7;
    for (const key of Object.keys(value)) {
      yield Object.fromEntries(Object.entries(value).filter(([name]) => name !== key));
      for (const bad of spoiled((value as Record<string, unknown>)[key])) yield { ...value, [key]: bad };
    }
  } else {
    yield { evil: true };
  }
}
