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
import {
  areKeys,
  type CalledWith,
  isVocabulary,
  type KnownKeys,
  type ValueKnowledge,
} from "../../table/index.ts";
import type { Checker } from "../checker.ts";
import { walkType } from "./tree.ts";
import { hole, type Type } from "./type.ts";
import { resolvedAlias, textsOfType } from "./type-scope.ts";
import { typeElsewhere } from "./unknown-types.ts";

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
 * `result.status == "success"`, `kind == "medium"`, `type_of(x) == "str"`: a text compared with something that may be one of a
 * fixed set only, which is a result that a builtin gave, a value declared as a union of texts, or the variant of an enum.
 */
export function checkStates(c: Checker, node: Binary, left: Type, right: Type): void {
  if (node.op !== "==" && node.op !== "!=") return;
  checkState(c, node.left, left, node.right);
  checkState(c, node.right, right, node.left);
}

/** The same for the patterns of `match result.status { "doen" -> … }`. */
export function checkMatchedStates(c: Checker, node: Match, subject: Type): void {
  for (const arm of node.arms)
    for (const pattern of arm.patterns) checkState(c, node.subject, subject, pattern);
}

function checkState(c: Checker, state: Expr, type: Type, other: Expr): void {
  if (other.kind !== "StringLit") return;
  const known = textsOf(c, holderOf(c, state)) ?? unionTexts(c, state, type);
  if (known === undefined || known.names.includes(other.value)) return;
  // A script may have states of its own there: only what is nearly one of the known ones is a mistake.
  if (known.isOpen && nearest(other.value, known.names) === undefined) return;
  const { what, names, meant } = known;
  c.report("HARN-NAM-013", other, { what, name: other.value, names, near: meant?.(other.value) });
}

interface TextVocabulary {
  readonly what: string;
  readonly names: readonly string[];
  readonly isOpen?: boolean;
  /** What other languages call one of them. */
  readonly meant?: (name: string) => string | undefined;
}

/** What a builtin may give, or have in its result. */
function textsOf(c: Checker, node: Expr): TextVocabulary | undefined {
  if (node.kind === "Call") {
    const ref = c.module.calls.get(node);
    const names = ref?.builtin === true ? c.builtinSpec(ref.name)?.resultTexts?.() : undefined;
    return names && ref && { what: `the result of ${ref.name}`, names, meant: typeElsewhere };
  }
  const read = keyReadOf(node);
  const dict = read && knownDict(c, read.object);
  const names = read && dict && keysUnder(dict.keys, read.key);
  if (read === undefined || dict === undefined || !isVocabulary(names)) return undefined;
  return { what: `\`${read.key}\` of ${dict.name}`, names, isOpen: dict.hasOwnStates === true };
}

/** The texts of a declared union, or the variants of an enum; a variable that tests have narrowed is what it was declared. */
function unionTexts(c: Checker, node: Expr, type: Type): TextVocabulary | undefined {
  const what = `\`${c.source.slice(node)}\``;
  const variants =
    node.kind === "Member" && node.name.text === "variant" ? enumVariants(c, node.object) : undefined;
  if (variants !== undefined) return { what, names: variants };
  const variable = c.variableOf(node);
  const declared = variable === undefined ? type : (c.vars.get(variable)?.declared ?? hole);
  const names = textsOfType(declared);
  return names && { what, names };
}

function enumVariants(c: Checker, object: Expr): readonly string[] | undefined {
  const type = resolvedAlias(c.quietly(() => c.visit.infer(c, object)));
  const node = type.kind === "name" ? type.decl?.node : undefined;
  return node?.kind === "EnumDecl" ? node.variants.map((one) => one.name.text) : undefined;
}

/** What a variable that nobody writes to holds; other expressions are themselves. */
function holderOf(c: Checker, node: Expr): Expr {
  const variable = c.variableOf(node);
  return (variable === undefined || variable.mutable ? undefined : c.initial.get(variable)) ?? node;
}

/** `object.key`, `object["key"]`. */
interface KeyRead {
  readonly object: Expr;
  readonly key: string;
  /** Where the key stands. */
  readonly at: Span;
}

function keyReadOf(node: Expr): KeyRead | undefined {
  if (node.kind === "Member") return { object: node.object, key: node.name.text, at: node.name };
  if (node.kind !== "Index" || node.index.kind !== "StringLit") return undefined;
  return { object: node.object, key: node.index.value, at: node.index };
}

