/** What loops go over, also those in generators. */
import { elementsIn, type IndexedItems, locatedFrame, type Site } from "../../interp/index.ts";
import type { For } from "../../syntax/index.ts";
import { foreignToEntries } from "../../syntax/nodes.ts";
import { Dict, Iter, Pullable, runtimeError, type Value } from "../../values/index.ts";
import type { Ctx } from "../node.ts";

/**
 * What a loop goes over: something to pull, or elements. Raises, at its place, for what is no collection, and for a dict whose
 * entries its pattern takes apart by names that they don't have: all would be nil.
 */
export function loopSource(ctx: Ctx, node: For): (over: Value) => Pullable | IndexedItems {
  const at = ctx.site(node.iterable);
  const foreign = foreignToEntries(node.pattern);
  const pattern = ctx.site(node.pattern);
  return (over) => {
    if (over instanceof Pullable) return begun(over, at);
    if (foreign !== undefined && over instanceof Dict) throw locatedFrame(runtimeError(foreign), pattern);
    try {
      return elementsIn(over);
    } catch (error) {
      throw locatedFrame(error, at);
    }
  };
}

function begun(over: Pullable, at: Site): Pullable {
  try {
    if (over instanceof Iter) over.begin();
    return over;
  } catch (error) {
    throw locatedFrame(error, at);
  }
}
