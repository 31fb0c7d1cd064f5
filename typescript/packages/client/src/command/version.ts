import { CARD_MIME, CARD_VERSION } from "@service-nb/records";
import { VERSION } from "../version.js";
import { findEmbeddedHash } from "./contract.js";
import { type Reply, type Verb } from "./verb.js";

/** Lists the versions. Installations whose contract hashes agree give the same answers. */
async function run(): Promise<Reply> {
  const contract = await findEmbeddedHash();
  return {
    document: {
      version: VERSION,
      contract_hash: contract,
      node: process.version,
      card: { version: CARD_VERSION, mime: CARD_MIME },
    },
    text: [
      `service-nb-client ${VERSION}`,
      `contract   ${contract}`,
      `node       ${process.version}`,
      `cards      ${String(CARD_VERSION)}`,
    ].join("\n"),
  };
}

export const VERSIONS: Verb = {
  name: "version",
  summary: "Print the versions of the client, the contract, Node and the cards.",
  operands: [],
  options: [],
  help: "",
  run,
};
