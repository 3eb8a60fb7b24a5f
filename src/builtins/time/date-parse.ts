/** Texts to moments (builtins.md §2.8): RFC 3339 first, plain dates and times as UTC, then any three groups of digits. */
import { thrown } from "../../values/index.ts";
import { utcMs } from "./date-fields.ts";

const withOffset = /^(\d{4})-(\d{2})-(\d{2})[Tt ](\d{2}):(\d{2}):(\d{2})(\.\d+)?([Zz]|[+-]\d{2}:\d{2})$/;
const plain = /^(\d{4})-(\d{2})-(\d{2})(?:[T ](\d{2}):(\d{2})(?::(\d{2})(\.\d+)?)?)?$/;

/** Fields given as numbers, checked; milliseconds since the epoch as if they were UTC. */
export function checkedUtcMs(fields: readonly number[], fraction = 0): number {
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
export function parseDate(text: string): number {
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
