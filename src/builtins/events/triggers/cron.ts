/**
 * Schedules in cron's five fields: minute, hour, day of the month, month, day of the week (croner). A local time that a
 * change of the clocks leaves out happens when that gap ends; one that comes twice happens once.
 */
import { isZone } from "../../time/date-fields.ts";

export interface Cron {
  /** The first time after `ms`, both in milliseconds since the epoch; `undefined` when there is none. */
  next(ms: number): number | undefined;
}

/** The five fields as messages name them. */
const fields = ["minute (0-59)", "hour (0-23)", "day of month (1-31)", "month (1-12)", "day of week (0-7)"];

const shorthands: ReadonlyMap<string, string> = new Map([
  ["@hourly", "0 * * * *"],
  ["@daily", "0 0 * * *"],
  ["@midnight", "0 0 * * *"],
  ["@weekly", "0 0 * * 0"],
  ["@monthly", "0 0 1 * *"],
  ["@yearly", "0 0 1 1 *"],
  ["@annually", "0 0 1 1 *"],
]);

/** A schedule, or what is wrong with it. */
export function parseCron(library: typeof import("croner"), text: string, zone: string): Cron | string {
  if (!isZone(zone)) return `unknown timezone '${zone}'`;
  const { Cron } = library;
  // `5/10` goes on from 5 to the end.
  const options = { mode: "5-part", sloppyRanges: true, paused: true } as const;
  const parts = (shorthands.get(text.trim()) ?? text).trim().split(/\s+/);
  if (parts.length !== fields.length) {
    return `schedule '${text}' must have five fields: minute, hour, day of month, month, day of week`;
  }
  const isSchedule = (pattern: readonly string[]): boolean => {
    try {
      new Cron(pattern.join(" "), options);
      return true;
    } catch {
      return false;
    }
  };
  // croner's own message names neither the field's range nor always its text: each part is tried alone to find the one.
  for (const [index, field] of fields.entries()) {
    const wrong = (parts[index] as string)
      .split(",")
      .find((part) => !isSchedule(fields.map((_, at) => (at === index ? part : "*"))));
    if (wrong !== undefined) return `schedule '${text}': '${wrong}' is no ${field}`;
  }
  const cron = new Cron(parts.join(" "), { ...options, timezone: zone });
  return { next: (ms) => cron.nextRun(new Date(ms))?.getTime() };
}
