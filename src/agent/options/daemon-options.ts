/**
 * What makes a loop a daemon (agents.md §18). `persist_path` and `resume_path`
 * hold for every loop; the others say how a daemon idles and are refused where nothing would ever idle.
 */
import { type Dict, Duration, failing, List, typeOf, type Value } from "../../values/index.ts";

export interface DaemonOptions {
  /** What a loop does after a turn without tool calls: it idles, where others end. */
  readonly idles: boolean;
  /** Where snapshots are written, on idle and at the end. */
  readonly persistPath: string | null;
  /** The snapshot that the loop goes on from. */
  readonly resumePath: string | null;
  readonly wakeIntervalMs: number | null;
  readonly watchPaths: readonly string[];
  readonly consolidateOnIdle: boolean;
  /** Empty ticks in a row after which it ends; `null`: it waits as long as it takes. */
  readonly watchdogAttempts: number | null;
}

/** Options that say how a daemon idles. */
const idleOptions = ["wake_interval_ms", "watch_paths", "consolidate_on_idle", "idle_watchdog_attempts"];

/** `null`: a plain loop that nobody persists. */
export function readDaemonOptions(input: Dict, caller: string): DaemonOptions | null {
  const value = (name: string): Value => input.get(name) ?? null;
  const fail: (text: string) => never = failing(`${caller}: `);
  const flag = (name: string): boolean => {
    const option = value(name) ?? false;
    if (typeof option !== "boolean") return fail(`\`${name}\` must be a bool or nil; got ${typeOf(option)}`);
    return option;
  };
  const path = (name: string): string | null => {
    const option = value(name);
    if (option === null || (typeof option === "string" && option !== "")) return option;
    return fail(
      `\`${name}\` must be a path or nil; got ${typeof option === "string" ? "empty string" : typeOf(option)}`,
    );
  };
  const count = (name: string): number | null => {
    const option = value(name);
    if (option === null) return null;
    const number = option instanceof Duration ? Math.ceil(option.ms) : option;
    if (typeof number !== "number") return fail(`\`${name}\` must be an int or nil; got ${typeOf(option)}`);
    return number >= 1 ? number : fail(`\`${name}\` must be >= 1; got ${number}`);
  };
  const options: DaemonOptions = {
    idles: flag("daemon"),
    persistPath: path("persist_path"),
    resumePath: path("resume_path"),
    wakeIntervalMs: count("wake_interval_ms"),
    watchPaths: pathList(value("watch_paths"), fail),
    consolidateOnIdle: flag("consolidate_on_idle"),
    watchdogAttempts: count("idle_watchdog_attempts"),
  };
  if (options.idles) return options;
  const lost = idleOptions.find((name) => isDaemonAsked(value(name)));
  if (lost !== undefined) fail(`\`${lost}\` needs \`daemon: true\`: other loops never idle`);
  return options.persistPath === null && options.resumePath === null ? null : options;
}

const isDaemonAsked = (value: Value): boolean =>
  value !== null && value !== false && !(value instanceof List && value.length === 0);

function pathList(value: Value, fail: (text: string) => never): readonly string[] {
  if (value === null) return [];
  const items = value instanceof List ? value.toArray() : [value];
  return items.map((item) =>
    typeof item === "string" && item !== ""
      ? item
      : fail(`\`watch_paths\` must be a path or a list of paths; got ${typeOf(item)}`),
  );
}
