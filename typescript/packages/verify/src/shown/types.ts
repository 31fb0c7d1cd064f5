import { isObject, type RecordType, type ValueType } from "@service-nb/records";

/** Whether a JSON value is one that a result may have. */
export function isOfResult(value: unknown, result: ValueType | RecordType): boolean {
  if (!("fields" in result)) return isOfType(value, result.type, true);
  const { fields } = result;
  return (
    isObject(value) &&
    Object.keys(value).length === Object.keys(fields).length &&
    Object.entries(fields).every(([name, { type }]) => Object.hasOwn(value, name) && isOfType(value[name], type, true))
  );
}

/** Whether a JSON value is of a type of the contract, such as `float64` or `int[][]`; only results may be infinite. */
export function isOfType(value: unknown, type: string, isResult = false): boolean {
  if (type.endsWith("[]")) {
    return Array.isArray(value) && value.every((item) => isOfType(item, type.slice(0, -2), isResult));
  }
  switch (type) {
    case "float64":
      return typeof value === "number" || typeof value === "bigint" || (isResult && NAMED.includes(value));
    case "int": // what is beyond 2^53 - 1 is the text of its digits
      return typeof value === "string" ? /^-?[0-9]+$/.test(value) : Number.isSafeInteger(value);
    case "bool":
      return typeof value === "boolean";
    case "string":
      return typeof value === "string";
    default:
      return false;
  }
}

const NAMED: readonly unknown[] = ["NaN", "Infinity", "-Infinity"];
