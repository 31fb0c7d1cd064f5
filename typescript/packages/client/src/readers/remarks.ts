/** Remarks below the rows of a table: by the rules of `service_nb/readers/remarks.py`. */

import { type ReadingNote } from "@service-nb/records";
import { type Column, type Table } from "../values/columns.js";
import { countChars } from "../values/order.js";
import { type TellPlace } from "./changed-texts.js";
import { REMARKS, TOTALS } from "./rules.js";

const REMARK = new RegExp(REMARKS.pattern, "iu");

/** Notes last rows that have a text in their first cell alone, as no other row has, and read like a remark. */
export function noteRemarks({ fields, columns, rowCount }: Table, tell: TellPlace): readonly ReadingNote[] {
  const [first, ...others] = columns;
  if (first?.kind !== "string" || others.length === 0) return [];
  const isAlone = (row: number): boolean =>
    (first.values[row] ?? null) !== null && others.every((each) => isNull(each, row));
  let above = rowCount;
  while (above > 0 && rowCount - above <= REMARKS.most && isAlone(above - 1)) above -= 1;
  const count = rowCount - above;
  if (count === 0 || count > REMARKS.most || above < TOTALS.above) return [];
  let longest = 0;
  for (let row = 0; row < above; row += 1) {
    const text = first.values[row] ?? "";
    if (isAlone(row) || REMARK.test(text)) return [];
    longest = Math.max(longest, countChars(text));
  }
  const most = Math.max(2 * longest, REMARKS.width);
  const isRemark = (text: string): boolean => REMARK.test(text) || (countChars(text) > most && text.includes(" "));
  if (!first.values.slice(above, rowCount).some((text) => isRemark(text ?? ""))) return [];
  const columnsNoted = [fields[0]?.name ?? ""];
  return [{ kind: "remark", columns: columnsNoted, facts: { count: String(count), place: tell(above + 1) } }];
}

function isNull(column: Column, row: number): boolean {
  return column.kind === "string" ? (column.values[row] ?? null) === null : column.nulls?.[row] === 1;
}
