export { ClientError, KERNEL_CODES, LINK_CODES } from "./errors.js";
export { Link } from "./link.js";
export { LINK_TARGET, LINK_VERSION } from "./messages.js";

export type { Channel, Client } from "./client.js";
export type { ClientErrorCode, KernelCode, LinkCode } from "./errors.js";
export type { Patience } from "./link.js";
export type {
  Answered,
  AskCheck,
  Asked,
  CallCheck,
  Capability,
  ColumnLook,
  Failure,
  Field,
  Hello,
  Hit,
  Method,
  Parameter,
  Replayed,
  Request,
  Response,
  ResultPart,
  Source,
  ValueCount,
} from "./messages.js";
