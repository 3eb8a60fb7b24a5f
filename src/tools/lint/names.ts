/**
 * Names of one file for the rules about them: what is declared where, and who reads and writes it. Lexical scopes only,
 * without slots and captures: rules see the program as a reader does. Functions and types are visible in their whole
 * block; variables from their declaration on. Walked with a stack of its own.
 */
import { Scope } from "../../resolve/index.ts";
import type { Span } from "../../source/index.ts";
import type { Block, Expr, Item, Name, Node, Pattern, Program } from "../../syntax/index.ts";

export type NameKind =
  | "let" | "var" | "const" | "param" | "loop" | "match" | "catch" | "fn" | "tool" | "import" | "type" | "other"; // biome-ignore format: a list

/** Its function is `undefined` at the top of the file. */
type FileScope = Scope<NameBinding, Node | undefined>;

export interface NameBinding {
  readonly name: string;
  readonly kind: NameKind;
  readonly at: Span;
  /** The statement or declaration that makes it. */
  readonly node: Node;
  readonly scope: FileScope;
  /** A variable of the same name in an outer scope, when it was declared. */
  readonly shadowed: NameBinding | undefined;
  /** Declared before in the same scope. */
  readonly earlier: NameBinding | undefined;
  /** Reads from outside its own body (a function that only calls itself is not used). */
  reads: number;
  writes: number;
}

const VARIABLES: ReadonlySet<NameKind> = new Set(["let", "var", "const", "param", "loop", "match", "catch"]);

export const isVariable = (binding: NameBinding): boolean => VARIABLES.has(binding.kind);

type NameTask = { readonly node: object } | { readonly run: () => void };

export class Names {
  readonly bindings: NameBinding[] = [];
  /** What identifiers (and the names of struct literals and types) refer to. */
  readonly refs = new Map<object, NameBinding>();
  /** Assigned names that no scope knows: a pipeline that extends another one sees its variables. */
  readonly strayWrites = new Set<string>();
  private scope: FileScope = new Scope(undefined, undefined);
  private readonly tasks: NameTask[] = [];

  constructor(program: Program) {
    this.push(() => this.hoist(program.items), ...program.items);
    while (this.tasks.length > 0) {
      const task = this.tasks.pop()!;
      if ("run" in task) task.run();
      else this.visit(task.node);
    }
  }

  /** The binding that a name means where an identifier stands. */
  of(node: object): NameBinding | undefined {
    return this.refs.get(node);
  }

  // -------------------------------------------------------------- walking

  /** Queues what comes next, in order; what is queued by a later call runs before it. */
  private push(...steps: readonly (object | (() => void) | undefined)[]): void {
    for (let i = steps.length - 1; i >= 0; i--) {
      const step = steps[i];
      if (typeof step === "function") this.tasks.push({ run: step as () => void });
      else if (step !== undefined) this.tasks.push({ node: step });
    }
  }

  /** Queues steps in a scope of their own. */
  private scoped(fn: Node | undefined, ...steps: readonly (object | (() => void) | undefined)[]): void {
    const outer = this.scope;
    this.push(
      () => {
        this.scope = new Scope(outer, fn ?? outer.fn);
      },
      ...steps,
      () => {
        this.scope = outer;
      },
    );
  }

