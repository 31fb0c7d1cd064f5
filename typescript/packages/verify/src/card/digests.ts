import {
  type Card,
  CARD_KINDS,
  canonicalText,
  type Check,
  type DigestName,
  DIGESTS,
  failed,
  isObject,
  notCheckable,
  own,
  passed,
  QUOTED,
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
  if (name === "refusal_hash" && isOlderRefusal(card)) return notCheckable(name, "older_form");
  const holds = agrees(card, texts, name);
  if (holds === undefined) return notCheckable(name, "text_not_kept");
  if (holds) return passed(name);
  if (name === "rows_hash" && isEmpty(card.view["rows"])) {
    return notCheckable(name, "rows_not_kept");
  }
  return failed(name, `${name}_mismatch`);
}

/** Whether what the card holds has the digest that it names; undefined if it does not hold the text. */
function agrees({ canonical, digests, view }: Card, texts: ReadTexts, name: DigestName): boolean | undefined {
  if (name === "view_hash") return digest("service:view:v1", canonicalText(withoutRows(view))) === digests.view_hash;
  if (name === "rows_hash") {
    return Object.hasOwn(view, "rows") && digest("service:rows:v1", canonicalText(view["rows"])) === digests.rows_hash;
  }
  if (name === "schema_revision" || name === "contract_hash") {
    const quoting = QUOTED[name];
    if (canonical[quoting] === undefined) return undefined;
    return isObject(texts[quoting]) && own(texts[quoting], name) === digests[name];
  }
  const { domain, after, texts: names } = DIGESTS[name];
  const hashed = names.flatMap((each) => canonical[each] ?? []);
  if (hashed.length < names.length) return undefined;
  // No other text than an object can be a plan, an identity or a resolution, whatever its hash.
  const last = texts[names.at(-1) ?? names[0]];
  if (OBJECTS.includes(name) && !isObject(last)) return false;
  if (name === "refusal_hash" && isObject(last)) {
    if (canonicalText(last) !== canonical.resolution) return false;
    const codes = Object.entries(last).filter(([key]) => key !== "reason"); // which is a sentence
    hashed.splice(-1, 1, canonicalText(Object.fromEntries(codes)));
  }
  const before = after === "" ? "" : (digests[after] ?? "");
  return (domain === "" ? sha256Hex(hashed.join("\0")) : digest(domain, before, hashed.join("\0"))) === digests[name];
}

const OBJECTS: readonly DigestName[] = ["plan_hash", "invocation_hash", "refusal_hash"];

/** Whether the hash is of the whole resolution, with its sentence, as earlier versions made it. */
function isOlderRefusal({ canonical: { spec, resolution }, digests }: Card): boolean {
  if (spec === undefined || resolution === undefined) return false;
  return digest("service:refusal:v1", `${spec}\0${resolution}`) === digests.refusal_hash;
}

function withoutRows(view: Card["view"]): Record<string, unknown> {
  return Object.fromEntries(Object.entries(view).filter(([key]) => key !== "rows"));
}

function isEmpty(rows: unknown): boolean {
  return Array.isArray(rows) && rows.length === 0;
}
