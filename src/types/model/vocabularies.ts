/**
 * Texts that are one of a fixed set: names of events that a builtin is given, states that its result has. The sets stand in
 * the declarations of the builtins.
 */
import { nearest } from "../../diagnostics/index.ts";
import type { FunctionInfo } from "../../resolve/index.ts";
import type { Span } from "../../source/index.ts";
import type {
  Binary,
  Call,
  DictLit,
  DictPattern,
  Expr,
  Identifier,
  Index,
  Match,
  Member,
  Return,
} from "../../syntax/index.ts";
import { areKeys, type CalledWith, isVocabulary, type Known, type KnownKeys } from "../../table/index.ts";
import type { Checker } from "../checker.ts";
import { walkType } from "./tree.ts";

/** Literal arguments for which the builtin knows all texts. */
export function checkTexts(
  c: Checker,
  node: Call,
  name: string,
  params: readonly { readonly name: string }[],
): void {
  const texts = c.builtinSpec(name)?.texts;
  if (texts === undefined) return;
  for (const [index, arg] of node.args.entries()) {
    if (arg.kind === "Spread") return;
    const param = params[index]?.name ?? "";
    const known = Object.hasOwn(texts, param) ? texts[param]?.() : undefined;
    if (known === undefined || arg.kind !== "StringLit" || known.includes(arg.value)) continue;
    c.report("HARN-NAM-013", arg, { what: `\`${param}\` of ${name}`, name: arg.value, names: known });
  }
}

/**
 * `result.status == "doen"`, where `result` is what a builtin gave. Scripts may add states of their own (`loop_control`), so
 * only what is nearly one of the known ones is a mistake.
 */
export function checkStates(c: Checker, node: Binary): void {
  if (node.op !== "==" && node.op !== "!=") return;
  checkState(c, node.left, node.right);
  checkState(c, node.right, node.left);
}

/** The same for the patterns of `match result.status { "doen" -> … }`. */
export function checkMatchedStates(c: Checker, node: Match): void {
  for (const arm of node.arms) for (const pattern of arm.patterns) checkState(c, node.subject, pattern);
}

function checkState(c: Checker, state: Expr, other: Expr): void {
  if (other.kind !== "StringLit") return;
  const read = readOf(holderOf(c, state));
  const dict = read && knownDict(c, read.object);
  if (read === undefined || dict === undefined) return;
  const known = under(dict.keys, read.key);
  if (!isVocabulary(known) || known.includes(other.value)) return;
  if (nearest(other.value, known) === undefined) return;
  c.report("HARN-NAM-013", other, {
    what: `\`${read.key}\` of ${dict.name}`,
    name: other.value,
    names: known,
  });
}

/** What a variable that nobody writes to holds; other expressions are themselves. */
function holderOf(c: Checker, node: Expr): Expr {
  const variable = c.variableOf(node);
  return (variable === undefined || variable.mutable ? undefined : c.initial.get(variable)) ?? node;
}

/** `object.key`, `object["key"]`. */
interface Read {
  readonly object: Expr;
  readonly key: string;
  /** Where the key stands. */
  readonly at: Span;
}

function readOf(node: Expr): Read | undefined {
  if (node.kind === "Member") return { object: node.object, key: node.name.text, at: node.name };
  if (node.kind !== "Index" || node.index.kind !== "StringLit") return undefined;
  return { object: node.object, key: node.index.value, at: node.index };
}

/**
 * `result.stop_reson`, where `result` is what a builtin gave or a dict that is written out: nil, without a word. Only what is
 * nearly one of its keys is a mistake, since a later version may have more of them.
 */
export function checkResultKey(c: Checker, node: Member | Index): void {
  const read = readOf(node);
  if (read !== undefined) checkReadKey(c, read);
}

/** The same for the keys of `let {stop_reson} = agent_loop(…)`. */
export function checkPatternKeys(c: Checker, pattern: DictPattern, object: Expr): void {
  for (const entry of pattern.entries) checkReadKey(c, { object, key: entry.key.text, at: entry.key });
}

