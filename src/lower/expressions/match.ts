/** `match` (language.md §11): arms are tested in order; a pattern is a test that may fill slots. */
import { type Frame, locatedFrame, type Run } from "../../interp/index.ts";
import type {
  DictEntry,
  Expr,
  Identifier,
  ListLit,
  Match,
  MatchArm,
  MethodCall,
} from "../../syntax/index.ts";
import { Dict, EnumValue, equals, List, thrown, type Value } from "../../values/index.ts";
import { lowerBlock } from "../flow/control.ts";
import { type Ctx, type ResultMode, type St, st } from "../node.ts";
import { enumName } from "../places/access.ts";
import { store } from "../places/stores.ts";
import { same } from "../specialise.ts";
import { literalValue } from "./literals.ts";
import { operand } from "./operand.ts";
import { condition } from "./operators.ts";

/** Does the value match? Fills the slots of names on the way. May wait only where an expression is compared. */
type Test = (f: Frame, value: Value) => boolean | Promise<boolean>;

interface Arm {
  readonly test: Test;
  readonly guard: Run | undefined;
  readonly body: Run;
}

export function lowerMatch(ctx: Ctx, node: Match, mode: ResultMode): St {
  const subject = operand(ctx, node.subject);
  let may = subject.may;
  let abrupt = false;
  const arms = node.arms.map((arm): Arm => {
    const [test, waits] = lowerPatterns(ctx, arm);
    const guard = arm.guard === undefined ? undefined : condition(ctx, arm.guard);
    const body = lowerBlock(ctx, arm.body, mode);
    may ||= waits || guard?.may === true || body.may;
    abrupt ||= body.abrupt;
    return { test, guard: guard?.run, body: body.run };
  });
  const site = ctx.site(node);
  const none = (): never => {
    throw locatedFrame(thrown("No match arm matched the value"), site);
  };
  const { run } = subject;
  if (!may)
    return st(
      (f) => {
        const value = run(f);
        for (let i = 0; i < arms.length; i++) {
          const arm = arms[i]!;
          if (arm.test(f, value) && (arm.guard === undefined || arm.guard(f))) return arm.body(f);
        }
        return none();
      },
      false,
      abrupt,
    );
  const from = (f: Frame, value: Value, start: number): unknown => {
    for (let i = start; i < arms.length; i++) {
      const arm = arms[i]!;
      const test = arm.test(f, value);
      if (test instanceof Promise)
        return test.then((is) => (is ? guarded(f, value, i) : from(f, value, i + 1)));
      if (!test) continue;
      if (arm.guard === undefined) return arm.body(f);
      const is = arm.guard(f);
      if (is instanceof Promise) return is.then((is) => (is ? arm.body(f) : from(f, value, i + 1)));
      if (is) return arm.body(f);
    }
    return none();
  };
  const guarded = (f: Frame, value: Value, i: number): unknown => {
    const arm = arms[i]!;
    if (arm.guard === undefined) return arm.body(f);
    const is = arm.guard(f);
    if (is instanceof Promise) return is.then((is) => (is ? arm.body(f) : from(f, value, i + 1)));
    return is ? arm.body(f) : from(f, value, i + 1);
  };
  return st(
    (f) => {
      const value = run(f);
      return value instanceof Promise ? value.then((value) => from(f, value, 0)) : from(f, value, 0);
    },
    true,
    abrupt,
  );
}

function lowerPatterns(ctx: Ctx, arm: MatchArm): [Test, boolean] {
  const all = arm.patterns.map((pattern) => lowerTest(ctx, pattern));
  const waits = all.some(([, waits]) => waits);
  if (all.length === 1) return all[0]!;
  const tests = all.map(([test]) => test);
  // Alternatives are literals or `_` (HARN-CMP-003): none of them waits.
  return [(f, value) => tests.some((test) => test(f, value) === true), waits];
}

function lowerTest(ctx: Ctx, node: Expr): [Test, boolean] {
  switch (node.kind) {
    case "Identifier":
      return [bindName(ctx, node), false];
    case "Member": {
      const name = enumName(ctx, node.object);
      if (name !== undefined) return [variantTest(name, node.name.text), false];
      break;
    }
    case "MethodCall": {
      const name = enumName(ctx, node.receiver);
      if (name !== undefined) return [payloadTest(ctx, name, node), false];
      break;
    }
    case "DictLit":
      return dictTest(
        ctx,
        node.entries.filter((entry) => entry.kind === "DictEntry"),
      );
    case "ListLit":
      return listTest(ctx, node);
    default:
      break;
  }
  const literal = literalValue(node);
  if (literal !== undefined) return [literalTest(literal), false];
  return expressionTest(ctx, node);
}

