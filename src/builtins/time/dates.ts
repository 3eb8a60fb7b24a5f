/** Dates (builtins.md §2.8). A moment is seconds since the epoch, or a dict with `timestamp`. */

import type { Task } from "../../interp/index.ts";
import { at, defineBuiltins, keysOf, refusal } from "../../table/index.ts";
import { Dict, Duration, Float, numberValue, thrown, type Value } from "../../values/index.ts";
import { type Argument, numberOf, textOf, typeName } from "../arguments.ts";
import { dateFields } from "../rows/text.ts";
import { needDuration } from "./clock.ts";
import { realTime } from "./clock-state.ts";
import {
  fieldsAt,
  isoLocal,
  isZone,
  momentOf,
  months,
  offsetText,
  strftime,
  utcMs,
  weekdays,
} from "./date-fields.ts";

/** Texts to moments (builtins.md §2.8): RFC 3339 first, plain dates and times as UTC, then any three groups of digits. */
const withOffset = /^(\d{4})-(\d{2})-(\d{2})[Tt ](\d{2}):(\d{2}):(\d{2})(\.\d+)?([Zz]|[+-]\d{2}:\d{2})$/;
const plain = /^(\d{4})-(\d{2})-(\d{2})(?:[T ](\d{2}):(\d{2})(?::(\d{2})(\.\d+)?)?)?$/;

/** Fields given as numbers, checked; milliseconds since the epoch as if they were UTC. */
function checkedUtcMs(fields: readonly number[], fraction = 0): number {
  const [year = 1970, month = 1, day = 1, hour = 0, minute = 0, second = 0] = fields;
  checkRange("month", month, 1, 12);
  checkRange("day", day, 1, 31);
  checkRange("hour", hour, 0, 23);
  checkRange("minute", minute, 0, 59);
  checkRange("second", second, 0, 59);
  const ms = utcMs(year, month, day, hour, minute, second);
  if (new Date(ms).getUTCDate() !== day) {
    const two = (part: number): string => String(part).padStart(2, "0");
    throw thrown(`Invalid date: ${String(year).padStart(4, "0")}-${two(month)}-${two(day)}`);
  }
  return ms + fraction * 1000;
}

function checkRange(name: string, value: number, low: number, high: number): void {
  if (value < low || value > high) throw thrown(`Invalid ${name}: ${value} (must be ${low}-${high})`);
}

/** Milliseconds since the epoch, perhaps with a fraction. Throws the script error of the spec. */
function parseDate(text: string): number {
  const trimmed = text.trim();
  const zoned = withOffset.exec(trimmed);
  if (zoned !== null) {
    const ms = checkedUtcMs(dateNumbers(zoned.slice(1, 7)), Number(zoned[7] ?? 0));
    return ms - offsetOf(zoned[8] as string) * 60_000;
  }
  const unzoned = plain.exec(trimmed);
  if (unzoned !== null) return checkedUtcMs(dateNumbers(unzoned.slice(1, 7)), Number(unzoned[7] ?? 0));
  const groups = trimmed.match(/\d+/g) ?? [];
  if (groups.length < 3 || groups.some((group) => group.length > 9))
    throw thrown(`Cannot parse date: ${text}`);
  return checkedUtcMs(dateNumbers(groups.slice(0, 6)));
}

function dateNumbers(texts: readonly (string | undefined)[]): number[] {
  return texts.filter((part) => part !== undefined).map(Number);
}

/** Minutes east of UTC. */
function offsetOf(text: string): number {
  if (text === "Z" || text === "z") return 0;
  const minutes = Number(text.slice(1, 3)) * 60 + Number(text.slice(4, 6));
  return text.startsWith("-") ? -minutes : minutes;
}

/** Dates are good to a microsecond: a number of milliseconds with at most three digits of fraction. */
const toMicrosecond = (ms: number): number => Math.round(ms * 1000) / 1000;

