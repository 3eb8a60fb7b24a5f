/**
 * Schedules in cron's five fields: minute, hour, day of the month, month, day of the week. Each is `*`, a value, a range
 * `a-b`, a list, with a step `/n`. Where both days are restricted, either is enough, as in cron. A local time that a change
 * of the clocks leaves out does not happen on that day; one that comes twice happens once.
 */
import { fieldsAt, isZone, momentOf, utcMs } from "../../time/date-fields.ts";

export interface Cron {
  /** The first time after `ms`; `undefined` when there is none within four years. */
  next(ms: number): number | undefined;
}

interface Field {
  readonly name: string;
  readonly least: number;
  readonly most: number;
  readonly words: readonly string[];
}

const fields: readonly Field[] = [
  { name: "minute", least: 0, most: 59, words: [] },
  { name: "hour", least: 0, most: 23, words: [] },
  { name: "day of month", least: 1, most: 31, words: [] },
  {
    name: "month",
    least: 1,
    most: 12,
    words: ["jan", "feb", "mar", "apr", "may", "jun", "jul", "aug", "sep", "oct", "nov", "dec"],
  },
  { name: "day of week", least: 0, most: 7, words: ["sun", "mon", "tue", "wed", "thu", "fri", "sat"] },
];

const shorthands: ReadonlyMap<string, string> = new Map([
  ["@hourly", "0 * * * *"],
  ["@daily", "0 0 * * *"],
  ["@midnight", "0 0 * * *"],
  ["@weekly", "0 0 * * 0"],
  ["@monthly", "0 0 1 * *"],
  ["@yearly", "0 0 1 1 *"],
  ["@annually", "0 0 1 1 *"],
]);

const hourMs = 3_600_000;
const dayMs = 24 * hourMs;
/** Leap days come every four years; across 2100 they would take eight. */
const furthestDays = 8 * 366;

/** A schedule, or what is wrong with it. */
export function parseCron(text: string, zone: string): Cron | string {
  if (!isZone(zone)) return `unknown timezone '${zone}'`;
  const parts = (shorthands.get(text.trim()) ?? text).trim().split(/\s+/);
  if (parts.length !== fields.length) {
    return `schedule '${text}' must have five fields: minute, hour, day of month, month, day of week`;
  }
  const sets: ReadonlySet<number>[] = [];
  for (const [index, field] of fields.entries()) {
    const set = parseField(parts[index] as string, field);
    if (typeof set === "string") return `schedule '${text}': ${set}`;
    sets.push(set);
  }
  const [minutes, hours, days, months, weekdays] = sets as [
    ReadonlySet<number>,
    ReadonlySet<number>,
    ReadonlySet<number>,
    ReadonlySet<number>,
    ReadonlySet<number>,
  ];
  const anyDay = (parts[2] as string).startsWith("*");
  const anyWeekday = (parts[4] as string).startsWith("*");
  const fits = (day: number, weekday: number): boolean => {
    const byDay = days.has(day);
    const byWeekday = weekdays.has(weekday) || (weekday === 0 && weekdays.has(7));
    return anyDay || anyWeekday ? byDay && byWeekday : byDay || byWeekday;
  };
  return { next: (ms) => nextTime(ms, zone, { minutes, hours, months, fits }) };
}

function parseField(text: string, field: Field): ReadonlySet<number> | string {
  const values = new Set<number>();
  for (const part of text.split(",")) {
    const [range = "", step = "1", ...more] = part.split("/");
    const every = /^\d{1,3}$/.test(step) ? Number(step) : 0;
    const [low = "", high, ...rest] = range.split("-");
    const from = range === "*" ? field.least : valueIn(low, field);
    const to =
      range === "*" ? field.most : high === undefined ? endOf(from, part, field) : valueIn(high, field);
    if (
      more.length > 0 ||
      rest.length > 0 ||
      every < 1 ||
      from === undefined ||
      to === undefined ||
      from > to
    ) {
      return `'${part}' is no ${field.name} (${field.least}-${field.most})`;
    }
    for (let value = from; value <= to; value += every) values.add(value);
  }
  return values;
}

/** `5` is 5; `5/10` goes on to the end. */
const endOf = (from: number | undefined, part: string, field: Field): number | undefined =>
  part.includes("/") ? field.most : from;

function valueIn(text: string, field: Field): number | undefined {
  const word = field.words.indexOf(text.toLowerCase());
  const value =
    word >= 0 ? word + (field.name === "month" ? 1 : 0) : /^\d{1,2}$/.test(text) ? Number(text) : -1;
  return value >= field.least && value <= field.most ? value : undefined;
}

interface Times {
  readonly minutes: ReadonlySet<number>;
  readonly hours: ReadonlySet<number>;
  readonly months: ReadonlySet<number>;
  fits(day: number, weekday: number): boolean;
}

function nextTime(after: number, zone: string, times: Times): number | undefined {
  const start = fieldsAt(after, zone);
  // Local times well before need no look at the zone: clocks never change by so much.
  const soonest = after + start.offset * 1000 - 3 * hourMs;
  let day = utcMs(start.year, start.month, start.day, 0, 0, 0);
  for (let days = 0; days < furthestDays; days++, day += dayMs) {
    const date = fieldsAt(day);
    if (!times.months.has(date.month) || !times.fits(date.day, date.weekday)) continue;
    for (const hour of sorted(times.hours)) {
      for (const minute of sorted(times.minutes)) {
        const local = day + hour * hourMs + minute * 60_000;
        const moment = local < soonest ? undefined : momentOf(local, zone);
        if (moment !== undefined && moment > after) return moment;
      }
    }
  }
  return undefined;
}

const sorted = (values: ReadonlySet<number>): number[] => [...values].sort((a, b) => a - b);
