/** The sources and connectors of a deployment; a source whose description contradicts itself is refused. */

import { hashSchema } from "../digests.js";
import { beyondLimit, ServiceError } from "../errors.js";
import { describeValue, makeVisible } from "../query/text.js";
import { type Limits, type Reading } from "../readers/options.js";
import { type Content, type LiveContent } from "../source.js";
import {
  type ConnectorTest,
  type Deployment,
  type Descriptor,
  type LiveOptions,
  type LiveSource,
  type StoredConnector,
} from "../service/live.js";
import { buildField, type Field, findDecimalSize } from "../values/columns.js";
import { type DeploymentClient } from "./client.js";
import { describeOrigin, listSecrets } from "./descriptors.js";
import { DeploymentExecutor } from "./executor.js";
import { buildMismatch, buildUnavailable } from "./faults.js";
import { type ConnectorAnswer, type SourceAnswer } from "./messages.js";
import { readRemotely, runRemotely } from "./remote-source.js";

const CONNECT_S = 60;
const TEST_S = 15; // that trying a connector may take
const LIST_S = 15;
const NAMED_S = 5; // that a question waits for a source that it names
const SILENT_S = 15; // for which a deployment that did not answer is not called again
const MOST_NOTES = 100;
const MOST_NOTE = 1_000; // characters
const PLAIN_TYPES: readonly string[] = ["int64", "float64", "string", "boolean", "date", "datetime"];
const DIGEST = /^[0-9a-f]{64}$/;

/** Builds the sources of a deployment; `now` is in milliseconds. */
export function buildDeployment(client: DeploymentClient, limits: Limits, now: () => number): Deployment {
  let silentUntil = 0;

  async function connect(name: string, connector: Descriptor, options: LiveOptions): Promise<LiveSource> {
    const said = Object.entries(options).filter(([, each]) => Object.keys(each as object).length > 0);
    const body = { name, ...describeOrigin(connector), ...Object.fromEntries(said) };
    const about = { timeoutS: CONNECT_S, hidden: listSecrets(connector) };
    return buildSource(client, limits, name, await client.post("/v1/sources", body, "SourceAnswer", about));
  }

  async function open(name: string, timeoutS = CONNECT_S): Promise<LiveSource> {
    const answer = await client.get(`/v1/sources/${quoteSegment(name)}`, "SourceAnswer", { timeoutS });
    silentUntil = 0;
    return buildSource(client, limits, name, answer);
  }

  async function openNamed(name: string): Promise<LiveSource> {
    const left = silentUntil - now();
    if (left > 0) throw explainSilence(client.host, name, left / 1_000, "did not answer the previous call");
    try {
      return await open(name, NAMED_S);
    } catch (error) {
      if (!(error instanceof ServiceError) || error.code !== "timeout") throw error;
      silentUntil = now() + SILENT_S * 1_000;
      throw explainSilence(client.host, name, SILENT_S, `does not answer within ${String(NAMED_S)} s`);
    }
  }

  return {
    connect,
    open: (name) => open(name),
    openNamed,
    refresh: (name) => refresh(client, limits, name),
    forget: (name) => client.delete(`/v1/sources/${quoteSegment(name)}`, { timeoutS: LIST_S }),
    forgetConnector: (id) => client.delete(`/v1/connectors/${quoteSegment(id)}`, { timeoutS: LIST_S }),
    listNames: async () => {
      const { sources } = await client.get("/v1/sources", "SourcesAnswer", { timeoutS: LIST_S });
      return [...new Set(sources.map((source) => source.name))].sort();
    },
    testConnector: (connector) => testConnector(client, connector),
    createConnector: (connector, name) => createConnector(client, connector, name),
    listConnectors: async () => {
      const { connectors } = await client.get("/v1/connectors", "ConnectorsAnswer", { timeoutS: LIST_S });
      return connectors.map(describeConnector);
    },
    createExecutor: (readContract) => new DeploymentExecutor(client, readContract, now),
    close: () => {
      client.close();
    },
  };
}

async function refresh(client: DeploymentClient, limits: Limits, name: string): Promise<LiveSource> {
  const path = `/v1/sources/${quoteSegment(name)}`;
  const answer = await client.post(path, undefined, "SourceAnswer", { timeoutS: CONNECT_S });
  return buildSource(client, limits, name, answer);
}

function explainSilence(host: string, name: string, leftS: number, when: string): ServiceError {
  return buildUnavailable(
    "timed_out",
    `${describeValue(name)} is not connected, and the deployment at ${host} ${when}.`,
    {
      passes: true,
      hint: `Retry in ${leftS.toFixed(0)} s, or use connect(null, { name }), which retries now and waits longer.`,
      details: { met: name },
    },
  );
}

