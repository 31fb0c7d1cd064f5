/** What the client asks of a deployment: sources whose rows stay there, and the connectors to them. */

import { type Contract } from "../compute/contract.js";
import { type Executor } from "../compute/executor.js";
import { type Answer, type Selected } from "../engine/evaluate.js";
import { type UsedRows } from "../engine/result.js";
import { type Plan } from "../query/types.js";
import { type Reading } from "../readers/options.js";
import { type Content, type LiveContent } from "../source.js";
import { type Field } from "../values/columns.js";

/** The answer of an engine that is not here: its groups were compared with the hash that they have to have. */
export interface EngineAnswer {
  readonly answer: Answer;
  readonly engine: string;
  /** Undefined where an older deployment does not tell it. */
  readonly used: UsedRows | undefined;
}

/** A source of a deployment, as the key may see it. */
export interface LiveSource {
  readonly name: string;
  readonly fields: readonly Field[];
  readonly rowCount: number;
  readonly content: Content | LiveContent;
  readonly reading: Reading;
  readonly aliases: ReadonlyMap<string, string>;
  readonly notes: readonly string[];
  /** Another once its columns are, or its name stands for another. */
  readonly mark: string | undefined;
  /**
   * Has the deployment run a plan, and compares what comes back with its hash.
   *
   * @throws {ServiceError} `answer_mismatch`, or what the deployment says.
   */
  readonly run: (plan: Plan, timeoutS: number | undefined) => Promise<EngineAnswer>;
  /** Has the deployment read the columns that a plan groups by, of the rows that meet its conditions. */
  readonly readColumns: (plan: Plan, timeoutS: number | undefined) => Promise<Selected>;
}

/** A connector's descriptor with one spelling of its keys: type, host, connection_string, ... */
export type Descriptor = Readonly<Record<string, string | number | boolean | null>>;

/** What may be said of a live source beside its connector. */
export interface LiveOptions {
  readonly types: Readonly<Record<string, string>>;
  readonly aliases: Readonly<Record<string, string>>;
}

/** The result of a connector's test. */
export interface ConnectorTest {
  readonly success: boolean;
  readonly message: string;
  /** Of a failure. */
  readonly code?: string;
}

/** A connector that the deployment keeps, without its secrets. */
export interface StoredConnector {
  readonly id: string;
  readonly type: string;
  readonly name?: string;
  readonly created?: string;
  readonly descriptor: Descriptor;
  readonly table?: string;
  readonly query?: string;
}

/** The sources and connectors of a deployment. */
export interface Deployment {
  readonly connect: (name: string, connector: Descriptor, options: LiveOptions) => Promise<LiveSource>;
  /** @throws {ServiceError} `source_not_found` */
  readonly open: (name: string) => Promise<LiveSource>;
  /** Opens a source that a question names: waits a few seconds, and not again at once where nothing answers. */
  readonly openNamed: (name: string) => Promise<LiveSource>;
  /** Has the deployment describe a source as it is now. */
  readonly refresh: (name: string) => Promise<LiveSource>;
  /** Has the deployment forget a source, with its secrets. @throws {ServiceError} `source_not_found` */
  readonly forget: (name: string) => Promise<void>;
  /** Has the deployment forget a connector. @throws {ServiceError} `connector_not_found`, `forbidden` while sources use it. */
  readonly forgetConnector: (id: string) => Promise<void>;
  readonly listNames: () => Promise<readonly string[]>;
  readonly testConnector: (connector: Descriptor) => Promise<ConnectorTest>;
  readonly createConnector: (connector: Descriptor, name: string | undefined) => Promise<StoredConnector>;
  readonly listConnectors: () => Promise<readonly StoredConnector[]>;
  /** What computes there; `readContract` reads the contract of this side, which the deployment must have too. */
  readonly createExecutor: (readContract: () => Promise<Contract>) => Executor;
  readonly close: () => void;
}
