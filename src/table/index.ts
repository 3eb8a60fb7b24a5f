/** What a builtin declaration is: the type of the one table that checker, interpreter, docs and journal read. */
import {
  alike,
  bool,
  closure,
  dict,
  duration,
  either,
  exactly,
  filled,
  handle,
  id,
  int,
  list,
  map,
  number,
  oneOf,
  shown,
  switched,
  text,
  texts,
  time,
  unlessFalse,
  value,
  words,
} from "./rows.ts";

export * from "./at.ts";
export type * from "./builtin-spec.ts";
export { defineBuiltins } from "./define-builtins.ts";
export * from "./doc-fields.ts";
export * from "./document-issues.ts";
export * from "./field-check.ts";
export {
  eachNested,
  isMapOfDicts,
  meantField,
  refusal,
  unknownKey,
  unknownOption,
} from "./field-mismatch.ts";
export * from "./field-types.ts";
export {
  type Below,
  type DictParam,
  type Field,
  type FieldTable,
  field,
  fieldRowsOf,
  fieldTable,
  providerBodies,
} from "./fields.ts";
export * from "./known-keys.ts";
export * from "./method-names.ts";
export {
  camel,
  type Read,
  type ReadRow,
  type Row,
  type Rows,
  type RowTable,
  readRows,
  rows,
} from "./rows.ts";
export * from "./signature.ts";
export * from "./traits.ts";

/** Rows by their names; a value and no namespace, which would cost a plain start the bundler's helpers. */
export const row = {
  alike,
  bool,
  closure,
  dict,
  duration,
  either,
  exactly,
  filled,
  handle,
  id,
  int,
  list,
  map,
  number,
  oneOf,
  shown,
  switched,
  text,
  texts,
  time,
  unlessFalse,
  value,
  words,
};
