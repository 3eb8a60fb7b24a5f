/**
 * Arguments on their way from the model to a handler: read, renamed, completed, checked, laid out.
 *
 * A call is checked against the whole schema, nested, before anything runs it: handlers never see what their schema
 * forbids. What does not fit is answered to the model with the path and the rule. `strict: true` refuses unknown keys too.
 */
import type { Runtime } from "../../interp/index.ts";
import {
  type Callable,
  Dict,
  Float,
  fromJson,
  jsonParse,
  List,
  positionalHandlers,
  type Value,
} from "../../values/index.ts";
import { isObject, type JsonObject, type JsonSchema } from "../llm/index.ts";
import { checkSchema, requiredKeys } from "../values/schema-check.ts";
import { patternMatcher } from "../values/schema-pattern.ts";
import type { ToolCall, ToolEntry } from "./types.ts";

/** The arguments as script values: from the model's own text where there is one, which keeps `5.0` a float. */
export function argumentValues(call: ToolCall): Dict {
  if (call.arguments === null) return new Dict();
  if (call.rawArguments !== "") {
    try {
      const value = jsonParse(call.rawArguments);
      if (value instanceof Dict) return value;
    } catch {
      // Not the text that the arguments were made from: the arguments themselves count.
    }
  }
  const value = fromJson(call.arguments);
  return value instanceof Dict ? value : new Dict();
}

/** Step 1 of §8.1: aliases renamed (`annotations.arg_schema.arg_aliases`), nulls of optional parameters left out, defaults filled in. */
export function normaliseArguments(entry: ToolEntry, args: Dict): Dict {
  const fitted = fitArguments(renameAliases(entry, args), entry.inputSchema);
  let filled = fitted;
  for (const [name, schema] of properties(entry)) {
    if (fitted.has(name) || !isObject(schema) || !Object.hasOwn(schema, "default")) continue;
    filled = filled.with(name, fromJson(schema.default ?? null));
  }
  return filled;
}

function renameAliases(entry: ToolEntry, args: Dict): Dict {
  const argSchema = entry.annotations?.get("arg_schema");
  const aliases = argSchema instanceof Dict ? argSchema.get("arg_aliases") : undefined;
  if (!(aliases instanceof Dict)) return args;
  let result = args;
  for (const [alias, target] of aliases.entries()) {
    const value = result.get(alias);
    if (typeof target !== "string" || value === undefined || result.has(target)) continue;
    result = result.without(alias).with(target, value);
  }
  return result;
}

/** What the model is told of arguments that do not fit. */
interface ArgumentProblem {
  readonly reason: string;
  readonly nextStep: string;
}

/** Step 8: what is wrong with the arguments, in words for the model, or undefined. */
export function argumentProblem(runtime: Runtime, entry: ToolEntry, args: Dict): ArgumentProblem | undefined {
  const missing = missingParameters(entry, args);
  const errors = schemaErrors(runtime, entry, args);
  if (missing.length === 0 && errors.length === 0) return undefined;
  if (missing.length === 0) {
    return {
      reason: `Tool '${entry.name}' got arguments that do not fit its schema: ${errors.join("; ")}`,
      nextStep: `Correct these arguments and call ${entry.name} again.`,
    };
  }
  const names = args.keys();
  const got = names.length === 0 ? "No arguments were given." : `Given: ${names.join(", ")}.`;
  const also = errors.length === 0 ? "" : ` What is given does not fit its schema: ${errors.join("; ")}`;
  return {
    reason: `Tool '${entry.name}' is missing required parameter(s): ${missing.join(", ")}. ${got}${also}`,
    nextStep: `Call ${entry.name} again with all required parameters (${parameterList(entry)}.`,
  };
}

/** Errors that one answer tells: a model corrects what it can take in. */
const maxErrors = 10;

const requiredParameters = ({ inputSchema: { required } }: ToolEntry): string[] =>
  Array.isArray(required) ? (required as string[]) : [];

/** Required parameters that are not given and that no middleware answers for. */
function missingParameters(entry: ToolEntry, args: Dict): string[] {
  return requiredParameters(entry).filter((name) => !args.has(name) && !judgedLater(entry).includes(name));
}

