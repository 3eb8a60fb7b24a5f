/** Script values: representation, equality, order, operators, display, errors, iterators, JSON. The only door. */

export * from "./access.ts";
export * from "./argument.ts";
export * from "./callable.ts";
export * from "./callback.ts";
export type { Caller } from "./caller.ts";
export { Dict } from "./collections/dict.ts";
export * from "./collections/handle.ts";
export * from "./collections/iter.ts";
export * from "./collections/iter-combinators.ts";
export * from "./collections/list.ts";
export * from "./collections/owned-write.ts";
export { SetValue } from "./collections/set.ts";
export { WatchedDict } from "./collections/watched-dict.ts";
export * from "./equality.ts";
export * from "./hash.ts";
export * from "./json/codec.ts";
export { fromJs, jsErrorText, toJs, UnfitValue } from "./json/js-value.ts";
export * from "./json/json-parse.ts";
export * from "./json/json-text.ts";
export * from "./json/json-value.ts";
export {
  containsItself,
  fromJson,
  jsonNestsTooDeep,
  maxDepth as maxJsonDepth,
  presentFields,
  toJson,
  toJsonOrNull,
  wellFormedJson,
} from "./json/plain-json.ts";
export * from "./maybe-promise.ts";
export * from "./operators.ts";
export * from "./order.ts";
export * from "./result.ts";
export * from "./scalars.ts";
export * from "./schema/param-check.ts";
export * from "./schema/schema.ts";
export * from "./schema/schema-convert.ts";
export { Shape } from "./schema/shape.ts";
export * from "./script-error.ts";
export { checkItems } from "./sizes.ts";
export * from "./text/base64.ts";
export { CsvReader } from "./text/csv-reader.ts";
export {
  atScale,
  Decimal,
  decimalOfInt,
  maxDecimalScale,
  parseDecimal,
  roundDecimal,
  wholeOfDecimal,
} from "./text/decimal.ts";
export * from "./text/display.ts";
export { durationMs } from "./text/duration.ts";
export * from "./text/format-text.ts";
export * from "./text/glob.ts";
export * from "./text/regex-size.ts";
export * from "./text/script-error-text.ts";
export * from "./text/text.ts";
export * from "./text/text-order.ts";
export {
  enumProperties,
  hasNo,
  listProperties,
  stringProperties,
  unknownMethod,
  unknownProperty,
} from "./text/unknown-name.ts";
export * from "./type-name.ts";
export type { MaybePromise, Value } from "./value.ts";