/** Milliseconds of a moment, to the microsecond. */
function moment(name: string, value: Argument): number {
  if (value === undefined) throw thrown(`${name}: missing timestamp argument`);
  const seconds = numberOf(value instanceof Dict ? value.get("timestamp") : value);
  if (seconds === undefined || !Number.isFinite(seconds)) {
    throw thrown(`${name}: expected timestamp number or date dict, got ${typeName(value)}`);
  }
  const ms = toMicrosecond(seconds * 1000);
  if (Math.abs(ms) > 8.64e15) throw thrown(`${name}: timestamp is out of range`);
  return ms;
}

function zoneOf(name: string, value: Argument, fallback?: string): string {
  if (value === undefined || value === null) {
    if (fallback !== undefined) return fallback;
    throw thrown(`${name}: missing timezone argument`);
  }
  const zone = textOf(value);
  if (!isZone(zone)) throw thrown(`${name}: unknown timezone '${zone}'`);
  return zone;
}

/** A float while it has a fraction of a second, else an int. */
const secondsOf = (milliseconds: number): Value => {
  const ms = toMicrosecond(milliseconds);
  return ms % 1000 === 0 ? numberValue(ms / 1000) : new Float(ms / 1000);
};

function nowFields(ms: number): Dict {
  const f = fieldsAt(ms);
  return Dict.of({
    year: f.year,
    month: f.month,
    day: f.day,
    hour: f.hour,
    minute: f.minute,
    second: f.second,
    weekday: f.weekday,
    timestamp: new Float(ms / 1000),
    iso8601: `${isoLocal(f, true)}Z`,
  });
}

function zonedText(ms: number, zone: string): string {
  const f = fieldsAt(ms, zone);
  return isoLocal(f, false) + offsetText(f.offset);
}

function inZone(ms: number, zone: string): Dict {
  const f = fieldsAt(ms, zone);
  return Dict.of({
    year: f.year,
    month: f.month,
    day: f.day,
    hour: f.hour,
    minute: f.minute,
    second: f.second,
    weekday: f.weekday,
    timestamp: new Float(ms / 1000),
    iso8601: zonedText(ms, zone),
    zone,
    offset_seconds: f.offset,
  });
}

function fromComponents(value: Argument, tz: Argument): Value {
  const name = "date_from_components";
  if (!(value instanceof Dict)) throw thrown(`${name}: expected dict, got ${typeName(value)}`);
  const fields = [...dateFields.set("moment")].map((part, index) => {
    const input = value.get(part);
    if (input === undefined || input === null) {
      if (index < 3) throw thrown(`${name}: missing ${part}`);
      return 0;
    }
    if (typeof input !== "number") throw refusal(at(name, part), "int", input);
    return input;
  });
  const zone = zoneOf(name, tz, "UTC");
  const ms = momentOf(checkedUtcMs(fields), zone);
  if (ms === undefined) throw thrown(`${name}: local time does not exist in that timezone`);
  return secondsOf(ms);
}

const realMs = (task: Task): number => Math.floor(realTime(task));

const isoNow = {
  doc: "The time now as ISO 8601 in UTC, with milliseconds. Always the machine's clock.",
  sig: "() -> string",
  effect: "observe" as const,
  performs: true,
  run: (task: Task): Value => `${isoLocal(fieldsAt(realMs(task)), true)}Z`,
};