/**
 * `result.stop_reson`, `result.output`, where `result` is what a builtin gave or a dict that is written out: nil, without a word.
 * `result?.output` says that it may be missing.
 */
export function checkResultKey(c: Checker, node: Member | Index): void {
  const read = keyReadOf(node);
  if (read !== undefined) checkReadKey(c, read, node.optional);
}

/** The same for the keys of `let {stop_reson} = agent_loop(…)`. */
export function checkPatternKeys(c: Checker, pattern: DictPattern, object: Expr): void {
  for (const { key, default: otherwise } of pattern.entries)
    checkReadKey(c, { object, key: key.text, at: key }, otherwise !== undefined);
}

/** Of what may be missing, as its author says, only what is nearly a key is a mistake. */
function checkReadKey(c: Checker, { object, key, at }: KeyRead, mayBeMissing: boolean): void {
  const dict = knownDict(c, object);
  if (dict === undefined || dict.open === true || Object.hasOwn(dict.keys, key)) return;
  const names = Object.keys(dict.keys);
  const near = nearest(key, names, dict.written === true ? nearOfWritten(key) : undefined);
  if (dict.written !== true) {
    if (mayBeMissing && near === undefined) return;
    const meant = dict.otherKeys?.[key] ?? nestedKey(dict.keys, key) ?? near;
    c.report("HARN-NAM-016", at, { dict: dict.described, name: key, meant, names });
  } else if (near !== undefined) c.report("HARN-NAM-019", at, { dict: dict.described, name: key, near });
}

/** `llm.iterations` for `iterations`. */
function nestedKey(keys: KnownKeys, key: string): string | undefined {
  const outer = Object.keys(keys).find((one) => {
    const inner = keys[one];
    return areKeys(inner) && Object.hasOwn(inner, key);
  });
  return outer === undefined ? undefined : `${outer}.${key}`;
}

/** A dict of which all keys are known. */
interface KnownDict extends CalledWith {
  /** `agent_loop`, behind "of". */
  readonly name: string;
  /** "the result of agent_loop", as the subject of a sentence. */
  readonly described: string;
  /** What programs for other runtimes call its keys. */
  readonly otherKeys?: Readonly<Record<string, string>> | undefined;
  /** A literal of the script, whose keys may be any short names: `x`, `y`. */
  readonly written?: boolean;
}

/** How far a key may be from one of a literal: what is short is often meant to be missing. */
const nearOfWritten = (key: string): number => (key.length <= 2 ? 0 : key.length <= 3 ? 1 : 2);

const keysUnder = (keys: CalledWith["keys"], name: string) =>
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
      const read = keyReadOf(node);
      const outer = read && knownDict(c, read.object, steps - 1);
      if (read === undefined || outer === undefined) return undefined;
      const keys = keysUnder(outer.keys, read.key);
      if (!areKeys(keys)) return undefined;
      const name = `\`${read.key}\` of ${outer.described}`;
      return { ...outer, open: false, otherKeys: undefined, keys, name, described: name };
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
  const keys: Record<string, ValueKnowledge> = Object.create(null);
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
  const spec = ref?.builtin === true ? c.builtinSpec(ref.name) : undefined;
  const keys = spec?.resultKeys?.();
  if (keys === undefined || ref === undefined) return undefined;
  const hasOwnStates = mayHoldKey(c, node, spec?.ownStatesBy ?? []);
  const otherKeys = spec?.otherKeys?.();
  return { keys, name: ref.name, described: `the result of ${ref.name}`, hasOwnStates, otherKeys };
}

/** Whether an argument may be a dict with one of the keys: only one that is written out certainly has none. */
function mayHoldKey(c: Checker, node: Call, keys: readonly string[]): boolean {
  if (keys.length === 0) return false;
  return node.args.some((arg) => {
    const value = arg.kind === "Spread" || arg.kind === "NamedArg" ? arg.value : holderOf(c, arg);
    if (value.kind !== "DictLit") return !neverDict.has(value.kind);
    return value.entries.some(
      (one) => one.kind === "Spread" || typeof one.key !== "string" || keys.includes(one.key),
    );
  });
}

const neverDict: ReadonlySet<Expr["kind"]> = new Set([
  "StringLit",
  "Interpolation",
  "NilLit",
  "ListLit",
  "IntLit",
]);

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
