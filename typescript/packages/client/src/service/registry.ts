/** The registered sources of a client, and what its policy shows of them. */

import { findAdvice, type ReadingNote, writeNote } from "@service-nb/records";
import { ServiceError } from "../errors.js";
import { hashSchema, identifySource } from "../digests.js";
import { buildCatalog, type Policy } from "../query/policy.js";
import { makeVisible } from "../query/text.js";
import { findTextOrder, OTHER_TEXT, type TextOrder, UNKNOWN_ORDER } from "../query/text-columns.js";
import { quote } from "../readers/names.js";
import { type Reading } from "../readers/options.js";
import { type Catalog, type Content, type LiveContent, type SourceView } from "../source.js";
import { type Field, type Table } from "../values/columns.js";
import { type DataPlace } from "./data-places.js";
import { type LiveSource } from "./live.js";

const MOST_NAMED = 4_000; // characters of names that the content of a source tells, where others are hidden

/** Where a source was read, without any folder of the machine. */
export type Origin = Readonly<Record<string, string>>;

/** A registered source. */
export interface Registered {
  readonly name: string;
  readonly sourceId: string;
  readonly fields: readonly Field[];
  readonly rowCount: number;
  /** Its values; undefined of a live source, whose values are elsewhere. */
  readonly table: Table | undefined;
  /** What runs plans where the values are. */
  readonly live: LiveSource | undefined;
  readonly schemaRevision: string;
  readonly content: Content | LiveContent;
  readonly reading: Reading;
  readonly aliases: ReadonlyMap<string, string>;
  readonly origin: Origin | null;
  /** Undefined of data in memory. */
  readonly place: DataPlace | undefined;
  readonly hasChanged: () => boolean;
  /** What the reader decided, which cards of its columns tell. */
  readonly readingNotes: readonly ReadingNote[];
}

/** A source as evidence names it. */
export interface InputForm {
  readonly name: string;
  readonly source_id: string;
  readonly schema_revision: string;
  readonly row_count: number;
  readonly content: Readonly<Record<string, unknown>>;
  readonly origin: Origin | null;
  readonly reading: Reading | null;
}

/** What `connect` returns: the specification's fields, and what else is known of a source. */
export interface ServiceSource {
  readonly name: string;
  readonly source_id: string;
  readonly dataset_id: string;
  readonly fields: readonly string[];
  readonly typed_fields: readonly Field[];
  readonly row_count: number;
  readonly schema_revision: string;
  readonly status: "ready";
  readonly content: Readonly<Record<string, unknown>>;
  readonly reading: Reading;
  readonly aliases: Readonly<Record<string, string>>;
  readonly notes: readonly string[];
}

/** Sources by name, seen through a policy. */
export class Registry {
  readonly #sources = new Map<string, Registered>();
  readonly #policy: Policy;

  constructor(policy: Policy) {
    this.#policy = policy;
  }

  /**
   * Registers a source; the same data, read in the same way, under the same name is the same source.
   *
   * @throws {ServiceError} `source_already_registered`
   */
  add(source: Registered): Registered {
    const known = this.#sources.get(source.name);
    if (known !== undefined && known.sourceId !== source.sourceId) {
      const message = `${quote(source.name)} is already registered with other data, or another reading of them.`;
      const hint = "Sources are immutable: connect the new data under another name, or in another client.";
      throw new ServiceError("source_already_registered", message, { hint, details: { met: source.name } });
    }
    const { aliases } = source;
    const added = known === undefined ? source : aliases.size > 0 ? { ...known, aliases } : known;
    this.#sources.set(source.name, added);
    return added;
  }

  /** Registers a source in place of the one that has its name. */
  replace(source: Registered): Registered {
    this.#sources.set(source.name, source);
    return source;
  }

  remove(name: string): void {
    this.#sources.delete(name);
  }

  /** The source of that name, whatever the policy allows. */
  find(name: string): Registered | undefined {
    return this.#sources.get(name);
  }

