/** Numbers by their exact texts: separated and aligned digit by digit, never by way of a float. */

export { compareParts, isNumber, partsOf, type Odd, type Parts } from "@service-nb/records";

const PLAIN = /^-?[0-9]+(?:\.[0-9]+)?(?:[eE][+-]?[0-9]+)?$/;
const WHOLE = /^(-?)([0-9]+)(.*)$/;

/** The exact text with its thousands separated; text that is no number comes back as it is. */
export function separated(text: string): string {
  if (!PLAIN.test(text)) return text;
  const [, minus = "", whole = "", rest = ""] = WHOLE.exec(text) ?? [];
  const head = whole.length % 3 || 3;
  const groups = [whole.slice(0, head)];
  for (let at = head; at < whole.length; at += 3) groups.push(whole.slice(at, at + 3));
  return minus + groups.join(",") + rest;
}

/** What stands from the decimal point on, or from the exponent where there is no point: what alignment pads. */
export function tailOf(text: string): string {
  const at = text.search(/[.eE]/);
  return at < 0 || !/^-?[0-9]/.test(text) ? "" : text.slice(at);
}
