/** The types of what the tools return, from the schemas that are declared for it. */

import { type TOOLS } from "./declared.js";

type Members<S extends { readonly properties: object }> = {
  readonly [K in keyof S["properties"]]: FromSchema<S["properties"][K]>;
};

type Required<S> = S extends { readonly required: readonly (infer K)[] } ? K : never;

type ObjectOf<S extends { readonly properties: object }> = Pick<Members<S>, Extract<Required<S>, keyof Members<S>>> &
  Partial<Omit<Members<S>, Extract<Required<S>, keyof Members<S>>>>;

/** The type of the values that a JSON schema describes. */
export type FromSchema<S> = S extends { readonly enum: readonly (infer E)[] }
  ? E
  : S extends { readonly type: readonly ["string", "null"] }
    ? string | null
    : S extends { readonly type: "string" }
      ? string
      : S extends { readonly type: "integer" }
        ? number
        : S extends { readonly type: "boolean" }
          ? boolean
          : S extends { readonly type: "array"; readonly items: infer I }
            ? readonly FromSchema<I>[]
            : S extends { readonly properties: object }
              ? ObjectOf<S>
              : Readonly<Record<string, unknown>>;

type ResultOf<N> = FromSchema<Extract<(typeof TOOLS)[number], { readonly name: N }>["result"]>;

/** What `listSources` returns. */
export type SourcesResult = ResultOf<"listSources">;
/** What `queryData` returns. */
export type QueryResult = ResultOf<"queryData">;
/** What `explainQuery` returns. */
export type ExplainResult = ResultOf<"explainQuery">;
