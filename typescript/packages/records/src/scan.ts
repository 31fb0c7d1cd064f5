import { MAX_DEPTH } from "./constants.js";

/** Where the first half of a surrogate pair stands, in a text that has one. */
export function loneSurrogate(text: string): number {
  return text.search(/[\ud800-\udbff](?![\udc00-\udfff])|(?<![\ud800-\udbff])[\udc00-\udfff]/);
}

/** Where the first escape of half a pair stands, in a text that need not be JSON otherwise. */
export function loneEscape(text: string): number | undefined {
  for (const match of text.matchAll(/\\(?:u[dD][89abAB]\w\w\\u[dD][c-fC-F]\w\w|(u[dD][89a-fA-F]\w\w)|[^])/g)) {
    if (match[1] !== undefined) return match.index;
  }
  return undefined;
}

/** Where nesting goes beyond the limit, in a text that need not be JSON otherwise. */
export function tooDeep(text: string): number | undefined {
  let depth = 0;
  let isInString = false;
  // A loop, because a regular expression over strings of megabytes exhausts the stack.
  for (let index = 0; index < text.length; index += 1) {
    const mark = text.charAt(index);
    if (mark === '"') isInString = !isInString;
    else if (isInString) index += mark === "\\" ? 1 : 0;
    else if (mark === "[" || mark === "{") depth += 1;
    else if (mark === "]" || mark === "}") depth -= 1;
    if (depth > MAX_DEPTH) return index;
  }
  return undefined;
}
