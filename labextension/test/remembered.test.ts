import { expect, it } from "vitest";
import { Remembered } from "../src/remembered.js";

it("what is remembered is found by its whole text", () => {
  const remembered = new Remembered<number>(100);
  remembered.set("one", 1);
  expect(remembered.get("one")).toBe(1);
  expect(remembered.get("One")).toBeUndefined();
});

it("the oldest is forgotten when the texts are too long together", () => {
  const remembered = new Remembered<number>(6);
  remembered.set("one", 1);
  remembered.set("two", 2);
  remembered.set("six", 6);
  expect(remembered.get("one")).toBeUndefined();
  expect(remembered.get("two")).toBe(2);
  expect(remembered.get("six")).toBe(6);
});

it("a text that is too long alone is not kept, and pushes nothing out", () => {
  const remembered = new Remembered<number>(6);
  remembered.set("one", 1);
  remembered.set("a thousand", 1000);
  expect(remembered.get("a thousand")).toBeUndefined();
  expect(remembered.get("one")).toBe(1);
});

it("a text counts once, however often it is set", () => {
  const remembered = new Remembered<number>(6);
  for (const value of [1, 2, 3]) remembered.set("one", value);
  remembered.set("two", 2);
  expect(remembered.get("one")).toBe(1);
});

it("nothing is left after it was cleared, and all the room is there again", () => {
  const remembered = new Remembered<number>(6);
  remembered.set("one", 1);
  remembered.set("two", 2);
  remembered.clear();
  remembered.set("ten", 10);
  remembered.set("six", 6);
  expect(remembered.get("one")).toBeUndefined();
  expect(remembered.get("ten")).toBe(10);
});
