/** The compute line of the command: MODULE.FUNCTION PARAMETER=VALUE …; values are literals or columns. */

import { parseJson } from "@service-nb/records";
import { ServiceError } from "../errors.js";
import { type Argument, type ColumnBinding, type ComputationSpec, type NullPolicy } from "../inputs.js";

const NAME = /^([A-Za-z_]\w*)\.([A-Za-z_]\w*)/;
const PARAMETER = /^\s+([A-Za-z_]\w*)\s*=\s*/;
const TEXT = /^'((?:[^']|'')*)'/;
const LIST = /^\[[-+\w.,\s[\]]*\]/;
const COLUMN = /^([A-Za-z_]\w*|`[^`]+`)\.([A-Za-z_]\w*|`[^`]+`)(?=\s|$)/;
const WORD = /^[^\s]+/;
const DOMAIN_SEED = "seed";

/**
 * Reads a compute line as the spec that it stands for.
 *
 * @throws {ServiceError} `invalid_intent`
 */
export function readComputeLine(line: string, nullPolicy: NullPolicy | undefined): ComputationSpec {
  const [name = "", module = "", called = ""] = NAME.exec(line) ?? [];
  if (name === "") throw refuseLine(line, 0, "MODULE.FUNCTION");
  const kwargs = new Map<string, Argument>();
  const bindings: ColumnBinding[] = [];
  let seed: number | undefined;
  for (let at = name.length; line.slice(at).trim() !== "";) {
    const [lead = "", parameter = ""] = PARAMETER.exec(line.slice(at)) ?? [];
    if (lead === "") throw refuseLine(line, at, "PARAMETER=VALUE");
    at += lead.length;
    const rest = line.slice(at);
    const column = COLUMN.exec(rest);
    if (column !== null) {
      const [source, field] = [unquote(column[1]), unquote(column[2])];
      bindings.push({ parameter, source, field, ...(nullPolicy !== undefined && { nullPolicy }) });
      at += column[0].length;
      continue;
    }
    const [text, value] = readLiteral(line, at, rest);
    if (parameter === DOMAIN_SEED) seed = Number(value);
    else if (kwargs.has(parameter)) throw refuseLine(line, at, `one value for ${parameter}`);
    else kwargs.set(parameter, value);
    at += text.length;
  }
  return { module, function: called, kwargs: Object.fromEntries(kwargs), bindings, seed };
}

function readLiteral(line: string, at: number, rest: string): readonly [string, Argument] {
  const text = TEXT.exec(rest);
  if (text !== null) return [text[0], (text[1] ?? "").replaceAll("''", "'")];
  const [written = ""] = LIST.exec(rest) ?? WORD.exec(rest) ?? [];
  try {
    return [written, parseJson(written, { integers: "exact" }) as Argument];
  } catch {
    throw refuseLine(line, at, "a number, 'text', true, false, a list such as [1, 2], or a column: file.field");
  }
}

function unquote(name = ""): string {
  return name.startsWith("`") ? name.slice(1, -1) : name;
}

function refuseLine(line: string, at: number, expected: string): ServiceError {
  const met = line.slice(at).trim().slice(0, 60);
  const what = met === "" ? "the line ends too early" : `unexpected \`${met}\``;
  const message = `At column ${String(at + 1)}: ${what}. Expected ${expected}.`;
  return new ServiceError("invalid_intent", message, { details: { column: at + 1, met, expected } });
}
