import {
  type Card,
  CARD_KINDS,
  canonicalText,
  type Check,
  type DigestName,
  failed,
  notCheckable,
  passed,
} from "@service-nb/records";
import { digest, sha256Hex } from "../digest.js";
import { isObjectText, member } from "../texts.js";

/** One check for each digest of a card, in the order of its kind; the view and its rows come last. */
export function checkDigests(card: Card): Check[] {
  const checks = CARD_KINDS[card.kind].digests.map((name) => checkDigest(card, name));
  checks.push(checkDigest(card, "view_hash"));
  if (card.digests.rows_hash !== undefined) checks.push(checkDigest(card, "rows_hash"));
  return checks;
}

function checkDigest(card: Card, name: DigestName): Check {
  const holds = agrees(card, name);
  if (holds === undefined) return notCheckable(name, "text_not_kept", "The card holds the hash and not the text.");
  if (holds) return passed(name);
  if (name === "rows_hash" && isEmpty(card.view["rows"])) {
    return notCheckable(name, "rows_not_kept", "The rows were taken out of the card.");
  }
  return failed(name, `${name}_mismatch`, `What the card holds has another ${name}.`);
}

/** Whether what the card holds has the digest that it names; undefined if it does not hold the text. */
function agrees(card: Card, name: DigestName): boolean | undefined {
  const { canonical, digests, view } = card;
  const recomputed = (compute: (text: string) => string, text: string | undefined): boolean | undefined =>
    text === undefined ? undefined : compute(text) === digests[name];
  switch (name) {
    case "plan_hash":
      return asObject(canonical.plan, (plan) => digest("service:plan:v1", plan) === digests.plan_hash);
    case "result_hash":
      return recomputed((result) => digest("service:result:v1", digests.plan_hash ?? "", result), canonical.result);
    case "schema_revision":
      return asObject(canonical.plan, (plan) => member(plan, "schema_revision") === digests.schema_revision);
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
      return asObject(canonical.identity, (text) => digest("service:invocation:v1", text) === digests.invocation_hash);
    case "computation_hash":
      return recomputed(
        (value) => digest("service:computation:v1", digests.invocation_hash ?? "", value),
        canonical.value,
      );
    case "contract_hash":
      return asObject(canonical.identity, (text) => member(text, "contract_hash") === digests.contract_hash);
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

/** As `holds` says of a text that is a JSON object; no other text can be a plan or an identity, whatever its hash. */
function asObject(text: string | undefined, holds: (text: string) => boolean): boolean | undefined {
  return text === undefined ? undefined : isObjectText(text) && holds(text);
}

function withoutRows(view: Card["view"]): Record<string, unknown> {
  return Object.fromEntries(Object.entries(view).filter(([key]) => key !== "rows"));
}

function isEmpty(rows: unknown): boolean {
  return Array.isArray(rows) && rows.length === 0;
}
