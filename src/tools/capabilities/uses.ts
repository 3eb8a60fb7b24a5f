/**
 * `harn check --capabilities`: what a program may need, without running it.
 * Follows a program's calls from its entry file through functions, closures and imported modules, and notes every builtin
 * that needs a capability. What is only known while running (a function in a dict, `harness` given away) counts as used
 * where it is named, so the list may name more than a run needs, never less of what is called by name.
 */
import {
  builtinTable,
  type CapabilityGroup,
  harnessBuiltin,
  harnessPartNames,
  harnessParts,
  possibleGroupsOf,
} from "../../builtins/index.ts";
import { Binding, type FunctionInfo, type ModuleInfo, type ResolvedProgram } from "../../resolve/index.ts";
import { isDeclaration } from "../../syntax/nodes.ts";

/** One place that needs a capability. */
export interface CapabilityUse {
  readonly capability: CapabilityGroup;
  readonly builtin: string;
  /** `demo.harn:3:9`, the first place that was found. */
  readonly at: string;
}

/** Anything with a `kind`: the walk needs no more of a tree. */
interface UntypedNode {
  readonly kind: string;
  readonly start: number;
  readonly [field: string]: unknown;
}

/** Operations of `host_call` by what they need. */
const operations: readonly (readonly [string, CapabilityGroup])[] = [
  ["process.", "process"],
  ["template.", "fs.read"],
  ["interaction.", "people"],
];

/** Each capability and builtin once, sorted. */
export function capabilityUses(program: ResolvedProgram): CapabilityUse[] {
  const walk = new UsesWalk();
  walk.entry(program.entry);
  for (const module of program.modules) if (module !== program.entry) walk.topLevel(module);
  walk.rest();
  return walk.uses();
}

class UsesWalk {
  private readonly found = new Map<string, CapabilityUse>();
  private readonly queue: FunctionInfo[] = [];
  private readonly seen = new Set<FunctionInfo>();
  /** Members that stand in `harness.PART.method`: the outer node is met first and speaks for them. */
  private readonly directly = new WeakSet<object>();

  /** Everything in the entry file: what it does not call it may hand to somebody who does. */
  entry(module: ModuleInfo): void {
    for (const item of module.ast.items) this.visit(module, item);
  }

  /** Of other modules, what runs when they are imported; their functions when something names them. */
  topLevel(module: ModuleInfo): void {
    for (const item of module.ast.items) if (!isDeclaration(item as never)) this.visit(module, item);
  }

  rest(): void {
    for (let next = this.queue.pop(); next !== undefined; next = this.queue.pop()) {
      for (const child of Object.values(next.node)) this.visit(next.module, child);
    }
  }

  uses(): CapabilityUse[] {
    return [...this.found.values()].sort((a, b) =>
      a.capability === b.capability ? (a.builtin < b.builtin ? -1 : 1) : a.capability < b.capability ? -1 : 1,
    );
  }

  private visit(module: ModuleInfo, value: unknown): void {
    if (Array.isArray(value)) for (const item of value) this.visit(module, item);
    if (typeof value !== "object" || value === null || Array.isArray(value)) return;
    const node = value as UntypedNode;
    if (typeof node.kind === "string") this.look(module, node);
    for (const child of Object.values(node)) if (typeof child === "object") this.visit(module, child);
  }

  private look(module: ModuleInfo, node: UntypedNode): void {
    const call = module.calls.get(node as never);
    if (call !== undefined) {
      if (call.fn?.fn !== undefined) {
        this.follow(call.fn.fn);
        this.handedOn(call.fn.fn, node);
      } else if (call.builtin && call.name === "host_call") this.hostCall(module, node);
      else if (call.builtin) this.note(module, node, call.name);
    }
    const ref = module.refs.get(node as never);
    if (ref instanceof Binding) {
      if (ref.fn !== undefined) this.follow(ref.fn);
    } else if (ref?.kind === "builtin") this.note(module, node, ref.name);
    this.harness(module, node);
  }

  private follow(fn: FunctionInfo): void {
    if (this.seen.has(fn)) return;
    this.seen.add(fn);
    this.queue.push(fn);
  }

  private note(
    module: ModuleInfo,
    node: UntypedNode,
    builtin: string,
    groups?: readonly CapabilityGroup[],
  ): void {
    const spec = builtinTable().get(builtin);
    for (const capability of groups ?? (spec === undefined ? [] : possibleGroupsOf(spec))) {
      const key = `${capability} ${builtin}`;
      if (this.found.has(key)) continue;
      const { line, column } = module.source.position(node.start);
      this.found.set(key, { capability, builtin, at: `${module.source.name}:${line}:${column}` });
    }
  }

  /** By the operation when it is written out; else it may be any. */
  private hostCall(module: ModuleInfo, node: UntypedNode): void {
    const [first] = (node.args ?? []) as readonly UntypedNode[];
    const name = first?.kind === "StringLit" ? String(first.value) : undefined;
    const fitting = operations.filter(([prefix]) => name === undefined || name.startsWith(prefix));
    this.note(
      module,
      node,
      "host_call",
      fitting.map(([, group]) => group),
    );
  }

  /** `harness` as an argument for a parameter of that name: what is done with it is found in the function. */
  private handedOn(fn: FunctionInfo, call: UntypedNode): void {
    for (const [at, arg] of ((call.args ?? []) as readonly UntypedNode[]).entries()) {
      if (fn.params[at]?.name.text === "harness") this.directly.add(arg);
    }
  }

  /** `harness.fs.read_text(…)`; of a part that is only named, everything it has; of `harness` alone, all parts. */
  private harness(module: ModuleInfo, node: UntypedNode): void {
    if (node.kind === "Identifier" && !this.directly.has(node) && isHarness(module, node)) {
      for (const part of harnessPartNames()) {
        for (const builtin of harnessParts(part)) this.note(module, node, builtin);
      }
    }
    if (node.kind !== "Member" && node.kind !== "MethodCall") return;
    const inner = (node.kind === "Member" ? node.object : node.receiver) as UntypedNode;
    const part = inner.kind === "Member" ? this.partOf(module, inner) : undefined;
    if (part !== undefined) {
      this.directly.add(inner);
      const builtin = harnessBuiltin(part, (node.name as { text: string }).text);
      if (builtin !== undefined) this.note(module, node, builtin);
      return;
    }
    const own = node.kind === "Member" ? this.partOf(module, node) : undefined;
    if (own !== undefined && !this.directly.has(node)) {
      for (const builtin of harnessParts(own)) this.note(module, node, builtin);
    }
  }

  private partOf(module: ModuleInfo, member: UntypedNode): string | undefined {
    const object = member.object as UntypedNode;
    if (object.kind !== "Identifier" || !isHarness(module, object)) return undefined;
    this.directly.add(object);
    return (member.name as { text: string }).text;
  }
}

/** The handle that every program has, or a parameter that is named like it. */
function isHarness(module: ModuleInfo, identifier: UntypedNode): boolean {
  const ref = module.refs.get(identifier as never);
  return ref instanceof Binding
    ? identifier.name === "harness" && ref.kind === "param"
    : ref?.kind === "global" && ref.name === "harness";
}
