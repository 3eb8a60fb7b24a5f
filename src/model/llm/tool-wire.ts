/**
 * Tools in the vendors' shapes (agents.md §2.1, §7.4), and tool parameters as JSON Schema.
 *
 * Also used by the mock, whose recordings show tools as the route would have sent them.
 */
import { isJsonObject } from "../../values/index.ts";
import type { Json, JsonObject, JsonSchema, ModelTool } from "./port.ts";

const typeNames: ReadonlyMap<string, string> = new Map([
  ["int", "integer"],
  ["float", "number"],
  ["bool", "boolean"],
  ["str", "string"],
  ["list", "array"],
  ["dict", "object"],
  ["nil", "null"],
]);

/** `{type: "function", function: {…}}`: OpenAI's chat API, every compatible server, and recordings. */
export function chatTool(tool: ModelTool): JsonObject {
  const wire: JsonObject = {
    type: "function",
    function: { name: tool.name, description: tool.description, parameters: closedSchema(tool.parameters) },
  };
  return withDeferral(wire, tool, true);
}

/** `{name, description, input_schema}`: Anthropic. */
export function anthropicTool(tool: ModelTool): JsonObject {
  const wire = {
    name: tool.name,
    description: tool.description,
    input_schema: closedSchema(tool.parameters),
  };
  return withDeferral(wire, tool, false);
}

/** Tools as a recording shows them for this provider. */
export function wireTools(provider: string, tools: readonly ModelTool[]): JsonObject[] {
  return tools.map(provider === "anthropic" ? anthropicTool : chatTool);
}

function withDeferral(wire: JsonObject, tool: ModelTool, namespaces: boolean): JsonObject {
  if (tool.defer_loading) wire.defer_loading = true;
  if (namespaces && tool.namespace) wire.namespace = tool.namespace;
  return wire;
}

/**
 * Parameters of a tool as an object schema. Takes either a JSON Schema of an object or the registry's short form
 * (a dict from parameter name to `{type, description, required?, default?}` or to a type name): flags
 * `required` are lifted into the list, the language's type names become JSON Schema's.
 */
export function parametersSchema(parameters: JsonObject | null | undefined): JsonSchema {
  if (!parameters) return objectSchema([], []);
  const isSchema =
    isObject(parameters.properties) && (parameters.type === undefined || parameters.type === "object");
  const source = isSchema ? (parameters.properties as JsonObject) : parameters;
  const required = new Set<string>(
    Array.isArray(parameters.required) && isSchema ? (parameters.required as string[]) : [],
  );
  const properties: [string, Json][] = [];
  for (const [name, spec] of Object.entries(source)) {
    if (isObject(spec)) {
      if (spec.required === true) required.add(name);
      properties.push([name, jsonTypes(dropFlag(spec))]);
    } else properties.push([name, typeof spec === "string" ? { type: typeNames.get(spec) ?? spec } : {}]);
  }
  const schema = objectSchema(
    properties,
    Object.keys(source).filter((name) => required.has(name)),
  );
  return isSchema ? { ...parameters, ...schema } : schema;
}

function objectSchema(properties: [string, Json][], required: string[]): JsonSchema {
  // `Object.fromEntries` defines own properties, so a parameter called `__proto__` stays one.
  return { type: "object", properties: Object.fromEntries(properties), required };
}

/** `required: true` is our flag; JSON Schema's own `required` is a list and stays. */
function dropFlag(spec: JsonObject): JsonObject {
  if (typeof spec.required !== "boolean") return spec;
  const { required: _flag, ...rest } = spec;
  return rest;
}

/** Replaces the language's type names at every depth. */
function jsonTypes(schema: JsonObject): JsonObject {
  const out: [string, Json][] = [];
  for (const [key, value] of Object.entries(schema)) {
    if (value === undefined) continue;
    if (key === "type" && typeof value === "string") out.push([key, typeNames.get(value) ?? value]);
    else if (key === "properties" && isObject(value)) {
      const entries = Object.entries(value).map(([name, sub]) => [
        name,
        isObject(sub) ? jsonTypes(sub) : sub,
      ]);
      out.push([key, Object.fromEntries(entries) as JsonObject]);
    } else if (key === "items" && isObject(value)) out.push([key, jsonTypes(value)]);
    else out.push([key, value]);
  }
  return Object.fromEntries(out) as JsonObject;
}

/** Every object schema that goes out says so and is closed. */
function closedSchema(parameters: JsonSchema): JsonSchema {
  const { type: _t, properties, required, additionalProperties, ...rest } = parameters;
  return {
    type: "object",
    properties: properties ?? {},
    required: required ?? [],
    additionalProperties: additionalProperties ?? false,
    ...rest,
  };
}

/** A JSON object, not a list. */
export function isObject(value: unknown): value is JsonObject {
  return isJsonObject(value);
}