// --- connectors ---------------------------------------------------------------------------------------------------------

async function testConnector(client: DeploymentClient, descriptor: Descriptor): Promise<ConnectorTest> {
  const about = { timeoutS: TEST_S, hidden: listSecrets(descriptor) };
  const told = await client.post("/v1/connectors/test", { descriptor }, "TestAnswer", about);
  const { success, message, code } = told;
  const shown = { success, message: makeVisible(message.slice(0, 2_000)) };
  return typeof code === "string" ? { ...shown, code: makeVisible(code.slice(0, 64)) } : shown;
}

async function createConnector(
  client: DeploymentClient,
  descriptor: Descriptor,
  name: string | undefined,
): Promise<StoredConnector> {
  const about = { timeoutS: CONNECT_S, hidden: listSecrets(descriptor) };
  const body = { descriptor, ...(name !== undefined && { name }) };
  return describeConnector(await client.post("/v1/connectors", body, "ConnectorAnswer", about));
}

function describeConnector({ id, type, name, created, descriptor = {} }: ConnectorAnswer): StoredConnector {
  return {
    id,
    type,
    ...(typeof name === "string" && { name }),
    ...(typeof created === "string" && { created }),
    descriptor,
  };
}

/** A name as one segment of a path; a name of dots would mean the folder above. */
function quoteSegment(name: string): string {
  if (!name.isWellFormed()) throw mismatch("cannot be asked for: the source's name is not printable text");
  const quoted = encodeURIComponent(name);
  return /^\.+$/.test(name) ? quoted.replaceAll(".", "%2E") : quoted;
}

// --- the description of a source ------------------------------------------------------------------------------------------

function buildSource(client: DeploymentClient, limits: Limits, name: string, answer: SourceAnswer): LiveSource {
  const fields = readFields(answer, limits);
  if (answer.name !== name) throw mismatch(`describes ${describeValue(answer.name)}, and not ${describeValue(name)}`);
  const revision = answer.schema_revision;
  if (revision !== hashSchema(fields)) throw mismatch("describes other columns than those of its schema_revision");
  const remote = { dataset: name, fields, revision, mark: answer.mark ?? undefined, limits };
  return {
    name,
    fields,
    rowCount: answer.row_count,
    content: readContent(answer),
    reading: readReading(answer),
    aliases: new Map(Object.entries(answer.aliases ?? {})),
    notes: (answer.notes ?? []).slice(0, MOST_NOTES).map((note) => makeVisible(note.slice(0, MOST_NOTE))),
    mark: remote.mark,
    run: (plan, timeoutS) => runRemotely(client, remote, plan, timeoutS),
    readColumns: (plan, timeoutS) => readRemotely(client, remote, plan, timeoutS),
  };
}

function readFields({ fields: names, typed_fields: typed }: SourceAnswer, limits: Limits): readonly Field[] {
  if (typed.length > limits.columns)
    throw beyondLimit(`The source has ${String(typed.length)} columns; at most ${String(limits.columns)} are read.`, {
      limit: limits.columns,
      value: typed.length,
    });
  const fields = typed.map(({ name, type, physical, zone }) => ({ name, type, physical, ...(zone !== undefined && { zone }) })); // prettier-ignore
  const isSame = fields.length === names.length && fields.every(({ name }, at) => name === names[at]);
  if (!isSame || new Set(names).size !== names.length || !fields.every(isField))
    throw mismatch("describes columns that no source has");
  return fields;
}

function isField({ name, type, physical }: Field): boolean {
  const size = findDecimalSize(physical);
  const isExact = size !== undefined && size.precision >= 1 && size.precision <= 38 && size.scale <= 38;
  const isOneSpelling = size !== undefined && physical === `decimal(${String(size.precision)},${String(size.scale)})`;
  const isKnown = PLAIN_TYPES.includes(physical) || (isExact && isOneSpelling);
  return name !== "" && isKnown && buildField(name, physical).type === type;
}

/** A digest for pages that were read once, none for a database. */
function readContent({ content: { algorithm, sha256 }, row_count: size }: SourceAnswer): Content | LiveContent {
  const hasDigest = algorithm === "sha256-arrow" && typeof sha256 === "string" && DIGEST.test(sha256);
  return hasDigest ? { algorithm, sha256, size } : { algorithm: "live", sha256: null, size };
}

/** The declared types of the columns that are visible. */
function readReading({ reading, fields }: SourceAnswer): Reading {
  const told = Object.entries(reading?.types ?? {}).filter(([name]) => fields.includes(name));
  return told.length > 0 ? { types: Object.fromEntries(told.sort()) } : {};
}

function mismatch(what: string): ServiceError {
  return buildMismatch(`The deployment's answer ${what}.`, "Nothing was registered. Connect it again.");
}
