import { type Check, failed, notCheckable, passed } from "@service-nb/records";

/** Whether the key that signed is one that is trusted. */
export function checkSigner(publicKey: string, keys: readonly string[]): Check {
  if (keys.length === 0) return notCheckable("signer", "no_trusted_keys", "Nobody said whose keys are trusted.");
  if (!keys.includes(publicKey))
    return failed("signer", "unknown_signer", "It is signed by a key that is not trusted.");
  return passed("signer");
}
