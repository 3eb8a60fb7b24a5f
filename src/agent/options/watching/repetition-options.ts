/**
 * What is watched of a loop that repeats itself: `stall` (turns without progress, docs/control-plane.md), `doom_loop` (the same
 * calls again and again, docs/research.md) and `stall_diagnostics` (one call again and again, agents.md §11.5) are three looks
 * of one watcher (completion/repetition/).
 */
import { type Read, row, rows } from "../../../table/index.ts";
import { nameMatches } from "../../../values/index.ts";

const { bool, dict, either, int, list, oneOf, switched, text } = row;

const progressRows = rows(
  () => ({
    threshold: int("Turns without progress that are a stall.", null, { min: 1 }).usually("3"),
    interventions: int("Warnings to the model before the loop ends.", 1, { min: 0 }),
    exempt: list(text(), "Globs of tools that may repeat.").full().or([]),
    on_stop: oneOf(["stop", "pause"], "What becomes of a loop that stays stalled.", "stop"),
  }),
  { strict: true },
);

const circleRows = rows(
  () => ({
    repeat: int("Equal calls in a row that are a loop.", 3, { min: 2, max: 100 }),
    period: int("The longest cycle of different calls that is looked for.", 2, { min: 2, max: 4 }),
    strikes: int("Detections after which the loop ends; from the second on the calls are refused.", 3, {
      min: 1,
    }),
    block_turns: int("Turns in which such a call is refused.", 5, { min: 1 }),
    exempt_tools: list(text(), "Tools that may repeat: they neither count nor reset.").full().or([]),
  }),
  { strict: true },
);

const equalCallRows = rows(() => ({
  enabled: bool("Watch for the same call again and again.", true),
  threshold: int("Equal calls in a row that are a stall.", 3, { min: 2 }),
  inject_feedback: bool("Tell the model.", true),
  max_feedback: int("Tell it so often at most.", 1, { min: 0 }),
  exempt_tools: list(text(), "Tools that may repeat.").full().or([]).alias("allow_repeated_tools"),
  include_arguments: bool("Warnings show the arguments.", false),
}));

export const repetitionRows = rows(() => ({
  stall: either(
    [bool(), dict(progressRows)],
    "Warn of turns without progress, then end the loop (docs/control-plane.md).",
  ).with({ sets: ["several answers"] }),
  doom_loop: switched(
    circleRows,
    "Watch for the same calls again and again: correct, refuse, end (docs/research.md).",
  ),
  stall_threshold: int("Short for `stall: {threshold}`.", null, { min: 1 }),
  stall_diagnostics: switched(equalCallRows, "Watch for the same call again and again."),
}));

type Exempt = { readonly exempt: (tool: string) => boolean };
export type ProgressOptions = Omit<Read<typeof progressRows>, "threshold" | "exempt"> & {
  readonly threshold: number;
} & Exempt;
export type CircleOptions = Read<typeof circleRows> & Exempt;
export type EqualCallOptions = Read<typeof equalCallRows> & Exempt;

/** Each null: nobody looks for it. */
export interface RepetitionOptions {
  /** Turns without progress. `stall_threshold` switches it on as well. */
  readonly progress: ProgressOptions | null;
  /** The same calls in a row or in a circle, once they were answered. */
  readonly circles: CircleOptions | null;
  /** The same call in a row, before it is made. */
  readonly equalCalls: EqualCallOptions | null;
}

export function repetitionOf(read: Read<typeof repetitionRows>): RepetitionOptions {
  const { stall, doomLoop: circles, stallThreshold, stallDiagnostics: equal } = read;
  const isOn = stall === true || (stall === null && stallThreshold !== null);
  const progress = isOn ? progressRows.usual : typeof stall === "boolean" ? null : stall;
  return {
    progress: progress && {
      ...progress,
      threshold: progress.threshold ?? stallThreshold ?? 3,
      exempt: (tool) => progress.exempt.some((glob) => nameMatches(glob, tool)),
    },
    circles: circles && { ...circles, exempt: (tool) => circles.exemptTools.includes(tool) },
    equalCalls: equal && { ...equal, exempt: (tool) => equal.exemptTools.includes(tool) },
  };
}
