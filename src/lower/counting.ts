/** Statements that count how often they ran, where coverage is asked for. */
import type { Node } from "../syntax/index.ts";
import type { Ctx, St } from "./node.ts";
import { st } from "./node.ts";

/** The node that counts a statement; empty when there is nothing to count. */
export function counting(ctx: Ctx, node: Node): St[] {
  const counter = ctx.unit.instance.coverage?.counterOf(ctx.module, node);
  if (counter === undefined) return [];
  return [
    st(() => {
      counter.hits++;
    }),
  ];
}
