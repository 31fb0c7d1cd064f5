import type { JsonValue } from "./json.js";

const NUMBER = /^[+-]?(?:\d+\.?\d*|\.\d+)(?:[eE][+-]?\d{1,4})?$/;
const DAY = /^\d{4}-\d\d-\d\d$/;
const MOMENT = /^\d{4}-\d\d-\d\d(?:[T ]\d\d:\d\d(?::\d\d(?:\.\d{1,6})?)?(?:Z|[+-]\d\d:\d\d)?)?$/;

/** What was typed does not fit its column; the message says what was expected. */
export interface Misfit {
  readonly misfit: string;
}

/** The operand that a typed text means for a column of this type. Nothing is rounded on the way. */
export function operand(text: string, type: string): { readonly value: JsonValue } | Misfit {
  switch (type) {
    case "string":
      return { value: text };
    case "boolean":
      return { value: text === "true" };
    case "number":
      return number(text.trim());
    case "date":
      return DAY.test(text.trim()) ? { value: text.trim() } : { misfit: "A day such as 2024-01-31 is expected." };
    default:
      return MOMENT.test(text.trim())
        ? { value: text.trim() }
        : { misfit: "A time such as 2024-01-31T12:00, or a day, is expected." };
  }
}

/** A number as JSON where JavaScript's own number is exactly the one that was written; else its digits, as text. */
function number(text: string): { readonly value: JsonValue } | Misfit {
  if (text === "") return { misfit: "A number is missing." };
  if (!NUMBER.test(text)) return { misfit: "A number such as 12, -0.5 or 1e6 is expected." };
  const nearest = Number(text);
  return { value: Number.isFinite(nearest) && digits(String(nearest)) === digits(text) ? nearest : text };
}

/** Sign, significant digits and exponent: the same for two texts exactly when they are the same number. */
function digits(text: string): string {
  const {
    sign = "",
    whole = "",
    fraction = "",
    exponent = "0",
  } = /^(?<sign>[+-]?)(?<whole>\d*)\.?(?<fraction>\d*)(?:[eE](?<exponent>[+-]?\d+))?$/.exec(text)?.groups ?? {};
  const all = (whole + fraction).replace(/^0+/, "");
  const significant = all.replace(/0+$/, "");
  if (significant === "") return "0";
  const scale = Number(exponent) - fraction.length + (all.length - significant.length);
  return `${sign === "-" ? "-" : ""}${significant}e${String(scale)}`;
}
