import { hexToBytes } from "@noble/hashes/utils.js";
import {
  type CapabilityEntry,
  canonicalText,
  type Card,
  type Check,
  decodeText,
  type Definition,
  encodeUtf8,
  failed,
  type CallIdentity,
  isObject,
  notCheckable,
  own,
  passed,
  ShapeError,
} from "@service-nb/records";
import { equalBytes } from "../bytes.js";
import { leafHash, rootFrom } from "../merkle.js";
import { decoded } from "../shape.js";
import { isSame } from "../shown/comparing.js";
import { boundOf, isOlder } from "../shown/computation.js";
import { isOfResult, isOfType } from "../shown/types.js";
import type { ReadTexts } from "./shown.js";

/** Whether a computation called what its contract has, as the contract has it; no other kind calls anything. */
export function checkCapability(card: Card, texts: ReadTexts): Check[] {
  if (card.kind !== "computation") return [];
  const missing = (["definition", "identity"] as const).filter((name) => !Object.hasOwn(texts, name));
  if (missing.length > 0) {
    return [notCheckable("capability", "text_not_kept", `The card does not hold its ${missing.join(", ")}.`)];
  }
  const definition = decoded(decodeText.definition, texts.definition);
  const identity = decoded(decodeText.identity, texts.identity);
  if (definition instanceof ShapeError) return [notInContract(definition.message)];
  if (isOlder(texts.identity)) return [notCheckable("capability", "older_form")];
  if (identity instanceof ShapeError) return [failed("capability", "call_misfit", identity.message)];
  if (!isProven(texts.definition, definition, card.digests.contract_hash ?? "")) {
    return [notInContract(`The contract that the card names does not define ${definition.capability.id} like this.`)];
  }
  const misfit = misfitOf(definition.capability, identity, texts);
  return [misfit === undefined ? passed("capability") : failed("capability", "call_misfit", misfit)];
}

function notInContract(message: string): Check {
  return failed("capability", "capability_not_in_contract", message);
}

/** Whether the proof leads from the canonical JSON of the entry to the hash of the contract. */
function isProven(read: unknown, { index, size, proof }: Definition, contract: string): boolean {
  const entry = isObject(read) ? own(read, "capability") : undefined;
  const leaf = leafHash(encodeUtf8(canonicalText(entry)));
  const root = rootFrom(leaf, { index, size }, proof.map(hexToBytes));
  return root !== undefined && equalBytes(root, hexToBytes(contract.replace(/^sha256:/, "")));
}

/** Why a call or its value do not fit the capability, or undefined. */
function misfitOf(entry: CapabilityEntry, identity: CallIdentity, texts: ReadTexts): string | undefined {
  const { module, function: called, args, kwargs, resolved_bindings: resolved } = identity;
  if (entry.module !== module || entry.function !== called || entry.id !== `${module}.${called}`) {
    return "The definition is of another capability than the one that was called.";
  }
  const types = new Map(entry.params.map(({ name, type }) => [name, type]));
  const names = [...types.keys()];
  const literals = [...args.map((value, at) => [names[at] ?? "", value] as const), ...Object.entries(kwargs)];
  const bound = boundOf(entry, identity);
  const given = [...literals, ...bound].map(([name]) => name);
  if (bound.length < resolved.length || given.toSorted().join("\0") !== names.toSorted().join("\0"))
    return "Not each parameter is given exactly once.";
  const other = literals.find(([name, value]) => !isOfType(value, types.get(name) ?? ""));
  if (other !== undefined) return `${other[0]} is not of its type, ${types.get(other[0]) ?? ""}.`;
  if ((identity.seed === null) === (entry.tier === "seeded"))
    return "A seed belongs to simulations, and to them alone.";
  if (Object.hasOwn(texts, "arguments") && !holdsLiterals(texts.arguments, entry, literals)) {
    return "The arguments that were passed are not the literals of the call.";
  }
  if (Object.hasOwn(texts, "value") && !isOfResult(texts.value, entry.result)) {
    return "The value is not of the type of the result.";
  }
  return undefined;
}

/** Whether arguments are one for each parameter, and the literals among them those of the call. */
function holdsLiterals(
  given: unknown,
  { params }: CapabilityEntry,
  literals: readonly (readonly [name: string, value: unknown])[],
): boolean {
  if (!Array.isArray(given) || given.length !== params.length) return false;
  const places = new Map(params.map(({ name }, at) => [name, at]));
  return literals.every(([name, value]) => isSame(given[places.get(name) ?? -1], value));
}
