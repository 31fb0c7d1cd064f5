import { type Check, notCheckable, passed } from "@service-nb/records";

/** Whether the key that signed is one that is trusted. */
export function checkSigner(publicKey: string, keys: readonly string[]): Check {
  if (keys.includes(publicKey)) return passed("signer");
  return notCheckable("signer", "unknown_signer");
}
