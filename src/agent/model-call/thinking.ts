/** The `thinking` option in its spellings (agents.md §1.5), and whether a route can do it. */
import type { Capabilities, Thinking } from "../../llm/index.ts";
import { Dict, display, thrown, type Value } from "../../values/index.ts";

const levels = new Set(["none", "minimal", "low", "medium", "high", "xhigh", "max"]);
const spellings = 'bool, dict, or one of "none", "minimal", "low", "medium", "high", "xhigh", "max"';

/** Null when nothing was asked for. Throws the text of the spec for what can't be meant. */
export function readThinking(value: Value | undefined): Thinking | null {
  if (value === undefined || value === null) return null;
  if (value === true) return { mode: "enabled" };
  if (value === false) return { mode: "disabled" };
  if (typeof value === "string") {
    if (levels.has(value)) return { mode: "effort", level: value };
    throw thrown(`thinking: expected ${spellings}, got "${value}"`);
  }
  if (value instanceof Dict) return readDict(value);
  throw thrown(`thinking: expected ${spellings}, got ${display(value)}`);
}

function readDict(value: Dict): Thinking {
  const mode = value.get("mode") ?? null;
  const budget = value.get("budget_tokens");
  const enabled: Thinking =
    typeof budget === "number" ? { mode: "enabled", budget_tokens: budget } : { mode: "enabled" };
  switch (mode) {
    case "disabled":
      return { mode: "disabled" };
    case "adaptive":
      return { mode: "adaptive" };
    case "enabled":
      return enabled;
    case "effort": {
      const level = value.get("level") ?? "medium";
      if (typeof level === "string" && levels.has(level)) return { mode: "effort", level };
      throw thrown(`thinking: expected level to be one of ${[...levels].join(", ")}, got ${display(level)}`);
    }
    case null:
      if (value.get("enabled") === false) return { mode: "disabled" };
      if (value.get("enabled") === true || budget !== undefined) return enabled;
  }
  throw thrown(`thinking: expected ${spellings}, got ${display(value)}`);
}

/** Throws when the route can't think this way. */
export function gateThinking(
  thinking: Thinking | null,
  can: Capabilities,
  provider: string,
  model: string,
): void {
  if (thinking === null || thinking.mode === "disabled") return;
  if (can.thinking_modes.includes(thinking.mode)) return;
  const offered =
    can.thinking_modes.length === 0 ? "it does not think" : `it knows ${can.thinking_modes.join(", ")}`;
  throw thrown(
    `option \`thinking\` with mode "${thinking.mode}" is not supported by ${model} (${provider}): ${offered}`,
  );
}
