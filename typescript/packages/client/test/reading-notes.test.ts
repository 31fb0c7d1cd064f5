import { readFileSync } from "node:fs";
import { expect, test } from "vitest";
import { type ReadingNote } from "@service-nb/records";
import { checkOptions, DEFAULT_LIMITS, type ReadingOptions } from "../src/readers/options.js";
import { type Format, readBytes, readObjects } from "../src/readers/read.js";
import { createService } from "../src/index.js";

interface Case {
  readonly what: string;
  readonly format: Format;
  readonly text: string;
  readonly options?: ReadingOptions;
  readonly notes: readonly ReadingNote[];
}

const VECTORS = new URL("../../../../tests/vectors/reading_notes.json", import.meta.url);
const { cases } = JSON.parse(readFileSync(VECTORS, "utf8")) as { readonly cases: readonly Case[] };
const encode = (text: string): Uint8Array => new TextEncoder().encode(text);

test.each(cases)("a reader notes what Python's notes: $what", ({ format, text, options = {}, notes }) => {
  const { table } = readBytes(encode(text), format, options, checkOptions(options, DEFAULT_LIMITS));
  expect(table.notes).toEqual(notes);
});

test("whole numbers of the caller beside fractions are noted, and doubles of the caller are what they are", () => {
  const rows = [{ x: 9007199254740993n }, { x: 0.5 }, { x: 9007199254740992 }];
  const { table } = readObjects(rows, {}, checkOptions({}, DEFAULT_LIMITS));
  expect(table.notes).toEqual([
    {
      kind: "rounded",
      columns: ["x"],
      facts: { count: "1", first: "9007199254740993", place: "row 1", read: "9007199254740992" },
    },
  ]);
});

test("a card tells what was decided of the columns and rows that its question uses, and no more", async () => {
  const service = createService();
  const text = "k,x,y\nA,9007199254740993,1\nB,0.5,2\nTotal,7,3\n";
  const source = await service.connect(encode(text), { name: "t" });
  expect(source.notes).toHaveLength(2);
  const kinds = async (line: string): Promise<readonly (readonly [unknown, unknown])[]> => {
    const { card } = await service.ask(line);
    const view = card.view as { readonly method: string; readonly reading_notes?: readonly ReadingNote[] };
    return [[view.method, view.reading_notes?.map(({ kind }) => kind)]];
  };
  const AS_READ = "exact: of the values as they were read";
  expect(await kinds("count x from t")).toEqual([[AS_READ, ["rounded", "total"]]]);
  expect(await kinds("count y by x from t")).toEqual([[AS_READ, ["rounded", "total"]]]);
  expect(await kinds("count y from t where x > 1")).toEqual([[AS_READ, ["rounded", "total"]]]);
  expect(await kinds("max x by k from t having max x > 1")).toEqual([[AS_READ, ["rounded", "total"]]]);
  expect(await kinds("count y from t")).toEqual([["exact: nothing is rounded", ["total"]]]);
});
