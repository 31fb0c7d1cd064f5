// Written by typescript/shapes.py from service_nb/deployment.

export const CODES = [
  "answer_mismatch",
  "canonical_json_invalid",
  "computation_error",
  "compute_runtime_unavailable",
  "connector_failed",
  "connector_not_found",
  "deployment_required",
  "deployment_unavailable",
  "domain_error",
  "driver_missing",
  "duplicate_argument_binding",
  "engine_failed",
  "evidence_invalid",
  "forbidden",
  "interrupted",
  "invalid_intent",
  "ledger_unavailable",
  "limit_exceeded",
  "login_required",
  "overloaded",
  "plan_invalid",
  "policy_denied_field",
  "policy_denied_function",
  "policy_denied_source",
  "rate_limited",
  "result_not_found",
  "route_not_found",
  "runtime_provision_failed",
  "schema_revision_mismatch",
  "secret_unavailable",
  "seed_required",
  "service_error",
  "source_already_registered",
  "source_changed",
  "source_error",
  "source_malformed",
  "source_not_found",
  "source_unreadable",
  "timeout",
  "unauthenticated",
  "undecided",
  "unsupported_operation",
  "unsupported_platform",
  "unsupported_source"
] as const;

export const REASONED = [
  "evidence_invalid",
  "ledger_unavailable",
  "runtime_provision_failed"
] as const;

export const FAILURES = [
  "unreachable",
  "timed_out",
  "lost",
  "login_refused",
  "not_allowed",
  "misconfigured",
  "malformed"
] as const;

export const MASK = "•••" as const;

export const LOCAL_TYPES = [
  "sqlite",
  "file"
] as const;

export const LIVE_TYPES = [
  "postgres",
  "mysql",
  "mssql",
  "oracle",
  "snowflake",
  "bigquery",
  "clickhouse",
  "redshift",
  "spark",
  "trino",
  "s3",
  "gcs",
  "azure",
  "redis",
  "neo4j",
  "elasticsearch",
  "rest",
  "github_repo",
  "gitlab_repo",
  "bitbucket_repo",
  "local_repo",
  "repo_archive"
] as const;

export const TYPE_ALIASES = {
  "postgresql": "postgres",
  "click_house": "clickhouse",
  "redis_cache": "redis",
  "elastic": "elasticsearch",
  "rest_api": "rest",
  "file_upload": "file",
  "github": "github_repo",
  "github_repository": "github_repo",
  "gitlab": "gitlab_repo",
  "gitlab_repository": "gitlab_repo",
  "bitbucket": "bitbucket_repo",
  "bitbucket_repository": "bitbucket_repo",
  "local_repository": "local_repo",
  "archive_repository": "repo_archive"
} as const;

export const LOCAL_KEYS = [
  "type",
  "host",
  "port",
  "database",
  "user",
  "password",
  "connection_string",
  "table",
  "query",
  "path"
] as const;

export const SECRETS = "pass(?:word|phrase)?|secret|token|key|credential|connection_string|sas" as const;

export const REFERENCE = "(?:env|file|keyring):" as const;
