/**
 * Where two values differ, path by path: for scorers and for predicates of contracts. Ints and floats compare by value. Paths
 * are written `orders.A17.status`, `items[0]`, `orders."a.b"`; in patterns `*` stands for any one key or index.
 */
import { Dict, equals, Float, isInt, jsonStringify, List, type Value } from "../../values/index.ts";

interface Difference {
  readonly path: string;
  /** `undefined`: nothing is there. */
  readonly expected: Value | undefined;
  readonly got: Value | undefined;
}

interface DifferenceOptions {
  /** Patterns of paths that do not count; what lies below them neither. */
  readonly ignore?: readonly string[];
  /** Keys that the expected dict lacks are not looked at. */
  readonly partial?: boolean;
  /** Numbers this near to each other are equal. */
  readonly abs?: number;
}

interface ValueComparison {
  readonly differences: readonly Difference[];
  /** Scalars and empty collections on either side. */
  readonly leaves: number;
}

type Step = string | number;

export function compareValues(expected: Value, got: Value, options: DifferenceOptions = {}): ValueComparison {
  const comparison = new Comparison(options);
  comparison.compare(expected, got, []);
  return comparison;
}

class Comparison implements ValueComparison {
  readonly differences: Difference[] = [];
  leaves = 0;
  private readonly options: DifferenceOptions;
  private readonly ignored: readonly (readonly Step[])[];

  constructor(options: DifferenceOptions) {
    this.options = options;
    this.ignored = (options.ignore ?? []).map(parsePath);
  }

  compare(expected: Value | undefined, got: Value | undefined, path: readonly Step[]): void {
    if (this.ignored.some((pattern) => pathFits(pattern, path))) return;
    if (expected instanceof Dict && got instanceof Dict) {
      const keys =
        this.options.partial === true
          ? expected.keys()
          : [...new Set([...expected.keys(), ...got.keys()])].sort();
      if (keys.length === 0) this.leaves += 1;
      for (const key of keys) this.compare(expected.get(key), got.get(key), [...path, key]);
    } else if (expected instanceof List && got instanceof List) {
      const length = Math.max(expected.length, got.length);
      if (length === 0) this.leaves += 1;
      for (let at = 0; at < length; at++) this.compare(expected.at(at), got.at(at), [...path, at]);
    } else {
      this.leaves += Math.max(leavesOf(expected), leavesOf(got));
      if (!this.same(expected, got)) this.differences.push({ path: showPath(path), expected, got });
    }
  }

  private same(expected: Value | undefined, got: Value | undefined): boolean {
    if (expected === undefined || got === undefined) return expected === got;
    if (equals(expected, got)) return true;
    const { abs } = this.options;
    const [a, b] = [numberOf(expected), numberOf(got)];
    return abs !== undefined && a !== undefined && b !== undefined && Math.abs(a - b) <= abs;
  }
}

const numberOf = (value: Value): number | undefined =>
  isInt(value) ? Number(value) : value instanceof Float ? value.value : undefined;

function leavesOf(value: Value | undefined): number {
  if (value === undefined) return 0;
  const parts =
    value instanceof Dict
      ? [...value.entries()].map(([, part]) => part)
      : value instanceof List
        ? value.toArray()
        : [];
  return parts.length === 0 ? 1 : parts.reduce((sum: number, part) => sum + leavesOf(part), 0);
}

/** `orders.A17.status: expected "refunded", got "delivered"`. */
export const showDifference = ({ path, expected, got }: Difference): string =>
  `${path === "" ? "the value" : path}: expected ${shownSide(expected)}, got ${shownSide(got)}`;

const maxShown = 200;

function shownSide(value: Value | undefined): string {
  if (value === undefined) return "nothing";
  const text = jsonStringify(value);
  return text.length <= maxShown ? text : `${text.slice(0, maxShown)}…`;
}

// ── paths ─────────────────────────────────────────────────────────────────────────────────────────────────────────

/** Keys and indices of a path; a `*` stays the text `*`. Throws the reason, a text, for what is no path. */
export function parsePath(text: string): Step[] {
  const steps: Step[] = [];
  let at = 0;
  const fail = (why: string): never => {
    throw new Error(`${why} at character ${at + 1}`);
  };
  if (text === "") return steps;
  for (;;) {
    if (text[at] === "[") {
      const close = text.indexOf("]", at);
      const inner = close < 0 ? "" : text.slice(at + 1, close);
      if (!/^(?:\d+|\*)$/.test(inner)) fail("expected an index like [0]");
      steps.push(inner === "*" ? "*" : Number(inner));
      at = close + 1;
    } else if (text[at] === '"') {
      const close = text.indexOf('"', at + 1);
      if (close < 0) fail("a quoted key is not closed");
      steps.push(text.slice(at + 1, close));
      at = close + 1;
    } else {
      const [key] = /^[^.[\]"]*/.exec(text.slice(at)) as RegExpExecArray;
      if (key === "") fail("expected a key");
      steps.push(key);
      at += key.length;
    }
    if (at >= text.length) return steps;
    if (text[at] === ".") at++;
    else if (text[at] !== "[") fail("expected . or [");
  }
}

function showPath(path: readonly Step[]): string {
  let text = "";
  for (const step of path) {
    if (typeof step === "number") text += `[${step}]`;
    else {
      const key = step === "" || /[.[\]"]/.test(step) ? `"${step}"` : step;
      text += text === "" ? key : `.${key}`;
    }
  }
  return text;
}

const pathFits = (pattern: readonly Step[], path: readonly Step[]): boolean =>
  pattern.length === path.length && pattern.every((step, at) => step === "*" || step === path[at]);

export type ArgumentMatch = "subset" | "equal" | "ignore";

export interface ExpectedCall {
  readonly name: string;
  /** Nil: any. */
  readonly arguments: Value;
}

/** Whether a tool call is one that was expected: by name, and by arguments that are equal or contained. */
export function callMatches(
  expected: ExpectedCall,
  call: { readonly name: string; readonly arguments: Value },
  how: ArgumentMatch,
): boolean {
  if (expected.name !== call.name) return false;
  if (expected.arguments === null || how === "ignore") return true;
  return how === "equal"
    ? equals(expected.arguments, call.arguments)
    : containsExpected(call.arguments, expected.arguments);
}

/** Dicts hold at least the keys, lists the items in their places, everything else is equal. */
function containsExpected(value: Value, expected: Value): boolean {
  if (expected instanceof Dict)
    return (
      value instanceof Dict &&
      [...expected.entries()].every(
        ([key, part]) => value.has(key) && containsExpected(value.get(key) ?? null, part),
      )
    );
  if (expected instanceof List)
    return (
      value instanceof List &&
      value.length === expected.length &&
      expected.toArray().every((part, at) => containsExpected(value.at(at) ?? null, part))
    );
  return equals(value, expected);
}
