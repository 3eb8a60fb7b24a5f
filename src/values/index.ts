/** Script values: representation, equality, order, operators, display, errors, iterators, JSON. The only door. */

export { clampIndex, getIndex, getIndexOptional, getProperty, getPropertyOptional, slice } from "./access.ts";
export {
  type Argument,
  intOr,
  option,
  optionsDict,
  textField,
  textOf,
  withoutNilEntries,
} from "./argument.ts";
export { Callable, positionalHandlers } from "./callable.ts";
export { invoke, invoke1, invoke2 } from "./callback.ts";
export type { Caller } from "./caller.ts";
export { Dict } from "./collections/dict.ts";
export { HandleValue, Pullable, type PulledValue } from "./collections/handle.ts";
export {
  arrayPull,
  collectItems,
  drain,
  Iter,
  type IterPull,
  iterOf,
  tryIter,
} from "./collections/iter.ts";
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
} from "./collections/iter-combinators.ts";
export { emptyList, List } from "./collections/list.ts";
export {
  leaks,
  type PathStep,
  setIndex,
  setProperty,
  writeIndex,
  writePath,
  writeProperty,
} from "./collections/owned-write.ts";
export { SetValue } from "./collections/set.ts";
export { WatchedDict } from "./collections/watched-dict.ts";
export { equals, indexOfEqual } from "./equality.ts";
export { type HashKey, hashKey } from "./hash.ts";
export { decodeValue, encodeValue, type StructLookup } from "./json/codec.ts";
export { jsonNestsTooDeep, maxJsonDepth, wellFormedJson } from "./json/json-depth.ts";
export { jsonParse, jsonParseOrNothing } from "./json/json-parse.ts";
export { jsonPretty, jsonStringify, jsonText, modelText } from "./json/json-text.ts";
export { isJsonObject, type Json, type JsonObject, jsonOrText } from "./json/json-value.ts";
export { containsItself, fromJson, presentFields, toJson, toJsonOrNull } from "./json/plain-json.ts";
export { always, forEachThen, mapThen, proceed, untilThen } from "./maybe-promise.ts";
export {
  add,
  concatText,
  contains,
  divide,
  fitsInt,
  inRange,
  intFromBig,
  modulo,
  multiply,
  negate,
  numericValue,
  power,
  repeatText,
  subtract,
} from "./operators.ts";
export { compare, greaterOrEqual, greaterThan, lessOrEqual, lessThan, relate } from "./order.ts";
export {
  err,
  isErr,
  isOkValue,
  isResult,
  notAResult,
  okResult,
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
  numberValue,
  Pair,
  Range,
  type StructType,
  StructValue,
  structType,
} from "./scalars.ts";
export {
  compileParamCheck,
  compileSchema,
  fits,
  type ParamCheck,
  type ParamCheckOptions,
} from "./schema/param-check.ts";
export {
  type FieldSchema,
  lowerType,
  type NamedSchema,
  type Schema,
  schemaDict,
  schemaName,
} from "./schema/schema.ts";
export {
  fromJsonSchema,
  isSchemaType,
  isShape,
  normalSchema,
  schemaKeywords,
  schemaTypes,
  shapeSchema,
  toJsonSchema,
  wireSchema,
} from "./schema/schema-convert.ts";
export { Shape } from "./schema/shape.ts";
export {
  bareError,
  categorisedError,
  type ErrorKind,
  failing,
  lazyError,
  runtimeError,
  ScriptError,
  type TraceFrame,
  thrown,
  typeError,
} from "./script-error.ts";
export { checkItems } from "./sizes.ts";
export { fromBase64, type Hasher, hexText, sha256Hex, toBase64 } from "./text/base64.ts";
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
export { display, displayAnyway, displayDuration, displayFloat, shownValue, toKey } from "./text/display.ts";
export { durationMs } from "./text/duration.ts";
export { decimalsOf, formatText, placeholdersOf, unknownSpec } from "./text/format-text.ts";
export { nameMatches, pathMatches, starMatches } from "./text/glob.ts";
export { regexSize, tooLargeRegex } from "./text/regex-size.ts";
export { asUncaught, caughtValue, rethrowIsolated, uncaughtText } from "./text/script-error-text.ts";
export {
  charAt,
  characterPosition,
  chars,
  firstLine,
  headOf,
  pieces,
  sliceText,
  textLength,
  xmlAttribute,
  xmlText,
} from "./text/text.ts";
export { compareTexts, sortTexts } from "./text/text-order.ts";
export {
  enumProperties,
  hasNo,
  listProperties,
  stringProperties,
  unknownMethod,
  unknownProperty,
} from "./text/unknown-name.ts";
export { isDictLike, isInt, truthy, typeNames, typeOf } from "./type-name.ts";
export type { MaybePromise, Value } from "./value.ts";
