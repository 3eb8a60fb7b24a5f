/** Script values: representation, equality, order, operators, display, errors, iterators, JSON. The only door. */

export { clampIndex, getIndex, getIndexOptional, getProperty, getPropertyOptional, slice } from "./access.ts";
export { fromBase64, toBase64 } from "./base64.ts";
export { Callable, positionalHandlers } from "./callable.ts";
export { invoke, invoke1, invoke2 } from "./callback.ts";
export { decodeValue, encodeValue, type StructLookup } from "./codec.ts";
export {
  atScale,
  Decimal,
  decimalOfInt,
  MAX_DECIMAL_SCALE,
  parseDecimal,
  roundDecimal,
  wholeOfDecimal,
} from "./decimal.ts";
export { Dict } from "./dict.ts";
export { display, displayDuration, displayFloat, toKey } from "./display.ts";
export { equals, indexOfEqual } from "./equality.ts";
export { type Given, intOr, option, textOf, withoutNil } from "./given.ts";
export { HandleValue, Pullable, type Pulled } from "./handle.ts";
export { type HashKey, hashKey } from "./hash.ts";
export { arrayPull, collect, drain, Iter, iterOf, type Pull, tryIter } from "./iter.ts";
export {
  chainIter,
  chunksIter,
  enumerateIter,
  filterIter,
  flatMapIter,
  mapIter,
  skipIter,
  skipWhileIter,
  takeIter,
  takeWhileIter,
  windowsIter,
  zipIter,
} from "./iter-combinators.ts";
export { jsonNestsTooDeep, maxJsonDepth } from "./json-depth.ts";
export { jsonParse } from "./json-parse.ts";
export { jsonPretty, jsonStringify, jsonText, modelText } from "./json-text.ts";
export { emptyList, List } from "./list.ts";
export { always, forEachThen, mapThen, proceed, untilThen } from "./maybe-promise.ts";
export {
  add,
  asNumber,
  concatText,
  contains,
  divide,
  fitsInt,
  inRange,
  intFromBig,
  modulo,
  multiply,
  negate,
  power,
  repeatText,
  subtract,
} from "./operators.ts";
export { compare, greaterOrEqual, greaterThan, lessOrEqual, lessThan, relate } from "./order.ts";
export {
  leaks,
  type PathStep,
  setIndex,
  setProperty,
  writeIndex,
  writePath,
  writeProperty,
} from "./owned-write.ts";
export {
  compileParamCheck,
  compileSchema,
  fits,
  type ParamCheck,
  type ParamCheckOptions,
} from "./param-check.ts";
export { containsItself, fromJson, toJson } from "./plain-json.ts";
export { regexSize, tooLargeRegex } from "./regex-size.ts";
export {
  err,
  isErr,
  isOk,
  isResult,
  notAResult,
  ok,
  payload,
  unwrap,
  unwrapErr,
  unwrapOr,
} from "./result.ts";
export {
  Atomic,
  Bytes,
  Duration,
  EnumValue,
  Float,
  Pair,
  Range,
  type StructType,
  StructValue,
  structType,
} from "./scalars.ts";
export {
  type FieldSchema,
  lowerType,
  type NamedSchema,
  type Schema,
  schemaDict,
  schemaName,
} from "./schema.ts";
export { fromJsonSchema, toJsonSchema, wireSchema } from "./schema-convert.ts";
export {
  bareError,
  categorisedError,
  type ErrorKind,
  runtimeError,
  ScriptError,
  type TraceFrame,
  thrown,
  typeError,
} from "./script-error.ts";
export { asUncaught, caughtValue, rethrowIsolated, uncaughtText } from "./script-error-text.ts";
export { SetValue } from "./set.ts";
export { Shape } from "./shape.ts";
export { checkItems } from "./sizes.ts";
export { charAt, chars, pieces, positionOf, sliceText, textLength } from "./text.ts";
export { compareText, sortTexts } from "./text-order.ts";
export { isInt, truthy, typeOf } from "./type-name.ts";
export {
  enumProperties,
  hasNo,
  listProperties,
  stringProperties,
  unknownMethod,
  unknownProperty,
} from "./unknown-name.ts";
export type { MaybePromise, Value } from "./value.ts";
export { WatchedDict } from "./watched-dict.ts";