/** Parameters that middleware answers for. */
function judgedLater({ raw }: ToolEntry): readonly Value[] {
  const names = raw.get("_middleware_params");
  return names instanceof List ? names.toArray() : [];
}

/** The schema by which arguments are judged, as one that stands alone: for who changes them before the call is made. */
export function judgedSchema(entry: ToolEntry): JsonSchema {
  const required = requiredParameters(entry).filter((name) => !judgedLater(entry).includes(name));
  return { ...entry.inputSchema, required, ...(entry.strict ? { additionalProperties: false } : {}) };
}

/** What of the given arguments breaks a rule, with its path; missing top-level parameters are told apart. */
function schemaErrors(runtime: Runtime, entry: ToolEntry, args: Dict): string[] {
  const matches = patternMatcher(runtime);
  const { errors } = checkSchema(
    args,
    { ...entry.inputSchema, required: [] },
    {
      unknownKeys: entry.strict ? "refuse" : "allow",
      // A server judges by its own rules: patterns that only it can read are left to it.
      matches: entry.origin === "mcp" ? (pattern, text) => matches(pattern, text) !== false : matches,
    },
  );
  const more = errors.length - maxErrors;
  return more > 0 ? [...errors.slice(0, maxErrors), `and ${more} more`] : [...errors];
}

function parameterList(entry: ToolEntry): string {
  const required = requiredParameters(entry);
  const others = [...properties(entry)].map(([name]) => name).filter((name) => !required.includes(name));
  return `${required.join(", ")})${others.length > 0 ? `; it also takes ${others.join(", ")}` : ""}`;
}

/**
 * What the handler is called with: one dict, or, for the handler of a `tool` declaration, its parameters in order.
 * Trailing parameters that were not given are left out, so that the function's own defaults apply.
 */
export function handlerArguments(handler: Callable, args: Dict): Value[] {
  if (!positionalHandlers.has(handler)) return [args];
  const values = handler.params.map((name) => args.get(name.replace(/^\.\.\./, "")));
  while (values.length > 0 && values.at(-1) === undefined) values.pop();
  return values.map((value) => value ?? null);
}

function properties(entry: ToolEntry): [string, JsonObject[string]][] {
  return isObject(entry.inputSchema.properties) ? Object.entries(entry.inputSchema.properties) : [];
}

/**
 * Arguments as models write them, brought to what their schema means, where nothing is guessed: null for something
 * optional that can't be null is "not given", and `4.0` for an integer is 4 (JSON knows one kind of number). All else is
 * left to the check.
 */
function fitArguments(args: Dict, schema: JsonObject): Dict {
  return fitDict(args, schema, schema);
}

function fitValue(value: Value, schema: JsonObject, root: JsonObject): Value {
  if (value instanceof Dict) return fitDict(value, schema, root);
  if (value instanceof List) return fitList(value, schema, root);
  if (value instanceof Float && schema.type === "integer" && Number.isSafeInteger(value.value))
    return value.value;
  return value;
}

function fitDict(dict: Dict, schema: JsonObject, root: JsonObject): Dict {
  const { properties } = schema;
  if (!isObject(properties)) return dict;
  const required = requiredKeys(schema);
  let fitted = dict;
  for (const [key, property] of Object.entries(properties)) {
    const value = dict.get(key);
    if (value === undefined || !isObject(property)) continue;
    if (value === null && !required.includes(key) && !takesNull(property, root)) fitted = fitted.without(key);
    else {
      const inner = fitValue(value, property, root);
      if (inner !== value) fitted = fitted.with(key, inner);
    }
  }
  return fitted;
}

function fitList(list: List, schema: JsonObject, root: JsonObject): List {
  const { items } = schema;
  if (!isObject(items)) return list;
  let changed = false;
  const fitted = list.toArray().map((item) => {
    const inner = fitValue(item, items, root);
    changed ||= inner !== item;
    return inner;
  });
  return changed ? new List(fitted) : list;
}

const takesNull = (schema: JsonObject, root: JsonObject): boolean =>
  checkSchema(null, { ...schema, $defs: root.$defs ?? {} }, { matches: () => true }).errors.length === 0;
