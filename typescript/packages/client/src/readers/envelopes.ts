/** Documents whose rows are around the rows that are meant: by the rules of `service_nb/readers/envelopes.py`. */

import { type ReadingNote } from "@service-nb/records";
import { type Members, toMembers } from "./rows.js";
import { PAGES } from "./rules.js";

const PAGE: ReadonlySet<string> = new Set(PAGES.page);
const ANSWER: ReadonlySet<string> = new Set(PAGES.answer);

/** Notes lists of objects, or objects by key, that a single row holds, and pages: they are likely to be the rows. */
export function noteEnvelopes(rows: readonly Members[]): readonly ReadingNote[] {
  const [row, ...others] = rows;
  if (row === undefined || others.length > 0) return notePages(rows);
  const lists = [...row].flatMap(([name, value]) => {
    const count = countObjects(value);
    return count > 0 ? [{ kind: "envelope", columns: [name], facts: { count: String(count) } }] : [];
  });
  if (lists.length > 0) return lists;
  const inside = noteInside(row);
  return inside.length > 0 ? inside : noteKeyed(row);
}

/** Counts the members of a list of nothing but objects; 0 of anything else. */
function countObjects(value: unknown): number {
  return Array.isArray(value) && value.every((each) => toMembers(each) !== undefined) ? value.length : 0;
}

interface Inner {
  readonly path: readonly string[];
  readonly members: Members;
}

/** Notes lists of objects within objects of a row, the next level first: the longest of each column. */
function noteInside(row: Members): readonly ReadingNote[] {
  let level = listObjects([], row);
  let left: number = PAGES.members;
  for (let depth = 0; depth < PAGES.levels; depth += 1) {
    const found = new Map<string, { readonly count: number; readonly inside: string }>();
    for (const { path, members } of level) {
      left -= members.size;
      if (left < 0) break;
      const [column = ""] = path;
      for (const [name, value] of members) {
        const count = countObjects(value);
        if (count > (found.get(column)?.count ?? 0)) found.set(column, { count, inside: [...path, name].join(".") });
      }
    }
    if (found.size > 0 || left < 0)
      return [...found].map(([column, { count, inside }]) => ({
        kind: "envelope",
        columns: [column],
        facts: { count: String(count), inside },
      }));
    level = level.flatMap(({ path, members }) => listObjects(path, members));
  }
  return [];
}

function listObjects(path: readonly string[], row: Members): readonly Inner[] {
  return [...row].flatMap(([name, value]) => {
    const members = toMembers(value);
    return members === undefined ? [] : [{ path: [...path, name], members }];
  });
}

/** Notes that all members of a row, or of one of its objects, are objects of the same fields. */
function noteKeyed(row: Members): readonly ReadingNote[] {
  const note = (columns: readonly string[], { size }: Members): ReadingNote => ({
    kind: "keyed",
    columns,
    facts: { count: String(size) },
  });
  if (isKeyed(row)) return [note([], row)];
  return listObjects([], row).flatMap(({ path, members }) => (isKeyed(members) ? [note(path, members)] : []));
}

/** Whether these are two objects or more that have at least half of all their fields in common. */
function isKeyed(row: Members): boolean {
  const objects = listObjects([], row).map(({ members }) => members);
  if (row.size < 2 || objects.length < row.size || objects.some(({ size }) => size === 0)) return false;
  const names = new Set(objects.flatMap((each) => [...each.keys()]));
  const shared = [...names].filter((name) => objects.every((each) => each.has(name)));
  return 2 * shared.length >= names.size;
}

/** Notes a list of objects in each row, beside what services write on a page and nothing else. */
function notePages(rows: readonly Members[]): readonly ReadingNote[] {
  const name = rows[0] === undefined ? undefined : findPageList(rows[0]);
  if (name === undefined || !rows.every((row) => findPageList(row) === name)) return [];
  const count = rows.reduce((sum, row) => sum + countObjects(row.get(name)), 0);
  return [{ kind: "pages", columns: [name], facts: { count: String(count) } }];
}

/** The name of the one list of objects of a page; undefined of another row. */
function findPageList(row: Members): string | undefined {
  if (row.size < 2) return undefined;
  const lists = [...row].flatMap(([name, value]) => (countObjects(value) > 0 ? [name] : []));
  const words = [...row.keys()]
    .filter((name) => !lists.includes(name))
    .map((name) => name.replaceAll("_", "").toLowerCase());
  const isPage = words.some((word) => PAGE.has(word)) && words.every((word) => PAGE.has(word) || ANSWER.has(word));
  return lists.length === 1 && isPage ? lists[0] : undefined;
}
