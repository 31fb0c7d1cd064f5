import { type Kept, login } from "../node/login.js";
import { COMMAND, type Reply, type Verb } from "./verb.js";

const DONE: Readonly<Record<Kept["origin"], string>> = {
  made: "Made a device key for you on this machine",
  licensed: "Kept the device key, and renewed its licence",
  kept: "You are logged in already, with the device key",
  environment: "SERVICE_DEVICE_KEY gives the device key, and nothing was written",
};

/** Makes the key, unless there is one, and says what was done. */
function run(): Promise<Reply> {
  const found = login();
  const told = ["only you can read it", "developer tier"];
  const lines = [
    `${DONE[found.origin]}: ${found.device}`,
    ...found.files.map((file, at) => `  ${file}  (${told[at] ?? ""})`),
    "Nothing was sent anywhere. Run `service-nb logout` to remove it.",
  ];
  return Promise.resolve({ document: { status: "ok", ...found }, text: lines.join("\n") });
}

export const LOGIN: Verb = {
  name: "login",
  summary: "Make the device key that local computation needs: once, free, offline. Both clients use it.",
  operands: [],
  options: [],
  help: `\
examples:
  ${COMMAND} login
  ${COMMAND} login --json`,
  run,
};
