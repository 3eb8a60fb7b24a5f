/** A value on several lines, an element or key each, with strings in quotes: what two values are compared by. */
import { Dict, displayAnyway, List, SetValue, StructValue, type Value } from "../../values/index.ts";

/** Deeper parts stand on one line. */
const maxDepth = 40;
const maxLines = 5000;
/** What fits on one line stays there. */
const WIDTH = 72;

/** The lines of a value. A string of several lines gives these lines themselves. */
export function valueLines(value: Value): string[] {
  if (typeof value === "string" && value.includes("\n")) return value.split("\n");
  const lines: string[] = [];
  write(value, "", "", "", 0, lines);
  return lines.slice(0, maxLines);
}

/** On one line, strings in quotes, so that `"1"` and `1` differ. */
export function inlineValue(value: Value, depth = 0): string {
  if (typeof value === "string") return JSON.stringify(value);
  if (depth > maxDepth) return displayAnyway(value);
  const group = lineGroupOf(value);
  if (group === undefined) return displayAnyway(value);
  const parts = group.parts.map(([label, part]) => `${label}${inlineValue(part, depth + 1)}`);
  return `${group.open}${parts.join(", ")}${group.close}`;
}

interface ValueGroup {
  readonly open: string;
  readonly close: string;
  readonly parts: readonly (readonly [string, Value])[];
}

function lineGroupOf(value: Value): ValueGroup | undefined {
  if (value instanceof List) return { open: "[", close: "]", parts: [...value].map((one) => ["", one]) };
  if (value instanceof SetValue)
    return { open: "set(", close: ")", parts: [...value.items].map((one) => ["", one]) };
  if (value instanceof Dict) {
    const values = value.sortedValues();
    return {
      open: "{",
      close: "}",
      parts: value.keys().map((key, i) => [`${key}: `, values[i] as Value]),
    };
  }
  if (value instanceof StructValue)
    return {
      open: `${value.struct.name} {`,
      close: "}",
      parts: value.entries().map(([name, field]) => [`${name}: `, field]),
    };
  return undefined;
}

function write(
  value: Value,
  indent: string,
  label: string,
  end: string,
  depth: number,
  lines: string[],
): void {
  if (lines.length >= maxLines) return;
  const group = depth > maxDepth ? undefined : lineGroupOf(value);
  const short =
    group === undefined || group.parts.length === 0 || isShort(group) ? inlineValue(value, depth) : "";
  if (group === undefined || (short !== "" && short.length <= WIDTH)) {
    lines.push(`${indent}${label}${short}${end}`);
    return;
  }
  lines.push(`${indent}${label}${group.open}`);
  for (const [name, part] of group.parts) write(part, `${indent}  `, name, ",", depth + 1, lines);
  lines.push(`${indent}${group.close}${end}`);
}

/** Only leaves, and few of them: worth trying on one line. */
const isShort = (group: ValueGroup): boolean =>
  group.parts.length <= 8 && group.parts.every(([, part]) => lineGroupOf(part) === undefined);
