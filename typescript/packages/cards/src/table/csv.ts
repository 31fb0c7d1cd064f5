/** CSV (RFC 4180) as `service_nb/ledger/exports/csv_rows.py` writes it: texts in quotes, numbers bare, null as nothing. */

import type { Head, Table } from "../blocks.js";
import { isNumber } from "../number.js";
import { guarded, printable } from "./guard.js";

/** The exact texts of a table as CSV. */
export function csvText(table: Table): string {
  const lines = [table.heads.map((head) => quoted(head.name)), ...table.exact.map((row) => fields(row, table.heads))];
  // A line of nothing would be skipped by readers, so a lone null is an empty text.
  return lines.map((line) => (line.join(",") || '""') + "\r\n").join("");
}

function fields(row: readonly (string | null)[], heads: readonly Head[]): string[] {
  return row.map((cell, index) => field(cell, heads[index]?.type ?? "string"));
}

function field(cell: string | null, type: string): string {
  if (cell === null) return "";
  // What has passed the grammar of its type has nothing else hidden in it.
  const isBare = type === "number" ? isNumber(cell) : type === "boolean" && (cell === "true" || cell === "false");
  return isBare ? cell : quoted(cell);
}

function quoted(text: string): string {
  return `"${printable(guarded(text)).replaceAll('"', '""')}"`;
}
