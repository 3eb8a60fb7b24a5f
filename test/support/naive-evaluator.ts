/**
 * The language once more, as simply as it can be said: a walk over the syntax tree with environments of names. Slow and
 * small; it exists only to be compared with the lowered program (test/property/lowering.test.ts). Covers what the
 * generator there writes: numbers, strings, lists, variables, closures, branches, loops, calls, errors.
 */
import type { Block, Expr, FnDecl, Param, Program, Statement } from "../../src/syntax/index.ts";
import {
  add,
  caughtValue,
  compare,
  contains,
  display,
  divide,
  equals,
  getIndex,
  List,
  modulo,
  multiply,
  negate,
  runtimeError,
  ScriptError,
  setIndex,
  subtract,
  truthy,
  typeOf,
  type Value,
} from "../../src/values/index.ts";

type Env = Map<string, { value: Naive }>[];
type Naive = Value | NaiveClosure;

function notIterable(over: Value): ScriptError {
  const hint = typeof over === "string" ? "; use s.chars()" : "";
  const numbers = typeof over === "number" ? `; write 0 to ${over} exclusive` : hint;
  return runtimeError(`cannot iterate over ${typeOf(over)}${numbers}`);
}

class NaiveClosure {
  readonly params: readonly Param[];
  readonly body: Block;
  readonly env: Env;
  readonly implicit: boolean;
  constructor(params: readonly Param[], body: Block, env: Env, implicit: boolean) {
    this.params = params;
    this.body = body;
    this.env = env;
    this.implicit = implicit;
  }
}

class Leave {
  readonly kind: "return" | "break" | "continue";
  readonly value: Naive;
  constructor(kind: "return" | "break" | "continue", value: Naive = null) {
    this.kind = kind;
    this.value = value;
  }
}

const binary: Record<string, (a: Value, b: Value) => Value> = {
  "+": add,
  "-": subtract,
  "*": multiply,
  "/": divide,
  "%": modulo,
  "==": equals,
  "!=": (a, b) => !equals(a, b),
  "<": (a, b) => compare(a, b) < 0,
  ">": (a, b) => compare(a, b) > 0,
  "<=": (a, b) => compare(a, b) <= 0,
  ">=": (a, b) => compare(a, b) >= 0,
  in: (a, b) => contains(b, a),
};

export class NaiveEvaluator {
  readonly printed: string[] = [];

  run(program: Program): void {
    const env: Env = [new Map()];
    try {
      this.statements(program.items as Statement[], env);
    } catch (error) {
      if (!(error instanceof Leave)) throw error;
    }
  }

  private find(env: Env, name: string): { value: Naive } {
    for (let i = env.length - 1; i >= 0; i--) {
      const found = env[i]!.get(name);
      if (found !== undefined) return found;
    }
    throw new ScriptError("bare", `Undefined variable: ${name}`);
  }

  /** The value of the last expression statement, else nil. */
  private statements(nodes: readonly Statement[], env: Env): Naive {
    let last: Naive = null;
    for (const node of nodes) last = this.statement(node, env);
    return last;
  }

  private block(node: Block, env: Env): Naive {
    return this.statements(node.statements, [...env, new Map()]);
  }

  private statement(node: Statement, env: Env): Naive {
    switch (node.kind) {
      case "ExprStatement":
        return this.expr(node.expr, env);
      case "Let":
        if (node.pattern.kind === "NamePattern")
          env.at(-1)!.set(node.pattern.name.text, { value: this.expr(node.value, env) });
        return null;
      case "Assign":
        this.assign(node, env);
        return null;
      case "FnDecl":
        env.at(-1)!.set(node.name.text, { value: this.closure(node, env, false) });
        return null;
      case "While":
        while (truthy(this.value(node.condition, env))) if (!this.round(node.body, env)) break;
        return null;
      case "For": {
        const over = this.value(node.iterable, env);
        if (over === null) return null;
        if (!(over instanceof List)) throw notIterable(over as Value);
        if (node.pattern.kind !== "NamePattern") return null;
        for (const element of over)
          if (
            !this.round(node.body, [...env, new Map([[node.pattern.name.text, { value: element as Naive }]])])
          )
            break;
        return null;
      }
      case "Return":
        throw new Leave("return", node.value === undefined ? null : this.expr(node.value, env));
      case "Throw":
        throw new ScriptError("thrown", this.value(node.value, env));
      case "Break":
        throw new Leave("break");
      case "Continue":
        throw new Leave("continue");
      default:
        throw new Error(`the naive evaluator does not know ${node.kind}`);
    }
  }

  /** One round of a loop; false when it is left. */
  private round(body: Block, env: Env): boolean {
    try {
      this.block(body, env);
    } catch (error) {
      if (error instanceof Leave && error.kind === "break") return false;
      if (!(error instanceof Leave && error.kind === "continue")) throw error;
    }
    return true;
  }

