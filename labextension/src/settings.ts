import { decodeBase64, isObject, own } from "@service-nb/records";
import type { TranslationBundle } from "@jupyterlab/translation";
import { OWN_CONTRACT } from "./contract.js";

/** What a reader knows by another way than from the notebook, and how much is shown. */
export interface Settings {
  readonly keys: readonly string[];
  readonly contracts: readonly string[];
  readonly searchHits: number;
  /** Significant digits that cards show; 0 for the usual ones. */
  readonly digits: number;
}

/** A setting that is not what it must be; the good ones beside it still hold. */
export interface SettingFault {
  readonly setting: "trustedKeys" | "knownContracts" | "searchHits" | "digits";
  /** Which entry of a list, from 1; null for the whole setting. */
  readonly entry: number | null;
  readonly fault: "not_a_list" | "not_a_key" | "not_a_hash" | "not_a_count" | "not_digits" | "twice";
}

export const DEFAULTS: Settings = { keys: [], contracts: [OWN_CONTRACT], searchHits: 20, digits: 0 };

const CONTRACT = /^sha256:[0-9a-f]{64}$/;
const MOST_HITS = 100;
const MOST_DIGITS = 17;

/** Reads settings, and what is wrong with them. A key that is none is left out, and told: never taken for another. */
export function readSettings(composite: unknown): { settings: Settings; faults: SettingFault[] } {
  const given = isObject(composite) ? composite : {};
  const faults: SettingFault[] = [];
  const keys = list(given, "trustedKeys", isKey, "not_a_key", faults);
  const contracts = list(given, "knownContracts", (text) => CONTRACT.test(text), "not_a_hash", faults);
  const hits = own(given, "searchHits") ?? DEFAULTS.searchHits;
  const isCount = Number.isSafeInteger(hits) && (hits as number) >= 1 && (hits as number) <= MOST_HITS;
  if (!isCount) faults.push({ setting: "searchHits", entry: null, fault: "not_a_count" });
  const digits = own(given, "digits") ?? DEFAULTS.digits;
  const isDigits = Number.isSafeInteger(digits) && (digits as number) >= 0 && (digits as number) <= MOST_DIGITS;
  if (!isDigits) faults.push({ setting: "digits", entry: null, fault: "not_digits" });
  const settings = {
    keys,
    contracts: [...new Set([...DEFAULTS.contracts, ...contracts])],
    searchHits: isCount ? (hits as number) : DEFAULTS.searchHits,
    digits: isDigits ? (digits as number) : DEFAULTS.digits,
  };
  return { settings, faults };
}

/** Whether a text is the base64 of the 32 bytes of an Ed25519 key, as `service-nb login --json` prints it. */
export function isKey(text: string): boolean {
  return decodeBase64(text)?.length === 32;
}

function list(
  given: Readonly<Record<string, unknown>>,
  setting: "trustedKeys" | "knownContracts",
  isGood: (text: string) => boolean,
  bad: SettingFault["fault"],
  faults: SettingFault[],
): string[] {
  const value = own(given, setting) ?? [];
  if (!Array.isArray(value)) {
    faults.push({ setting, entry: null, fault: "not_a_list" });
    return [];
  }
  const good: string[] = [];
  value.forEach((each: unknown, index) => {
    const text = typeof each === "string" ? each.trim() : "";
    const fault = !isGood(text) ? bad : good.includes(text) ? "twice" : null;
    if (fault === null) good.push(text);
    else faults.push({ setting, entry: index + 1, fault });
  });
  return good;
}

/** A fault in words: which entry, what it must be, where to get it. */
export function faultInWords({ setting, entry, fault }: SettingFault, trans: TranslationBundle): string {
  const place = entry === null ? setting : trans.__("%1, entry %2", setting, String(entry));
  switch (fault) {
    case "not_a_key":
      return trans.__(
        "%1 is no public key: 44 characters of base64 are expected, as `service-nb login --json` prints them. It is not used.",
        place,
      );
    case "not_a_hash":
      return trans.__("%1 is no contract's hash: sha256: and 64 hex digits are expected. It is not used.", place);
    case "not_a_list":
      return trans.__("%1 is no list. It is taken as empty.", place);
    case "not_a_count":
      return trans.__("%1 is no whole number from 1 to %2. Its default is used.", place, String(MOST_HITS));
    case "not_digits":
      return trans.__("%1 is no whole number from 0 to %2. Its default is used.", place, String(MOST_DIGITS));
    case "twice":
      return trans.__("%1 is there twice.", place);
  }
}
