/** Calendar arithmetic: fields of a moment in a zone, and back. Time zones come from the ICU data inside Node. */

const formatters = new Map<string, Intl.DateTimeFormat>();

/** Knows a zone, or throws a RangeError. */
function formatter(zone: string): Intl.DateTimeFormat {
  let known = formatters.get(zone);
  if (known === undefined) {
    known = new Intl.DateTimeFormat("en-US", {
      timeZone: zone,
      calendar: "gregory",
      era: "short",
      year: "numeric",
      month: "numeric",
      day: "numeric",
      hour: "numeric",
      minute: "numeric",
      second: "numeric",
      hourCycle: "h23",
    });
    formatters.set(zone, known);
  }
  return known;
}

const utcNames = new Set(["utc", "z", "etc/utc", "gmt"]);

/** Whether the zone exists. */
export function isZone(zone: string): boolean {
  if (utcNames.has(zone.toLowerCase())) return true;
  // Offsets such as +02:00 are accepted by newer ICU only: names are what the language has.
  if (/^[+-]/.test(zone) || zone === "") return false;
  try {
    formatter(zone);
    return true;
  } catch {
    return false;
  }
}

/** Milliseconds since the epoch of fields taken as UTC. Years below 100 are years, not 19xx. */
export function utcMs(year: number, month: number, day: number, hour = 0, minute = 0, second = 0): number {
  const date = new Date(0);
  date.setUTCFullYear(year, month - 1, day);
  date.setUTCHours(hour, minute, second, 0);
  return date.getTime();
}

/** Seconds east of UTC in a zone at a moment. */
export function offsetAt(ms: number, zone: string): number {
  if (utcNames.has(zone.toLowerCase())) return 0;
  const parts = new Map(
    formatter(zone)
      .formatToParts(ms)
      .map(({ type, value }) => [type, value]),
  );
  const number = (type: string): number => Number(parts.get(type as Intl.DateTimeFormatPartTypes));
  const year = parts.get("era") === "BC" ? 1 - number("year") : number("year");
  const local = utcMs(
    year,
    number("month"),
    number("day"),
    number("hour"),
    number("minute"),
    number("second"),
  );
  return Math.round((local - Math.floor(ms / 1000) * 1000) / 1000);
}

/** Fields of a moment in a zone that exists. */
export function fieldsAt(ms: number, zone = "UTC") {
  const offset = offsetAt(Math.floor(ms), zone);
  // Date knows whole milliseconds only and cuts towards 1970; the fraction is kept apart.
  const second = Math.floor(ms / 1000);
  const local = new Date((second + offset) * 1000);
  return {
    year: local.getUTCFullYear(),
    month: local.getUTCMonth() + 1,
    day: local.getUTCDate(),
    hour: local.getUTCHours(),
    minute: local.getUTCMinutes(),
    second: local.getUTCSeconds(),
    /** Within the second, 0 to 999999. */
    microsecond: Math.round((ms - second * 1000) * 1000),
    /** 0 is Sunday. */
    weekday: local.getUTCDay(),
    /** Seconds east of UTC. */
    offset,
    zone,
  };
}

/** A moment's fields in some zone. */
export type DateFields = Readonly<ReturnType<typeof fieldsAt>>;

/** The moment when clocks in a zone show a local time; the earlier of two, `undefined` when clocks skip it. */
export function momentOf(localMs: number, zone: string): number | undefined {
  const day = 86_400_000;
  const offsets = new Set([offsetAt(localMs - day, zone), offsetAt(localMs + day, zone)]);
  const moments = [...offsets]
    .map((offset) => localMs - offset * 1000)
    .filter((ms) => ms + offsetAt(ms, zone) * 1000 === localMs);
  return moments.length === 0 ? undefined : Math.min(...moments);
}

const pad = (value: number, width: number): string => {
  const digits = String(Math.abs(value)).padStart(width, "0");
  return value < 0 ? `-${digits}` : digits;
};

/** `+02:00` */
export function offsetText(offset: number, separator = ":"): string {
  const minutes = Math.floor(Math.abs(offset) / 60);
  return `${offset < 0 ? "-" : "+"}${pad(Math.floor(minutes / 60), 2)}${separator}${pad(minutes % 60, 2)}`;
}

/** `2026-04-25T10:32:09`, with three or six digits of the second when they are needed, or three when asked for. */
export function isoLocal(fields: DateFields, millis: boolean): string {
  const { year, month, day, hour, minute, second, microsecond } = fields;
  const date = `${pad(year, 4)}-${pad(month, 2)}-${pad(day, 2)}`;
  const time = `${pad(hour, 2)}:${pad(minute, 2)}:${pad(second, 2)}`;
  const whole = microsecond % 1000 === 0;
  if (whole) return `${date}T${time}${millis || microsecond > 0 ? `.${pad(microsecond / 1000, 3)}` : ""}`;
  return `${date}T${time}.${pad(microsecond, 6)}`;
}

export const weekdays = [
  "Sunday",
  "Monday",
  "Tuesday",
  "Wednesday",
  "Thursday",
  "Friday",
  "Saturday",
] as const;
export const months = [
  "January",
  "February",
  "March",
  "April",
  "May",
  "June",
  "July",
  "August",
  "September",
  "October",
  "November",
  "December",
] as const;

