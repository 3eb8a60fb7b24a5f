/** What the mock says when nobody wrote an answer (agents.md §2.2). */
import { textOfMessage } from "../content.ts";
import type { Json, JsonObject, ModelMessage, ModelRequest, ModelTool } from "../port.ts";
import { utf8Length } from "../tokens.ts";
import { isObject } from "../tool-wire.ts";
import { type Entry, scriptedEntry } from "./entry.ts";

/** A runtime tool that the automatic call never picks: it would suspend the loop. */
const neverCalled = "agent_await_resumption";

/** The default answer as an entry. */
export function defaultEntry(request: ModelRequest): Entry {
  const prompt = lastPrompt(request.messages);
  const base = {
    input_tokens: prompt === "" ? 0 : utf8Length(prompt),
    model: request.model,
    provider: request.provider,
  };
  const tool = request.tools?.find((candidate) => candidate.name !== neverCalled);
  const entry = scriptedEntry(tool ? base : { ...base, text: defaultText(request, prompt) }, {
    file: true,
    prefix: "",
  });
  if (!tool) return entry;
  return { ...entry, output_tokens: 20, calls: [{ id: null, name: tool.name, raw: placeholders(tool) }] };
}

function defaultText(request: ModelRequest, prompt: string): string {
  const said = defaultAnswerText(request, prompt);
  // Tagged-text contracts name `<done>`, no-tool and native ones must not: only the former finish by themselves.
  if (!request.system?.includes("<done>")) return said;
  return `<assistant_prose>${said}</assistant_prose>\n<done>##DONE##</done>`;
}

function defaultAnswerText(request: ModelRequest, prompt: string): string {
  const completion = request.completion;
  if (completion) {
    const before = completion.suffix ? ` before ${[...completion.suffix].length} chars` : "";
    return `Mock completion after ${[...completion.prefix].length} chars${before}`;
  }
  if (prompt === "") return "Mock LLM response";
  const words = prompt.trim().split(/\s+/).length;
  return `Mock response to ${words}-word prompt: ${[...prompt.slice(0, 200)].slice(0, 100).join("")}`;
}

/** The content of the last message that says anything. */
function lastPrompt(messages: readonly ModelMessage[]): string {
  for (let i = messages.length - 1; i >= 0; i--) {
    const text = textOfMessage(messages[i]!);
    if (text.trim() !== "") return text;
  }
  return "";
}

/** Argument text with one placeholder per required parameter. Floats are written `0.0` so that they stay floats. */
function placeholders(tool: ModelTool): string {
  const properties = isObject(tool.parameters.properties) ? tool.parameters.properties : {};
  const required = Array.isArray(tool.parameters.required) ? tool.parameters.required : [];
  const fields = required
    .filter((name): name is string => typeof name === "string")
    .map(
      (name) =>
        `${JSON.stringify(name)}:${placeholder(Object.hasOwn(properties, name) ? properties[name] : undefined)}`,
    );
  return `{${fields.join(",")}}`;
}

function placeholder(schema: Json | undefined): string {
  const type = isObject(schema) ? schemaTypeOf(schema) : "string";
  if (type === "integer") return "0";
  if (type === "number") return "0.0";
  if (type === "boolean") return "false";
  if (type === "array") return "[]";
  return type === "object" ? "{}" : '""';
}

function schemaTypeOf(schema: JsonObject): Json | undefined {
  return Array.isArray(schema.type) ? schema.type.find((type) => type !== "null") : schema.type;
}
