import { OWN_CONTRACT } from "../src/contract.js";
import { readFileSync } from "node:fs";
import { nullTranslator } from "@jupyterlab/translation";
import { describe, expect, it } from "vitest";
import { DEFAULTS, faultInWords, isKey, readSettings, type Settings } from "../src/settings.js";

const KEY = "3Q3tn217Fs+GSfmxB4KItxuLP90Mm22xUzvwTZCMyiA=";
const CONTRACT = `sha256:${"0".repeat(64)}`;
const SCHEMA = new URL("../schema/plugin.json", import.meta.url);

describe("settings", () => {
  it("are the defaults where nothing is set", () => {
    for (const nothing of [undefined, null, {}, [], "x"]) {
      expect(readSettings(nothing)).toEqual({ settings: DEFAULTS, faults: [] });
    }
  });

  it("have the defaults that the schema shows", () => {
    const { properties } = JSON.parse(readFileSync(SCHEMA, "utf-8")) as {
      properties: Record<string, { default: unknown }>;
    };
    const shown = Object.fromEntries(Object.entries(properties).map(([name, each]) => [name, each.default]));
    expect(readSettings(shown)).toEqual({ settings: DEFAULTS, faults: [] });
    expect(Object.keys(shown).sort()).toEqual(["digits", "knownContracts", "searchHits", "trustedKeys"]);
  });

  it("are taken as they are where they are good, without the space around a key", () => {
    const given = { trustedKeys: [` ${KEY}\n`], knownContracts: [CONTRACT], searchHits: 5, digits: 4 };
    const settings: Settings = { keys: [KEY], contracts: [OWN_CONTRACT, CONTRACT], searchHits: 5, digits: 4 };
    expect(readSettings(given)).toEqual({ settings, faults: [] });
  });

  it("leave a bad entry out, say which, and keep the good ones", () => {
    const { settings, faults } = readSettings({
      trustedKeys: ["x", KEY, 7, KEY],
      knownContracts: ["sha256:0", CONTRACT],
    });
    expect(settings.keys).toEqual([KEY]);
    expect(settings.contracts).toEqual([OWN_CONTRACT, CONTRACT]);
    expect(faults).toEqual([
      { setting: "trustedKeys", entry: 1, fault: "not_a_key" },
      { setting: "trustedKeys", entry: 3, fault: "not_a_key" },
      { setting: "trustedKeys", entry: 4, fault: "twice" },
      { setting: "knownContracts", entry: 1, fault: "not_a_hash" },
    ]);
  });

  it.each([
    [{ trustedKeys: KEY }, "not_a_list"],
    [{ knownContracts: {} }, "not_a_list"],
    [{ searchHits: 0 }, "not_a_count"],
    [{ searchHits: 1.5 }, "not_a_count"],
    [{ searchHits: 1e9 }, "not_a_count"],
    [{ digits: 18 }, "not_digits"],
  ])("fall back to the default where they are of another kind: %j", (given, fault) => {
    const { settings, faults } = readSettings(given);
    expect(settings).toEqual(DEFAULTS);
    expect(faults.map((each) => each.fault)).toEqual([fault]);
  });

  it("say a fault in words that name the setting and the entry, and never the value", () => {
    const { faults } = readSettings({ trustedKeys: ["<img src=x>"] });
    const [words] = faults.map((fault) => faultInWords(fault, nullTranslator.load("service_nb")));
    expect(words).toContain("trustedKeys, entry 1");
    expect(words).toContain("service-nb login --json");
    expect(words).not.toContain("<img");
  });
});

describe("a key", () => {
  it.each(["", "x", KEY.slice(1), `${KEY}=`, KEY.replace("=", ""), "A".repeat(44), "sha256:00"])(
    "is not %j",
    (text) => {
      expect(isKey(text)).toBe(false);
    },
  );

  it("is the base64 of 32 bytes", () => {
    expect(isKey(KEY)).toBe(true);
  });
});
