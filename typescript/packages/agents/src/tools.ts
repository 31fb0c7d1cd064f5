/** The three tools over a client. They never throw: whatever happens is a result that a model can read. */

import {
  describeValue,
  type PlanResponse,
  type QueryOutcome,
  type Service,
  ServiceError,
} from "@service-nb/client/core";
import { type JSONSchema7, jsonSchema, type Schema, type Tool } from "ai";
import { describeAnswer, describeExplained } from "./answers.js";
import { MAX_INPUT_CHARS, MAX_SOURCES, TOOLS } from "./declared.js";
import { describeError, describeFailure, describeRefusal } from "./refusals.js";
import { type ExplainResult, type QueryResult, type SourcesResult } from "./results.js";
import { describeOneSource, describeSources, selectSources } from "./sources.js";

/** What the tools use of a client: nothing in it writes. */
export type AskedService = Pick<Service, "ask" | "resolve" | "listSources">;

export interface ToolOptions {
  /**
   * Keeps each outcome of `queryData` with its card, answers and refusals alike, before the model has it. Where this
   * throws, the model is told that nothing was answered.
   */
  readonly onOutcome?: ((outcome: QueryOutcome) => void | PromiseLike<void>) | undefined;
}

/** A tool that takes whatever a model sends, and always has a result. */
export type AgentTool<R> = Tool<unknown, R> & { readonly execute: (input: unknown) => Promise<R> };

/** The tools, as `generateText` and `streamText` take them. */
// eslint-disable-next-line @typescript-eslint/consistent-type-definitions -- an interface is no ToolSet
export type AgentTools = {
  readonly listSources: AgentTool<SourcesResult>;
  readonly queryData: AgentTool<QueryResult>;
  readonly explainQuery: AgentTool<ExplainResult>;
};

/**
 * Creates the tools `listSources`, `queryData` and `explainQuery` over a client.
 *
 * Whatever a model sends reaches the client, which judges it: a refusal is a recorded outcome, with questions that can
 * be sent in its place.
 *
 * @throws {ServiceError} `invalid_intent` of what is no client, and of an option that is none.
 */
export function createTools(service: AskedService, options: ToolOptions = {}): AgentTools {
  requireArguments(service, options);
  const { onOutcome } = options;
  return {
    listSources: {
      description: LIST.description,
      inputSchema: () => buildInput(LIST.input, service),
      execute: (input) => answerOr<SourcesResult>(() => listSources(service, input)),
    },
    queryData: {
      description: QUERY.description,
      inputSchema: () => buildInput(QUERY.input, service),
      execute: (input) => answerOr<QueryResult>(() => queryData(service, input, onOutcome)),
    },
    explainQuery: {
      description: EXPLAIN.description,
      inputSchema: () => buildInput(EXPLAIN.input, service),
      execute: (input) => answerOr<ExplainResult>(() => explainQuery(service, input)),
    },
  };
}

/** Checked when the tools are made: when a model calls them, nobody would read why they fail. */
function requireArguments(service: unknown, options: unknown): void {
  if (!hasMethods(service, ["ask", "resolve", "listSources"]))
    throw new ServiceError("invalid_intent", "createTools takes a client first, which this is not.", {
      hint: "Write: createTools(createService())",
      details: { path: "service" },
    });
  const { onOutcome, ...rest } = typeof options === "object" && options !== null ? (options as Input) : { options };
  const [unknown] = Object.keys(rest);
  if (unknown !== undefined || (onOutcome !== undefined && typeof onOutcome !== "function"))
    throw new ServiceError("invalid_intent", "createTools takes one option, the function `onOutcome`.", {
      hint: "Write: createTools(service, { onOutcome: ({ card }) => keep(card) })",
      details: { path: unknown ?? "onOutcome" },
    });
}

function hasMethods(met: unknown, names: readonly string[]): boolean {
  if (typeof met !== "object" || met === null) return false;
  return names.every((name) => typeof (met as Input)[name] === "function");
}

const [LIST, QUERY, EXPLAIN] = TOOLS;