  /** @throws {ServiceError} `source_not_found` */
  get(name: string): Registered {
    const found = this.#sources.get(name);
    if (found !== undefined && this.#policy.allowsSource(name)) return found;
    throw new ServiceError("source_not_found", `No source is named ${quote(name)}.`, { details: { met: name } });
  }

  /** Whether a source has the name, whatever the policy allows. */
  has(name: string): boolean {
    return this.#sources.has(name);
  }

  /** All sources, whatever the policy allows. */
  listAll(): readonly Registered[] {
    return [...this.#sources.values()];
  }

  listNames(): readonly string[] {
    return [...this.#sources.keys()].filter((name) => this.#policy.allowsSource(name)).sort();
  }

  /** The sources and fields that resolution may use. */
  buildCatalog(): Catalog {
    return buildCatalog([...this.#sources.values()].map(viewSource), this.#policy);
  }

  /** Describes a source without what the policy denies. */
  describe(source: Registered): ServiceSource {
    const input = this.buildInput(source);
    const fields = this.#listAllowed(source);
    const names = new Set(fields.map(({ name }) => name));
    return {
      name: source.name,
      source_id: input.source_id,
      dataset_id: input.source_id,
      fields: fields.map(({ name }) => name),
      typed_fields: fields,
      row_count: source.rowCount,
      schema_revision: input.schema_revision,
      status: "ready",
      content: input.content,
      reading: input.reading ?? {},
      aliases: Object.fromEntries([...source.aliases].filter(([, target]) => names.has(target))),
      notes: [
        ...(this.#policy.restrictsFields(source.name) ? [] : (source.live?.notes ?? [])),
        ...this.listNotes(source).map((note) => writeNote(note, makeVisible, findAdvice(note))),
      ],
    };
  }

  /** Describes a source as evidence names it; of one whose fields the policy hides, by the fields that it leaves. */
  buildInput(source: Registered): InputForm {
    const { name, content } = source;
    const rows = source.rowCount;
    if (!this.#policy.restrictsFields(name)) {
      const unit = content.algorithm === "sha256-file" ? "bytes" : "rows";
      const told = { algorithm: content.algorithm, sha256: content.sha256, [unit]: content.size };
      const { sourceId, schemaRevision, origin, reading } = source;
      return {
        name,
        source_id: sourceId,
        schema_revision: schemaRevision,
        row_count: rows,
        content: told,
        origin,
        reading,
      };
    }
    const fields = this.#listAllowed(source);
    const names = fields.map((field) => field.name);
    const isShort = names.join("").length <= MOST_NAMED;
    const reading = narrowReading(source.reading, new Set(names));
    return {
      name,
      source_id: identifySource(name, fields, source.live === undefined ? "hidden" : "live", reading),
      schema_revision: hashSchema(fields),
      row_count: rows,
      content:
        source.live === undefined
          ? { algorithm: "hidden", sha256: null, rows, ...(isShort && { fields: names }) }
          : { algorithm: "live", sha256: null, rows },
      origin: null,
      reading,
    };
  }

  /** What the reader decided of a source, as far as it speaks of fields that the policy allows, and no others. */
  listNotes({ name, readingNotes }: Registered): readonly ReadingNote[] {
    return readingNotes.filter(({ columns }) => columns.every((column) => this.#policy.allowsField(name, column)));
  }

  #listAllowed(source: Registered): readonly Field[] {
    return source.fields.filter((field) => this.#policy.allowsField(source.name, field.name));
  }
}

function viewSource(source: Registered): SourceView {
  const fields = new Map(source.fields.map((field) => [field.name, field]));
  const { name, schemaRevision, aliases } = source;
  const view = { name, fields, schemaRevision, rowCount: source.rowCount, aliases, isRestricted: false };
  return {
    ...view,
    findTextOrder: (column) => readTextOrder(source, column),
    findTextReason: (column) => source.table?.findTextReason?.(column),
  };
}

const ORDERS = new WeakMap<Table, Map<string, TextOrder>>(); // what was found once is remembered

/** What the texts of a column read as; of a live source, or of a column declared to be text, nobody looks. */
function readTextOrder({ table, reading, fields }: Registered, name: string): TextOrder {
  const types = (reading["types"] ?? {}) as Readonly<Record<string, unknown>>;
  if (table === undefined || types[name] === "string") return UNKNOWN_ORDER;
  const orders = ORDERS.get(table) ?? new Map<string, TextOrder>();
  ORDERS.set(table, orders);
  const column = table.columns[fields.findIndex((field) => field.name === name)];
  const found = orders.get(name) ?? (column?.kind === "string" ? findTextOrder(column.values) : OTHER_TEXT);
  orders.set(name, found);
  return found;
}

/** The reading options that a caller limited to these fields may see. */
function narrowReading(reading: Reading, names: ReadonlySet<string>): Reading {
  const told = Object.entries(reading).filter(([key]) => key !== "nulls" && key !== "types");
  const given = Object.entries((reading["types"] ?? {}) as Readonly<Record<string, string>>);
  const types = given.filter(([name]) => names.has(name));
  return Object.fromEntries(types.length > 0 ? [...told, ["types", Object.fromEntries(types)]] : told);
}
