/**
 * `x = x + [e]`, the way in which scripts build lists. A list that only its variable can see grows in place: no new
 * version is made, and nothing is stored (storing a young object into an old frame costs as much as the rest of it).
 * Who may write in place is decided by owner tokens, as for `x[i] = e` (values/collections/owned-write.ts).
 */
import { type Frame, locatedFrame, type Run, type Site } from "../../interp/index.ts";
import { add, List, type Value } from "../../values/index.ts";
import type { Ex } from "../node.ts";

/** Lists up to this length are copied for their variable to own; longer ones grow as versions of a shared buffer. */
const COPIED = 16;

/** The statement, for a variable and its token in slots of the frame and an element that never waits. */
export function appendInPlace(slot: number, tokenSlot: number, element: Ex, site: Site): Run {
  const { run, slot: from } = element;
  const otherwise = (f: Frame, before: Value, length: number, value: Value): void => {
    if (!(before instanceof List)) f[slot] = appended(before, value, site);
    // The element's expression appended to the variable itself: the list counts as it was before.
    else if (before.length !== length) f[slot] = new List([...before.buffer.slice(0, length), value]);
    else if (length > COPIED) f[slot] = before.push(value);
    else {
      f[tokenSlot] ??= {};
      f[slot] = before.ownedCopy(f[tokenSlot]).ownedPush(value);
    }
  };
  return (f) => {
    const list = f[slot];
    const length = list instanceof List ? list.length : -1;
    const value = from >= 0 ? f[from] : run(f);
    if (
      length >= 0 &&
      list.owner !== null &&
      list.owner === f[tokenSlot] &&
      list.length === length &&
      f[slot] === list
    )
      list.ownedPush(value);
    else otherwise(f, list, length, value);
    return undefined;
  };
}

function appended(list: Value, value: Value, site: Site): Value {
  try {
    return add(list, new List([value]));
  } catch (error) {
    throw locatedFrame(error, site);
  }
}
