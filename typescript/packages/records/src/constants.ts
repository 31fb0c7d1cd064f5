// Written by typescript/shapes.py from service_nb/schema.

export const CARD_MIME = "application/vnd.service-nb.card.v1+json" as const;

export const CARD_VERSION = 1;

export const STATEMENT_TYPE = "https://in-toto.io/Statement/v1" as const;

export const PAYLOAD_TYPE = "application/vnd.in-toto+json" as const;

export const INDEX_PREDICATE_TYPE = "urn:service-nb:index:v1" as const;

export const PREDICATE_TYPES = {
  query: "urn:service-nb:query:v1",
  clarification: "urn:service-nb:refusal:v1",
  rejection: "urn:service-nb:refusal:v1",
  error: "urn:service-nb:error:v1",
  computation: "urn:service-nb:computation:v1",
  replay: "urn:service-nb:replay:v1",
} as const;

export const LEDGER_VERSION = 1;

export const MAX_DEPTH = 64;

export const MAX_NUMBER_CHARS = 400;

export const MAX_DOCUMENT_BYTES = 33554432;

export const MAX_STATEMENT_BYTES = 262144;

export const MAX_CARD_BYTES = 1048576;

export const UNDECIDING = ["card_out_of_order", "card_repeated", "not_sealed", "rows_not_kept", "text_not_kept", "unknown_signer", "unsigned"] as const;

export const LETTERS_NOTE = "text is compared letter by letter" as const;

export const CARD_KINDS = {
  query: {"texts": ["plan", "result", "provenance"], "digests": ["plan_hash", "result_hash", "schema_revision", "provenance_hash"], "statuses": ["ok"], "shownFrom": ["plan", "provenance"]},
  clarification: {"texts": ["spec", "resolution"], "digests": ["refusal_hash"], "statuses": ["needs_clarification"], "shownFrom": ["spec", "resolution"]},
  rejection: {"texts": ["spec", "resolution"], "digests": ["refusal_hash"], "statuses": ["rejected"], "shownFrom": ["spec", "resolution"]},
  error: {"texts": ["error"], "digests": ["error_hash"], "statuses": ["error"], "shownFrom": ["error"]},
  computation: {"texts": ["identity", "arguments", "value", "definition", "provenance"], "digests": ["input_hash", "invocation_hash", "computation_hash", "contract_hash", "definition_hash", "provenance_hash"], "statuses": ["ok"], "shownFrom": ["identity", "definition", "provenance"]},
  replay: {"texts": ["report"], "digests": ["replay_hash"], "statuses": ["identical", "differs", "refused"], "shownFrom": ["report"]},
} as const;

export const DIGESTS = {
  plan_hash: {"domain": "service:plan:v1", "after": "", "texts": ["plan"]},
  result_hash: {"domain": "service:result:v1", "after": "plan_hash", "texts": ["result"]},
  refusal_hash: {"domain": "service:refusal:v2", "after": "", "texts": ["spec", "resolution"]},
  error_hash: {"domain": "service:error:v1", "after": "", "texts": ["error"]},
  input_hash: {"domain": "", "after": "", "texts": ["arguments"]},
  invocation_hash: {"domain": "service:invocation:v1", "after": "", "texts": ["identity"]},
  computation_hash: {"domain": "service:computation:v1", "after": "invocation_hash", "texts": ["value"]},
  definition_hash: {"domain": "service:definition:v1", "after": "", "texts": ["definition"]},
  provenance_hash: {"domain": "service:provenance:v1", "after": "", "texts": ["provenance"]},
  replay_hash: {"domain": "service:replay:v1", "after": "", "texts": ["report"]},
} as const;

export const QUOTED = {
  schema_revision: "plan",
  contract_hash: "identity",
} as const;

export const NAME_HEADS = ["0.1.0"] as const;

export const NOTEBOOK_FORMAT = 4;

export const OTHER_CELLS = ["worksheets"] as const;

export const CELL_TYPES = ["code", "markdown", "raw"] as const;

export const OUTPUT_CELL = "code" as const;

export const OUTPUT_TYPES = {
  display_data: "data",
  execute_result: "data",
  update_display_data: "data",
  stream: "text",
  error: "traceback",
} as const;

export type CardKind = keyof typeof CARD_KINDS;
