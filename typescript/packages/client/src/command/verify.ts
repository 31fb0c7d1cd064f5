import { createHash } from "node:crypto";
import { isAbsolute, basename } from "node:path";
import { CARD_MIME, isObject, JsonError, MAX_DOCUMENT_BYTES, parseJson, type Verdict } from "@service-nb/records";
import { outputsIn, verifyDocument } from "@service-nb/verify";
import { ServiceError } from "../errors.js";
import { findTrustedKeys, identifyKey, readKeys, type TrustedKey } from "../node/trusted-keys.js";
import { readFile } from "../node/files.js";
import { VERSION } from "../version.js";
import { measureTerminal } from "./console.js";
import { findEmbeddedHash } from "./contract.js";
import {
  buildReportForm,
  describeCard,
  type FileReport,
  findWorst,
  isAccepted,
  type JudgedCard,
  type Report,
  writeReport,
} from "./verdicts.js";
import { type Call, COMMAND, type Reply, type Verb } from "./verb.js";

const CODES = { verified: 0, altered: 1, unaltered: 3, consistent: 4, not_checkable: 5 } as const;

/** Verifies, and replies with the verdicts; fails if something does not hold. */
async function run(call: Call): Promise<Reply> {
  const given = call.texts("key").flatMap((text) => readKeys(text));
  const keys = given.length > 0 ? given : findTrustedKeys();
  const contracts = [await findEmbeddedHash()];
  const files: FileReport[] = [];
  for (const path of call.operands) files.push(await verifyFile(path, keys, contracts));
  const conditions = {
    service_nb: VERSION,
    verified: new Date().toISOString().replace(/\.\d+Z$/, "Z"),
    trusted_keys: keys.map(({ key, name }) => `${key} ${name}`.trim()),
    known_contracts: contracts,
  };
  const report: Report = { files, isStrict: call.has("strict"), conditions };
  return {
    document: buildReportForm(report),
    text: writeReport(report, measureTerminal()),
    code: isAccepted(report) ? CODES[findWorst(report)] : CODES.altered,
  };
}

async function verifyFile(
  path: string,
  keys: readonly TrustedKey[],
  contracts: readonly string[],
): Promise<FileReport> {
  const { bytes } = await readFile(path, MAX_DOCUMENT_BYTES);
  if (Buffer.from(bytes.subarray(0, 6)).toString("latin1") === "SQLite")
    throw new ServiceError("unsupported_source", `${basename(path)} is a database; a ledger is verified by Python.`, {
      hint: "Run: service-nb verify .service",
    });
  const verdicts = verifyDocument(bytes, { keys: keys.map(({ key }) => key), contracts });
  const cards = findCards(bytes);
  return {
    file: isAbsolute(path) ? basename(path) : path,
    sha256: createHash("sha256").update(bytes).digest("hex"),
    cards: verdicts.map((verdict) => judge(verdict, cards.get(verdict.subject), keys)),
  };
}

/** The cards of a document by the subjects of their verdicts; none of what is damaged. */
function findCards(bytes: Uint8Array): ReadonlyMap<string, unknown> {
  try {
    const document = parseJson(bytes, { integers: "exact" });
    if (!isObject(document)) return new Map();
    if (!("nbformat" in document)) return new Map([["card", document]]);
    return new Map(outputsIn(document).map(({ subject, data }) => [subject, data[CARD_MIME]]));
  } catch (error) {
    if (error instanceof JsonError || error instanceof Error) return new Map();
    throw error;
  }
}

function judge(verdict: Verdict, card: unknown, keys: readonly TrustedKey[]): JudgedCard {
  const words = card === undefined ? null : describeCard(card);
  const receipt = isObject(card) ? card["receipt"] : undefined;
  const key = isObject(receipt) ? receipt["public_key"] : undefined;
  const isSigned = verdict.checks.some(({ check, status }) => check === "signature" && status === "passed");
  if (!isSigned || typeof key !== "string") return { verdict, words, signer: null };
  const known = keys.find((each) => each.key === key);
  const signer = { key, id: identifyKey(key), name: known?.name ?? "", trusted: known !== undefined };
  return { verdict, words, signer };
}

export const VERIFY: Verb = {
  name: "verify",
  summary: "Check notebooks, cards and ledger documents: every hash, signature and proof. No network.",
  operands: [{ metavar: "FILE", words: "notebook, card or ledger document as JSON", isMany: true }],
  options: [
    {
      name: "key",
      metavar: "KEY",
      words: "trust this public key, and only those given; may be repeated",
      isMany: true,
    },
    { name: "strict", words: "fail everything that is not verified" },
  ],
  help: `\
Trusted are your own key and those that you trust (service-nb key trust); with --key only those that are given: each the
base64 of 32 bytes, or a file of such, one a line. Whether the text beside a card shows what the card says is not
checkable here: that, the folder of a ledger, and reports are for \`service-nb verify\`.

examples:
  ${COMMAND} verify report.ipynb
  ${COMMAND} verify card.json --key authors.keys --strict --json

exit codes, of the worst that was found:
  0 all verified
  1 something is altered; with --strict: something is not verified
  2 usage
  3 unaltered, signed by a key that is not trusted
  4 consistent, and not signed
  5 not checkable here`,
  run,
};
