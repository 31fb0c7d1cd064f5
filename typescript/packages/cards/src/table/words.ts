/** Sentences with places for values: translated first, filled afterwards, so that no value is taken for a place. */

/** What puts a sentence into the reader's language. */
export type Say = (text: string) => string;

/** The sentence with `%1`, `%2` … replaced by the values. */
export function told(say: Say, text: string, ...values: readonly string[]): string {
  return say(text).replace(/%([1-9])/g, (place, index: string) => values[Number(index) - 1] ?? place);
}
