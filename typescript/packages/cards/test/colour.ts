/** Colours as CSS computes them, as far as the tokens use CSS: hexadecimal, rgb, `var` and `color-mix` in sRGB. */

export type Colour = readonly [red: number, green: number, blue: number, alpha: number];

/** Computes a value of a token; `variables` are those of the page and of the style sheet. */
export function colour(value: string, variables: Readonly<Record<string, string>>): Colour {
  const text = value.trim();
  if (text.startsWith("#")) return hex(text.slice(1));
  const [name, inside] = call(text);
  const parts = split(inside);
  switch (name) {
    case "var": {
      const [variable = "", ...fallback] = parts;
      return colour(variables[variable] ?? fallback.join(","), variables);
    }
    case "color-mix": {
      const [space, one = "", other = ""] = parts;
      if (space !== "in srgb") throw new Error(`not mixed in sRGB: ${text}`);
      const [, first = "", percent = ""] = /^(.*?)\s+([0-9.]+)%$/.exec(one) ?? [];
      return mixed(colour(first, variables), colour(other, variables), Number(percent) / 100);
    }
    case "rgb":
    case "rgba":
      return rgb(inside);
    default:
      throw new Error(`no colour that is known here: ${text}`);
  }
}

function hex(digits: string): Colour {
  const long = digits.length === 3 ? digits.replace(/./g, "$&$&") : digits;
  const at = (index: number): number => parseInt(long.slice(index, index + 2), 16) / 255;
  return [at(0), at(2), at(4), 1];
}

function rgb(inside: string): Colour {
  const [red = 0, green = 0, blue = 0, alpha = 1] = inside
    .split(/[\s,/]+/)
    .map((part) => (part.endsWith("%") ? Number(part.slice(0, -1)) / 100 : Number(part)));
  return [red / 255, green / 255, blue / 255, alpha];
}

function call(text: string): readonly [string, string] {
  const open = text.indexOf("(");
  if (open === -1 || !text.endsWith(")")) throw new Error(`no colour: ${text}`);
  return [text.slice(0, open), text.slice(open + 1, -1)];
}

function split(inside: string): readonly string[] {
  const parts = [""];
  let depth = 0;
  for (const char of Array.from(inside)) {
    depth += char === "(" ? 1 : char === ")" ? -1 : 0;
    if (char === "," && depth === 0) parts.push("");
    else parts.push(`${parts.pop() ?? ""}${char}`);
  }
  return parts.map((part) => part.trim());
}

function mixed(one: Colour, other: Colour, share: number): Colour {
  const alpha = one[3] * share + other[3] * (1 - share);
  const channel = (at: 0 | 1 | 2): number =>
    (one[at] * one[3] * share + other[at] * other[3] * (1 - share)) / (alpha || 1);
  return [channel(0), channel(1), channel(2), alpha];
}

/** The contrast of WCAG 2 of a text on a ground that lies on an opaque page. */
export function contrast(text: Colour, ground: Colour, page: Colour): number {
  const below = over(ground, page);
  const [light = 0, dark = 0] = [luminance(over(text, below)), luminance(below)].toSorted((a, b) => b - a);
  return (light + 0.05) / (dark + 0.05);
}

function over(top: Colour, below: Colour): Colour {
  const channel = (at: 0 | 1 | 2): number => top[at] * top[3] + below[at] * (1 - top[3]);
  return [channel(0), channel(1), channel(2), 1];
}

function luminance([red, green, blue]: Colour): number {
  const linear = (part: number): number => (part <= 0.04045 ? part / 12.92 : ((part + 0.055) / 1.055) ** 2.4);
  return 0.2126 * linear(red) + 0.7152 * linear(green) + 0.0722 * linear(blue);
}
