import {
  decodeStatement,
  type Envelope,
  MAX_STATEMENT_BYTES,
  type ShapeError,
  type Statement,
} from "@service-nb/records";
import { fromBase64 } from "./bytes.js";
import { decoded } from "./shape.js";
import { strictly } from "./texts.js";

/** The statement of an outcome that an envelope holds, or what is wrong with it. */
export function readStatement({ payload }: Envelope): Statement | ShapeError {
  return decoded(decodeStatement, strictly(fromBase64(payload), MAX_STATEMENT_BYTES));
}
