/**
 * The world of a trial: one JSON value that its tools keep (orders, bookings). It belongs to the Runtime, so that tools declared
 * at the top of a script use it without being passed anything; outside of a trial it is empty at first.
 */
import { type Runtime, stateKey } from "../../interp/index.ts";
import { parsePath } from "../../model/index.ts";
import { Dict, List, runtimeError, typeOf, type Value } from "../../values/index.ts";
import { canonicalJson } from "../plan/index.ts";

interface World {
  value: Value;
  /** What it was at the beginning of the trial: `world_after` runs reference actions on it. */
  beginning: Value;
}

const worldState = stateKey<World>("world", () => ({ value: new Dict(), beginning: new Dict() }));

export const worldOf = (runtime: Runtime): World => runtime.state(worldState);

/** The world of a trial begins as this. */
export function beginWorld(runtime: Runtime, value: Value): void {
  const world = worldOf(runtime);
  world.value = checkedWorld("world", value);
  world.beginning = world.value;
}

/** A value that can be kept; throws for what is no JSON. */
export function checkedWorld(name: string, value: Value): Value {
  try {
    canonicalJson(value);
    return value;
  } catch (error) {
    throw runtimeError(
      `${name}: the world holds JSON only: ${(error as { value?: unknown }).value ?? error}`,
    );
  }
}

type WorldKey = string | number;

/** `orders.A17.status`, `items[0]`, `orders."a.b"`; the empty path is the whole world. */
export function worldPath(name: string, text: string): WorldKey[] {
  try {
    const steps = parsePath(text);
    if (steps.includes("*")) throw new Error("`*` stands for no key here");
    return steps;
  } catch (error) {
    throw runtimeError(
      `${name}: the path ${JSON.stringify(text)} can't be read: ${(error as Error).message}`,
    );
  }
}

const shown = (path: readonly WorldKey[]): string =>
  path.map((step, at) => (typeof step === "number" ? `[${step}]` : at === 0 ? step : `.${step}`)).join("");

/** What stands at a path; `undefined` for nothing. A path through a text or number is an error. */
export function worldAt(name: string, value: Value, path: readonly WorldKey[]): Value | undefined {
  let at: Value | undefined = value;
  for (const [index, step] of path.entries()) {
    if (at === undefined || at === null) return undefined;
    at = child(name, at, step, path.slice(0, index));
  }
  return at;
}

function child(name: string, value: Value, step: WorldKey, before: readonly WorldKey[]): Value | undefined {
  if (value instanceof Dict) return value.get(String(step));
  if (value instanceof List && typeof step === "number") return value.at(step);
  throw through(name, value, step, before);
}

const through = (name: string, value: Value, step: WorldKey, before: readonly WorldKey[]) =>
  runtimeError(
    `${name}: ${before.length === 0 ? "the world" : shown(before)} is of type ${typeOf(value)}, and has no ${JSON.stringify(step)}`,
  );

/** The value with another one at a path; dicts are made on the way. */
export function withAt(name: string, value: Value, path: readonly WorldKey[], put: Value, done = 0): Value {
  if (done === path.length) return put;
  const step = path[done] as WorldKey;
  const owner: Value = value === null ? new Dict() : value;
  const inner = (): Value =>
    withAt(name, child(name, owner, step, path.slice(0, done)) ?? null, path, put, done + 1);
  if (owner instanceof Dict) return owner.with(String(step), inner());
  if (!(owner instanceof List) || typeof step !== "number")
    throw through(name, owner, step, path.slice(0, done));
  if (step > owner.length)
    throw runtimeError(
      `${name}: ${shown(path.slice(0, done))} has ${owner.length} items: the next one is [${owner.length}]`,
    );
  const items = owner.toArray().slice();
  items[step] = inner();
  return new List(items);
}

/** The value without what stands at a path; the same when nothing does. */
export function withoutAt(name: string, value: Value, path: readonly WorldKey[], done = 0): Value {
  const step = path[done] as WorldKey;
  const found = child(name, value, step, path.slice(0, done));
  if (found === undefined) return value;
  const isLast = done === path.length - 1;
  if (!isLast && found === null) return value;
  if (value instanceof Dict)
    return isLast
      ? value.without(String(step))
      : value.with(String(step), withoutAt(name, found, path, done + 1));
  const items = (value as List).toArray().slice();
  if (isLast) items.splice(step as number, 1);
  else items[step as number] = withoutAt(name, found, path, done + 1);
  return new List(items);
}
