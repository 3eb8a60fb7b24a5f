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
  switched,
  text,
  texts,
  unlessFalse,
  value,
  words,
} from "./rows.ts";

export { type At, at, inside, subject } from "./at.ts";
export type {
  BuiltinDeclaration,
  BuiltinRun,
  BuiltinSpec,
  BuiltinTable,
  Suspends,
} from "./builtin-spec.ts";
export { defineBuiltins } from "./define-builtins.ts";
export { badDocRows, type DocParam, docFields, docParams, docText, type RowsOf } from "./doc-fields.ts";
export { type DocumentIssue, documentIssues } from "./document-issues.ts";
export {
  type CheckedParam,
  type CheckMore,
  checkedParams,
  checkFieldArguments,
  checkFields,
  checkFieldTypes,
  checkNames,
  checkStrictNames,
  dictOrLeftOut,
  tableOf,
  warnOnce,
} from "./field-check.ts";
export {
  eachNested,
  isMapOfDicts,
  meantField,
  mismatch,
  optionText,
  refusal,
  unknownKey,
  unknownOption,
} from "./field-mismatch.ts";
export { fitsType, inputText, oneOf, showRange } from "./field-types.ts";
export {
  type Below,
  below,
  type DictParam,
  type Field,
  type FieldTable,
  type FieldTableMore,
  field,
  fieldRowsOf,
  fieldTable,
  providerBodies,
} from "./fields.ts";
export {
  areKeys,
  type CalledWith,
  isVocabulary,
  type KnownKeys,
  keysOf,
  type ValueKnowledge,
  type ValuesOf,
} from "./known-keys.ts";
export { callsWith, methodNames, onlyGives } from "./method-names.ts";
export { type Read, type ReadRow, type Row, type Rows, type RowTable, readRows, rows } from "./rows.ts";
export {
  nilIsDefault,
  parseSignature,
  parseType,
  type Signature,
  type SignatureField,
  type SignatureParam,
  type SignatureType,
  showSignatureType,
} from "./signature.ts";
export { hasTrait, type Trait } from "./traits.ts";

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
  switched,
  text,
  texts,
  unlessFalse,
  value,
  words,
};