  private assign(node: Extract<Statement, { kind: "Assign" }>, env: Env): void {
    const { target } = node;
    if (target.kind === "Identifier") {
      const place = this.find(env, target.name);
      const value = this.expr(node.value, env);
      place.value =
        node.op === "=" ? value : binary[node.op.slice(0, -1)]!(place.value as Value, value as Value);
      return;
    }
    if (target.kind !== "Index" || target.object.kind !== "Identifier") throw new Error("unexpected target");
    const index = this.value(target.index, env);
    const value = this.value(node.value, env);
    const place = this.find(env, target.object.name);
    place.value = setIndex(place.value as Value, index, value);
  }

  /** A snapshot: every visible name copied. */
  private closure(
    node: FnDecl | Extract<Expr, { kind: "Closure" }>,
    env: Env,
    implicit: boolean,
  ): NaiveClosure {
    const flat = new Map<string, { value: Naive }>();
    for (const scope of env) for (const [name, { value }] of scope) flat.set(name, { value });
    const made = new NaiveClosure(node.params, node.body, [flat], implicit);
    if (node.kind === "FnDecl") flat.set(node.name.text, { value: made });
    return made;
  }

  private value(node: Expr, env: Env): Value {
    return this.expr(node, env) as Value;
  }

  private expr(node: Expr, env: Env): Naive {
    switch (node.kind) {
      case "IntLit":
      case "StringLit":
      case "BoolLit":
        return node.value;
      case "NilLit":
        return null;
      case "Identifier":
        return this.find(env, node.name).value;
      case "ListLit":
        return new List(node.elements.map((element) => this.value(element as Expr, env)));
      case "Interpolation":
        return node.parts
          .map((part) => (typeof part === "string" ? part : display(this.value(part, env))))
          .join("");
      case "Unary": {
        const operand = this.value(node.operand, env);
        return node.op === "!" ? !truthy(operand) : negate(operand);
      }
      case "Binary":
        return this.binary(node, env);
      case "Ternary":
        return this.expr(truthy(this.value(node.condition, env)) ? node.then : node.else, env);
      case "Index":
        return getIndex(this.value(node.object, env), this.value(node.index, env));
      case "Closure":
        return this.closure(node, env, true);
      case "If":
        if (truthy(this.value(node.condition, env))) return this.block(node.then, env);
        if (node.else === undefined) return null;
        return node.else.kind === "If" ? this.expr(node.else, env) : this.block(node.else, env);
      case "Try":
        return this.attempt(node, env);
      case "Call":
        return this.call(node, env);
      default:
        throw new Error(`the naive evaluator does not know ${node.kind}`);
    }
  }

  private binary(node: Extract<Expr, { kind: "Binary" }>, env: Env): Value {
    const left = this.value(node.left, env);
    if (node.op === "&&") return truthy(left) && truthy(this.value(node.right, env));
    if (node.op === "||") return truthy(left) || truthy(this.value(node.right, env));
    if (node.op === "??") return left === null ? this.value(node.right, env) : left;
    return binary[node.op]!(left, this.value(node.right, env));
  }

  private attempt(node: Extract<Expr, { kind: "Try" }>, env: Env): Naive {
    try {
      return this.block(node.body, env);
    } catch (error) {
      if (!(error instanceof ScriptError) || node.catch === undefined) throw error;
      const scope = new Map<string, { value: Naive }>();
      if (node.catch.name !== undefined) scope.set(node.catch.name.text, { value: caughtValue(error) });
      return this.block(node.catch.body, [...env, scope]);
    } finally {
      if (node.finally !== undefined) this.block(node.finally, env);
    }
  }

  private call(node: Extract<Expr, { kind: "Call" }>, env: Env): Naive {
    const name = node.callee.kind === "Identifier" ? node.callee.name : "";
    const args = node.args.map((arg) => this.expr(arg as Expr, env));
    if (name === "log") {
      this.printed.push(`[harn] ${display(args[0] as Value)}\n`);
      return null;
    }
    const callee = this.find(env, name).value;
    if (!(callee instanceof NaiveClosure)) throw new ScriptError("bare", `Undefined builtin: ${name}`);
    const scope = new Map(callee.env[0]);
    for (const [key, { value }] of scope) scope.set(key, { value });
    callee.params.forEach((param, i) => {
      scope.set(param.name.text, { value: args[i] ?? null });
    });
    try {
      const value = this.block(callee.body, [scope]);
      return callee.implicit ? value : null;
    } catch (error) {
      if (error instanceof Leave && error.kind === "return") return error.value;
      throw error;
    }
  }
}
