/** `ask_user`: a question whose answer is data (builtins.md §2.22). */
import { checkSchema, patternMatcher } from "../../agent/index.ts";
import type { Task } from "../../interp/index.ts";
import {
  Dict,
  Float,
  isInt,
  jsonParse,
  List,
  runtimeError,
  ScriptError,
  typeOf,
  type Value,
} from "../../values/index.ts";
import { type Given, option, textOf } from "../arguments.ts";
import { consult, type Verdict } from "./consult.ts";
import { limitOf, metadataOf } from "./request.ts";

export async function askUser(task: Task, prompt: Given, options: Given): Promise<Value> {
  if (prompt === undefined || prompt === null) throw runtimeError("ask_user: a prompt is required");
  const schema = option(options, "schema");
  if (schema !== undefined && !(schema instanceof Dict))
    throw runtimeError("ask_user: schema must be a dict");
  const fallback = option(options, "default");
  const { settled } = await consult<Value>(task, {
    caller: "ask_user",
    text: {
      kind: "question",
      prompt: textOf(prompt),
      limitMs: limitOf("ask_user", "timeout", option(options, "timeout")),
      metadata: metadataOf(options, ["timeout"]),
    },
    fallback,
    judge: (_request, { answer }) => judged(task, answer, schema, fallback),
  });
  return settled === undefined ? (fallback ?? null) : settled;
}

/** The answer as the schema or the default wants it. */
function judged(
  task: Task,
  answer: Value,
  schema: Dict | undefined,
  fallback: Value | undefined,
): Verdict<Value> {
  if (answer === "" && fallback !== undefined) return { settled: fallback };
  if (schema !== undefined) return fitting(task, answer, schema);
  if (fallback === undefined) return { settled: answer };
  const coerced = coerce(answer, typeOf(fallback));
  if (coerced !== undefined) return { settled: coerced };
  return { problem: `the answer must be of type ${typeOf(fallback)}, got '${textOf(answer)}'` };
}

/** What people type is text: where that does not fit, what it reads as is tried. */
function fitting(task: Task, answer: Value, schema: Dict): Verdict<Value> {
  const options = { defaults: true, matches: patternMatcher(task.runtime) };
  const plain = checkSchema(answer, schema, options);
  if (plain.errors.length === 0) return { settled: plain.value };
  const type = schema.get("type");
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
  coerce(text, canonicalTypes.get(type) ?? type) ?? parsed(text);

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
  const data = parsed(text);
  return (type === "list" && data instanceof List) || (type === "dict" && data instanceof Dict)
    ? data
    : undefined;
}

function boolOf(word: string): boolean | undefined {
  if (["true", "yes", "y", "1", "on"].includes(word)) return true;
  return ["false", "no", "n", "0", "off"].includes(word) ? false : undefined;
}

function parsed(text: string): Value | undefined {
  try {
    return jsonParse(text);
  } catch (error) {
    if (error instanceof ScriptError) return undefined;
    throw error;
  }
}
