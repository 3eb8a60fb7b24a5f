/** An answer to `ask_user`, against what the question wants: the same when it is typed, mocked and given by `harn hitl`. */
import {
  Dict,
  Float,
  isInt,
  jsonParseOrNothing,
  List,
  normalSchema,
  textOf,
  typeOf,
  type Value,
} from "../../values/index.ts";
import { checkSchema } from "./schema-check.ts";
import type { PatternMatcher } from "./schema-pattern.ts";

/** The answer as the question wants it, or what is wrong with it. */
export type FittedAnswer = { readonly settled: Value } | { readonly problem: string };

export interface AnswerShape {
  readonly schema: Dict | undefined;
  /** `default`: an empty answer means it, any other is read as a value of its type. */
  readonly fallback: Value | undefined;
  readonly matches: PatternMatcher;
}

/** The answer as the schema or the default wants it. */
export function fitAnswer(answer: Value, { schema, fallback, matches }: AnswerShape): FittedAnswer {
  if (answer === "" && fallback !== undefined) return { settled: fallback };
  if (schema !== undefined) return fittingAnswer(answer, schema, matches);
  if (fallback === undefined) return { settled: answer };
  const coerced = coerce(answer, typeOf(fallback));
  if (coerced !== undefined) return { settled: coerced };
  return { problem: `the answer must be of type ${typeOf(fallback)}, got '${textOf(answer)}'` };
}

/** What people type is text: where that does not fit, what it reads as is tried. */
function fittingAnswer(answer: Value, schema: Dict, matches: PatternMatcher): FittedAnswer {
  const options = { defaults: true, matches };
  const plain = checkSchema(answer, schema, options);
  if (plain.errors.length === 0) return { settled: plain.value };
  const type = normalSchema(schema).get("type");
  const read = typeof answer === "string" ? readAs(answer, typeof type === "string" ? type : "") : undefined;
  if (read !== undefined) {
    const checked = checkSchema(read, schema, options);
    if (checked.errors.length === 0) return { settled: checked.value };
  }
  return { problem: `the answer does not fit the schema: ${plain.errors.join("; ")}` };
}

const canonicalTypes: ReadonlyMap<string, string> = new Map([
  ["integer", "int"],
  ["number", "float"],
  ["boolean", "bool"],
  ["object", "dict"],
  ["array", "list"],
]);

const readAs = (text: string, type: string): Value | undefined =>
  coerce(text, canonicalTypes.get(type) ?? type) ?? jsonParseOrNothing(text);

/** A value as one of a type; `undefined` when it is none. */
function coerce(value: Value, type: string): Value | undefined {
  if (typeOf(value) === type) return value;
  if (type === "string") return textOf(value);
  if (type === "float" && isInt(value)) return new Float(Number(value));
  if (typeof value !== "string") return undefined;
  const text = value.trim();
  if (type === "int") return /^[+-]?\d{1,15}$/.test(text) ? Number(text) + 0 : undefined;
  if (type === "float")
    return text !== "" && Number.isFinite(Number(text)) ? new Float(Number(text)) : undefined;
  if (type === "bool") return boolOf(text.toLowerCase());
  const data = jsonParseOrNothing(text);
  return (type === "list" && data instanceof List) || (type === "dict" && data instanceof Dict)
    ? data
    : undefined;
}

function boolOf(word: string): boolean | undefined {
  if (["true", "yes", "y", "1", "on"].includes(word)) return true;
  return ["false", "no", "n", "0", "off"].includes(word) ? false : undefined;
}
