// Written by typescript/shapes.py from service_nb/deployment.

/** One column: all values that meet the plan's conditions, in the order of the source, nulls among them. `sha256` is that of the canonical JSON of its values. */
export interface ColumnValues {
  readonly name: string;
  readonly physical: string;
  readonly sha256: string;
  readonly values: readonly (string | number | boolean | null)[];
}

/** The group columns of a plan, not grouped; the same length each. */
export interface ColumnsAnswer {
  readonly columns: readonly ColumnValues[];
}

/** A computation's result: the specification's fields. */
export interface ComputeAnswer {
  readonly status: "ok";
  readonly value: unknown;
  readonly value_type: string;
  readonly module: string;
  readonly function: string;
  readonly invocation_hash: string;
  readonly computation_hash: string;
  readonly contract_hash: string;
  readonly determinism: Readonly<Record<string, unknown>>;
  readonly latency_ms: number;
  readonly request_id: string;
  readonly provenance?: Readonly<Record<string, unknown>> | null;
}

/** The results of several calls, in their order. */
export interface ComputeManyAnswer {
  readonly results: readonly ComputeAnswer[];
}

/** A stored connector; `descriptor` has no secrets. */
export interface ConnectorAnswer {
  readonly id: string;
  readonly type: string;
  readonly name?: string | null;
  readonly created?: string | null;
  readonly descriptor?: Readonly<Record<string, string | number | boolean | null>>;
}

/** The tenant's connectors, by age. */
export interface ConnectorsAnswer {
  readonly connectors: readonly ConnectorAnswer[];
}

/** The deployment's version and limits, and the permissions of the key. */
export interface DeploymentAnswer {
  readonly version: string;
  readonly contract_hash: string;
  readonly tenant: string;
  readonly key_id: string;
  readonly scopes: readonly ("compute" | "connectors" | "metrics" | "query" | "results" | "sources")[];
  readonly policy: Readonly<Record<string, unknown>>;
  readonly limits: LimitsAnswer;
  readonly connectors: readonly KindAnswer[];
  readonly runtime?: RuntimeAnswer | null;
}

/** A device's code and the code that its user tells whoever runs the deployment (RFC 8628, 3.2). */
export interface DeviceCodeAnswer {
  readonly device_code: string;
  readonly user_code: string;
  readonly verification_uri: string;
  readonly expires_in: number;
  readonly interval: number;
  readonly verification_uri_complete?: string | null;
}

/** The key of an enrolled device (RFC 8628, 3.5). */
export interface DeviceTokenAnswer {
  readonly access_token: string;
  readonly token_type: "Bearer";
  readonly scope?: string;
}

/** Every answer that is an error. `error` and `error_description` are RFC 8628's, of `/v1/device/token` alone. */
export interface ErrorBody {
  readonly code: string;
  readonly message: string;
  readonly request_id: string;
  readonly source: "engine" | "service";
  readonly retryable: boolean;
  readonly hint?: string | null;
  readonly details?: Readonly<Record<string, unknown>>;
  readonly error?: string;
  readonly error_description?: string;
}

/** A kind of live source, its descriptor's keys, and whether its driver is installed at the deployment. */
export interface KindAnswer {
  readonly type: string;
  readonly title: string;
  readonly group: string;
  readonly keys: readonly string[];
  readonly options?: Readonly<Record<string, string>>;
  readonly secrets?: readonly string[];
  readonly extra?: string | null;
  readonly installed?: boolean;
}

/** The limits on the size, time and rate of requests. */
export interface LimitsAnswer {
  readonly body_bytes: number;
  readonly timeout_s: number;
  readonly requests_per_s: number;
  readonly burst: number;
  readonly calls: number;
  readonly groups: number;
  readonly rows: number;
}

