import { env, stderr, stdout } from "node:process";
import { type DeviceCodeAnswer } from "../deployment/messages.js";
import { deleteStoredKey, KEY_NAME } from "../node/address.js";
import { enrol } from "../node/enrolment.js";
import { type Kept, login, logout } from "../node/login.js";
import { type Call, COMMAND, type Reply, type Verb } from "./verb.js";

const DONE: Readonly<Record<Kept["origin"], string>> = {
  made: "Made a device key for you on this machine",
  licensed: "Kept the device key, and renewed its licence",
  kept: "You are logged in already, with the device key",
  environment: "SERVICE_DEVICE_KEY gives the device key, and nothing was written",
};

/** Makes the key, unless there is one, and says what was done. */
async function runLogin(call: Call): Promise<Reply> {
  const url = call.text("deployment");
  if (url !== undefined) return fetchKey(url, call);
  const found = login();
  const told = ["only you can read it", "developer tier"];
  const lines = [
    `${DONE[found.origin]}: ${found.device}`,
    ...found.files.map((file, at) => `  ${file}  (${told[at] ?? ""})`),
    "Nothing was sent anywhere. Run `service-nb-client logout` to remove it.",
  ];
  return { document: { status: "ok", ...found }, text: lines.join("\n") };
}

async function fetchKey(url: string, call: Call): Promise<Reply> {
  const scope = (call.text("scopes") ?? "").split(",").join(" ");
  const { base } = await enrol(url, scope, call.has("json") ? printWaiting : printCode);
  const isInForce = (env[KEY_NAME] ?? "") === "";
  const told = `The key of ${base} was stored; set SERVICE_DEPLOYMENT_URL=${base} to use it.`;
  const text = isInForce ? told : `${told}\n${KEY_NAME} is set, and takes precedence.`;
  return { document: { status: "ok", deployment: base, in_force: isInForce }, text };
}

function printCode({ user_code: code, expires_in: seconds }: DeviceCodeAnswer): void {
  stdout.write(`The code of this machine is ${code}, for ${String(Math.floor(seconds / 60))} minutes.
The operator of the deployment approves it: service-nb serve approve ${code} --tenant NAME
Waiting …
`);
}

/** The code as a line of JSON on stderr, before the document that ends the run. */
function printWaiting({ user_code, expires_in }: DeviceCodeAnswer): void {
  stderr.write(`${JSON.stringify({ status: "waiting", user_code, expires_in })}\n`);
}

function runLogout(call: Call): Promise<Reply> {
  const url = call.text("deployment");
  return Promise.resolve(url === undefined ? removeDeviceKey() : removeKey(url));
}

function removeDeviceKey(): Reply {
  const [removed, isInjected] = [logout(), (env["SERVICE_DEVICE_KEY"] ?? "") !== ""];
  const done = `Removed ${removed.join(" and ")}. Signatures made with it stay valid.`;
  const text = removed.length > 0 ? done : "There was no key.";
  const document = { status: "ok", removed, injected: isInjected };
  return { document, text: isInjected ? `${text}\nSERVICE_DEVICE_KEY still gives one.` : text };
}

function removeKey(url: string): Reply {
  const { base, removed } = deleteStoredKey(url);
  const revoke = "Removed. The operator of the deployment can revoke the key: service-nb serve key revoke ID";
  return { document: { status: "ok", deployment: base, removed }, text: removed ? revoke : "There was no key." };
}

export const LOGIN: Verb = {
  name: "login",
  summary: "Make the device key that local computation needs: once, free, offline. Both clients use it.",
  operands: [],
  options: [
    { name: "deployment", metavar: "URL", words: "get a key of this deployment, by a device code" },
    { name: "scopes", metavar: "NAME,…", words: "scopes of the deployment's key; default: the usual ones" },
  ],
  help: `\
examples:
  ${COMMAND} login
  ${COMMAND} login --json
  ${COMMAND} login --deployment https://service.example

With --deployment a code is shown, which whoever runs the deployment approves; the key is then kept for this user, for
both clients, and SERVICE_API_KEY need not be set.`,
  run: runLogin,
};

export const LOGOUT: Verb = {
  name: "logout",
  summary: "Remove the device key and its licence; signatures made with it stay valid.",
  operands: [],
  options: [{ name: "deployment", metavar: "URL", words: "remove the stored key of this deployment instead" }],
  help: `\
examples:
  ${COMMAND} logout
  ${COMMAND} logout --deployment https://service.example`,
  run: runLogout,
};
