/**
 * Writing into collections: `v.name = e`, `v[i] = e`, `a.b[i].c = e` (language.md §7.3).
 *
 * Collections are values, so a write makes a copy and the variable takes the copy. To keep loops linear, a variable
 * that is the target of such writes has an owner token: the copy is marked with it, and the next write through the
 * same variable sees its own mark and writes in place. The rule that makes this safe is on the variable's side:
 *
 *   whenever its value, or a collection inside it, may be seen through another name (any read except reading a
 *   scalar out of it), the variable gets a new token.
 *
 * An old token matches nothing, so every collection marked with it is copied before the next write. `leaks` tells
 * the reader of an element whether what it read is such a collection. Structs are small and copied every time.
 */

import { getIndex, getProperty } from "../access.ts";
import { EnumValue, StructValue } from "../scalars.ts";
import { runtimeError, typeError } from "../script-error.ts";
import { display, toKey } from "../text/display.ts";
import { isInt, typeOf } from "../type-name.ts";
import type { Value } from "../value.ts";
import { Dict } from "./dict.ts";
import { List } from "./list.ts";

/** One link of a target path: a name after a dot, or an index value. */
export type PathStep = { readonly name: string } | { readonly index: Value };

/** `container[key] = value` as a changed copy. */
export const setIndex = (container: Value, key: Value, value: Value): Value =>
  writeIndex(container, NOBODY, key, value);

/** `container.name = value` as a changed copy. */
export const setProperty = (container: Value, name: string, value: Value): Value =>
  writeProperty(container, NOBODY, name, value);

/** A token that no collection carries. */
const NOBODY: object = {};

/** `container[key] = value`: in place when `token` owns the container, else in a copy that it owns from then on. */
export function writeIndex(container: Value, token: object, key: Value, value: Value): Value {
  if (container instanceof List) {
    if (!isInt(key)) return container;
    const at = Number(key) < 0 ? Number(key) + container.length : Number(key);
    if (at < 0 || at >= container.length) {
      throw runtimeError(`Index ${display(key)} out of bounds for list of length ${container.length}`);
    }
    if (container.owner === token) {
      container.ownedSet(at, value);
      return container;
    }
    const copy = container.with(at, value);
    if (token !== NOBODY) copy.owner = token;
    return copy;
  }
  return container instanceof Dict ? writeKey(container, token, toKey(key), value) : container;
}

/** `container.name = value`. */
export function writeProperty(container: Value, token: object, name: string, value: Value): Value {
  if (container instanceof Dict) return writeKey(container, token, name, value);
  if (container instanceof StructValue) return container.with(name, value);
  throw typeError(`cannot set property \`${name}\` on ${typeOf(container)}`);
}

function writeKey(dict: Dict, token: object, key: string, value: Value): Dict {
  if (token === NOBODY) return dict.with(key, value);
  const own = dict.owner === token ? dict : dict.ownedCopy(token);
  own.ownedSet(key, value);
  return own;
}

/** Writes at the end of a path below a root and gives the new root; rebuilds or reuses each collection on the way. */
export function writePath(root: Value, token: object, path: readonly PathStep[], value: Value): Value {
  const last = path.length - 1;
  const holders: Value[] = [root];
  for (let i = 0; i < last; i++) {
    const holder = holders[i] as Value;
    const step = path[i] as PathStep;
    holders.push("name" in step ? getProperty(holder, step.name) : getIndex(holder, step.index));
  }
  let result = value;
  for (let i = last; i >= 0; i--) {
    const holder = holders[i] as Value;
    const step = path[i] as PathStep;
    const written =
      "name" in step
        ? writeProperty(holder, token, step.name, result)
        : writeIndex(holder, token, step.index, result);
    // Written in place: the holders further out already hold it.
    if (written === holder && i > 0 && sameAlongPath(holders, token, i)) return root;
    result = written;
  }
  return result;
}

/** Whether everything above a holder is owned too, so that nothing there has to change. */
function sameAlongPath(holders: readonly Value[], token: object, from: number): boolean {
  for (let i = 0; i < from; i++) {
    const holder = holders[i];
    if (!((holder instanceof List || holder instanceof Dict) && holder.owner === token)) return false;
  }
  return true;
}

/** Whether handing out this value, read from inside a variable's collection, lets an owned collection escape. */
export function leaks(value: Value, token: object | null): boolean {
  if (typeof value !== "object" || value === null || token === null) return false;
  if (value instanceof List || value instanceof Dict) return value.owner === token;
  // Their parts may be owned though they themselves carry no mark.
  return value instanceof StructValue || value instanceof EnumValue;
}
