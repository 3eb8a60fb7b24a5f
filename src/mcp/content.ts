/** What servers answer, as values: a single text as a string, everything else in the protocol's own form. */
import type { McpJson, McpObject } from "../host/index.ts";
import { fromJson, isJsonObject, List, ScriptError, type Value } from "../values/index.ts";

/** The entries of a list in a result; what is no object is left out. */
export function contentEntriesIn(result: McpObject, key: string): McpObject[] {
  const list = result[key];
  return Array.isArray(list) ? (list as readonly McpJson[]).filter(isJsonObject) : [];
}

/** The value of a tool call. One that the server marks as failed is thrown with its text. */
export function valueOfCall(result: McpObject): Value {
  const content = contentEntriesIn(result, "content");
  if (result.isError === true) {
    throw new ScriptError("thrown", mcpText(content) || "the tool failed without a message", {
      category: "tool_error",
    });
  }
  if (content.length === 0 && result.structuredContent !== undefined)
    return fromJson(result.structuredContent);
  return contentValue(content);
}

/** The value of a resource. */
export function valueOfResource(result: McpObject): Value {
  return contentValue(contentEntriesIn(result, "contents"));
}

/** Contents of resources have a text without a type. */
function contentValue(content: readonly McpObject[]): Value {
  const [only] = content;
  if (only === undefined) return null;
  const isText = only.type === "text" || only.type === undefined;
  if (content.length === 1 && isText && typeof only.text === "string") return only.text;
  return new List(content.map((entry) => fromJson(entry)));
}

function mcpText(content: readonly McpObject[]): string {
  return content.flatMap(({ text }) => (typeof text === "string" ? [text] : [])).join("\n");
}