export const dates = defineBuiltins(
  "dates",
  {
    date_now: {
      doc: "The time now in UTC: year, month, day, hour, minute, second, weekday (0 is Sunday), timestamp, iso8601.",
      sig: "() -> dict",
      effect: "observe",
      performs: true,
      resultKeys: () =>
        keysOf("year", "month", "day", "hour", "minute", "second", "weekday", "timestamp", "iso8601"),
      run: (task) => nowFields(realMs(task)),
    },
    date_iso: isoNow,
    date_now_iso: isoNow,
    date_parse: {
      doc: "Seconds since the epoch of a date text; a float only when it has a fraction of a second.",
      sig: "(text: any) -> int | float",
      effect: "pure",
      example: 'date_parse("2024-01-02T03:04:05+01:00")  // 1704161045',
      run: (_task, text: Argument) => secondsOf(parseDate(textOf(text))),
    },
    date_format: {
      doc: "A moment in the form of strftime, in UTC or a time zone.",
      sig: '(moment: int | float | dict, format!: string = "%Y-%m-%d %H:%M:%S", zone?: string) -> string',
      effect: "pure",
      example: 'date_format(0, "%A %d %B %Y")  // Thursday 01 January 1970',
      run: (_task, at: Argument, format: Argument, zone: Argument) => {
        const ms = moment("date_format", at);
        return strftime(textOf(format, "%Y-%m-%d %H:%M:%S"), ms, zoneOf("date_format", zone, "UTC"));
      },
    },
    date_in_zone: {
      doc: "The fields of a moment in a time zone, with `zone` and `offset_seconds`.",
      sig: "(moment: int | float | dict, zone: string) -> dict",
      effect: "pure",
      example: 'date_in_zone(0, "Asia/Tokyo").hour  // 9',
      run: (_task, at: Argument, zone: Argument) =>
        inZone(moment("date_in_zone", at), zoneOf("date_in_zone", zone)),
    },
    date_to_zone: {
      doc: "A moment as ISO 8601 with the offset of a time zone.",
      sig: "(moment: int | float | dict, zone: string) -> string",
      effect: "pure",
      example: 'date_to_zone(0, "Asia/Tokyo")  // 1970-01-01T09:00:00+09:00',
      run: (_task, at: Argument, zone: Argument) =>
        zonedText(moment("date_to_zone", at), zoneOf("date_to_zone", zone)),
    },
    date_from_components: {
      doc: "Seconds since the epoch of `{year, month, day, hour?, minute?, second?}` in a time zone.",
      sig: '(fields: dict, zone: string = "UTC") -> int',
      effect: "pure",
      example: "date_from_components({year: 1970, month: 1, day: 2})  // 86400",
      fields: { fields: () => dateFields },
      run: (_task, fields: Argument, zone: Argument) => fromComponents(fields, zone),
    },
    date_add: {
      doc: "A moment later (or earlier) by a duration, in seconds.",
      sig: "(moment: int | float | dict, duration: duration) -> int | float",
      effect: "pure",
      example: "date_add(0, 2m)  // 120",
      run: (_task, at: Argument, duration: Argument) =>
        secondsOf(moment("date_add", at) + needDuration("date_add", duration).ms),
    },
    date_diff: {
      doc: "The duration from the second moment to the first.",
      sig: "(a: int | float | dict, b: int | float | dict) -> duration",
      effect: "pure",
      example: "date_diff(90, 0)  // 90s",
      run: (_task, a: Argument, b: Argument) =>
        new Duration(toMicrosecond(moment("date_diff", a) - moment("date_diff", b))),
    },
    weekday_name: {
      doc: "The English name of a moment's weekday.",
      sig: "(moment: int | float | dict, zone?: string) -> string",
      effect: "pure",
      example: "weekday_name(0)  // Thursday",
      run: (_task, at: Argument, zone: Argument) =>
        weekdays[fieldsAt(moment("weekday_name", at), zoneOf("weekday_name", zone, "UTC")).weekday] as string,
    },
    month_name: {
      doc: "The English name of a moment's month.",
      sig: "(moment: int | float | dict, zone?: string) -> string",
      effect: "pure",
      example: "month_name(0)  // January",
      run: (_task, at: Argument, zone: Argument) =>
        months[fieldsAt(moment("month_name", at), zoneOf("month_name", zone, "UTC")).month - 1] as string,
    },
  },
  {
    moment: "a date, as date functions give it",
    a: "a date, as date functions give it",
    b: "a date, as date functions give it",
  },
);
