/** The tools' own words: sentences with numbers, hashes and dates, and nothing that a file or a person wrote. */

import { CODES, SENTENCES } from "./declared.js";

export type SentenceName = keyof typeof SENTENCES;

/** Fills the places of a sentence. */
export function writeSentence(name: SentenceName, places: Readonly<Record<string, string | number>> = {}): string {
  return SENTENCES[name].replace(/\{([a-z_]+)\}/g, (_, key: string) => String(places[key] ?? ""));
}

/** A code of the client as an agent learns it. */
export function translateCode(code: string): string {
  return Object.hasOwn(CODES, code) ? CODES[code as keyof typeof CODES] : code;
}

/** The name of the sentence of a code, or of `otherwise` where a code has none. */
export function findSentence(code: string, otherwise: SentenceName): SentenceName {
  return Object.hasOwn(SENTENCES, code) ? (code as SentenceName) : otherwise;
}
