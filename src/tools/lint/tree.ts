/** The nodes of a file by kind and parent: what rules look through. Keeps its own stack; order is that of the source. */
import type { Node, Program } from "../../syntax/index.ts";

type OfKind<K extends string> = Extract<AnyNode, { readonly kind: K }>;
type AnyNode = import("../../syntax/index.ts").Expr | import("../../syntax/index.ts").Item | Extra;
type Extra =
  | import("../../syntax/index.ts").Block
  | import("../../syntax/index.ts").MatchArm
  | import("../../syntax/index.ts").DictEntry
  | import("../../syntax/index.ts").Spread;

export class Tree {
  private readonly byKind = new Map<string, Node[]>();
  private readonly parents = new Map<Node, Node>();
  private readonly decls = new Map<Node, Node>();

  constructor(program: Program) {
    const stack: {
      readonly value: object;
      readonly parent: Node | undefined;
      readonly decl: Node | undefined;
    }[] = [{ value: program, parent: undefined, decl: undefined }];
    while (stack.length > 0) {
      const { value, parent, decl } = stack.pop()!;
      const node = "kind" in value && "start" in value ? (value as Node) : undefined;
      if (node !== undefined) this.enter(node, parent);
      if (node !== undefined && decl !== undefined) this.decls.set(node, decl);
      const below = node !== undefined && NAMED.has(node.kind) ? node : decl;
      const children = Object.values(value);
      for (let i = children.length - 1; i >= 0; i--) {
        const child = children[i];
        if (typeof child === "object" && child !== null)
          stack.push({ value: child, parent: node ?? parent, decl: below });
      }
    }
    for (const nodes of this.byKind.values()) nodes.sort((a, b) => a.start - b.start);
  }

  private enter(node: Node, parent: Node | undefined): void {
    const list = this.byKind.get(node.kind) ?? [];
    this.byKind.set(node.kind, list);
    list.push(node);
    if (parent !== undefined) this.parents.set(node, parent);
  }

  /** All nodes of a kind, in source order. */
  all<K extends AnyNode["kind"]>(kind: K): readonly OfKind<K>[] {
    return (this.byKind.get(kind) ?? []) as unknown as readonly OfKind<K>[];
  }

  parent(node: Node): AnyNode | Program | undefined {
    return this.parents.get(node) as AnyNode | Program | undefined;
  }

  /** The function, tool or pipeline around a node. */
  declAround(node: Node): Node | undefined {
    return this.decls.get(node);
  }

  /** The nodes around one, innermost first. Long chains make this long: not for every link of one. */
  *around(node: Node): Iterable<AnyNode | Program> {
    for (let at = this.parent(node); at !== undefined; at = this.parent(at)) yield at;
  }

  /** Is one of the nodes around it `outer`? */
  isInside(node: Node, outer: Node): boolean {
    for (const at of this.around(node)) if (at === outer) return true;
    return false;
  }
}

/** Functions that have a name. */
const NAMED: ReadonlySet<string> = new Set(["FnDecl", "ToolDecl", "PipelineDecl"]);

export type { AnyNode };

/** Kinds of nodes whose body is a function of its own. */
export const FUNCTIONS: ReadonlySet<string> = new Set(["FnDecl", "ToolDecl", "PipelineDecl", "Closure"]);