  private visit(value: object): void {
    if (!("kind" in value)) {
      this.push(...Object.values(value).filter((child) => typeof child === "object" && child !== null));
      return;
    }
    const node = value as Expr | Item | Block | { kind: "NamedType"; name: Name; args: readonly object[] };
    switch (node.kind) {
      case "Identifier":
        this.read(node, node.name);
        return;
      case "NamedType":
        this.read(node, node.name.text);
        this.push(...node.args);
        return;
      case "StructLit":
        this.read(node, node.name.text);
        this.push(...node.fields.map((field) => field.value));
        return;
      case "Block":
        this.scoped(undefined, () => this.hoist(node.statements), ...node.statements);
        return;
      case "Let":
        this.push(node.type, node.value, () => this.pattern(node.pattern, node.keyword, node));
        return;
      case "Assign":
        this.assign(node.target);
        this.push(node.value, node.target.kind === "Identifier" ? undefined : node.target);
        return;
      case "For":
        this.scoped(undefined, () => this.pattern(node.pattern, "loop", node), node.body);
        this.push(node.iterable);
        return;
      case "Closure":
        this.scoped(node, ...this.params(node.params, node), node.body);
        return;
      case "FnDecl":
        this.scoped(node, ...node.typeParams.map((one) => () => this.bind(one.name, "other", node)),
          ...this.params(node.params, node), node.returns, ...node.where.flatMap((one) => one.bounds.map((bound) => () => this.read(bound, bound.text))), node.body); // biome-ignore format: one step a part
        return;
      case "ToolDecl":
        this.scoped(node, ...this.params(node.params, node), node.returns, node.body);
        return;
      case "PipelineDecl":
      case "OverrideDecl": {
        const params = node.params.map((one) => () => this.bind(one, "other", node));
        this.scoped(node, ...params, node.kind === "PipelineDecl" ? node.returns : undefined, node.body);
        return;
      }
      case "ImplDecl":
        this.read(node, node.target.text);
        this.push(...node.methods);
        return;
      case "StructDecl":
      case "EnumDecl":
      case "InterfaceDecl":
      case "TypeAliasDecl": {
        const { typeParams, ...rest } = node;
        const parts = Object.values(rest).filter(
          (part) => Array.isArray(part) || (typeof part === "object" && part !== null && "kind" in part),
        );
        this.scoped(undefined, ...typeParams.map((one) => () => this.bind(one.name, "other", node)), ...parts); // biome-ignore format: one step a part
        return;
      }
      case "Parallel":
        this.scoped(
          node as Node,
          node.param === undefined ? undefined : () => this.bind(node.param!, "loop", node),
          node.body,
        );
        this.push(node.subject, node.maxConcurrent);
        return;
      case "Match":
        this.push(node.subject, ...node.arms.flatMap((arm) => [() => this.arm(arm)]));
        return;
      case "Try":
        this.push(node.body, node.catch === undefined ? undefined : () => this.handler(node), node.finally);
        return;
      case "Select":
        this.push(
          ...node.cases.flatMap((one) => [
            one.channel,
            () => this.scoped(undefined, () => this.bind(one.name, "match", node), one.body),
          ]),
          node.timeout?.duration,
          node.timeout?.body,
          node.default,
        );
        return;
      case "EvalPackDecl": {
        const names = node.fields.map((field) => () => this.bind(field.name, "other", node));
        this.scoped(node, ...names, ...node.statements, node.summarize);
        this.push(...node.fields.map((field) => field.value));
        return;
      }
      case "Import":
        return;
      default:
        this.push(...Object.values(node).filter((child) => typeof child === "object" && child !== null));
        return;
    }
  }

  private handler(node: Extract<Expr, { kind: "Try" }>): void {
    const { name, type, body } = node.catch!;
    this.scoped(undefined, name === undefined ? undefined : () => this.bind(name, "catch", node), body);
    this.push(type);
  }

  private arm(arm: Extract<Expr, { kind: "Match" }>["arms"][number]): void {
    this.scoped(
      undefined,
      ...arm.patterns.map((pattern) => () => this.matched(pattern, arm)),
      arm.guard,
      arm.body,
    );
  }

