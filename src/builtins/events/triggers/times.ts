/** Times in the config of a trigger: durations, milliseconds, or texts such as `5s`. */
import { milliseconds } from "../../../interp/index.ts";
import { runtimeError, typeOf, type Value } from "../../../values/index.ts";

const units: ReadonlyMap<string, number> = new Map([
  ["", 1],
  ["ms", 1],
  ["s", 1000],
  ["m", 60_000],
  ["h", 3_600_000],
]);

/** Milliseconds; `name` is the key as messages call it. */
export function timeOf(name: string, value: Value | undefined): number | undefined {
  if (value === undefined) return undefined;
  const fail = (text: string): never => {
    throw runtimeError(`trigger_register: ${text}`);
  };
  if (typeof value !== "string") {
    const ms = milliseconds(value);
    return ms === undefined || ms < 0 ? fail(`${name} must be a duration, got ${typeOf(value)}`) : ms;
  }
  const text = value.trim();
  if (text === "") return fail(`${name} cannot be empty`);
  const [, digits, unit] = /^(\d+)(\p{L}*)$/u.exec(text) ?? [];
  const ms = Number(digits) * (units.get(unit ?? "") ?? 1);
  if (digits === undefined || !Number.isSafeInteger(ms)) return fail(`invalid ${name} '${value}'`);
  return units.has(unit ?? "") ? ms : fail(`unsupported ${name} unit in '${value}'`);
}