/** The outcome of a question. `data` and `columns` are there when it is `ok`, the refusal's id and hash else. */
export interface QueryAnswer {
  readonly status: "needs_clarification" | "ok" | "rejected";
  readonly resolution: Readonly<Record<string, unknown>>;
  readonly data?: QueryData | null;
  readonly columns?: readonly ResultColumn[] | null;
  readonly refusal_hash?: string | null;
  readonly result_id?: string | null;
}

/** The `data` of an outcome: rows in their order, and what is needed to check them. */
export interface QueryData {
  readonly query_id: string;
  readonly result: readonly (Readonly<Record<string, string | number | boolean | null>>)[];
  readonly result_type: string;
  readonly confidence: number;
  readonly plan: readonly string[];
  readonly row_count: number;
  readonly decision_path: string;
  readonly plan_hash: string;
  readonly schema_revision: string;
  readonly validated: boolean;
  readonly deterministic_scope: string;
  readonly result_hash: string;
  readonly provenance: QueryProvenance;
  readonly latency_ms: number;
}

/** The method that made an answer exact, the engine that ran it, and the rows that it used. */
export interface QueryProvenance {
  readonly method: string;
  readonly engine: string;
  readonly notes?: Readonly<Record<string, string>>;
  readonly used_rows?: number | null;
  readonly dropped?: Readonly<Record<string, number>>;
}

/** A column of a result. */
export interface ResultColumn {
  readonly name: string;
  readonly type: string;
  readonly physical: string;
  readonly role: "count" | "key" | "metric";
  readonly zone?: string;
}

/** The runtime that computes here, as every determinism envelope states it. */
export interface RuntimeAnswer {
  readonly platform: string;
  readonly architecture: string;
  readonly kernel_build: string;
  readonly bundle_version: string;
  readonly bundle_sha256: string;
  readonly libraries: Readonly<Record<string, string>>;
  readonly is_pinned: boolean;
  readonly profile?: string | null;
  readonly modules?: readonly string[];
}

/** A ServiceSource. */
export interface SourceAnswer {
  readonly name: string;
  readonly source_id: string;
  readonly dataset_id: string;
  readonly fields: readonly string[];
  readonly typed_fields: readonly TypedField[];
  readonly row_count: number;
  readonly schema_revision: string;
  readonly status: string;
  readonly content: SourceContent;
  readonly reading?: SourceReading | null;
  readonly aliases?: Readonly<Record<string, string>>;
  readonly notes?: readonly string[];
  readonly engine?: string | null;
  readonly mark?: string | null;
}

/** The content of a source. A live source has no digest: it may change between questions. */
export interface SourceContent {
  readonly algorithm: string;
  readonly sha256?: string | null;
  readonly rows?: number | null;
}

/** The types that were declared when a source was read, of the columns that the key may see. */
export interface SourceReading {
  readonly types?: Readonly<Record<string, string>>;
}

/** The sources that the key may see, by name. */
export interface SourcesAnswer {
  readonly sources: readonly SourceAnswer[];
}

/** The result of a connector's test, by the deadline; `message` explains a failure, `code` is its error's code. */
export interface TestAnswer {
  readonly success: boolean;
  readonly message: string;
  readonly code?: string | null;
}

/** A column of a source: its type, and how its values are held. */
export interface TypedField {
  readonly name: string;
  readonly type: "boolean" | "date" | "datetime" | "number" | "string";
  readonly physical: string;
  readonly zone?: "UTC";
}