function dayOfYear({ year, month, day }: DateFields): number {
  return Math.round((utcMs(year, month, day) - utcMs(year, 1, 1)) / 86_400_000) + 1;
}

/** ISO week and the year it belongs to. */
function isoWeek(fields: DateFields): { year: number; week: number } {
  const weekday = fields.weekday === 0 ? 7 : fields.weekday;
  const thursday = new Date(utcMs(fields.year, fields.month, fields.day + 4 - weekday));
  const year = thursday.getUTCFullYear();
  return { year, week: Math.floor((thursday.getTime() - utcMs(year, 1, 1)) / (7 * 86_400_000)) + 1 };
}

/** `CEST` or `GMT+2`: how the zone is called at a moment. */
function zoneName(ms: number, zone: string): string {
  if (utcNames.has(zone.toLowerCase())) return "UTC";
  const named = new Intl.DateTimeFormat("en-US", { timeZone: zone, timeZoneName: "short" });
  return named.formatToParts(ms).find(({ type }) => type === "timeZoneName")?.value ?? zone;
}

const directive = /%(?:(:z)|(\.?[369]f)|([A-Za-z%]))/g;

/** strftime. A directive nobody knows stays as written. */
export function strftime(format: string, ms: number, zone: string): string {
  const fields = fieldsAt(ms, zone);
  return format.replace(directive, (whole, colonZone?: string, fraction?: string, letter?: string) => {
    if (colonZone !== undefined) return offsetText(fields.offset);
    if (fraction !== undefined) return fractionText(fraction, fields.microsecond);
    return (letter === undefined ? undefined : directives.get(letter)?.(fields, ms)) ?? whole;
  });
}

function fractionText(directiveText: string, microsecond: number): string {
  const digits = pad(microsecond, 6).padEnd(9, "0");
  const dotted = directiveText.startsWith(".");
  return (dotted ? "." : "") + digits.slice(0, Number(directiveText.at(-2)));
}

const hour12 = ({ hour }: DateFields): number => (hour % 12 === 0 ? 12 : hour % 12);
const timeOfDayText = (f: DateFields): string => `${pad(f.hour, 2)}:${pad(f.minute, 2)}:${pad(f.second, 2)}`;
const half = (f: DateFields): string => (f.hour < 12 ? "AM" : "PM");

const directives: ReadonlyMap<string, (fields: DateFields, ms: number) => string> = new Map<
  string,
  (fields: DateFields, ms: number) => string
>([
  ["%", () => "%"],
  ["n", () => "\n"],
  ["t", () => "\t"],
  ["Y", (f) => pad(f.year, 4)],
  ["y", (f) => pad(((f.year % 100) + 100) % 100, 2)],
  ["C", (f) => pad(Math.floor(f.year / 100), 2)],
  ["m", (f) => pad(f.month, 2)],
  ["d", (f) => pad(f.day, 2)],
  ["e", (f) => String(f.day).padStart(2)],
  ["H", (f) => pad(f.hour, 2)],
  ["k", (f) => String(f.hour).padStart(2)],
  ["I", (f) => pad(hour12(f), 2)],
  ["l", (f) => String(hour12(f)).padStart(2)],
  ["M", (f) => pad(f.minute, 2)],
  ["S", (f) => pad(f.second, 2)],
  ["p", half],
  ["P", (f) => half(f).toLowerCase()],
  ["A", (f) => weekdays[f.weekday] as string],
  ["a", (f) => (weekdays[f.weekday] as string).slice(0, 3)],
  ["B", (f) => months[f.month - 1] as string],
  ["b", (f) => (months[f.month - 1] as string).slice(0, 3)],
  ["h", (f) => (months[f.month - 1] as string).slice(0, 3)],
  ["j", (f) => pad(dayOfYear(f), 3)],
  ["u", (f) => String(f.weekday === 0 ? 7 : f.weekday)],
  ["w", (f) => String(f.weekday)],
  ["V", (f) => pad(isoWeek(f).week, 2)],
  ["G", (f) => pad(isoWeek(f).year, 4)],
  ["s", (_f, ms) => String(Math.floor(ms / 1000))],
  ["f", (f) => pad(f.microsecond, 6).padEnd(9, "0")],
  ["z", (f) => offsetText(f.offset, "")],
  ["Z", (f, ms) => zoneName(ms, f.zone)],
  ["F", (f) => `${pad(f.year, 4)}-${pad(f.month, 2)}-${pad(f.day, 2)}`],
  ["D", (f) => `${pad(f.month, 2)}/${pad(f.day, 2)}/${pad(f.year % 100, 2)}`],
  ["T", timeOfDayText],
  ["R", (f) => `${pad(f.hour, 2)}:${pad(f.minute, 2)}`],
  ["r", (f) => `${pad(hour12(f), 2)}:${pad(f.minute, 2)}:${pad(f.second, 2)} ${half(f)}`],
  [
    "c",
    (f) =>
      `${directives.get("a")?.(f, 0)} ${directives.get("b")?.(f, 0)} ${String(f.day).padStart(2)} ${timeOfDayText(f)} ${f.year}`,
  ],
]);
