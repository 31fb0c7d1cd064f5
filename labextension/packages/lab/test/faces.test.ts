import { createHash } from "node:crypto";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { compose } from "@service-nb/cards";
import { decodeCard } from "@service-nb/records";
import { describe, expect, it } from "vitest";
import type { FaceBlock } from "../src/faces/look.js";
import { WRITERS } from "../src/faces/write.js";

const FOLDER = join(import.meta.dirname, "../../../../tests/vectors/faces");

interface Rendered {
  readonly file: string;
  readonly name: string;
  readonly faces: Readonly<Record<string, string>>;
}

interface Written {
  readonly text: string;
  readonly blocks: readonly FaceBlock[];
  readonly sha256: Readonly<Record<string, string>>;
}

function casesOf(file: string): readonly unknown[] {
  return (JSON.parse(readFileSync(join(FOLDER, `${file}.json`), "utf-8")) as { cases: unknown[] }).cases;
}

function cardOf({ file, name }: Rendered): unknown {
  const cases = casesOf(file) as { name: string; card: unknown }[];
  return cases.find((each) => each.name === name)?.card;
}

function facesOf(blocks: readonly FaceBlock[]): Readonly<Record<string, string>> {
  return Object.fromEntries(Object.entries(WRITERS).map(([mime, write]) => [mime, write(blocks)]));
}

function sha256(text: string): string {
  return createHash("sha256").update(text).digest("hex");
}

describe("faces", () => {
  it.each(casesOf("rendered") as Rendered[])("of $name are those that Python writes, byte for byte", (each) => {
    const blocks: FaceBlock[] = [...compose(decodeCard(cardOf(each))), { block: "mark", version: "0.1.0" }];
    expect(facesOf(blocks)).toEqual(each.faces);
  });

  it.each(casesOf("written") as Written[])("with $text everywhere are those that Python writes", (each) => {
    const digests = Object.entries(facesOf(each.blocks)).map(([mime, face]) => [mime, sha256(face)]);
    expect(Object.fromEntries(digests)).toEqual(each.sha256);
  });
});
