/** Clients from their configuration. */

import { isObject } from "@service-nb/records";
import { ServiceError } from "../errors.js";
import { invalidIntent } from "../query/faults.js";
import { describeValue } from "../query/text.js";
import { DEFAULT_LIMITS } from "../readers/options.js";
import { type Host } from "./host.js";
import { Service, type ServiceConfig } from "./service.js";

const KEYS = ["policy", "tenantId", "timeout", "runtimeModules", "limits", "executor"];
const MOST_TENANT_CHARS = 200; // it stands in every statement

/**
 * Creates a client that runs where `host` says.
 *
 * @throws {ServiceError} `invalid_intent` of an option that there is not, or of a malformed policy.
 */
export function createServiceOn(host: Host, config: ServiceConfig = {}): Service {
  const given: unknown = config;
  if (!isObject(given))
    throw new ServiceError("invalid_intent", "createService takes an object of options.", {
      hint: "Write: createService({ policy: { allowedSources: […] } })",
      details: { path: "config", expected: "an object" },
    });
  const unknown = Object.keys(given).find((key) => !KEYS.includes(key));
  if (unknown !== undefined) throw invalidOption(unknown, `one of ${KEYS.join(", ")}`);
  if (given["tenantId"] !== undefined && !isTenant(given["tenantId"]))
    throw invalidOption("tenantId", `printable text of at most ${String(MOST_TENANT_CHARS)} characters`);
  checkSeconds(given["timeout"] ?? undefined);
  const modules: unknown = given["runtimeModules"] ?? [];
  if (!Array.isArray(modules) || !modules.every((each) => typeof each === "string"))
    throw invalidOption("runtimeModules", 'a list such as ["finance"]');
  const executor: unknown = given["executor"] ?? undefined;
  if (
    executor !== undefined &&
    !(typeof executor === "object" && executor !== null && "run" in executor && typeof executor.run === "function")
  )
    throw invalidOption("executor", "an object with a function run");
  const limits: unknown = given["limits"] ?? {};
  if (!isObject(limits)) throw invalidOption("limits", "an object");
  for (const [name, limit] of Object.entries(limits))
    if (!Object.hasOwn(DEFAULT_LIMITS, name) || !Number.isSafeInteger(limit) || Number(limit) < 1)
      throw invalidOption(
        `limits.${name}`,
        `a positive whole number for one of ${Object.keys(DEFAULT_LIMITS).join(", ")}`,
      );
  const { tenantId } = config;
  const read = { ...DEFAULT_LIMITS, ...config.limits };
  return new Service(host, config, host.openDeployment?.({ environment: host.environment, tenantId, limits: read }));
}

/**
 * Checks that a timeout is a number of seconds above 0, and returns it.
 *
 * @throws {ServiceError} `invalid_intent`
 */
export function checkSeconds(timeout: unknown): number | undefined {
  if (timeout === undefined || (typeof timeout === "number" && timeout > 0)) return timeout;
  throw invalidIntent(`\`timeout\` must be seconds above 0, not ${describeValue(timeout)}.`, { path: "timeout" });
}

function isTenant(value: unknown): boolean {
  const isShort = typeof value === "string" && value !== "" && value.length <= MOST_TENANT_CHARS;
  return isShort && !/[\p{C}\p{Zl}\p{Zp}]/u.test(value);
}

function invalidOption(path: string, expected: string): ServiceError {
  const message = `The option ${path} is not one that createService takes; expected ${expected}.`;
  return new ServiceError("invalid_intent", message, { details: { path, expected } });
}
