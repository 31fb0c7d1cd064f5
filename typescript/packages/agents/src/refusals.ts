/** Why there is no answer, as an agent learns it: a code, and questions that would have one. */

import { parseAsk, type ResolutionForm, ServiceError } from "@service-nb/client/core";
import { cleanText, cleanTree, isPlain } from "./cleaning.js";
import { DETAILED, MAX_CANDIDATES, MAX_DETAIL_CHARS, MAX_NAME_CHARS, QUESTION_PATHS } from "./declared.js";
import { type QueryResult } from "./results.js";
import { findSentence, translateCode, writeSentence } from "./sentences.js";

type Candidate = NonNullable<QueryResult["candidates"]>[number];
type Refused = Pick<
  QueryResult,
  "status" | "text" | "code" | "detail" | "missing" | "unknown" | "did_you_mean" | "candidates" | "refusal_hash" | "card_id"
>; // prettier-ignore
type Failed = { readonly status: "error" } & Pick<QueryResult, "text" | "code" | "detail" | "where" | "expected">;

const STEP = /^[a-z_]+/;

/** What a refusal is known by; neither is there where nothing was asked. */
export interface RefusalIds {
  readonly refusalHash?: string | undefined;
  readonly cardId?: string | undefined;
}

/** Describes a refusal. */
export function describeRefusal(
  status: "needs_clarification" | "rejected",
  form: Partial<ResolutionForm>,
  { refusalHash, cardId }: RefusalIds = {},
): Refused {
  const code = form.rejection_reason ?? status;
  const shown = translateCode(code);
  const candidates = listCandidates(form);
  const sentences = [
    writeSentence(findSentence(shown, status)),
    ...(candidates.length > 0 ? [writeSentence("candidates", { count: candidates.length })] : []),
    ...(refusalHash === undefined ? [] : [writeSentence("recorded_refusal", { refusal_hash: refusalHash })]),
    ...(cardId === undefined ? [] : [writeSentence("card", { card_id: cardId })]),
  ];
  const similar = (form.did_you_mean ?? []).filter((name) => isPlain(name, MAX_NAME_CHARS));
  const unknown = cleanTree(form.unknown ?? [], MAX_NAME_CHARS) as NonNullable<Refused["unknown"]>;
  return {
    status,
    text: sentences.join(" "),
    code: shown,
    ...(isDetailed(shown) && form.reason && { detail: cleanText(form.reason, MAX_DETAIL_CHARS) }),
    ...((form.missing ?? []).length > 0 && { missing: form.missing ?? [] }),
    ...(unknown.length > 0 && { unknown }),
    ...(similar.length > 0 && { did_you_mean: similar }),
    ...(candidates.length > 0 && { candidates }),
    ...(refusalHash !== undefined && { refusal_hash: refusalHash }),
    ...(cardId !== undefined && { card_id: cardId }),
  };
}

/** Describes an error by its code; of the machine, of files and of the policy nothing is told. */
export function describeError(error: unknown): Failed {
  if (!(error instanceof ServiceError)) return describeFailure("internal_error");
  const code = translateCode(error.code);
  const { path, expected } = error.details;
  const step = typeof path === "string" ? STEP.exec(path)?.[0] : undefined;
  const isOfQuestion = step !== undefined && (QUESTION_PATHS as readonly string[]).includes(step);
  const otherwise = error.retryable ? "retryable" : "error";
  const text = writeSentence(isDetailed(code) && !isOfQuestion ? otherwise : findSentence(code, otherwise));
  if (!isOfQuestion || !isDetailed(code)) return { status: "error", text, code };
  const sentence = error.hint === undefined ? error.message : `${error.message} ${error.hint}`;
  const choices: readonly unknown[] = Array.isArray(expected) ? expected : [expected];
  return {
    status: "error",
    text,
    code,
    where: cleanText(String(path), MAX_NAME_CHARS),
    detail: cleanText(sentence, MAX_DETAIL_CHARS),
    ...(expected !== undefined && { expected: choices.map((each) => cleanText(String(each), MAX_NAME_CHARS)) }),
  };
}

/** Describes a fault without words of the client. */
export function describeFailure(code: "internal_error" | "source_not_available"): Failed {
  return { status: "error", text: writeSentence(code), code };
}

function isDetailed(code: string): boolean {
  return (DETAILED as readonly string[]).includes(code);
}

/** The candidates as questions that can be sent as they stand; those that a model could not repeat are left out. */
function listCandidates(form: Partial<ResolutionForm>): readonly Candidate[] {
  const candidates: Candidate[] = [];
  for (const { slot, name, ask } of form.candidates ?? []) {
    if (candidates.length === MAX_CANDIDATES) break;
    const question = toPlainJson(parseAsk(ask));
    if (JSON.stringify(cleanTree(question, MAX_DETAIL_CHARS)) !== JSON.stringify(question)) continue;
    candidates.push({ slot, name: cleanText(name, MAX_NAME_CHARS), question });
  }
  return candidates;
}

/** A spec as JSON: whole numbers beyond 2^53-1 are texts, as they may be in any spec. */
function toPlainJson(spec: object): Readonly<Record<string, unknown>> {
  const text = JSON.stringify(spec, (_, value: unknown) => (typeof value === "bigint" ? String(value) : value));
  return JSON.parse(text) as Readonly<Record<string, unknown>>;
}
