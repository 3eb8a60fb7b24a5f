/**
 * How deep a tree is. Later stages recurse on the tree, and some chains make it deep without any bracket: `a ** b ** …`,
 * `c ? a : c ? b : …`, `- - x`, `list<list<…`. Chains that lean to the left (`a + b + …`, `x.a.b…`, `v |> f |> g`) and
 * `else if` do not count: every stage walks those in a loop. The walk here keeps its own stack, so it works on any tree.
 */
import type { Node } from "./ast.ts";

/**
 * Deepest tree that later stages get. Nested brackets alone (255, at most three nodes each) stay below it; a recursive
 * stage with three JavaScript calls for each level fits Node's ordinary stack.
 */
export const maxTreeDepth = 1000;

/** The child that continues a chain, by the kind of its node. */
const CONTINUES: ReadonlyMap<string, string> = new Map([
  ["Binary", "left"],
  ["Pipe", "value"],
  ["Member", "object"],
  ["Index", "object"],
  ["Slice", "object"],
  ["MethodCall", "receiver"],
  ["Propagate", "value"],
  ["If", "else"],
]);

/** The first node met that stands deeper than the limit, or `undefined`. */
export function tooDeep(root: Node, limit: number = maxTreeDepth): Node | undefined {
  const stack: { value: unknown; depth: number; within: Node }[] = [{ value: root, depth: 0, within: root }];
  while (stack.length > 0) {
    const { value, depth, within } = stack.pop()!;
    if (typeof value !== "object" || value === null) continue;
    if (Array.isArray(value)) {
      for (const item of value) stack.push({ value: item, depth, within });
      continue;
    }
    const kind = "kind" in value ? (value as Node).kind : undefined;
    const here = kind === undefined ? within : (value as Node);
    if (depth > limit) return here;
    const below = kind === undefined ? depth : depth + 1;
    const chain = kind === undefined ? undefined : CONTINUES.get(kind);
    for (const [key, child] of Object.entries(value)) {
      stack.push({ value: child, depth: key === chain ? depth : below, within: here });
    }
  }
  return undefined;
}
