/**
 * How deep a tree is. Later stages recurse on the tree, and a chain (`a + b + …`, `else if …`) makes it deep without
 * any bracket. The walk itself keeps its own stack, so it works on any tree.
 */
import type { Node } from "./ast.ts";

/**
 * Deepest tree that later stages get. Nested brackets alone (255, at most three nodes each) stay below it; a recursive
 * stage with three JavaScript calls for each level fits Node's ordinary stack.
 */
export const MAX_TREE_DEPTH = 1000;

/** The first node that stands deeper than the limit, or `undefined`. */
export function tooDeep(root: Node, limit: number = MAX_TREE_DEPTH): Node | undefined {
  const stack: { value: unknown; depth: number; within: Node }[] = [{ value: root, depth: 0, within: root }];
  while (stack.length > 0) {
    const { value, depth, within } = stack.pop()!;
    if (typeof value !== "object" || value === null) continue;
    if (Array.isArray(value)) {
      for (const item of value) stack.push({ value: item, depth, within });
      continue;
    }
    const isNode = "kind" in value;
    const here = isNode ? (value as Node) : within;
    const below = isNode ? depth + 1 : depth;
    if (below > limit) return here;
    for (const child of Object.values(value)) stack.push({ value: child, depth: below, within: here });
  }
  return undefined;
}
