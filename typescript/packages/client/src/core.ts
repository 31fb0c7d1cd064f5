/** What runs without Node, in a browser too. */

export { ServiceError } from "./errors.js";
export type { Details, ErrorSource } from "./errors.js";
export type { Catalog, Content, SourceView } from "./source.js";
export type { Column, DecimalColumn, Field, FieldType, Table } from "./values/columns.js";
