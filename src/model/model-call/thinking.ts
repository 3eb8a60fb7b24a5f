/** What a route does for a request to think (agents.md §1.5). */

import { thrown } from "../../values/index.ts";
import { effortBudgets, effortLadder, type ModelCapabilities, type Thinking } from "../llm/index.ts";

/** What a route does for a request to think, and what of the request it could not do. */
export interface FittedThinking {
  readonly thinking: Thinking | null;
  /** For the user; null where the route does what was asked. */
  readonly note: string | null;
}

/**
 * A request to think in the way that this route knows: another mode, the nearest level. A model that does not think at all
 * is an error.
 */
export function fitThinking(
  asked: Thinking | null,
  can: ModelCapabilities,
  provider: string,
  model: string,
): FittedThinking {
  const modes = can.thinking_modes;
  if (asked === null || (modes.length === 0 && asked.mode === "disabled"))
    return { thinking: asked, note: null };
  if (modes.length === 0)
    throw thrown(
      `option \`thinking\` with mode "${asked.mode}" is not supported by ${model} (${provider}): it does not think`,
    );
  const off = asked.mode === "disabled" || (asked.mode === "effort" && asked.level === "none");
  if (off) return switchedOff(asked, can, model);
  if (asked.mode === "effort") return leveled(asked.level, can, model);
  if (modes.includes(asked.mode)) return { thinking: asked, note: null };
  const budget = asked.mode === "enabled" ? (asked.budget_tokens ?? null) : null;
  const about = (does: string): string | null =>
    budget === null ? null : `${model} takes no thinking budget: ${does} in place of ${budget} tokens`;
  if (modes.includes("adaptive"))
    return { thinking: { mode: "adaptive" }, note: about("it decides itself how long it thinks") };
  if (modes.includes("effort")) {
    const { thinking } = leveled(budget === null ? "medium" : levelOfBudget(budget), can, model);
    const level = thinking?.mode === "effort" ? thinking.level : "medium";
    return { thinking, note: about(`effort "${level}"`) };
  }
  return { thinking: { mode: "enabled" }, note: null };
}

function levelOfBudget(budget: number): string {
  const fitting = ["low", "medium", "high"].find((level) => budget <= (effortBudgets.get(level) ?? 0));
  return fitting ?? "xhigh";
}

/** Not to think: some models only think less, some can't be told. */
function switchedOff(asked: Thinking, can: ModelCapabilities, model: string): FittedThinking {
  if (!can.thinking_modes.includes("effort") || can.thinking_modes.includes("enabled")) {
    const always = can.thinking_default === "always";
    const note = always ? `${model} always thinks: it can't be told not to` : null;
    return { thinking: asked.mode === "disabled" || !always ? { mode: "disabled" } : asked, note };
  }
  if (can.reasoning_none_supported) return { thinking: { mode: "effort", level: "none" }, note: null };
  const least = can.reasoning_effort_levels[0];
  if (least === undefined) return { thinking: null, note: `${model} can't be told not to think` };
  return {
    thinking: { mode: "effort", level: least },
    note: `${model} can't be told not to think: effort "${least}" in place of none`,
  };
}

function leveled(level: string, can: ModelCapabilities, model: string): FittedThinking {
  const modes = can.thinking_modes;
  if (modes.includes("effort") || modes.includes("adaptive")) {
    const nearest = nearestLevel(level, can.reasoning_effort_levels);
    const note = nearest === level ? null : `${model} has no effort "${level}": "${nearest}" in place of it`;
    return { thinking: { mode: "effort", level: nearest }, note };
  }
  const budget = effortBudgets.get(level) ?? 4096;
  return {
    thinking: { mode: "enabled", budget_tokens: budget },
    note: `${model} takes a budget, no effort: ${budget} tokens in place of "${level}"`,
  };
}

/** Where two are as near, the greater: whoever asked for more thinking must not get less than he could. */
function nearestLevel(level: string, known: readonly string[]): string {
  if (known.length === 0 || known.includes(level)) return level;
  const place = (one: string): number => effortLadder.indexOf(one);
  const distance = (one: string): number => Math.abs(place(one) - place(level));
  const sorted = [...known].sort((a, b) => distance(a) - distance(b) || place(b) - place(a));
  return sorted[0] as string;
}