function bindName(ctx: Ctx, node: Identifier): Test {
  const put = store(ctx, node);
  return (f, value) => {
    put(f, value);
    return true;
  };
}

function literalTest(literal: Value): Test {
  if (typeof literal === "string") return (f, value) => same(value, literal, f);
  if (typeof literal === "boolean" || literal === null) return (_f, value) => value === literal;
  return (_f, value) => equals(value, literal);
}

function expressionTest(ctx: Ctx, node: Expr): [Test, boolean] {
  const one = operand(ctx, node);
  const { run } = one;
  return [
    (f, value) => {
      const other = run(f);
      return other instanceof Promise ? other.then((other) => same(value, other, f)) : same(value, other, f);
    },
    one.may,
  ];
}

const variantTest =
  (name: string, variant: string): Test =>
  (_f, value) =>
    value instanceof EnumValue && value.variant === variant && value.enumName === name;

/** Identifiers bind the payload by position; anything else there is not compared. */
function payloadTest(ctx: Ctx, name: string, node: MethodCall): Test {
  const variant = node.name.text;
  const binds = node.args.map((arg) => (arg.kind === "Identifier" ? store(ctx, arg) : undefined));
  return (f, value) => {
    if (!(value instanceof EnumValue) || value.variant !== variant || value.enumName !== name) return false;
    for (let i = 0; i < binds.length; i++) binds[i]?.(f, value.fields[i] ?? null);
    return true;
  };
}

/** Tests of parts in order; the first that fails ends it. */
function allOf(parts: readonly [Test, boolean][], partOf: (value: Value, i: number) => Value): Test {
  const from = (f: Frame, value: Value, start: number): boolean | Promise<boolean> => {
    for (let i = start; i < parts.length; i++) {
      const is = parts[i]![0](f, partOf(value, i));
      if (is instanceof Promise) return is.then((is) => (is ? from(f, value, i + 1) : false));
      if (!is) return false;
    }
    return true;
  };
  return (f, value) => from(f, value, 0);
}

function partTest(ctx: Ctx, node: Expr): [Test, boolean] {
  if (node.kind === "Identifier") return [bindName(ctx, node), false];
  const literal = literalValue(node);
  return literal === undefined ? expressionTest(ctx, node) : [literalTest(literal), false];
}

function dictTest(ctx: Ctx, entries: readonly DictEntry[]): [Test, boolean] {
  const keys = entries.map((entry) => (typeof entry.key === "string" ? entry.key : ""));
  const parts = entries.map((entry) => partTest(ctx, entry.value));
  const test = allOf(parts, (value, i) => (value as Dict).get(keys[i]!) ?? null);
  return [(f, value) => value instanceof Dict && test(f, value), parts.some(([, waits]) => waits)];
}

function listTest(ctx: Ctx, node: ListLit): [Test, boolean] {
  const parts = node.elements
    .filter((element) => element.kind !== "Spread")
    .map((element) => partTest(ctx, element));
  const test = allOf(parts, (value, i) => (value as List).buffer[i] as Value);
  const least = parts.length;
  return [
    (f, value) => value instanceof List && value.length >= least && test(f, value),
    parts.some(([, waits]) => waits),
  ];
}

/** The tests of the arms, guards included, for bodies that yield. */
export function matchTests(
  ctx: Ctx,
  node: Match,
): { subject: Run; tests: ((f: Frame, value: Value) => unknown)[]; none: () => never } {
  const site = ctx.site(node);
  const tests = node.arms.map((arm) => {
    const [test] = lowerPatterns(ctx, arm);
    const guard = arm.guard === undefined ? undefined : condition(ctx, arm.guard).run;
    return (f: Frame, value: Value): unknown => {
      const is = test(f, value);
      if (guard === undefined || is === false) return is;
      return is instanceof Promise ? is.then((is) => is && guard(f)) : guard(f);
    };
  });
  const none = (): never => {
    throw locatedFrame(thrown("No match arm matched the value"), site);
  };
  return { subject: operand(ctx, node.subject).run, tests, none };
}
