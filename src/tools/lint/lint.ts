/**
 * The linter: runs the rules over one file and repairs what they can repair.
 *
 * ```
 * text ─▶ parse ─▶ Tree (nodes by kind) + Names (who reads and writes what) ─▶ rules ─▶ findings ─▶ fixes ─▶ again
 * ```
 *
 * Rules only look; a repair is a list of edits that leaves the meaning of the program as it is. Repairs are applied in
 * rounds, because one may make room for another, and a round that would not parse is taken back.
 */
import { diagnostic, type Severity } from "../../diagnostics/index.ts";
import { SourceFile, type Span } from "../../source/index.ts";
import { type Expr, type Program, parse, tokenize } from "../../syntax/index.ts";
import {
  type BuiltinSpec,
  hasTrait,
  parseSignature,
  type SignatureParam,
  type Trait,
} from "../../table/index.ts";
import { Names } from "./names.ts";
import type { Edit, LintContext, LintRule, RuleFinding } from "./rule.ts";
import { rules } from "./rules.ts";
import { Tree } from "./tree.ts";

export type { Edit, LintRule, RuleFinding } from "./rule.ts";
export { rules } from "./rules.ts";

/** What rules read of a builtin's declaration. */
type LintedBuiltin = Pick<BuiltinSpec, "sig" | "traits">;

export interface LintOptions {
  /** The declaration of a builtin; `undefined` when there is none of that name. */
  readonly builtin: (name: string) => LintedBuiltin | undefined;
  /** Calls that the resolver could not connect. */
  readonly undefinedCalls?: readonly Span[];
  /** Does nothing happen when the module of an import path is loaded? `undefined` when it is not found. */
  readonly inert?: (path: string) => boolean | undefined;
  /** From `[lint]` of the manifest. */
  readonly disabled?: readonly string[];
  readonly enabled?: readonly string[];
  readonly severity?: ReadonlyMap<string, Severity>;
  /** Only these rules. */
  readonly only?: readonly string[];
}

/** The findings of a file that parses, in source order. */
export function lint(source: SourceFile, program: Program, options: LintOptions): RuleFinding[] {
  const found: RuleFinding[] = [];
  const context = contextOf(source, program, options, found);
  for (const rule of rules) if (isOn(rule, options)) rule.check(context(rule));
  return found.sort((a, b) => a.diagnostic.span.start - b.diagnostic.span.start);
}

function isOn(rule: LintRule, options: LintOptions): boolean {
  if (options.only !== undefined) return options.only.includes(rule.name);
  if (options.disabled?.includes(rule.name)) return false;
  return !rule.optIn || options.enabled?.includes(rule.name) === true;
}

function contextOf(
  source: SourceFile,
  program: Program,
  options: LintOptions,
  found: RuleFinding[],
): (rule: LintRule) => LintContext {
  const lexed = tokenize(source);
  const tree = new Tree(program);
  const names = new Names(program);
  const { comments } = lexed;
  /** The builtin that is called; `undefined` for calls of anything else, also of a function that hides a builtin. */
  const builtinCalled = (expr: Expr): string | undefined => {
    if (expr.kind !== "Call" || expr.callee.kind !== "Identifier") return undefined;
    const { name } = expr.callee;
    return names.of(expr.callee) === undefined && options.builtin(name) !== undefined ? name : undefined;
  };
  const shared = {
    source,
    text: source.text,
    program,
    lexed,
    tree,
    names,
    undefinedCalls: options.undefinedCalls ?? [],
    isBuiltinCall: (expr: Expr, name: string) => builtinCalled(expr) === name,
    builtinWith: (expr: Expr, trait: Trait) => {
      const name = builtinCalled(expr);
      return name !== undefined && hasTrait(options.builtin(name), trait) ? name : undefined;
    },
    timeParamOf: (call: Expr) => {
      const name = builtinCalled(call);
      const spec = name === undefined || name.endsWith("_ms") ? undefined : options.builtin(name);
      const at = spec === undefined ? -1 : parseSignature(spec.sig).params.findIndex(isTime);
      return at < 0 ? undefined : at;
    },
    resultOf: (name: string) => {
      const spec = options.builtin(name);
      if (spec === undefined) return undefined;
      const { returns } = parseSignature(spec.sig);
      return returns.kind === "name" ? returns.name : "any";
    },
    isInert: options.inert ?? ((path: string) => (path.startsWith("std/") ? true : undefined)),
    hasComments: (from: number, to: number) => {
      let low = 0;
      let high = comments.length;
      while (low < high) {
        const mid = (low + high) >> 1;
        if (comments[mid]!.end <= from) low = mid + 1;
        else high = mid;
      }
      return low < comments.length && comments[low]!.start < to;
    },
  };
  return (rule) => ({
    ...shared,
    report: (code, span, params, fix) => {
      const made = diagnostic(code, source, span, params);
      const severity = options.severity?.get(rule.name) ?? made.severity;
      found.push({ rule: rule.name, diagnostic: { ...made, severity }, fix });
    },
  });
}

/** A parameter that takes a duration, or milliseconds that its name does not speak of. */
const isTime = ({ name, type }: SignatureParam): boolean =>
  !name.endsWith("_ms") &&
  type.kind === "union" &&
  ["int", "duration"].every((one) => type.members.some((part) => part.kind === "name" && part.name === one));

export interface FixResult {
  readonly text: string;
  /** How many findings were repaired. */
  readonly count: number;
}

/** More rounds than repairs that make room for each other ever need. */
const ROUNDS = 20;

/** Repairs what can be repaired. `undefinedCalls` of the options do not matter here. */
export function fix(source: SourceFile, program: Program, options: LintOptions): FixResult {
  let text = source.text;
  let tree = program;
  let count = 0;
  for (let round = 0; round < ROUNDS; round++) {
    const findings = lint(new SourceFile(source.name, text), tree, options).filter(
      (one) => one.fix !== undefined,
    );
    const { edits, applied } = withoutOverlap(findings);
    if (applied === 0) break;
    const next = applyEdits(text, edits);
    const parsed = parse(new SourceFile(source.name, next));
    if (parsed.diagnostics.some((one) => one.severity === "error") || next === text) break;
    text = next;
    tree = parsed.program;
    count += applied;
  }
  return { text, count };
}

/** Edits of one round: a finding whose edits touch those of another one waits for the next. */
function withoutOverlap(findings: readonly RuleFinding[]): { edits: Edit[]; applied: number } {
  const edits: Edit[] = [];
  let applied = 0;
  const inOrder = findings
    .map((one) => [...one.fix!].sort((a, b) => a.start - b.start))
    .sort((a, b) => a[0]!.start - b[0]!.start);
  for (const wanted of inOrder) {
    const last = edits.at(-1);
    const free = last === undefined || (wanted[0]!.start >= last.end && wanted[0]!.start > last.start);
    if (!free) continue;
    edits.push(...wanted);
    applied++;
  }
  return { edits, applied };
}

function applyEdits(text: string, edits: readonly Edit[]): string {
  let made = "";
  let at = 0;
  for (const edit of [...edits].sort((a, b) => a.start - b.start)) {
    made += text.slice(at, edit.start) + edit.text;
    at = edit.end;
  }
  return made + text.slice(at);
}
