/** The sources that an agent can ask, as it learns of them. */

import { type ServiceSource } from "@service-nb/client/core";
import { isPlain } from "./cleaning.js";
import { MAX_FIELDS, MAX_NAME_CHARS, MAX_OWN_FIELDS, MAX_SOURCES } from "./declared.js";
import { type SourcesResult } from "./results.js";
import { writeSentence } from "./sentences.js";

type Listed = NonNullable<SourcesResult["sources"]>[number];

/** Whether a model can repeat a name to the letter. */
export function isSendable(name: string): boolean {
  return isPlain(name, MAX_NAME_CHARS);
}

/** The sources whose names a model can send. */
export function selectSources(all: readonly ServiceSource[]): readonly ServiceSource[] {
  return all.filter(({ name }) => isSendable(name));
}

/** Lists all sources, with the first fields of each. */
export function describeSources(all: readonly ServiceSource[]): SourcesResult {
  const known = selectSources(all);
  const sources = known.slice(0, MAX_SOURCES).map((source) => describeSource(source, MAX_FIELDS));
  const isShort = sources.length < known.length;
  const hasMore = sources.some(({ fields, field_count: count }) => fields.length < (count ?? 0));
  const sentences = [
    known.length > 0 ? writeSentence("listed", { count: known.length }) : writeSentence("no_sources"),
    ...(isShort ? [writeSentence("more_sources", { listed: sources.length, count: known.length })] : []),
    ...(hasMore ? [writeSentence("more_fields")] : []),
  ];
  return {
    status: "ok",
    text: sentences.join(" "),
    ...((isShort || hasMore) && { narrow: writeSentence("narrow_fields") }),
    sources,
    source_count: known.length,
    truncated: isShort || hasMore,
  };
}

/** Lists one source, with all of its fields. */
export function describeOneSource(source: ServiceSource): SourcesResult {
  const listed = describeSource(source, MAX_OWN_FIELDS);
  const count = source.typed_fields.length;
  const safe = source.typed_fields.filter((field) => isSendable(field.name)).length;
  const sentences = [
    writeSentence("listed_one", { count }),
    ...(safe > MAX_OWN_FIELDS ? [writeSentence("first_fields", { listed: MAX_OWN_FIELDS })] : []),
    ...(safe < count ? [writeSentence("unlisted", { count: count - safe })] : []),
  ];
  const isCut = listed.fields.length < count;
  return { status: "ok", text: sentences.join(" "), sources: [listed], source_count: 1, truncated: isCut };
}

function describeSource({ name, row_count, typed_fields }: ServiceSource, most: number): Listed {
  const fields = typed_fields.filter((field) => isSendable(field.name)).slice(0, most);
  const listed = fields.map((field) => ({ name: field.name, type: field.type }));
  return { name, row_count, field_count: typed_fields.length, fields: listed };
}