/** The messages by name. */
export interface Messages {
  readonly ColumnValues: ColumnValues;
  readonly ColumnsAnswer: ColumnsAnswer;
  readonly ComputeAnswer: ComputeAnswer;
  readonly ComputeManyAnswer: ComputeManyAnswer;
  readonly ConnectorAnswer: ConnectorAnswer;
  readonly ConnectorsAnswer: ConnectorsAnswer;
  readonly DeploymentAnswer: DeploymentAnswer;
  readonly DeviceCodeAnswer: DeviceCodeAnswer;
  readonly DeviceTokenAnswer: DeviceTokenAnswer;
  readonly ErrorBody: ErrorBody;
  readonly KindAnswer: KindAnswer;
  readonly LimitsAnswer: LimitsAnswer;
  readonly QueryAnswer: QueryAnswer;
  readonly QueryData: QueryData;
  readonly QueryProvenance: QueryProvenance;
  readonly ResultColumn: ResultColumn;
  readonly RuntimeAnswer: RuntimeAnswer;
  readonly SourceAnswer: SourceAnswer;
  readonly SourceContent: SourceContent;
  readonly SourceReading: SourceReading;
  readonly SourcesAnswer: SourcesAnswer;
  readonly TestAnswer: TestAnswer;
  readonly TypedField: TypedField;
}

