import {
  type Card,
  type CardKind,
  decodeBase64,
  decodeStatement,
  JsonError,
  own,
  parseJson,
  ShapeError,
} from "@service-nb/records";
import { receiptOf } from "./compose/proof.js";

const ID = /^(?:query|service|refusal|error|replay)_[0-9a-f]{16}$/;

/** The id of an outcome: that of the signed statement, else the one that the view states; undefined without either. */
export function resultId(card: Card): string | undefined {
  return [signedId(card), own(card.view, "query_id"), own(card.view, "request_id")].find(isId);
}

function isId(value: unknown): value is string {
  return typeof value === "string" && ID.test(value);
}

function signedId(card: Card): string | undefined {
  const payload = decodeBase64(receiptOf(card)?.envelope.payload ?? "");
  if (payload === undefined || payload.length === 0) return undefined;
  try {
    return decodeStatement(parseJson(payload, { integers: "exact" })).predicate.id;
  } catch (error) {
    if (error instanceof JsonError || error instanceof ShapeError) return undefined;
    throw error;
  }
}

/** Whether an outcome can be run again: an answer, or a refusal, which is judged again. An error and a replay cannot. */
export function isReplayable(kind: CardKind): boolean {
  return kind !== "error" && kind !== "replay";
}

/** The digest that stands for what a card answers. */
export function answerDigest({ kind, digests }: Card): string {
  switch (kind) {
    case "query":
      return digests.result_hash ?? "";
    case "computation":
      return digests.computation_hash ?? "";
    case "clarification":
    case "rejection":
      return digests.refusal_hash ?? "";
    case "error":
      return digests.error_hash ?? "";
    case "replay":
      return digests.replay_hash ?? "";
  }
}
