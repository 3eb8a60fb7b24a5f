/**
 * The option `control` (docs/control-plane.md): a mode that switches the parts of the control plane on. It is laid under the
 * options before they are read; what stands beside it, or in its dict, wins. With what callbacks of control are called, and the tool
 * by which the model reports progress.
 */
import { at, type FieldTable, inside, keysOf, refusal, row, rows } from "../../table/index.ts";
import { Dict, List, type Value } from "../../values/index.ts";

export const controlModes = ["interactive", "autonomous"] as const;

export type ControlMode = (typeof controlModes)[number];

/** Turns of a loop that nobody watches. */
const autonomousTurns = 300;

/** `null`: without `control`. `fields`: what may stand in its dict. */
export const controlRow = (fields: FieldTable, doc: string) =>
  row
    .either([row.bool(), row.oneOf(controlModes), row.dict(null).with({ nested: fields })], doc)
    .to((read, place): ControlOptions | null => {
      if (read === false) return null;
      if (!(read instanceof Dict)) return { mode: read === true ? "interactive" : read, keys: new Dict() };
      const mode = row.oneOf(controlModes).read(read.get("mode") ?? "interactive", inside(place, "mode"));
      return { mode, keys: read.without("mode") };
    });

export interface ControlOptions {
  readonly mode: ControlMode;
  readonly keys: Dict;
}

/** Lays what `control` means under the options. */
export function expandControl(input: Dict, control: ControlOptions | null, caller: string): Dict {
  if (control === null) return withShorthands(input.without("control"), caller);
  const { mode, keys } = control;
  let options = withShorthands(keys.merge(input.without("control")), caller);
  const usual = (name: string, value: Value): void => {
    if ((options.get(name) ?? null) === null) options = options.with(name, value);
  };
  usual("loop_until_done", true);
  usual("completion", true);
  usual("work_items", true);
  // The watch for equal calls is a setting of the same watcher.
  if ((options.get("doom_loop") ?? false) === false) usual("stall", true);
  usual("jit", true);
  usual("context_providers", new List(["guidance"]));
  const own = options.get("context_providers");
  if (own instanceof List && own.length > 0 && ![...own].some(isGuidance))
    options = options.with("context_providers", new List(["guidance", ...own]));
  if (!options.keys().some(isCompaction)) options = options.with("compaction", "ladder");
  const hasTurns = options.has("iteration_budget") || (options.get("max_turns") ?? null) !== null;
  if (mode === "autonomous" && !hasTurns) usual("max_iterations", autonomousTurns);
  return options;
}

/** Own parts stand beside the guidance; an empty list is none of both. */
const isGuidance = (value: Value): boolean =>
  value === "guidance" || (value instanceof Dict && value.get("id") === "guidance");

/** `max_continuation_prompts` at the top is the key inside; other shorthands are read with their own dicts. */
function withShorthands(input: Dict, caller: string): Dict {
  let options = input;
  const prompts = options.get("max_continuation_prompts") ?? null;
  if (prompts !== null) {
    const completion = options.get("completion") ?? null;
    if (completion === false)
      throw refusal(at(caller, "completion"), "true or a dict", false, {
        help: "`max_continuation_prompts` needs it",
      });
    const dict = completion instanceof Dict ? completion : new Dict();
    if (!dict.has("max_continuation_prompts"))
      options = options.with("completion", dict.with("max_continuation_prompts", prompts));
  }
  return options;
}

/** A name that says something of compaction already. */
const isCompaction = (name: string): boolean => /^(auto_)?compact/.test(name);

/** What `loop_control` (agents.md §11.4) is called with, for the checker. Made in `completion/snapshot.ts`. */
export const controlStateKeys = {
  ...keysOf("iteration"),
  budget: keysOf("current_limit", "max", "remaining", "extension_count", "wall_clock_ms", "cost_usd"),
  turn: keysOf(
    "tool_call_count",
    "successful_tool_names",
    "rejected_tool_names",
    "text_chars",
    "native_fallback_used",
  ),
  completion: keysOf("proposed", "vetoed", "verdict", "feedback"),
  session: keysOf(
    "successful_tool_names",
    "rejected_tool_names",
    "required_tools_satisfied",
    "required_tools_missing",
  ),
  progress: keysOf("changed", "summary"),
};

/** What `post_turn_callback` (§10.7) is called with, for the checker. Made in `completion/post-turn.ts`. */
export const turnKeys = {
  ...keysOf("iteration", "text", "visible_text", "session_id", "has_tool_calls", "tool_count"),
  ...keysOf("tool_results", "dispatch", "successful_tool_names", "rejected_tool_names"),
  ...keysOf("session_successful_tools", "session_rejected_tools"),
  session: keysOf("id"),
};

const progressToolFields = rows(() => ({
  name: row.text("What the tool is called.", "agent_progress"),
  description: row.text("What the model is told about it."),
  system_prompt_nudge: row.text("The sentence about it in the system text."),
}));

/** The option `progress_tool`: a tool by which the model reports progress. */
export const progressToolRow = (doc: string) =>
  row.switched(progressToolFields, doc).to((read) => {
    if (read === null) return null;
    const name = read.name || "agent_progress";
    return {
      name,
      description:
        read.description ||
        "Tell the user how the work is going: a message, a list of task entries, or both.",
      hint:
        read.systemPromptNudge ||
        `Use \`${name}\` to report progress when a part of the work begins or ends.`,
    };
  });
