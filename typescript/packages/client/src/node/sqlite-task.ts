/** What the client and the process that reads SQLite tell each other. */

import { type ServiceError } from "../errors.js";
import { type Limits } from "../readers/options.js";
import { type DriverName } from "./sqlite-drivers.js";

/** What is to be read, and how much. */
export interface Task {
  readonly driver: DriverName;
  readonly path: string;
  readonly isAtRest: boolean;
  readonly size: number;
  readonly table: string | undefined;
  readonly query: string | undefined;
  readonly limits: Limits;
  readonly memoryBytes: number;
}

/** What the process says: names, then rows as often as there are some, then the end; or an error. */
export type Message =
  | { readonly kind: "names"; readonly names: readonly string[] }
  | { readonly kind: "rows"; readonly rows: readonly (readonly unknown[])[] }
  | { readonly kind: "end" }
  | { readonly kind: "error"; readonly error: ReturnType<ServiceError["toJSON"]> };

/** The reason that a guard gives before it kills its process. */
export type Reason = "time" | "memory";
