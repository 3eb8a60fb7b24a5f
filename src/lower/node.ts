/**
 * What lowering passes around: executable nodes with what is known about them, and the context in which they are made.
 * See `lower.ts` for how the parts work together.
 */

import type { Frame, Run, Site } from "../interp/index.ts";
import type { FunctionInfo, ModuleInfo } from "../resolve/index.ts";
import type {
  Assign,
  Block,
  Expr,
  For,
  Let,
  Match,
  Node,
  Select,
  Statement,
  Try,
  While,
} from "../syntax/index.ts";
import type { Value } from "../values/index.ts";
import type { Rounds } from "./flow/rounds.ts";
import type { Unit } from "./instance.ts";
import type { MemberRead } from "./places/member-read.ts";

/** An expression: gives a value. */
export interface Ex {
  readonly run: Run;
  /** It may give a promise. */
  readonly may: boolean;
  /** It may give an `Exit` (a block inside returns, breaks, or `?` propagates). */
  readonly exits: boolean;
  /** Just reads this slot of the frame; -1 otherwise. Lets operators read it themselves. */
  readonly slot: number;
  /** Always this value; `undefined` otherwise. */
  readonly constant: Value | undefined;
  /** Gives true or false, nothing else: conditions need no test of truthiness. */
  readonly bool?: boolean;
  /** `slot < slot` or `slot < int`: a loop may compare by itself. */
  readonly less?: { readonly slot: number; readonly than: number; readonly isSlot: boolean };
  /** `slot % int`: its comparison with an int may compute it. */
  readonly remainder?: { readonly slot: number; readonly by: number };
  /** `slot + int`, `slot - int`, `slot * int`: an operator on its result may compute it. */
  readonly inner?: { readonly op: "+" | "-" | "*"; readonly slot: number; readonly by: number };
  /** Reads a member of a variable: an operator may do that by itself. */
  readonly member?: MemberRead;
  /** A branch on this value, tested by the branch itself. */
  readonly branch?: Branch;
  /** The same result, stored in a slot by the node itself; a statement. */
  readonly storing?: (slot: number) => Run;
}

/** A condition: gives true or false (or a promise of it), and what a branch or loop may test by itself. */
export interface Condition extends Pick<Ex, "less" | "branch"> {
  readonly run: Run;
  readonly may: boolean;
}

/** A node that runs one of two others; without the second it gives `undefined` in its place. */
export type Branch = (yes: Run, no: Run | undefined) => Run;

/** A statement: gives a completion (interp/interrupts/signals.ts). */
export interface St {
  readonly run: Run;
  readonly may: boolean;
  /** It may complete otherwise than normally: return, break, continue. */
  readonly abrupt: boolean;
  /** It never completes normally: what stands after it is not reached. */
  readonly ends?: boolean;
  /** It only decides whether the rest of its list runs: the two as one node. */
  readonly before?: (rest: St) => St;
  /** For a list of statements that never waits: the statements, for a loop that runs them itself. */
  readonly parts?: readonly Run[];
}

/** What a block's last expression is for. */
export type ResultMode =
  /** Nothing: completions only. */
  | "stmt"
  /** It is the value: a value, or an `Exit`. */
  | "value"
  /** It is the function's result: a completion. */
  | "return";

export const ex = (run: Run, may = false, exits = false): Ex => ({
  run,
  may,
  exits,
  slot: -1,
  constant: undefined,
});
export const st = (run: Run, may = false, abrupt = false): St => ({ run, may, abrupt });

/** What a declaration without run-time meaning becomes: left out of its list. */
export const nothing: Run = () => undefined;
export const noStatement: St = st(nothing);

/** Where a node is being lowered: the module, the function, and what `return f(x)` may do here. */
export class Ctx {
  readonly unit: Unit;
  readonly fn: FunctionInfo;
  readonly lowering: Lowering;
  /** `return f(x)` may leave the frame: no `try` or `defer` waits for the result. */
  tailOk: boolean;
  /** An operand lowered since this was last cleared throws `Exit`s: its statement has to catch them. */
  throwsExit = false;
  /** Set when a tail call was lowered. */
  tails = false;

  constructor(unit: Unit, fn: FunctionInfo, lowering: Lowering) {
    this.unit = unit;
    this.lowering = lowering;
    this.fn = fn;
    this.tailOk = fn.kind !== "module" && !fn.hasDefer && !fn.generator;
  }

  get module(): ModuleInfo {
    return this.unit.module;
  }

  site(node: Node): Site {
    return { source: this.unit.module.source, span: node };
  }

  /** What the function is called in stack traces. */
  get traceName(): string {
    if (this.fn.kind === "module") return "pipeline";
    return this.fn.name === "" ? "<closure>" : this.fn.name;
  }

  /** Lowers something inside which no call is a tail call. */
  withoutTail<T>(lower: () => T): T {
    const before = this.tailOk;
    this.tailOk = false;
    const result = lower();
    this.tailOk = before;
    return result;
  }
}

/** The mutually recursive parts of lowering, joined in `lower.ts` (value imports may not form cycles). */
export interface Lowering {
  expr(ctx: Ctx, node: Expr): Ex;
  /** A chain (`a.b[i]`) whose value is only looked into. */
  lookedAtChain(ctx: Ctx, node: Expr): Ex;
  statement(ctx: Ctx, node: Statement): St;
  block(ctx: Ctx, node: Block, mode: ResultMode): St;
  match(ctx: Ctx, node: Match, mode: ResultMode): St;
  select(ctx: Ctx, node: Select, mode: ResultMode): St;
  /** What bodies of generators are made of besides. */
  readonly plain: Plain;
}

/** The parts of lowering that this one uses, given by `lower.ts`. */
export interface Plain {
  statement(ctx: Ctx, node: Statement): Run;
  block(ctx: Ctx, node: Block, mode: ResultMode): Run;
  prelude(ctx: Ctx, nodes: readonly Statement[]): Run[];
  expr(ctx: Ctx, node: Expr): Run;
  returned(ctx: Ctx, node: Expr): Run;
  condition(ctx: Ctx, node: Expr): Run;
  put(ctx: Ctx, node: Let | Assign): (f: Frame, value: Value) => unknown;
  pattern(ctx: Ctx, node: For): (f: Frame, value: Value) => unknown;
  matchTests(
    ctx: Ctx,
    node: Match,
  ): { subject: Run; tests: ((f: Frame, value: Value) => unknown)[]; none: () => never };
  catcher(ctx: Ctx, node: Try): { rescue(f: Frame, error: unknown): void };
  selection(ctx: Ctx, node: Select): Run;
  rounds(ctx: Ctx, node: For | While): Rounds | undefined;
}
