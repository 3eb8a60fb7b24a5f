/** Wakes as a model or a person asks for them (`after 2h`, `at 2026-01-01T09:00:00Z`), checked and resolved to a moment. */
import type { Json } from "../../../effects/index.ts";
import { durationMs } from "../../../values/index.ts";

/** Resolved: ready to be written. */
export interface Wake {
  readonly key: string;
  /** Milliseconds since the epoch. */
  readonly due: number;
  readonly reason: string;
}

/** A wish that makes no sense; the message is for whoever wished. */
export class BadWake extends Error {}

const maxReasonLength = 500;
const maxKeyLength = 64;
const furthestMs = 366 * 86_400_000;

/** Reads `{after | at, reason, key?}`. Without a key it gets `usualKey`. Throws `BadWake`. */
export function resolveWake(wish: Json, now: number, usualKey: string): Wake {
  if (typeof wish !== "object" || wish === null || Array.isArray(wish)) {
    throw new BadWake("a wake must be an object with `after` or `at`, and `reason`");
  }
  const fields = wish as { readonly [name: string]: Json | undefined };
  const unknown = Object.keys(fields).find((name) => !wakeFields.has(name));
  if (unknown !== undefined)
    throw new BadWake(`a wake has no field \`${unknown}\`; it has ${[...wakeFields].join(", ")}`);
  const due = wakeMomentOf(fields, now);
  if (due <= now)
    throw new BadWake(`${shownWake(fields)} is not in the future (it is ${new Date(now).toISOString()})`);
  if (due - now > furthestMs) throw new BadWake(`${shownWake(fields)} is more than a year ahead`);
  return {
    key: wakeText(fields, "key", maxKeyLength) ?? usualKey,
    due,
    reason: wakeText(fields, "reason", maxReasonLength) ?? missingReason(),
  };
}

const wakeFields: ReadonlySet<string> = new Set(["after", "at", "reason", "key"]);

function missingReason(): never {
  throw new BadWake("a wake needs a `reason`: it is all that the next run is told about it");
}

const shownWake = ({ after, at }: { readonly after?: Json; readonly at?: Json }): string =>
  JSON.stringify(after ?? at ?? null);

function wakeMomentOf(
  fields: { readonly after?: Json | undefined; readonly at?: Json | undefined },
  now: number,
): number {
  const { after = null, at = null } = fields;
  if ((after === null) === (at === null)) throw new BadWake("a wake needs either `after` or `at`");
  if (after !== null) {
    const ms = typeof after === "string" ? durationMs(after) : undefined;
    if (ms !== undefined) return now + ms;
    throw new BadWake(
      `\`after\` must be a text such as "90s", "15m", "2h", "1d" or "1h30m"; got ${shownWake({ after })}`,
    );
  }
  const due = typeof at === "string" ? momentMs(at) : undefined;
  if (due !== undefined) return due;
  throw new BadWake(
    `\`at\` must be a moment such as "2026-01-01T09:00:00Z", with Z or an offset; got ${shownWake({ at })}`,
  );
}

const moment =
  /^(\d{4})-(\d{2})-(\d{2})[Tt ](\d{2}):(\d{2})(?::(\d{2})(?:\.\d{1,9})?)?([Zz]|[+-]\d{2}:?\d{2})$/;

/** RFC 3339 with its offset: a local time would mean another moment on another machine. */
function momentMs(text: string): number | undefined {
  const parts = moment.exec(text.trim());
  if (parts === null) return undefined;
  const [, year, month, day] = parts.map(Number);
  // `Date.parse` takes the 31st of February for the 3rd of March.
  if (Number(day) > new Date(Date.UTC(Number(year), Number(month), 0)).getUTCDate()) return undefined;
  const ms = Date.parse(
    text
      .trim()
      .replace(" ", "T")
      .replace(/([+-]\d{2})(\d{2})$/, "$1:$2"),
  );
  return Number.isNaN(ms) ? undefined : ms;
}

function wakeText(
  fields: { readonly [name: string]: Json | undefined },
  name: string,
  maxLength: number,
): string | undefined {
  const value = fields[name] ?? null;
  if (value === null || value === "") return undefined;
  if (typeof value !== "string") throw new BadWake(`\`${name}\` of a wake must be a text`);
  const text = value.trim();
  if (text.length > maxLength) throw new BadWake(`\`${name}\` of a wake has at most ${maxLength} characters`);
  return text === "" ? undefined : text;
}
