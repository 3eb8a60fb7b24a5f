/** How a model and the loop speak of tool calls (agents.md §7): over the vendor's channel, in tags, or in fences. */

export type ToolFormat = "native" | "text" | "json";

export function isToolFormat(value: unknown): value is ToolFormat {
  return value === "native" || value === "text" || value === "json";
}

/** Calls and results stand in the text of messages. */
export const speaksText = (format: ToolFormat | "none"): format is "text" | "json" =>
  format === "text" || format === "json";
