/** What a lint rule is, and what it gets to see. */
import type { Code, Diagnostic, ParamsOf } from "../../diagnostics/index.ts";
import type { SourceFile, Span } from "../../source/index.ts";
import type { Expr, LexResult, Program } from "../../syntax/index.ts";
import type { Trait } from "../../table/index.ts";
import type { Names } from "./names.ts";
import type { Tree } from "./tree.ts";

/** Replaces a part of the source. */
export interface Edit extends Span {
  readonly text: string;
}

export interface RuleFinding {
  readonly rule: string;
  readonly diagnostic: Diagnostic;
  /** A repair that does not change what the program does; absent where that is not certain. */
  readonly fix: readonly Edit[] | undefined;
}

export interface LintContext {
  readonly source: SourceFile;
  readonly text: string;
  readonly program: Program;
  readonly lexed: LexResult;
  readonly tree: Tree;
  readonly names: Names;
  /** Calls whose target the resolver did not find. */
  readonly undefinedCalls: readonly Span[];
  /** Is this call one of a builtin of that name (not of a function that hides it)? */
  isBuiltinCall(expr: Expr, name: string): boolean;
  /** The builtin with that trait that is called here. */
  builtinWith(expr: Expr, trait: Trait): string | undefined;
  /** Which argument of a call is a duration, or a number of milliseconds without a word of it in a name. */
  timeParamOf(call: Expr): number | undefined;
  /** The result type of a builtin as its signature writes it; `undefined` for other names. */
  resultOf(name: string): string | undefined;
  hasComments(from: number, to: number): boolean;
  /** Does nothing happen when the module of an import path is loaded? `undefined` when nobody knows. */
  isInert(path: string): boolean | undefined;
  report<C extends Code>(code: C, span: Span, params: ParamsOf<C>, fix?: readonly Edit[] | undefined): void;
}

export interface LintRule {
  readonly name: string;
  readonly code: Code;
  /** One line for `harn lint --rules`. */
  readonly doc: string;
  /** Has repairs. */
  readonly fixes: boolean;
  /** Runs only where `[lint] enabled` names it. */
  readonly optIn: boolean;
  /** What `harn fmt` mends without being asked: `harn check` leaves it to `harn fmt --check`. */
  readonly layout: boolean;
  check(ctx: LintContext): void;
}

/** Declares a rule. */
export function rule(
  name: string,
  code: Code,
  doc: string,
  check: (ctx: LintContext) => void,
  more: { readonly fixes?: boolean; readonly optIn?: boolean; readonly layout?: boolean } = {},
): LintRule {
  const { fixes = false, optIn = false, layout = false } = more;
  return { name, code, doc, fixes, optIn, layout, check };
}
