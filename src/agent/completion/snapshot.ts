/** The loop-state snapshot that `loop_control` and judge cadences see (agents.md §11.4). */
import { Dict, Float, List } from "../../values/index.ts";
import type { Loop } from "../state/loop-state.ts";

/** The groups of `require_successful_tools` that nobody has satisfied, as `a` or `b|c`. */
export function missingTools(loop: Loop): string[] {
  const { successful } = loop.state.tools;
  return loop.options.requireSuccessfulTools
    .filter((group) => !group.some((name) => successful.has(name)))
    .map((group) => group.join("|"));
}

/** What happened in the turn just completed, and what is left. */
export function stateSnapshot(loop: Loop): Dict {
  const { work, state, core, options } = loop;
  const limit = core.control.budget.limits.turns ?? options.iterationBudget.max;
  const missing = missingTools(loop);
  const outcomes = work.outcomes.filter((outcome) => outcome !== null);
  const named = (ok: boolean): List =>
    new List([...new Set(outcomes.filter((o) => o.ok === ok).map((o) => o.name))]);
  return Dict.of({
    iteration: work.iteration + 1,
    budget: Dict.of({
      current_limit: limit,
      max: options.iterationBudget.max,
      remaining: limit - (work.iteration + 1),
      extension_count: state.slots.budget.extensions,
      wall_clock_ms: Math.round(core.control.budget.used.wall_clock_ms),
      cost_usd: new Float(state.usage.costUsd),
    }),
    turn: Dict.of({
      tool_call_count: outcomes.length,
      successful_tool_names: named(true),
      rejected_tool_names: named(false),
      text_chars: work.visible.length,
      native_fallback_used: work.fallback === "accepted",
    }),
    session: Dict.of({
      successful_tool_names: new List([...state.tools.successful]),
      rejected_tool_names: new List([...state.tools.rejected]),
      required_tools_satisfied: missing.length === 0,
      required_tools_missing: new List(missing),
    }),
    completion: Dict.of({
      proposed: work.completion.proposed,
      vetoed: work.completion.vetoed,
      verdict: work.completion.verdict,
      feedback: work.completion.feedback,
    }),
    progress: Dict.of({
      changed: outcomes.length > 0 || work.visible !== "",
      summary: progressSummary(loop),
    }),
  });
}

function progressSummary(loop: Loop): string {
  const { work } = loop;
  const calls = work.outcomes.length;
  if (work.completion.vetoed) return "completion gate vetoed";
  if (calls > 0) return `executed ${calls} tool call(s)`;
  return work.visible === "" ? "no progress signal" : "produced visible text";
}
