import { type Card, type Check, notCheckable, passed } from "@service-nb/records";

/** Whether a computation was made under a contract that is known; no other kind is made under one. */
export function checkContract(card: Card, contracts: readonly string[]): Check[] {
  if (card.kind !== "computation") return [];
  if (contracts.length === 0) return [notCheckable("contract", "no_known_contracts")];
  const hash = card.digests.contract_hash;
  if (hash === undefined || !contracts.includes(hash)) {
    return [notCheckable("contract", "contract_unknown")];
  }
  return [passed("contract")];
}
