/** Templates with `{}`, `{key}`, and a number of decimals: `{:.2}`, `{price:.2f}` (builtins.md §2.1, `format`). */
import { Dict } from "../collections/dict.ts";
import { Float } from "../scalars.ts";
import { runtimeError } from "../script-error.ts";
import { isInt } from "../type-name.ts";
import type { Value } from "../value.ts";
import { atScale, Decimal } from "./decimal.ts";
import { display, displayFloat, shownValue } from "./display.ts";

/** What a template asks for in order: the specification of each placeholder behind its colon, "" for `{}`. */
export function placeholdersOf(template: string): readonly string[] {
  return Array.from(template.matchAll(inOrder), ([, spec]) => spec ?? "");
}

const inOrder = /\{(:[^{}]*)?\}/g;
const named = /\{([^{}]*)\}/g;

/** The number of decimals that a specification asks for; `undefined` for one that means nothing. */
export function decimalsOf(spec: string): number | undefined {
  const digits = /^:\.(\d{1,2}|100)f?$/.exec(spec)?.[1];
  return digits === undefined ? undefined : Number(digits);
}

/** What is wrong with a specification, and what there is. */
export const unknownSpec = (spec: string): string =>
  `format: unknown specification \`{${spec}}\`; \`{:.2}\` and \`{:.2f}\` are two decimals, \`pad_left(…)\` and \`pad_right(…)\` give a width`;

/** Fills a template: by the keys of a dict when that is the first value, else in order. What can't be filled stays. */
export function formatText(template: string, values: readonly Value[]): string {
  const [first] = values;
  if (first instanceof Dict) return template.replace(named, (whole, key: string) => byKey(first, whole, key));
  let next = 0;
  return template.replace(inOrder, (whole, spec: string | undefined) =>
    next < values.length ? filledHole(values[next++] as Value, spec) : whole,
  );
}

function byKey(values: Dict, whole: string, key: string): string {
  const value = values.get(key);
  if (value !== undefined) return display(value);
  const [, name, spec] = /^([^:]*)(:\S.*)$/.exec(key) ?? [];
  if (name === "")
    throw runtimeError(`format: \`${whole}\` names no key of the dict; write \`{key${spec}}\``);
  const ofName = name === undefined ? undefined : values.get(name);
  return ofName === undefined ? whole : filledHole(ofName, spec);
}

function filledHole(value: Value, spec: string | undefined): string {
  if (spec === undefined) return display(value);
  const decimals = decimalsOf(spec);
  if (decimals === undefined) throw runtimeError(unknownSpec(spec));
  return withDecimals(value, decimals, spec);
}

/** Rounded to so many decimals, halves away from zero; a decimal, which is for money, halves to even. */
function withDecimals(value: Value, decimals: number, spec: string): string {
  if (isInt(value)) return decimals === 0 ? String(value) : `${value}.${"0".repeat(decimals)}`;
  if (value instanceof Decimal) return atScale(value, decimals).toString();
  if (!(value instanceof Float))
    throw runtimeError(`format: \`{${spec}}\` takes a number, got ${shownValue(value)}`);
  const number = value.value;
  if (!Number.isFinite(number)) return displayFloat(number);
  // Beyond 1e21 every float is whole.
  return Math.abs(number) < 1e21 ? number.toFixed(decimals) : withDecimals(BigInt(number), decimals, spec);
}
