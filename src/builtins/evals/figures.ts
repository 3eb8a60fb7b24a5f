/** Numbers that scripts pass to statistics, and results of statistics as dicts. */
import { at, refusal } from "../../table/index.ts";
import { Dict, Float, isInt, List, runtimeError, type Value } from "../../values/index.ts";
import { type Argument, numberOf } from "../arguments.ts";

/** Counts; every other figure is a float, so that its type does not depend on its value. */
const counts = new Set(["n", "clusters", "wins", "losses", "ties", "short"]);

/** A number; true and false count as 1 and 0. */
export function figure(name: string, what: string, value: Argument): number {
  const number = typeof value === "boolean" ? Number(value) : numberOf(value);
  if (number !== undefined && Number.isFinite(number)) return number;
  throw refusal(at(name, what), "a finite number", value);
}

export function count(name: string, what: string, value: Argument, least = 0): number {
  const number = figure(name, what, value);
  if (isInt(value as Value) && number >= least) return number;
  throw refusal(at(name, what), `int >= ${least}`, value);
}

/** Strictly between 0 and 1. */
export function shareArgument(name: string, what: string, value: Argument, fallback: number): number {
  if (value === undefined || value === null) return fallback;
  const number = figure(name, what, value);
  if (number > 0 && number < 1) return number;
  throw runtimeError(`${name}: ${what} must lie between 0 and 1, got ${number}`);
}

export function items(name: string, what: string, value: Argument, least = 1): readonly Value[] {
  if (!(value instanceof List)) {
    throw refusal(at(name, what), "list", value);
  }
  const values = value.toArray();
  if (values.length >= least) return values;
  throw runtimeError(`${name}: ${what} must have at least ${least} item${least === 1 ? "" : "s"}`);
}

export function numberArguments(name: string, what: string, value: Argument, least = 1): number[] {
  return items(name, what, value, least).map((item, at) => figure(name, `${what}[${at}]`, item));
}

/** Two lists of one length. */
export function sameLength(name: string, a: readonly unknown[], b: readonly unknown[]): void {
  if (a.length !== b.length) {
    throw runtimeError(`${name}: both lists must have the same length, got ${a.length} and ${b.length}`);
  }
}

type FigureResult = object | number | string | undefined | readonly FigureResult[];

/** Undefined is nil; what nobody can say is not a number. */
export function figureValue(result: FigureResult, key = ""): Value {
  if (result === undefined) return null;
  if (typeof result === "string") return result;
  if (typeof result === "number") {
    if (Number.isNaN(result)) return null;
    return counts.has(key) ? result : new Float(result);
  }
  if (Array.isArray(result)) return new List(result.map((item: FigureResult) => figureValue(item)));
  return Dict.of(
    Object.fromEntries(
      Object.entries(result).map(([name, item]) => [name, figureValue(item as FigureResult, name)]),
    ),
  );
}