type Input = Readonly<Record<string, unknown>>;

type Failed = ReturnType<typeof describeError>;

async function answerOr<T>(answer: () => T | Promise<T>): Promise<T | Failed> {
  try {
    return await answer();
  } catch (error) {
    return describeError(error);
  }
}

function listSources(service: AskedService, input: unknown): SourcesResult {
  const name = readSourceName(readInput(input));
  const sources = service.listSources();
  if (name === undefined) return describeSources(sources);
  const found = selectSources(sources).find((source) => source.name === name);
  return found === undefined ? describeFailure("source_not_available") : describeOneSource(found);
}

async function queryData(
  service: AskedService,
  input: unknown,
  onOutcome: ToolOptions["onOutcome"],
): Promise<QueryResult> {
  const outcome = await service.ask(readInput(input));
  await onOutcome?.(outcome);
  return describeAnswer(outcome) ?? describeRefused(outcome);
}

async function explainQuery(service: AskedService, input: unknown): Promise<ExplainResult> {
  const response = await service.resolve(readInput(input));
  return describeExplained(response) ?? describeRefused(response);
}

function describeRefused(refused: QueryOutcome | PlanResponse): ReturnType<typeof describeRefusal> {
  const status = refused.status === "ok" ? "rejected" : refused.status;
  if (!("card" in refused)) return describeRefusal(status, refused);
  return describeRefusal(status, refused.resolution, { refusalHash: refused.refusal_hash, cardId: refused.result_id });
}

/**
 * Reads an input as the JSON object that it was sent as.
 *
 * @throws {ServiceError} `invalid_intent` of what is no object, `limit_exceeded` of a long one.
 */
function readInput(input: unknown): Input {
  const given = input ?? {};
  if (typeof given !== "object" || Array.isArray(given))
    throw malformedInput(`The input is ${describeValue(given)}; expected an object.`, "an object");
  let text: string;
  try {
    text = JSON.stringify(given);
  } catch {
    throw malformedInput("The input is no JSON, or too deep.", "an object");
  }
  if (text.length > MAX_INPUT_CHARS) {
    const [size, most] = [text.length, MAX_INPUT_CHARS].map((each) => each.toLocaleString("en-US"));
    const message = `The input has ${size ?? ""} characters; at most ${most ?? ""} are taken.`;
    throw new ServiceError("limit_exceeded", message, { details: { path: "input", limit: MAX_INPUT_CHARS } });
  }
  const read: unknown = JSON.parse(text);
  if (typeof read === "object" && read !== null && !Array.isArray(read)) return read as Input;
  throw malformedInput("The input is no JSON, or too deep.", "an object");
}

function readSourceName(input: Input): string | undefined {
  const { source_name: name, ...rest } = input;
  const [unknown] = Object.keys(rest);
  if (unknown === undefined && (typeof name === "string" || name === undefined || name === null))
    return name ?? undefined;
  const met = describeValue(unknown ?? name);
  throw malformedInput(`listSources takes source_name, a name, and nothing else; it got ${met}.`, "source_name");
}

function malformedInput(message: string, expected: string): ServiceError {
  return new ServiceError("invalid_intent", message, { details: { path: "input", expected } });
}

/** The schema of an input with the names of the sources as they are now; it is shown to models and refuses nothing. */
function buildInput(declared: (typeof TOOLS)[number]["input"], service: AskedService): Schema {
  const names = selectSources(listNow(service)).map(({ name }) => name);
  const { source_name: source, ...others } = declared.properties;
  const isNamed = names.length > 0 && names.length <= MAX_SOURCES;
  const named = isNamed ? { ...source, enum: names } : source;
  const schema: unknown = { ...declared, properties: { source_name: named, ...others } };
  return jsonSchema(schema as JSONSchema7, { validate: (value) => ({ success: true, value }) });
}

function listNow(service: AskedService): ReturnType<AskedService["listSources"]> {
  try {
    return service.listSources();
  } catch {
    return []; // the tools say why, when they are called
  }
}
