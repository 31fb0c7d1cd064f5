/** The order of texts by code point, which is that of UTF-8 and not that of `<`. */

/** Less than, equal to or greater than zero. */
export function compareTexts(one: string, other: string): number {
  const length = Math.min(one.length, other.length);
  for (let at = 0; at < length; at += 1) {
    const [a, b] = [one.charCodeAt(at), other.charCodeAt(at)];
    if (a !== b) return rankUnit(a) - rankUnit(b);
  }
  return one.length - other.length;
}

/** Surrogates stand for what comes after all other units. */
function rankUnit(unit: number): number {
  return unit >= 0xd800 && unit <= 0xdfff ? unit + 0x10000 : unit;
}

/** How many characters a text has, where a pair of surrogates is one. */
export function countChars(text: string): number {
  let count = text.length;
  for (let at = 0; at < text.length; at += 1) {
    const unit = text.charCodeAt(at);
    if (unit >= 0xd800 && unit <= 0xdbff && at + 1 < text.length) {
      const next = text.charCodeAt(at + 1);
      if (next >= 0xdc00 && next <= 0xdfff) count -= 1;
    }
  }
  return count;
}
