/** Script values: representation, equality, order, display, errors, callables. */
export { Callable } from "./callable.ts";
export { Dict } from "./dict.ts";
export { HandleValue, Pullable, type Pulled } from "./handle.ts";
export { emptyList, List } from "./list.ts";
export { Atomic, Bytes, Duration, EnumValue, Float, Pair, Range, type StructType, StructValue } from "./scalars.ts";
export {
  bareError,
  categorisedError,
  type ErrorKind,
  runtimeError,
  ScriptError,
  thrown,
  type TraceFrame,
  typeError,
} from "./script-error.ts";
export { SetValue } from "./set.ts";
export { compareText } from "./text-order.ts";
export type { MaybePromise, Value } from "./value.ts";
