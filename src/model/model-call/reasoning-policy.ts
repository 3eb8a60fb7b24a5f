/**
 * How hard a model should think when nobody says so exactly (agents.md §5.4): a policy gives a level by task and scale, and
 * the level becomes what the route can do. `thinking` and `reasoning_effort` always win.
 */

import type { Read } from "../../table/index.ts";
import type { ModelCapabilities, Thinking } from "../llm/index.ts";
import { type planFields, type ReasoningTask, reasoningLevels } from "./call-fields.ts";

type PlanOptions = Read<typeof planFields>;
type Level = (typeof reasoningLevels)[number];
type Scale = NonNullable<PlanOptions["reasoningScale"]>;

/** What a caller assumes where the options say nothing; without it, no policy means no thinking is asked for. */
export interface ReasoningDefaults {
  readonly task: ReasoningTask;
}

interface ReasoningRoute {
  readonly provider: string;
  readonly model: string;
  /** The script named the model: a mock then plays it. */
  readonly named: boolean;
  readonly can: ModelCapabilities;
  /** The call goes out: a level that the route lacks is left to `fitThinking`, which says so. */
  readonly live: boolean;
}

/** The thinking that the policy of these options asks for on this route; `null` for none. */
export function thinkingByPolicy(
  options: PlanOptions,
  route: ReasoningRoute,
  defaults: ReasoningDefaults | undefined,
): Thinking | null {
  const policy =
    options.reasoningPolicy ?? options.thinkingPolicy ?? (defaults === undefined ? null : "auto");
  if (policy === null) return null;
  const scale = options.reasoningScale ?? options.problemScale ?? "medium";
  const task = options.reasoningTask ?? defaults?.task ?? "chat";
  // The mock borrows a model's name only when it is told to play that model.
  if (route.provider === "mock" && !route.named) return null;
  if (policy === "auto" && ownSampling(options, route.can)) return null;
  const level = policy === "auto" ? autoLevel(task, scale, route) : policy;
  const asked = policy !== "auto" && route.live && route.can.thinking_modes.includes("effort");
  if (asked && level !== "off") return { mode: "effort", level };
  return lowered(level, route.can);
}

/** Temperature and its kin don't go with extended thinking: who sets them has chosen. */
const ownSampling = ({ temperature, topP, topK }: PlanOptions, can: ModelCapabilities): boolean =>
  !can.thinking_modes.includes("effort") && (temperature ?? topP ?? topK) !== null;

const localProviders: readonly string[] = ["ollama", "llamacpp", "local", "mlx"];

function autoLevel(task: ReasoningTask, scale: Scale, { provider, model }: ReasoningRoute): Level {
  // Their chat templates are more reliable on small edits without forced thinking.
  if (localProviders.includes(provider) && /qwen/i.test(model) && scale !== "large") return "off";
  switch (task) {
    case "summarize":
      return scale === "small" ? "off" : "low";
    case "verify":
      return scale === "large" ? "medium" : "low";
    case "chat":
      return "low";
    case "agent":
    case "code":
      return scale === "small" ? "low" : scale === "medium" ? "medium" : "high";
  }
}

const budgets: Readonly<Record<Exclude<Level, "off">, number>> = {
  minimal: 1024,
  low: 1024,
  medium: 4096,
  high: 16_384,
  xhigh: 16_384,
  max: 16_384,
};

/** A level in the words of the route. */
function lowered(level: Level, can: ModelCapabilities): Thinking | null {
  const modes = can.thinking_modes;
  if (modes.includes("adaptive")) return level === "off" ? thinkingOff(can) : adaptive(level);
  if (modes.includes("enabled"))
    return level === "off" ? { mode: "disabled" } : { mode: "enabled", budget_tokens: budgets[level] };
  if (modes.includes("effort")) return { mode: "effort", level: effortLevel(level, can) };
  return null;
}

/** An adaptive model thinks as much as it wants; a low level leaves it alone. */
const adaptive = (level: Level): Thinking | null =>
  reasoningLevels.indexOf(level) >= reasoningLevels.indexOf("medium") ? { mode: "adaptive" } : null;

const thinkingOff = (can: ModelCapabilities): Thinking | null =>
  can.thinking_default === "on" ? { mode: "disabled" } : null;

/** The level itself, or the nearest one that the route knows. */
function effortLevel(level: Level, can: ModelCapabilities): string {
  if (level === "off") return can.reasoning_none_supported ? "none" : "minimal";
  const known = can.reasoning_effort_levels;
  if (known.length === 0 || known.includes(level) || level === "minimal") return level;
  return known[known.length - 1] as string;
}
