/**
 * What a model is told about calling tools: the part of the system text that goes with a tool format.
 *
 * Only visible tools are named, sorted as registered. The text format needs the whole protocol and a signature per tool;
 * natively the vendor carries the schemas, so one paragraph is enough.
 */
import { isObject, type Json, type JsonObject, type JsonSchema } from "../llm/index.ts";
import type { ToolFormat } from "./format.ts";
import type { ToolEntry, ToolSet } from "./types.ts";

export interface ContractOptions {
  readonly format: ToolFormat;
  /** Marker for `<done>` in text loops; null leaves the done block out. */
  readonly sentinel?: string | null;
}

/** "" for no tools. */
export function toolContract(set: ToolSet, options: ContractOptions): string {
  if (set.entries.length === 0) return "";
  switch (options.format) {
    case "native":
      return nativeContract;
    case "text":
      return textContract(textProtocol(options.sentinel ?? null), toolListing(set));
    case "json":
      return jsonContract(toolListing(set));
  }
}

export const nativeContract = [
  "## Tools",
  "Call tools through the native tool channel of this conversation; never write a call as text.",
  "Several independent calls may go out in one turn. Results come back before your next turn: read them, also the failed ones, before you go on.",
].join("\n");

/** How an answer of the text format is written. */
export function textProtocol(sentinel: string | null): string {
  const lines = [
    "## How to answer",
    "Everything you write stands inside one of these blocks, one after the other:",
    "- `<tool_call>name({ key: value })</tool_call>`: one call, alone in its block. Several blocks make several calls.",
    "- `<assistant_prose>…</assistant_prose>`: a short remark on what you are doing.",
    "- `<user_response>…</user_response>`: the final answer for the user.",
  ];
  if (sentinel !== null)
    lines.push(
      `- \`<done>${sentinel}</done>\`: the task is complete. Not in the same turn as a call whose result you still need.`,
    );
  lines.push(
    "",
    "The argument is always one object literal. Long or multi-line strings are easiest as heredocs:",
    "<tool_call>name({ text: <<END",
    "first line, nothing is escaped in here",
    "END",
    "})</tool_call>",
    "Stop after your calls: the results are sent to you as the next message. Never invent a result.",
  );
  return lines.join("\n");
}

export const textContract = (protocol: string, listing: string): string =>
  `${protocol}\n\n## Tools you can call\n${listing}`;

export const jsonContract = (listing: string): string =>
  [
    "## How to answer",
    "Write to the user as usual. To call a tool, write a fenced block with the word `tool` that holds one JSON object:",
    "```tool",
    '{"name": "tool_name", "args": {"key": "value"}}',
    "```",
    "One call in each block; several blocks make several calls. Strict JSON: double quotes, no comments, line breaks as \\n.",
    "Stop after your calls: the results are sent to you as the next message. Never invent a result.",
    "",
    "## Tools you can call",
    listing,
  ].join("\n");

/** A signature and what it does, tool by tool. */
export const toolListing = (set: ToolSet): string => set.entries.map(describe).join("\n");

function describe(entry: ToolEntry): string {
  const about = entry.description.trim();
  return about === ""
    ? `- \`${toolSignature(entry)}\``
    : `- \`${toolSignature(entry)}\`\n  ${about.replaceAll("\n", "\n  ")}${parameterNotes(entry.inputSchema)}`;
}

/** `read_file({ path: string, limit?: integer = 10 }): string` */
export function toolSignature(entry: ToolEntry): string {
  const properties = (entry.inputSchema.properties ?? {}) as JsonObject;
  const required = new Set(Array.isArray(entry.inputSchema.required) ? entry.inputSchema.required : []);
  const parameters = Object.entries(properties).map(([name, schema]) => {
    const fallback =
      isObject(schema) && Object.hasOwn(schema, "default") ? ` = ${JSON.stringify(schema.default)}` : "";
    return `${propertyName(name)}${required.has(name) ? "" : "?"}: ${typeText(schema)}${fallback}`;
  });
  const result = entry.outputSchema === undefined ? "" : `: ${typeText(entry.outputSchema)}`;
  return `${entry.name}(${parameters.length === 0 ? "{}" : `{ ${parameters.join(", ")} }`})${result}`;
}

function parameterNotes(schema: JsonSchema): string {
  const notes = Object.entries((schema.properties ?? {}) as JsonObject).flatMap(([name, property]) => {
    const note = isObject(property) ? property.description : undefined;
    return typeof note === "string" && note !== "" ? [`\n  - ${name}: ${note.replaceAll("\n", " ")}`] : [];
  });
  return notes.join("");
}

/** A schema in TypeScript's words, three levels deep. */
export function typeText(schema: Json | undefined, depth = 0): string {
  if (typeof schema === "string") return schema;
  if (!isObject(schema)) return "any";
  if (Array.isArray(schema.enum)) return schema.enum.map((value) => JSON.stringify(value)).join(" | ");
  if (Object.hasOwn(schema, "const")) return JSON.stringify(schema.const);
  const union = schema.oneOf ?? schema.anyOf ?? schema.union;
  if (Array.isArray(union)) return union.map((branch) => typeText(branch, depth)).join(" | ");
  if (Array.isArray(schema.type)) return schema.type.map(String).join(" | ");
  if (schema.type === "array" || schema.type === "list") return `${typeText(schema.items, depth + 1)}[]`;
  if (isObject(schema.properties) && depth < 3) {
    const required = Array.isArray(schema.required) ? schema.required : [];
    const fields = Object.entries(schema.properties).map(
      ([name, field]) =>
        `${propertyName(name)}${required.includes(name) ? "" : "?"}: ${typeText(field, depth + 1)}`,
    );
    return `{ ${fields.join(", ")} }`;
  }
  return typeof schema.type === "string" ? schema.type : "any";
}

const propertyName = (name: string): string =>
  /^[A-Za-z_$][\w$]*$/.test(name) ? name : JSON.stringify(name);
