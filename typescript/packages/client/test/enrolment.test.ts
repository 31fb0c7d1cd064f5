import { encodeUtf8 } from "@service-nb/records";
import { expect, test } from "vitest";
import { DeploymentClient } from "../src/deployment/client.js";
import { requestKey } from "../src/deployment/enrolment.js";
import { type Secret } from "../src/deployment/secret.js";
import { type Transport } from "../src/deployment/transport.js";

const CODES = {
  device_code: "secret-of-the-device",
  user_code: "WDJB-MJHT",
  verification_uri: "https://service.example",
  expires_in: 600,
  interval: 5,
};
const GRANTED = { status: 200, told: { access_token: "snb_granted_key", token_type: "Bearer" } };

interface Told {
  readonly status: number;
  readonly told: Readonly<Record<string, unknown>>;
}

function waiting(reason: string): Told {
  const told = { code: "invalid_intent", message: `It is ${reason}.`, source: "service", retryable: false };
  return { status: 400, told: { ...told, request_id: "", details: { reason } } };
}

/** A server that gives these answers one after the other; `pauses` are the seconds between them. */
function serve(answers: readonly Told[]): { transport: Transport; pauses: number[] } {
  const left = [...answers];
  const [pauses, clock] = [[] as number[], { ms: 0 }];
  const transport: Transport = {
    host: "service.example",
    send: ({ headers }) => {
      const { status, told } = left.length > 1 ? (left.shift() ?? GRANTED) : (left[0] ?? GRANTED);
      const id = headers["X-Request-Id"] ?? "";
      const body = encodeUtf8(JSON.stringify("request_id" in told ? { ...told, request_id: id } : told));
      return Promise.resolve({ status, headers: { "content-type": "application/json" }, body });
    },
    sleep: (ms) => {
      pauses.push(ms / 1_000);
      clock.ms += ms;
      return Promise.resolve();
    },
    now: () => clock.ms,
    random: () => 0.5,
    drawHex: (digits) => "0".repeat(digits),
    close: () => undefined,
  };
  return { transport, pauses };
}

async function request(answers: readonly Told[], codes: Readonly<Record<string, unknown>> = CODES) {
  const { transport, pauses } = serve([{ status: 200, told: codes }, ...answers]);
  const shown: string[] = [];
  const tell = ({ user_code }: { readonly user_code: string }): void => void shown.push(user_code);
  const asked = { machine: "a laptop", scope: "", tell };
  const key = requestKey(new DeploymentClient(transport, undefined), transport, asked);
  return { key: await key.catch((error: unknown) => error), pauses, shown };
}

test("polls until the key is granted, slower when it is told so", async () => {
  const polls = [waiting("authorization_pending"), waiting("slow_down"), waiting("authorization_pending"), GRANTED];
  const { key, pauses, shown } = await request(polls);
  expect((key as Secret).reveal()).toBe("snb_granted_key");
  expect([pauses, shown]).toEqual([[5, 5, 10, 10], ["WDJB-MJHT"]]);
});

test.each([
  [[waiting("access_denied")], CODES, "forbidden"],
  [[waiting("expired_token")], CODES, "timeout"],
  [[waiting("authorization_pending")], CODES, "timeout"],
  [[waiting("authorization_pending")], { ...CODES, expires_in: 10 ** 9, interval: 10 ** 9 }, "timeout"],
  [[waiting("something_else")], CODES, "invalid_intent"],
  [[GRANTED], { ...CODES, user_code: "X; rm -rf /" }, "deployment_unavailable"],
  [[GRANTED], { ...CODES, user_code: "AB\u001b[2J" }, "deployment_unavailable"],
  [[GRANTED], { user_code: "WDJB-MJHT" }, "deployment_unavailable"],
  [
    [{ status: 200, told: { access_token: "a key\nwith lines", token_type: "Bearer" } }],
    CODES,
    "deployment_unavailable",
  ],
  [[{ status: 200, told: { access_token: 5, token_type: "Bearer" } }], CODES, "deployment_unavailable"],
])("ends in an error without a key (%#)", async (answers, codes, code) => {
  const { key, pauses } = await request(answers, codes);
  expect(key).toMatchObject({ code });
  expect(JSON.stringify(key)).not.toContain("secret-of-the-device");
  expect(Math.max(0, ...pauses)).toBeLessThanOrEqual(60);
});
