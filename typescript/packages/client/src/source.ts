/** Sources, as readers make them and as questions see them. */

import { type TextOrder, type TextReason } from "./query/text-columns.js";
import { type Field } from "./values/columns.js";

/** A source as resolution sees it, without what the policy denies. */
export interface SourceView {
  readonly name: string;
  readonly fields: ReadonlyMap<string, Field>;
  readonly schemaRevision: string;
  readonly rowCount: number;
  /** Column by alias. */
  readonly aliases: ReadonlyMap<string, string>;
  /** An allow-list of fields is in force. */
  readonly isRestricted: boolean;
  /** What the texts of a column read as; asked only where that matters. */
  readonly findTextOrder?: (column: string) => TextOrder;
  /** Why a column is text, as far as it is known. */
  readonly findTextReason?: (column: string) => TextReason | undefined;
}

/** The allowed sources by name. */
export interface Catalog {
  readonly sources: ReadonlyMap<string, SourceView>;
  /** An allow-list of sources is in force. */
  readonly isRestricted: boolean;
}

/** The digest of what was read: of a file's bytes, or of values. */
export interface Content {
  readonly algorithm: "sha256-file" | "sha256-arrow";
  readonly sha256: string;
  /** Bytes of a file, rows of values. */
  readonly size: number;
}

/** The content of a live source: its data may change between questions, and have no digest. */
export interface LiveContent {
  readonly algorithm: "live";
  readonly sha256: null;
  /** Rows when it was connected. */
  readonly size: number;
}
