/**
 * Arguments on their way from the model to a handler: read, renamed, completed, checked, laid out.
 *
 * Only missing required parameters refuse a call (agents.md §8.1): a wrong type reaches the handler, whose own
 * parameter checks or code say what they want. An entry with `strict: true` is checked against its whole schema first.
 */
import type { Runtime } from "../../interp/index.ts";
import { isObject, type JsonObject } from "../../llm/index.ts";
import {
  type Callable,
  Dict,
  fromJson,
  jsonParse,
  List,
  positionalHandlers,
  type Value,
} from "../../values/index.ts";
import { checkSchema } from "../values/schema-check.ts";
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

/** Step 1 of §8.1: aliases renamed (`annotations.arg_schema.arg_aliases`), defaults of the schema filled in. */
export function normaliseArguments(entry: ToolEntry, args: Dict): Dict {
  const renamed = renameAliases(entry, args);
  let filled = renamed;
  for (const [name, schema] of properties(entry)) {
    if (renamed.has(name) || !isObject(schema) || !Object.hasOwn(schema, "default")) continue;
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

/** Step 8: what is wrong with the arguments, in words for the model, or undefined. */
export function argumentProblem(
  runtime: Runtime,
  entry: ToolEntry,
  args: Dict,
): { reason: string; nextStep: string } | undefined {
  const required = Array.isArray(entry.inputSchema.required) ? (entry.inputSchema.required as string[]) : [];
  const judgedLater = entry.raw.get("_middleware_params");
  const missing = required.filter(
    (name) => !args.has(name) && !(judgedLater instanceof List && judgedLater.toArray().includes(name)),
  );
  if (missing.length > 0) {
    const given = args.keys();
    const known = [...properties(entry)].map(([name]) => name);
    const got = given.length === 0 ? "No arguments were given." : `Given: ${given.join(", ")}.`;
    return {
      reason: `Tool '${entry.name}' is missing required parameter(s): ${missing.join(", ")}. ${got}`,
      nextStep: `Call ${entry.name} again with all required parameters (${required.join(", ")})${known.length > required.length ? `; it also takes ${known.filter((name) => !required.includes(name)).join(", ")}` : ""}.`,
    };
  }
  if (!entry.strict) return undefined;
  const { errors } = checkSchema(args, entry.inputSchema, {
    unknownKeys: "refuse",
    matches: patternMatcher(runtime),
  });
  if (errors.length === 0) return undefined;
  return {
    reason: `Tool '${entry.name}' got arguments that do not fit its schema: ${errors.join("; ")}`,
    nextStep: `Correct these arguments and call ${entry.name} again.`,
  };
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
