/** The option `stall` (docs/control-plane.md, "It goes in circles"): what is done about turns without progress. */
import { Dict, List, nameMatches, thrown, typeOf, type Value } from "../../../values/index.ts";

export interface WatchOptions {
  /** Turns without progress that are a stall. */
  readonly threshold: number;
  /** Warnings of one streak, before it ends the loop. */
  readonly interventions: number;
  /** Tools that may repeat. */
  readonly exempt: (tool: string) => boolean;
  readonly onStop: "stop" | "pause";
}

/** `null`: nobody watches. `stall_threshold` switches it on as well. */
export function readWatch(options: Dict, caller: string): WatchOptions | null {
  const value = options.get("stall") ?? null;
  const threshold = options.get("stall_threshold") ?? null;
  if (value === false || (value === null && threshold === null)) return null;
  const fail = (text: string): never => {
    throw thrown(`${caller}: ${text}`);
  };
  const dict = value === null || value === true ? new Dict() : value;
  if (!(dict instanceof Dict)) return fail(`\`stall\` must be a bool, dict, or nil; got ${typeOf(value)}`);
  const count = (path: string, number: Value, usual: number, least: number): number => {
    if (number === null) return usual;
    if (typeof number !== "number") return fail(`\`${path}\` must be an int; got ${typeOf(number)}`);
    return number >= least ? number : fail(`\`${path}\` must be >= ${least}; got ${number}`);
  };
  const usual = count("stall_threshold", threshold, 3, 1);
  const onStop = dict.get("on_stop") ?? "stop";
  if (onStop !== "stop" && onStop !== "pause")
    return fail(
      `\`stall.on_stop\` must be "stop" or "pause"; got ${typeof onStop === "string" ? onStop : typeOf(onStop)}`,
    );
  const exempt = namePatterns(dict.get("exempt") ?? null, fail);
  return {
    threshold: count("stall.threshold", dict.get("threshold") ?? null, usual, 1),
    interventions: count("stall.interventions", dict.get("interventions") ?? null, 1, 0),
    exempt: (tool) => exempt.some((glob) => nameMatches(glob, tool)),
    onStop,
  };
}

function namePatterns(value: Value, fail: (text: string) => never): string[] {
  if (value === null) return [];
  if (!(value instanceof List)) return fail(`\`stall.exempt\` must be a list of globs; got ${typeOf(value)}`);
  return [...value].map((item) =>
    typeof item === "string"
      ? item
      : fail(`\`stall.exempt\` must be a list of globs; got an entry of type ${typeOf(item)}`),
  );
}