function checkReadKey(c: Checker, { object, key, at }: Read): void {
  const dict = knownDict(c, object);
  if (dict === undefined || dict.open === true || Object.hasOwn(dict.keys, key)) return;
  const near = nearest(key, Object.keys(dict.keys), dict.written === true ? nearOfWritten(key) : undefined);
  if (near !== undefined) c.report("HARN-NAM-016", at, { dict: dict.described, name: key, near });
}

/** A dict of which all keys are known. */
interface KnownDict extends CalledWith {
  /** `agent_loop`, behind "of". */
  readonly name: string;
  /** "the result of agent_loop", as the subject of a sentence. */
  readonly described: string;
  /** A literal of the script, whose keys may be any short names: `x`, `y`. */
  readonly written?: boolean;
}

/** How far a key may be from one of a literal: what is short is often meant to be missing. */
const nearOfWritten = (key: string): number => (key.length <= 2 ? 0 : key.length <= 3 ? 1 : 2);

const under = (keys: CalledWith["keys"], name: string) =>
  Object.hasOwn(keys, name) ? keys[name] : undefined;

/** Variables and members between an expression and the call: no result is nested deeper. */
const maxSteps = 8;

/** What a builtin gave, a `let` that holds it or a dict that is written out, what a function here gives, or a dict inside it. */
function knownDict(c: Checker, node: Expr, steps = maxSteps): KnownDict | undefined {
  if (steps === 0) return undefined;
  switch (node.kind) {
    case "Identifier":
      return heldDict(c, node, steps);
    case "Call":
      return returnedDict(c, node, steps);
    case "Member":
    case "Index": {
      const read = readOf(node);
      const outer = read && knownDict(c, read.object, steps - 1);
      if (read === undefined || outer === undefined) return undefined;
      const keys = under(outer.keys, read.key);
      if (!areKeys(keys)) return undefined;
      const name = `\`${read.key}\` of ${outer.described}`;
      return { keys, name, described: name, written: outer.written === true };
    }
    default:
      return undefined;
  }
}

function heldDict(c: Checker, node: Identifier, steps: number): KnownDict | undefined {
  const variable = c.variableOf(node);
  const passed = variable === undefined ? undefined : c.calledWith.get(variable);
  if (passed !== undefined) {
    const described = `what ${passed.by} is called with`;
    return { ...passed.dict, name: described, described };
  }
  const begun = holderOf(c, node);
  if (begun === node) return undefined;
  if (begun.kind !== "DictLit") return knownDict(c, begun, steps - 1);
  const keys = writtenKeys(begun, steps);
  const name = `\`${node.name}\``;
  return keys && { keys, name, described: name, written: true };
}

/** The keys of a literal; `undefined` where there may be others. */
function writtenKeys(node: DictLit, steps: number): KnownKeys | undefined {
  const keys: Record<string, Known> = Object.create(null);
  for (const entry of node.entries) {
    if (entry.kind === "Spread" || typeof entry.key !== "string") return undefined;
    const { value } = entry;
    keys[entry.key] = value.kind === "DictLit" && steps > 0 ? (writtenKeys(value, steps - 1) ?? null) : null;
  }
  return keys;
}

function returnedDict(c: Checker, node: Call, steps: number): KnownDict | undefined {
  const ref = c.module.calls.get(node);
  if (ref?.fn?.fn !== undefined) {
    const returned = onlyReturn(c, ref.fn.fn);
    return returned && knownDict(c, returned, steps - 1);
  }
  const keys = ref?.builtin === true ? c.builtinSpec(ref.name)?.resultKeys?.() : undefined;
  return keys && ref && { keys, name: ref.name, described: `the result of ${ref.name}` };
}

/** What the only `return` of a function of this file gives. */
function onlyReturn(c: Checker, fn: FunctionInfo): Expr | undefined {
  if (fn.module !== c.module || fn.generator || fn.node.kind !== "FnDecl") return undefined;
  const returns: Return[] = [];
  walkType(fn.node.body, (node) => {
    if (node.kind === "Return") returns.push(node as unknown as Return);
    return node.kind !== "Closure" && node.kind !== "FnDecl";
  });
  return returns.length === 1 ? returns[0]?.value : undefined;
}