/** The forms of messages, in the words of JSON Schema. */
export const FORMS = {
  "ColumnValues": {
    "type": "object",
    "properties": {
      "name": {
        "type": "string"
      },
      "physical": {
        "type": "string"
      },
      "sha256": {
        "type": "string",
        "pattern": "^[0-9a-f]{64}$"
      },
      "values": {
        "type": "array",
        "items": {
          "anyOf": [
            {
              "type": "string"
            },
            {
              "type": "integer"
            },
            {
              "type": "number"
            },
            {
              "type": "boolean"
            },
            {
              "type": "null"
            }
          ]
        }
      }
    },
    "required": [
      "name",
      "physical",
      "sha256",
      "values"
    ]
  },
  "ColumnsAnswer": {
    "type": "object",
    "properties": {
      "columns": {
        "type": "array",
        "items": {
          "$ref": "ColumnValues"
        }
      }
    },
    "required": [
      "columns"
    ]
  },
  "ComputeAnswer": {
    "type": "object",
    "properties": {
      "status": {
        "enum": [
          "ok"
        ]
      },
      "value": {},
      "value_type": {
        "type": "string"
      },
      "module": {
        "type": "string"
      },
      "function": {
        "type": "string"
      },
      "invocation_hash": {
        "type": "string",
        "pattern": "^[0-9a-f]{64}$"
      },
      "computation_hash": {
        "type": "string",
        "pattern": "^[0-9a-f]{64}$"
      },
      "contract_hash": {
        "type": "string"
      },
      "determinism": {
        "type": "object"
      },
      "latency_ms": {
        "type": "number"
      },
      "request_id": {
        "type": "string",
        "pattern": "^[a-z]{1,16}_[0-9a-f]{16}$"
      },
      "provenance": {
        "anyOf": [
          {
            "type": "object"
          },
          {
            "type": "null"
          }
        ]
      }
    },
    "required": [
      "status",
      "value",
      "value_type",
      "module",
      "function",
      "invocation_hash",
      "computation_hash",
      "contract_hash",
      "determinism",
      "latency_ms",
      "request_id"
    ]
  },
  "ComputeManyAnswer": {
    "type": "object",
    "properties": {
      "results": {
        "type": "array",
        "items": {
          "$ref": "ComputeAnswer"
        }
      }
    },
    "required": [
      "results"
    ]
  },
  "ConnectorAnswer": {
    "type": "object",
    "properties": {
      "id": {
        "type": "string"
      },
      "type": {
        "type": "string"
      },
      "name": {
        "anyOf": [
          {
            "type": "string"
          },
          {
            "type": "null"
          }
        ]
      },
      "created": {
        "anyOf": [
          {
            "type": "string"
          },
          {
            "type": "null"
          }
        ]
      },
      "descriptor": {
        "type": "object",
        "additionalProperties": {
          "anyOf": [
            {
              "type": "string"
            },
            {
              "type": "integer"
            },
            {
              "type": "number"
            },
            {
              "type": "boolean"
            },
            {
              "type": "null"
            }
          ]
        }
      }
    },
    "required": [
      "id",
      "type"
    ]
  },
  "ConnectorsAnswer": {
    "type": "object",
    "properties": {
      "connectors": {
        "type": "array",
        "items": {
          "$ref": "ConnectorAnswer"
        }
      }
    },
    "required": [
      "connectors"
    ]
  },
  "DeploymentAnswer": {
    "type": "object",
    "properties": {
      "version": {
        "type": "string"
      },
      "contract_hash": {
        "type": "string"
      },
      "tenant": {
        "type": "string"
      },
      "key_id": {
        "type": "string"
      },
      "scopes": {
        "type": "array",
        "items": {
          "enum": [
            "compute",
            "connectors",
            "metrics",
            "query",
            "results",
            "sources"
          ]
        }
      },
      "policy": {
        "type": "object"
      },
      "limits": {
        "$ref": "LimitsAnswer"
      },
      "connectors": {
        "type": "array",
        "items": {
          "$ref": "KindAnswer"
        }
      },
      "runtime": {
        "anyOf": [
          {
            "$ref": "RuntimeAnswer"
          },
          {
            "type": "null"
          }
        ]
      }
    },
    "required": [
      "version",
      "contract_hash",
      "tenant",
      "key_id",
      "scopes",
      "policy",
      "limits",
      "connectors"
    ]
  },
  "DeviceCodeAnswer": {
    "type": "object",
    "properties": {
      "device_code": {
        "type": "string"
      },
      "user_code": {
        "type": "string"
      },
      "verification_uri": {
        "type": "string"
      },
      "expires_in": {
        "type": "integer"
      },
      "interval": {
        "type": "integer"
      },
      "verification_uri_complete": {
        "anyOf": [
          {
            "type": "string"
          },
          {
            "type": "null"
          }
        ]
      }
    },
    "required": [
      "device_code",
      "user_code",
      "verification_uri",
      "expires_in",
      "interval"
    ]
  },
  "DeviceTokenAnswer": {
    "type": "object",
    "properties": {
      "access_token": {
        "type": "string"
      },
      "token_type": {
        "enum": [
          "Bearer"
        ]
      },
      "scope": {
        "type": "string"
      }
    },
    "required": [
      "access_token",
      "token_type"
    ]
  },
  "ErrorBody": {
    "type": "object",
    "properties": {
      "code": {
        "type": "string"
      },
      "message": {
        "type": "string"
      },
      "request_id": {
        "type": "string"
      },
      "source": {
        "enum": [
          "engine",
          "service"
        ]
      },
      "retryable": {
        "type": "boolean"
      },
      "hint": {
        "anyOf": [
          {
            "type": "string"
          },
          {
            "type": "null"
          }
        ]
      },
      "details": {
        "type": "object"
      },
      "error": {
        "type": "string"
      },
      "error_description": {
        "type": "string"
      }
    },
    "required": [
      "code",
      "message",
      "request_id",
      "source",
      "retryable"
    ]
  },
  "KindAnswer": {
    "type": "object",
    "properties": {
      "type": {
        "type": "string"
      },
      "title": {
        "type": "string"
      },
      "group": {
        "type": "string"
      },
      "keys": {
        "type": "array",
        "items": {
          "type": "string"
        }
      },
      "options": {
        "type": "object",
        "additionalProperties": {
          "type": "string"
        }
      },
      "secrets": {
        "type": "array",
        "items": {
          "type": "string"
        }
      },
      "extra": {
        "anyOf": [
          {
            "type": "string"
          },
          {
            "type": "null"
          }
        ]
      },
      "installed": {
        "type": "boolean"
      }
    },
    "required": [
      "type",
      "title",
      "group",
      "keys"
    ]
  },
  "LimitsAnswer": {
    "type": "object",
    "properties": {
      "body_bytes": {
        "type": "integer"
      },
      "timeout_s": {
        "type": "number"
      },
      "requests_per_s": {
        "type": "number"
      },
      "burst": {
        "type": "integer"
      },
      "calls": {
        "type": "integer"
      },
      "groups": {
        "type": "integer"
      },
      "rows": {
        "type": "integer"
      }
    },
    "required": [
      "body_bytes",
      "timeout_s",
      "requests_per_s",
      "burst",
      "calls",
      "groups",
      "rows"
    ]
  },
  "QueryAnswer": {
    "type": "object",
    "properties": {
      "status": {
        "enum": [
          "needs_clarification",
          "ok",
          "rejected"
        ]
      },
      "resolution": {
        "type": "object"
      },
      "data": {
        "anyOf": [
          {
            "$ref": "QueryData"
          },
          {
            "type": "null"
          }
        ]
      },
      "columns": {
        "anyOf": [
          {
            "type": "array",
            "items": {
              "$ref": "ResultColumn"
            }
          },
          {
            "type": "null"
          }
        ]
      },
      "refusal_hash": {
        "anyOf": [
          {
            "type": "string"
          },
          {
            "type": "null"
          }
        ]
      },
      "result_id": {
        "anyOf": [
          {
            "type": "string"
          },
          {
            "type": "null"
          }
        ]
      }
    },
    "required": [
      "status",
      "resolution"
    ]
  },
  "QueryData": {
    "type": "object",
    "properties": {
      "query_id": {
        "type": "string",
        "pattern": "^[a-z]{1,16}_[0-9a-f]{16}$"
      },
      "result": {
        "type": "array",
        "items": {
          "type": "object",
          "additionalProperties": {
            "anyOf": [
              {
                "type": "string"
              },
              {
                "type": "integer"
              },
              {
                "type": "number"
              },
              {
                "type": "boolean"
              },
              {
                "type": "null"
              }
            ]
          }
        }
      },
      "result_type": {
        "type": "string"
      },
      "confidence": {
        "type": "number"
      },
      "plan": {
        "type": "array",
        "items": {
          "type": "string"
        }
      },
      "row_count": {
        "type": "integer",
        "minimum": 0
      },
      "decision_path": {
        "type": "string"
      },
      "plan_hash": {
        "type": "string",
        "pattern": "^[0-9a-f]{64}$"
      },
      "schema_revision": {
        "type": "string",
        "pattern": "^[0-9a-f]{64}$"
      },
      "validated": {
        "type": "boolean"
      },
      "deterministic_scope": {
        "type": "string"
      },
      "result_hash": {
        "type": "string",
        "pattern": "^[0-9a-f]{64}$"
      },
      "provenance": {
        "$ref": "QueryProvenance"
      },
      "latency_ms": {
        "type": "number"
      }
    },
    "required": [
      "query_id",
      "result",
      "result_type",
      "confidence",
      "plan",
      "row_count",
      "decision_path",
      "plan_hash",
      "schema_revision",
      "validated",
      "deterministic_scope",
      "result_hash",
      "provenance",
      "latency_ms"
    ]
  },
  "QueryProvenance": {
    "type": "object",
    "properties": {
      "method": {
        "type": "string"
      },
      "engine": {
        "type": "string"
      },
      "notes": {
        "type": "object",
        "additionalProperties": {
          "type": "string"
        }
      },
      "used_rows": {
        "anyOf": [
          {
            "type": "integer",
            "minimum": 0
          },
          {
            "type": "null"
          }
        ]
      },
      "dropped": {
        "type": "object",
        "additionalProperties": {
          "type": "integer",
          "minimum": 0
        }
      }
    },
    "required": [
      "method",
      "engine"
    ]
  },
  "ResultColumn": {
    "type": "object",
    "properties": {
      "name": {
        "type": "string"
      },
      "type": {
        "type": "string"
      },
      "physical": {
        "type": "string"
      },
      "role": {
        "enum": [
          "count",
          "key",
          "metric"
        ]
      },
      "zone": {
        "type": "string"
      }
    },
    "required": [
      "name",
      "type",
      "physical",
      "role"
    ]
  },
  "RuntimeAnswer": {
    "type": "object",
    "properties": {
      "platform": {
        "type": "string"
      },
      "architecture": {
        "type": "string"
      },
      "kernel_build": {
        "type": "string"
      },
      "bundle_version": {
        "type": "string"
      },
      "bundle_sha256": {
        "type": "string"
      },
      "libraries": {
        "type": "object",
        "additionalProperties": {
          "type": "string"
        }
      },
      "is_pinned": {
        "type": "boolean"
      },
      "profile": {
        "anyOf": [
          {
            "type": "string"
          },
          {
            "type": "null"
          }
        ]
      },
      "modules": {
        "type": "array",
        "items": {
          "type": "string"
        }
      }
    },
    "required": [
      "platform",
      "architecture",
      "kernel_build",
      "bundle_version",
      "bundle_sha256",
      "libraries",
      "is_pinned"
    ]
  },
  "SourceAnswer": {
    "type": "object",
    "properties": {
      "name": {
        "type": "string"
      },
      "source_id": {
        "type": "string"
      },
      "dataset_id": {
        "type": "string"
      },
      "fields": {
        "type": "array",
        "items": {
          "type": "string"
        }
      },
      "typed_fields": {
        "type": "array",
        "items": {
          "$ref": "TypedField"
        }
      },
      "row_count": {
        "type": "integer",
        "minimum": 0
      },
      "schema_revision": {
        "type": "string",
        "pattern": "^[0-9a-f]{64}$"
      },
      "status": {
        "type": "string"
      },
      "content": {
        "$ref": "SourceContent"
      },
      "reading": {
        "anyOf": [
          {
            "$ref": "SourceReading"
          },
          {
            "type": "null"
          }
        ]
      },
      "aliases": {
        "type": "object",
        "additionalProperties": {
          "type": "string"
        }
      },
      "notes": {
        "type": "array",
        "items": {
          "type": "string"
        }
      },
      "engine": {
        "anyOf": [
          {
            "type": "string"
          },
          {
            "type": "null"
          }
        ]
      },
      "mark": {
        "anyOf": [
          {
            "type": "string",
            "pattern": "^[0-9a-f]{64}$"
          },
          {
            "type": "null"
          }
        ]
      }
    },
    "required": [
      "name",
      "source_id",
      "dataset_id",
      "fields",
      "typed_fields",
      "row_count",
      "schema_revision",
      "status",
      "content"
    ]
  },
  "SourceContent": {
    "type": "object",
    "properties": {
      "algorithm": {
        "type": "string"
      },
      "sha256": {
        "anyOf": [
          {
            "type": "string"
          },
          {
            "type": "null"
          }
        ]
      },
      "rows": {
        "anyOf": [
          {
            "type": "integer"
          },
          {
            "type": "null"
          }
        ]
      }
    },
    "required": [
      "algorithm"
    ]
  },
  "SourceReading": {
    "type": "object",
    "properties": {
      "types": {
        "type": "object",
        "additionalProperties": {
          "type": "string"
        }
      }
    },
    "required": []
  },
  "SourcesAnswer": {
    "type": "object",
    "properties": {
      "sources": {
        "type": "array",
        "items": {
          "$ref": "SourceAnswer"
        }
      }
    },
    "required": [
      "sources"
    ]
  },
  "TestAnswer": {
    "type": "object",
    "properties": {
      "success": {
        "type": "boolean"
      },
      "message": {
        "type": "string"
      },
      "code": {
        "anyOf": [
          {
            "type": "string"
          },
          {
            "type": "null"
          }
        ]
      }
    },
    "required": [
      "success",
      "message"
    ]
  },
  "TypedField": {
    "type": "object",
    "properties": {
      "name": {
        "type": "string"
      },
      "type": {
        "enum": [
          "boolean",
          "date",
          "datetime",
          "number",
          "string"
        ]
      },
      "physical": {
        "type": "string"
      },
      "zone": {
        "enum": [
          "UTC"
        ]
      }
    },
    "required": [
      "name",
      "type",
      "physical"
    ]
  }
} as const;
