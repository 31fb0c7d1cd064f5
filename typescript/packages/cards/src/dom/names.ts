/** Names of regions: no two on a page are the same, so that a reader can tell them apart in a list. */

const taken = new Set<string>();

export interface ClaimedName {
  readonly text: string;
  release(): void;
}

/** Claims a name, with a number after it where it is taken. */
export function claimName(wanted: string): ClaimedName {
  let text = wanted;
  for (let number = 2; taken.has(text); number += 1) text = `${wanted} (${String(number)})`;
  taken.add(text);
  return { text, release: () => taken.delete(text) };
}
