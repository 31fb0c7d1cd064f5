import {
  type Card,
  CARD_KINDS,
  canonicalText,
  type Check,
  type DigestName,
  failed,
  isObject,
  notCheckable,
  own,
  passed,
  type TextName,
} from "@service-nb/records";
import { digest, sha256Hex } from "../digest.js";
import type { ReadTexts } from "./shown.js";

/** One check for each digest of a card, in the order of its kind; the view and its rows come last. */
export function checkDigests(card: Card, texts: ReadTexts): Check[] {
  const checks = CARD_KINDS[card.kind].digests.map((name) => checkDigest(card, texts, name));
  checks.push(checkDigest(card, texts, "view_hash"));
  if (card.digests.rows_hash !== undefined) checks.push(checkDigest(card, texts, "rows_hash"));
  return checks;
}

function checkDigest(card: Card, texts: ReadTexts, name: DigestName): Check {
  const holds = agrees(card, texts, name);
  if (holds === undefined) return notCheckable(name, "text_not_kept");
  if (holds) return passed(name);
  if (name === "rows_hash" && isEmpty(card.view["rows"])) {
    return notCheckable(name, "rows_not_kept");
  }
  return failed(name, `${name}_mismatch`);
}

/** Whether what the card holds has the digest that it names; undefined if it does not hold the text. */
function agrees(card: Card, texts: ReadTexts, name: DigestName): boolean | undefined {
  const { canonical, digests, view } = card;
  const recomputed = (compute: (text: string) => string, text: string | undefined): boolean | undefined =>
    text === undefined ? undefined : compute(text) === digests[name];
  /** As `holds` says of a text that is a JSON object; no other text can be a plan or an identity, whatever its hash. */
  const asObject = (
    text: TextName,
    holds: (value: Readonly<Record<string, unknown>>, text: string) => boolean,
  ): boolean | undefined => {
    const value = texts[text];
    return canonical[text] === undefined ? undefined : isObject(value) && holds(value, canonical[text]);
  };
  switch (name) {
    case "plan_hash":
      return asObject("plan", (_, text) => digest("service:plan:v1", text) === digests.plan_hash);
    case "result_hash":
      return recomputed((result) => digest("service:result:v1", digests.plan_hash ?? "", result), canonical.result);
    case "schema_revision":
      return asObject("plan", (plan) => own(plan, "schema_revision") === digests.schema_revision);
    case "refusal_hash": {
      const { spec, resolution } = canonical;
      if (spec === undefined || resolution === undefined) return undefined;
      return digest("service:refusal:v1", spec, "\0", resolution) === digests.refusal_hash;
    }
    case "error_hash":
      return recomputed((error) => digest("service:error:v1", error), canonical.error);
    case "input_hash":
      return recomputed(sha256Hex, canonical.arguments);
    case "invocation_hash":
      return asObject("identity", (_, text) => digest("service:invocation:v1", text) === digests.invocation_hash);
    case "computation_hash":
      return recomputed(
        (value) => digest("service:computation:v1", digests.invocation_hash ?? "", value),
        canonical.value,
      );
    case "contract_hash":
      return asObject("identity", (identity) => own(identity, "contract_hash") === digests.contract_hash);
    case "provenance_hash":
      return recomputed((text) => digest("service:provenance:v1", text), canonical.provenance);
    case "definition_hash":
      return recomputed((text) => digest("service:definition:v1", text), canonical.definition);
    case "replay_hash":
      return recomputed((report) => digest("service:replay:v1", report), canonical.report);
    case "view_hash":
      return digest("service:view:v1", canonicalText(withoutRows(view))) === digests.view_hash;
    case "rows_hash":
      return (
        Object.hasOwn(view, "rows") && digest("service:rows:v1", canonicalText(view["rows"])) === digests.rows_hash
      );
  }
}

function withoutRows(view: Card["view"]): Record<string, unknown> {
  return Object.fromEntries(Object.entries(view).filter(([key]) => key !== "rows"));
}

function isEmpty(rows: unknown): boolean {
  return Array.isArray(rows) && rows.length === 0;
}
