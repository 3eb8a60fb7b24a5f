/** Questions about syntax that need a look at everything below a node. All walk with a stack: chains may be very long. */
import type { Assign, Block, Identifier, Node } from "../../syntax/index.ts";

type Visitor = (node: Node) => boolean;

/** Visits every node below one; the visitor says whether to go into it. */
export function walkType(root: Node, enter: Visitor): void {
  const pending: unknown[] = [root];
  while (pending.length > 0) {
    const at = pending.pop();
    if (Array.isArray(at)) {
      for (const one of at) if (typeof one === "object" && one !== null) pending.push(one);
      continue;
    }
    const node = at as Node;
    if (typeof node.kind === "string" && !enter(node)) continue;
    for (const key in node) {
      const part = (node as unknown as Record<string, unknown>)[key];
      if (typeof part === "object" && part !== null) pending.push(part);
    }
  }
}

const functions: ReadonlySet<string> = new Set(["FnDecl", "Closure", "ToolDecl", "ImplDecl"]);

const returning = new WeakMap<Block, boolean>();

/** Whether a function's own body has `return` with a value, `yield` or `emit`. */
export function returnsValue(body: Block): boolean {
  let found = returning.get(body);
  if (found === undefined) {
    found = false;
    walkType(body, (node) => {
      if (
        node.kind === "Yield" ||
        node.kind === "Emit" ||
        (node.kind === "Return" && "value" in node && node.value)
      )
        found = true;
      return !functions.has(node.kind);
    });
    returning.set(body, found);
  }
  return found;
}

const assigned = new WeakMap<Node, readonly Assignment[]>();

export interface Assignment {
  readonly node: Assign;
  readonly target: Identifier;
}

/** Assignments to plain names below a node. Those inside functions change copies and do not count. */
export function assignmentsIn(root: Node): readonly Assignment[] {
  let found = assigned.get(root);
  if (found === undefined) {
    const list: Assignment[] = [];
    walkType(root, (node) => {
      if (node.kind === "Assign") {
        const assign = node as Assign;
        let target = assign.target as Node;
        while (target.kind === "Member" || target.kind === "Index")
          target = (target as unknown as { object: Node }).object;
        if (target.kind === "Identifier") list.push({ node: assign, target: target as Identifier });
      }
      return !functions.has(node.kind);
    });
    found = list;
    assigned.set(root, found);
  }
  return found;
}
