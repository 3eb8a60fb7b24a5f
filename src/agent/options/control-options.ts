/**
 * The option `control` (docs/control-plane.md): a mode that switches the parts of the control plane on. It is laid under the
 * options before they are read; what stands beside it, or in its dict, wins.
 */
import { nearest } from "../../diagnostics/index.ts";
import type { FieldTable } from "../../table/index.ts";
import { Dict, List, thrown, typeOf, type Value } from "../../values/index.ts";
import { ladderKeys } from "./ladder-options.ts";

export const controlModes = ["interactive", "autonomous"] as const;

export type ControlMode = (typeof controlModes)[number];

/** Turns of a loop that nobody watches. */
const autonomousTurns = 300;

export interface Expanded {
  readonly options: Dict;
  /** `null`: without `control`. */
  readonly mode: ControlMode | null;
}

/** Lays what `control` means under the options. `rows`: of those that may stand in its dict. */
export function expandControl(input: Dict, caller: string, rows: FieldTable): Expanded {
  const isOption = (name: string): boolean => rows.get(name) !== undefined;
  const { mode, keys } = readControl(input.get("control") ?? null, caller, rows);
  const beside = withShorthands(keys.merge(input.without("control")), caller);
  if (mode === null) return { options: beside, mode };
  let options = beside;
  const usual = (name: string, value: Value): void => {
    if (isOption(name) && (options.get(name) ?? null) === null) options = options.with(name, value);
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
  if (isOption("max_input_tokens") && !options.keys().some(isCompaction))
    options = options.with("compaction", "ladder");
  const hasTurns = options.has("iteration_budget") || (options.get("max_turns") ?? null) !== null;
  if (mode === "autonomous" && !hasTurns) usual("max_iterations", autonomousTurns);
  return { options, mode };
}

/** Own parts stand beside the guidance; an empty list is none of both. */
const isGuidance = (value: Value): boolean =>
  value === "guidance" || (value instanceof Dict && value.get("id") === "guidance");

function readControl(
  input: Value,
  caller: string,
  rows: FieldTable,
): { readonly mode: ControlMode | null; readonly keys: Dict } {
  if (input === null || input === false) return { mode: null, keys: new Dict() };
  if (input === true) return { mode: "interactive", keys: new Dict() };
  if (typeof input === "string")
    return { mode: controlModeOf(input, `${caller}: \`control\``), keys: new Dict() };
  if (!(input instanceof Dict))
    throw thrown(
      `${caller}: \`control\` must be "interactive", "autonomous", a bool, a dict, or nil; got ${typeOf(input)}`,
    );
  const unknown = input.keys().find((key) => key !== "mode" && rows.get(key) === undefined);
  if (unknown !== undefined)
    throw thrown(`${caller}: \`control\`: unknown key \`${unknown}\`; ${meantInControl(unknown, rows)}`);
  return {
    mode: controlModeOf(input.get("mode") ?? "interactive", `${caller}: \`control.mode\``),
    keys: input.without("mode"),
  };
}

function meantInControl(unknown: string, rows: FieldTable): string {
  if (ladderKeys.includes(unknown)) return `the ladder has it: \`compaction: {${unknown}: …}\``;
  const near = nearest(unknown, ["mode", ...rows.names()]);
  return near === undefined ? "there is `mode`, and every option of a loop" : `did you mean \`${near}\`?`;
}

function controlModeOf(value: Value, where: string): ControlMode {
  if (value === "interactive" || value === "autonomous") return value;
  throw thrown(
    `${where} must be "interactive" or "autonomous"; got ${typeof value === "string" ? `"${value}"` : typeOf(value)}`,
  );
}

/** `max_continuation_prompts` at the top is the key inside; other shorthands are read with their own dicts. */
function withShorthands(input: Dict, caller: string): Dict {
  let options = input;
  const prompts = options.get("max_continuation_prompts") ?? null;
  if (prompts !== null) {
    const completion = options.get("completion") ?? null;
    if (completion === false)
      throw thrown(`${caller}: \`max_continuation_prompts\` needs \`completion\`, and that is switched off`);
    const dict = completion instanceof Dict ? completion : new Dict();
    if (!dict.has("max_continuation_prompts"))
      options = options.with("completion", dict.with("max_continuation_prompts", prompts));
  }
  return options;
}

/** A name that says something of compaction already. */
const isCompaction = (name: string): boolean => /^(auto_)?compact/.test(name);
