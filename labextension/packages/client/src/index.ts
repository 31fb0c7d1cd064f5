export { LINK_TARGET, LINK_VERSION } from "./messages.js";

export type { Channel, Client } from "./client.js";
export type {
  Answered,
  AskCheck,
  Asked,
  CallCheck,
  Capability,
  Failure,
  Field,
  Hello,
  Hit,
  Method,
  Parameter,
  Replayed,
  Request,
  Response,
  Source,
} from "./messages.js";
