/** How data is damaged: bytes, lines and JSON values changed as discs, editors, networks and other programs do. */
import type { Dice } from "../support/fuzz-text.ts";

/** Values of every type, and those that JavaScript takes for something else. */
export const ODD_VALUES: readonly unknown[] = [
  null,
  true,
  false,
  0,
  -1,
  1.5,
  1e308,
  2 ** 53,
  "",
  "x",
  "0",
  "__proto__",
  "constructor",
  "\u0000",
  "\u001b[31m",
  "\u202e",
  "\ud800",
  "{project}/../../x",
  "{{secret:KEY}}",
  [],
  [null],
  [[]],
  {},
  { a: 1 },
  { __proto__: null, toString: 1, valueOf: 2 },
  { $blob: "00" },
  { $: 1 },
];
const ODD_TEXTS = [
  "",
  "{",
  "}",
  "null",
  "[]",
  '"',
  "\\",
  "\n",
  "\u0000",
  "\u00ff",
  "\u001b]0;x\u0007",
  "NaN",
  "-",
  "1e999",
];

/** One of the odd values, sometimes huge or deep. */
export function oddValue(dice: Dice): unknown {
  switch (dice.below(40)) {
    case 0:
      return "x".repeat(1 << (10 + dice.below(10)));
    case 1:
      return nested(2000 + dice.below(20_000));
    case 2:
      return Array.from({ length: 10_000 }, () => 0);
    default:
      return structuredClone(dice.pick(ODD_VALUES));
  }
}

/** Arrays in arrays, as text: deeper than a recursive writer could write. */
class DeepJson {
  readonly depth: number;
  constructor(depth: number) {
    this.depth = depth;
  }
}
const nested = (depth: number): DeepJson => new DeepJson(depth);

/** JSON of a damaged value. */
export function jsonText(value: unknown): string {
  if (value instanceof DeepJson) return "[".repeat(value.depth) + "]".repeat(value.depth);
  if (value === undefined) return "null";
  if (Array.isArray(value)) return `[${value.map(jsonText).join(",")}]`;
  if (typeof value === "object" && value !== null)
    return `{${Object.entries(value)
      .map(([key, item]) => `${JSON.stringify(key)}:${jsonText(item)}`)
      .join(",")}}`;
  return JSON.stringify(value);
}

/** A JSON value with some of its parts changed: another type, gone, twice, renamed, swapped with another part. */
export function damageValue(dice: Dice, value: unknown): unknown {
  let root: unknown = structuredClone(value);
  for (let edits = dice.below(3); edits >= 0; edits--) {
    const places = placesIn(root);
    if (places.length === 0) return oddValue(dice);
    const { holder, key } = dice.pick(places);
    root = damagePlace(dice, holder, key, dice.pick(places)) ?? root;
  }
  return root;
}

interface Place {
  readonly holder: Record<string, unknown>;
  readonly key: string;
}

function placesIn(value: unknown, found: Place[] = []): Place[] {
  if (typeof value !== "object" || value === null || value instanceof DeepJson) return found;
  for (const key of Object.keys(value)) {
    const holder = value as Record<string, unknown>;
    found.push({ holder, key });
    placesIn(holder[key], found);
  }
  return found;
}

function damagePlace(dice: Dice, holder: Record<string, unknown>, key: string, other: Place): undefined {
  const value = holder[key];
  switch (dice.below(8)) {
    case 0:
      if (Array.isArray(holder)) holder.splice(Number(key), 1);
      else delete holder[key];
      return;
    case 1:
      if (Array.isArray(holder)) holder.push(structuredClone(value));
      else holder[dice.pick(["id", "type", "$blob", "x", "constructor"])] = structuredClone(value);
      return;
    case 2:
      holder[key] = plainCopy(other.holder[other.key]);
      return;
    case 3:
      holder[key] = [value];
      return;
    case 4:
      if (typeof value === "number") {
        holder[key] = dice.pick([value + 1, -value, value * 1e9, value + 0.5, String(value)]);
        return;
      }
      if (typeof value === "string") {
        holder[key] = damageText(dice, value);
        return;
      }
      holder[key] = oddValue(dice);
      return;
    default:
      holder[key] = oddValue(dice);
  }
}

/** A copy that can't hold its own copy. */
const plainCopy = (value: unknown): unknown => structuredClone(value);

/** A text or bytes with pieces cut out, doubled, overwritten or put in, or its end cut off. */
export function damageText(dice: Dice, text: string): string {
  let out = text;
  for (let edits = dice.below(3); edits >= 0; edits--) {
    const at = dice.below(out.length + 1);
    const length = 1 + dice.below(dice.below(4) === 0 ? 200 : 4);
    switch (dice.below(6)) {
      case 0:
        out = out.slice(0, at);
        break;
      case 1:
        out = out.slice(0, at) + out.slice(at + length);
        break;
      case 2:
        out = out.slice(0, at + length) + out.slice(at);
        break;
      case 3:
        out = out.slice(0, at) + dice.pick(ODD_TEXTS) + out.slice(at);
        break;
      case 4:
        out = out.slice(0, at) + dice.pick(ODD_TEXTS) + out.slice(at + 1);
        break;
      default:
        out = out.slice(0, at) + String.fromCharCode(dice.below(256)) + out.slice(at + 1);
    }
  }
  return out;
}

/** Lines left out, doubled, swapped. */
export function damageLines(dice: Dice, lines: readonly string[]): string[] {
  const out = [...lines];
  for (let edits = dice.below(3); edits >= 0; edits--) {
    const at = dice.below(out.length + 1);
    const other = dice.below(out.length + 1);
    switch (dice.below(4)) {
      case 0:
        out.splice(at, 1 + dice.below(3));
        break;
      case 1:
        out.splice(other, 0, ...out.slice(at, at + 1 + dice.below(3)));
        break;
      case 2:
        out.length = Math.min(out.length, at);
        break;
      default:
        if (at < out.length && other < out.length) [out[at], out[other]] = [out[other]!, out[at]!];
    }
  }
  return out;
}

/** Lines of JSON, damaged as lines, as values or as text; `seal` may set a line's checksum right again. */
export function damageJsonLines(
  dice: Dice,
  lines: readonly string[],
  seal: (value: Record<string, unknown>) => string = jsonText,
): string {
  let out = [...lines];
  if (dice.below(3) === 0) out = damageLines(dice, out);
  for (let edits = dice.below(3); edits > 0 && out.length > 0; edits--) {
    const at = dice.below(out.length);
    out[at] = damageJson(dice, out[at]!, seal);
  }
  const text = out.join("\n") + (dice.below(10) === 0 ? "" : "\n");
  return dice.below(4) === 0 ? damageText(dice, text) : text;
}

/** The text of a JSON value, damaged in one of both ways. */
export function damageJson(
  dice: Dice,
  text: string,
  seal: (value: Record<string, unknown>) => string = jsonText,
): string {
  if (dice.below(5) === 0) return damageText(dice, text);
  try {
    const value = damageValue(dice, JSON.parse(text));
    return typeof value === "object" &&
      value !== null &&
      !Array.isArray(value) &&
      !(value instanceof DeepJson)
      ? seal(value as Record<string, unknown>)
      : jsonText(value);
  } catch {
    return damageText(dice, text);
  }
}