  /** Names that a match pattern binds; what stands for an enum or a variant is read. */
  private matched(pattern: object, arm: Node): void {
    if (!("kind" in pattern)) return;
    const node = pattern as Expr;
    if (node.kind === "Identifier")
      this.bind({ text: node.name, start: node.start, end: node.end }, "match", arm);
    else if (node.kind === "Call") {
      if (node.callee.kind === "Identifier") this.read(node.callee, node.callee.name);
      for (const argument of node.args) this.matched(argument, arm);
    } else if (node.kind === "MethodCall") {
      this.push(node.receiver);
      for (const argument of node.args) this.matched(argument, arm);
    } else if (node.kind === "DictLit") {
      for (const one of node.entries) this.matched(one.value, arm);
    } else if (node.kind === "ListLit") {
      for (const element of node.elements)
        this.matched(element.kind === "Spread" ? element.value : element, arm);
    } else if (node.kind === "StructLit") {
      this.read(node, node.name.text);
      for (const field of node.fields) this.matched(field.value, arm);
    } else this.push(node);
  }

  private params(
    params: readonly {
      readonly name: Name;
      readonly type?: object | undefined;
      readonly default?: object | undefined;
    }[],
    node: Node,
  ) {
    return params.flatMap((param) => [param.type, param.default, () => this.bind(param.name, "param", node)]);
  }

  private pattern(pattern: Pattern, kind: NameKind, node: Node): void {
    switch (pattern.kind) {
      case "NamePattern":
        this.bind(pattern.name, kind, node);
        return;
      case "PairPattern":
        this.bind(pattern.first, kind, node);
        this.bind(pattern.second, kind, node);
        return;
      case "DictPattern":
        for (const { key, alias, default: value } of pattern.entries)
          this.push(value, () => this.bind(alias ?? key, kind, node));
        if (pattern.rest !== undefined) this.bind(pattern.rest, kind, node);
        return;
      case "ListPattern":
        for (const { name, default: value } of pattern.elements)
          this.push(value, () => this.bind(name, kind, node));
        if (pattern.rest !== undefined) this.bind(pattern.rest, kind, node);
        return;
    }
  }

  // --------------------------------------------------------------- tables

  /** Functions, tools, types and imports are known in their whole block. */
  private hoist(items: readonly Item[]): void {
    for (const item of items) {
      if (item.kind === "FnDecl") this.bind(item.name, "fn", item);
      else if (item.kind === "ToolDecl" || item.kind === "SkillDecl" || item.kind === "EvalPackDecl")
        this.bind(item.name, "tool", item);
      else if (item.kind === "Import") for (const name of item.names ?? []) this.bind(name, "import", item);
      else if (
        item.kind === "StructDecl" ||
        item.kind === "EnumDecl" ||
        item.kind === "InterfaceDecl" ||
        item.kind === "TypeAliasDecl"
      )
        this.bind(item.name, "type", item);
    }
  }

  private bind(name: Name, kind: NameKind, node: Node): void {
    if (name.text === "_") return;
    const earlier = this.scope.names.get(name.text);
    const outer = this.scope.parent?.find(name.text);
    const binding: NameBinding = {
      name: name.text,
      kind,
      at: { start: name.start, end: name.end },
      node,
      scope: this.scope,
      shadowed: outer,
      earlier,
      reads: 0,
      writes: 0,
    };
    this.bindings.push(binding);
    this.scope.names.set(name.text, binding);
  }

  private read(node: object, name: string): void {
    const binding = this.scope.find(name);
    if (binding === undefined) return;
    this.refs.set(node, binding);
    for (let scope: FileScope | undefined = this.scope; scope !== undefined; scope = scope.parent)
      if (scope.fn === binding.node && binding.kind === "fn") return;
    binding.reads++;
  }

  /** An assignment to a variable, or to a part of what it holds. */
  private assign(target: Expr): void {
    let root = target;
    while (root.kind === "Member" || root.kind === "Index") root = root.object;
    if (root.kind !== "Identifier") return;
    const binding = this.scope.find(root.name);
    if (binding === undefined) this.strayWrites.add(root.name);
    if (binding === undefined) return;
    binding.writes++;
    if (root === target) this.refs.set(root, binding);
  }
}
