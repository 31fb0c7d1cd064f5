import { createHash } from "node:crypto";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { compose, withoutPlan } from "@service-nb/cards";
import { decodeCard, passed } from "@service-nb/records";
import { describe, expect, it } from "vitest";
import { checkFaces } from "../src/faces/compare.js";
import type { FaceBlock } from "../src/faces/look.js";
import { WRITERS } from "../src/faces/write.js";

const FOLDER = join(import.meta.dirname, "../../tests/vectors/faces");

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

describe("what stands beside a card", () => {
  const rendered = casesOf("rendered") as Rendered[];
  const [first] = rendered as [Rendered];
  const card = decodeCard(cardOf(first));

  it.each(rendered)("are its own faces: $name", (each) => {
    expect(checkFaces(decodeCard(cardOf(each)), each.faces)).toEqual(passed("faces"));
    const lines = Object.entries(each.faces).map(([mime, face]) => [mime, face.split(/(?<=\n)/)] as const);
    expect(checkFaces(decodeCard(cardOf(each)), Object.fromEntries(lines))).toEqual(passed("faces"));
  });

  it("may be fewer, or none", () => {
    expect(checkFaces(card, {})).toEqual(passed("faces"));
    expect(checkFaces(card, { "text/html": first.faces["text/html"] })).toEqual(passed("faces"));
  });

  it.each(Object.keys(first.faces))("is another face where one character of %s is another", (mime) => {
    const face = first.faces[mime] ?? "";
    const at = face.indexOf("F9");
    const forged = `${face.slice(0, at)}FA${face.slice(at + 2)}`;
    expect(forged).not.toBe(face);
    expect(checkFaces(card, { ...first.faces, [mime]: forged })).toMatchObject({ cause: "face_differs" });
  });

  it.each(["application/json", "image/png", "text/x-own", "__proto__x"])("is one too many where it is %s", (mime) => {
    expect(checkFaces(card, { ...first.faces, [mime]: "x" })).toMatchObject({ cause: "face_differs" });
  });

  it.each([null, 7, {}, ["a", 1], "", "a text without a mark"])("is no face where it is %j", (value) => {
    expect(checkFaces(card, { "text/html": value })).toMatchObject({ cause: "face_differs" });
  });

  it("are its own under the name of another version that writes the same", () => {
    const renamed = Object.entries(first.faces).map(([mime, face]) => [mime, face.replace("0.1.0", "0.9.2")] as const);
    expect(checkFaces(card, Object.fromEntries(renamed))).toEqual(passed("faces"));
  });

  it("may be headed by names under a version that wrote names, and under no later one", () => {
    const planned = decodeCard(cardOf({ file: "queries", name: "of the evidence", faces: {} }));
    const stored = (version: string): Readonly<Record<string, string>> =>
      facesOf([...compose(withoutPlan(planned)), { block: "mark", version }]);
    expect(stored("0.1.0")["text/plain"]).toMatch(/carrier +delay +count/);
    expect(facesOf(compose(planned))["text/plain"]).toMatch(/carrier +sum of delay +rows/);
    expect(checkFaces(planned, stored("0.1.0"))).toEqual(passed("faces"));
    expect(checkFaces(planned, stored("9.9.9"))).toMatchObject({ cause: "face_of_another_version" });
  });

  it("is of another version where its own last line says so, and it is not what this one writes", () => {
    const face = "<div>\nsomething else\n<div>Card of service_nb 0.2.0</div>\n</div>";
    expect(checkFaces(card, { "text/html": face })).toMatchObject({
      status: "not_checkable",
      cause: "face_of_another_version",
    });
    const both = { "text/html": face, "application/json": {} };
    expect(checkFaces(card, both)).toMatchObject({ cause: "face_differs" });
  });
});
