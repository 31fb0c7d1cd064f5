import { decodeText, isObject, own, ShapeError } from "@service-nb/records";
import type { Derived } from "./comparing.js";
import { askLine } from "./words.js";

type Members = Readonly<Record<string, unknown>>;

const REFUSED = ["reason", "rejection_reason", "rule", "missing", "did_you_mean", "candidates"];
const REPLAYED = [
  ...["status", "subject", "result_id", "question", "cause", "message"],
  ...["digest", "expected", "met", "sources", "changes"],
];

/** What the view of a question that was not run must be. */
export function deriveRefusal(status: string, texts: Members): Derived {
  const ask = askLine(decodeText.spec(texts["spec"]));
  return derived({ status, question: ask, ask, ...part(texts["resolution"], REFUSED) });
}

/** What the view of an error must be. */
export function deriveError(texts: Members): Derived {
  return derived({ status: "error", ...part(texts["error"], ["code", "message", "hint"]) });
}

/** What the view of a replay must be. */
export function deriveReplay(texts: Members): Derived {
  const report = decodeText.object(texts["report"]);
  const compared = own(report, "comparison") ?? null;
  if (compared === null) return derived({ ...part(report, REPLAYED), rows: [], row_count: 0 });
  const differences = isObject(compared) ? own(compared, "differences") : undefined;
  if (!isObject(compared) || !Array.isArray(differences)) throw new ShapeError("comparison", "a list of differences");
  const rows = differences.map((each: unknown) => Object.values(part(each, ["where", "expected", "met", "ulps"])));
  return derived({ ...part(report, REPLAYED), rows, row_count: own(compared, "differing") ?? null });
}

function derived(leaves: Members): Derived {
  return { leaves, hasRows: true };
}

/** Some members of an object; null where one is missing. */
function part(value: unknown, keys: readonly string[]): Members {
  const members = decodeText.object(value);
  return Object.fromEntries(keys.map((key) => [key, own(members, key) ?? null]));
}
