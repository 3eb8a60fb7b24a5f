/** Assignments and bindings: variables, properties and elements, destructuring (language.md §7). */
import { Exit, type Frame, located, type Run, ScriptClosure, type Site } from "../interp/index.ts";
import { Binding } from "../resolve/index.ts";
import type {
  Assign,
  BinaryOp,
  Expr,
  Identifier,
  Index,
  Let,
  Member,
  Name,
  Node,
  Pattern,
} from "../syntax/index.ts";
import {
  bareError,
  Dict,
  getIndex,
  getProperty,
  List,
  type PathStep,
  runtimeError,
  type ScriptError,
  typeError,
  typeOf,
  type Value,
  writeIndex,
  writePath,
  writeProperty,
} from "../values/index.ts";
import { lowerIdentifier, readBinding, tokenOf } from "./names.ts";
import { type Ctx, type Ex, ex, lowering, type St, st } from "./node.ts";
import { operand, withAll } from "./operand.ts";
import { combine } from "./operators.ts";
import { undefinedVariable } from "./undefined-names.ts";

/** Stores a value under a binding of this frame (or of the module). */
export function storeInto(ctx: Ctx, binding: Binding): (f: Frame, value: unknown) => void {
  const slot = binding.shared ? binding.slot : ctx.fn.slotOf(binding);
  const late = ctx.module.lateNames.has(binding.name);
  const { instance, frame } = ctx.unit;
  const { name } = binding;
  if (late)
    return (f, value) => {
      (binding.shared ? frame : f)[slot] = value;
      if (value instanceof ScriptClosure) instance.late.set(name, value);
    };
  if (binding.shared)
    return (_f, value) => {
      frame[slot] = value;
    };
  return (f, value) => {
    f[slot] = value;
  };
}

const ignore = (): void => {};

/** Stores under a declared name; `_` stores nothing. */
export function store(ctx: Ctx, name: object): (f: Frame, value: unknown) => void {
  const binding = ctx.module.bindings.get(name);
  return binding === undefined ? ignore : storeInto(ctx, binding);
}

const redeclared = (name: string): ScriptError =>
  runtimeError(
    `Cannot redeclare immutable variable '${name}' in the same scope (use 'var' for mutable bindings)`,
  );

/** Raises when one of the names was declared before in its scope. */
export function redeclaration(ctx: Ctx, names: readonly Name[]): Run | undefined {
  const bad = names.find((name) => ctx.module.redeclared.has(name));
  if (bad === undefined) return undefined;
  const site = ctx.site(bad as unknown as Node);
  return () => {
    throw located(redeclared(bad.text), site);
  };
}

function namesOf(pattern: Pattern): Name[] {
  switch (pattern.kind) {
    case "NamePattern":
      return [pattern.name];
    case "DictPattern":
      return [
        ...pattern.entries.map((entry) => entry.alias ?? entry.key),
        ...(pattern.rest ? [pattern.rest] : []),
      ];
    case "ListPattern":
      return [...pattern.elements.map((element) => element.name), ...(pattern.rest ? [pattern.rest] : [])];
    case "PairPattern":
      return [pattern.first, pattern.second];
  }
}

export function lowerLet(ctx: Ctx, node: Let): St {
  const value = ctx.withoutTail(() => lowering.expr(ctx, node.value));
  const fault = redeclaration(ctx, namesOf(node.pattern));
  if (fault !== undefined) {
    const { run } = value;
    return st((f) => {
      const given = run(f);
      return given instanceof Promise ? given.then(() => fault(f)) : fault(f);
    }, value.may);
  }
  const { pattern } = node;
  if (pattern.kind !== "NamePattern") return assignWith(value, lowerPattern(ctx, pattern));
  const binding = ctx.module.bindings.get(pattern.name);
  if (binding === undefined) return assignWith(value, () => undefined);
  if (!binding.shared && !value.may && !value.exits && !ctx.module.lateNames.has(binding.name))
    return setSlot(ctx.fn.slotOf(binding), value);
  const put = storeInto(ctx, binding);
  return assignWith(value, (f, given) => {
    put(f, given);
    return undefined;
  });
}

function setSlot(slot: number, value: Ex): St {
  if (value.storing !== undefined) return st(value.storing(slot));
  const { run } = value;
  return st((f) => {
    f[slot] = run(f);
  });
}

/** A value, then something done with it; an `Exit` instead of the value completes the statement. */
export function assignWith(value: Ex, put: (f: Frame, value: Value) => unknown): St {
  const { run } = value;
  if (!value.may && !value.exits) return st((f) => put(f, run(f)), true);
  const settle = (f: Frame, given: unknown): unknown =>
    isExit(given) ? given.completion : put(f, given as Value);
  return st(
    (f) => {
      const given = run(f);
      return given instanceof Promise ? given.then((given) => settle(f, given)) : settle(f, given);
    },
    true,
    value.exits,
  );
}

const isExit = (value: unknown): value is Exit => value instanceof Exit;

/** Takes a value apart; may give a promise (of nothing) where a default waits. */
export function lowerPattern(ctx: Ctx, pattern: Pattern): (f: Frame, value: Value) => unknown {
  const site = ctx.site(pattern);
  switch (pattern.kind) {
    case "NamePattern": {
      const put = store(ctx, pattern.name);
      return (f, value) => {
        put(f, value);
      };
    }
    case "PairPattern": {
      const first = store(ctx, pattern.first);
      const second = store(ctx, pattern.second);
      return (f, value) => {
        try {
          first(f, getProperty(value, "first"));
          second(f, getProperty(value, "second"));
        } catch (error) {
          throw located(error, site);
        }
      };
    }
    case "DictPattern":
      return dictPattern(ctx, pattern, site);
    case "ListPattern":
      return listPattern(ctx, pattern, site);
  }
}

interface Part {
  readonly put: (f: Frame, value: unknown) => void;
  readonly otherwise: Run | undefined;
}

function part(ctx: Ctx, name: Name, fallback: Expr | undefined): Part {
  const put = store(ctx, name);
  return { put, otherwise: fallback === undefined ? undefined : operand(ctx, fallback).run };
}

/** Fills one part: its default stands in for nil. */
function fill(f: Frame, one: Part, value: Value): unknown {
  if (value !== null || one.otherwise === undefined) {
    one.put(f, value);
    return undefined;
  }
  const other = one.otherwise(f);
  if (other instanceof Promise) return other.then((other) => one.put(f, other));
  one.put(f, other);
  return undefined;
}

/** Fills parts in order, from the first that waits on in promises. */
function fillAll(f: Frame, parts: readonly Part[], valueAt: (i: number) => Value, from = 0): unknown {
  for (let i = from; i < parts.length; i++) {
    const waiting = fill(f, parts[i]!, valueAt(i)) as Promise<unknown> | undefined;
    if (waiting !== undefined) return waiting.then(() => fillAll(f, parts, valueAt, i + 1));
  }
  return undefined;
}

function dictPattern(ctx: Ctx, pattern: Extract<Pattern, { kind: "DictPattern" }>, site: Site) {
  const keys = pattern.entries.map((entry) => entry.key.text);
  const parts = pattern.entries.map((entry) => part(ctx, entry.alias ?? entry.key, entry.default));
  const rest = pattern.rest === undefined ? undefined : store(ctx, pattern.rest);
  return (f: Frame, value: Value): unknown => {
    if (!(value instanceof Dict))
      throw located(
        typeError(`cannot destructure ${typeOf(value)} with {...} pattern — expected dict`),
        site,
      );
    if (rest !== undefined) {
      const others = value.toMap();
      for (const key of keys) others.delete(key);
      rest(f, Dict.fromArrays([...others.keys()], [...others.values()]));
    }
    return fillAll(f, parts, (i) => value.get(keys[i]!) ?? null);
  };
}

function listPattern(ctx: Ctx, pattern: Extract<Pattern, { kind: "ListPattern" }>, site: Site) {
  const parts = pattern.elements.map((element) => part(ctx, element.name, element.default));
  const rest = pattern.rest === undefined ? undefined : store(ctx, pattern.rest);
  return (f: Frame, value: Value): unknown => {
    if (!(value instanceof List))
      throw located(
        typeError(`cannot destructure ${typeOf(value)} with [...] pattern — expected list`),
        site,
      );
    if (rest !== undefined) rest(f, new List(value.toArray().slice(parts.length)));
    return fillAll(f, parts, (i) => value.at(i) ?? null);
  };
}

const immutable = (name: string): ScriptError => bareError(`Cannot assign to immutable binding: ${name}`);

/** Evaluates a value, then raises. */
function evaluateThenRaise(value: Ex, make: () => ScriptError, site: Site): St {
  return assignWith(value, () => {
    throw located(make(), site);
  });
}

export function lowerAssign(ctx: Ctx, node: Assign): St {
  return ctx.withoutTail(() =>
    node.target.kind === "Identifier"
      ? assignName(ctx, node, node.target)
      : assignPath(ctx, node, node.target),
  );
}

function assignName(ctx: Ctx, node: Assign, target: Identifier): St {
  const ref = ctx.module.refs.get(target);
  const site = ctx.site(target);
  const isVariable = ref instanceof Binding && ref.mutable;
  if (!isVariable) {
    const value = lowering.expr(ctx, node.value);
    if (ref instanceof Binding) return evaluateThenRaise(value, () => immutable(target.name), site);
    const near = ref?.kind === "unknown" ? ref.near : undefined;
    return evaluateThenRaise(value, () => undefinedVariable(target.name, near), site);
  }
  const value =
    node.op === "="
      ? lowering.expr(ctx, node.value)
      : combine(
          ctx,
          operatorOf(node),
          lowerIdentifier(ctx, target),
          operand(ctx, node.value),
          ctx.site(node),
        );
  if (!ref.shared && !value.may && !value.exits && !ctx.module.lateNames.has(ref.name))
    return setSlot(ctx.fn.slotOf(ref), value);
  const put = storeInto(ctx, ref);
  return assignWith(value, (f, given) => {
    put(f, given);
    return undefined;
  });
}

const operatorOf = (node: Assign): BinaryOp => node.op.slice(0, -1) as BinaryOp;

/** `a.b[i].c = v`: the root variable takes a changed copy, written in place where nobody else can see it (§7.3). */
function assignPath(ctx: Ctx, node: Assign, target: Member | Index): St {
  const steps: (string | Ex)[] = [];
  let root: Expr = target;
  while (root.kind === "Member" || root.kind === "Index") {
    steps.push(root.kind === "Member" ? root.name.text : operand(ctx, root.index));
    root = root.object;
  }
  steps.reverse();
  const value = lowering.expr(ctx, node.value);
  const ref = root.kind === "Identifier" ? ctx.module.refs.get(root) : undefined;
  const site = ctx.site(target);
  if (root.kind !== "Identifier") return evaluateThenRaise(value, invalidTarget, site);
  const { name } = root;
  if (!(ref instanceof Binding)) return evaluateThenRaise(value, () => undefinedVariable(name), site);
  if (!ref.mutable) return evaluateThenRaise(value, () => immutable(name), site);
  const write = pathWriter(ctx, ref, root, steps, node.op === "=" ? undefined : operatorOf(node), site);
  const indices = steps.filter((step): step is Ex => typeof step !== "string");
  const simple = indices.length <= 1 && !indices.some((one) => one.may) && !value.may && !value.exits;
  if (simple) {
    const index = indices[0]?.run;
    const given = value.run;
    if (index === undefined) return st((f) => write(f, [], given(f)));
    return st((f) => {
      const at = index(f);
      return write(f, [at], given(f));
    });
  }
  const keys = withAll(indices, (_f, values) => values as unknown as Value);
  const all = keys.run;
  const last = value.run;
  const finish = (f: Frame, at: Value[], given: unknown): unknown => {
    if (given instanceof Exit) return given.completion;
    return write(f, at, given as Value);
  };
  const second = (f: Frame, at: Value[]): unknown => {
    const given = last(f);
    return given instanceof Promise ? given.then((given) => finish(f, at, given)) : finish(f, at, given);
  };
  return st(
    (f) => {
      const at = all(f);
      return at instanceof Promise ? at.then((at) => second(f, at)) : second(f, at);
    },
    true,
    value.exits,
  );
}

const invalidTarget = (): ScriptError =>
  runtimeError(
    "invalid assignment target: expected a variable, property path (`x.a.b`), or subscript path (`x[i][j]`), found an expression",
  );

type Writer = (f: Frame, indices: readonly Value[], value: Value) => undefined;

function pathWriter(
  ctx: Ctx,
  binding: Binding,
  root: Identifier,
  steps: readonly (string | Ex)[],
  op: BinaryOp | undefined,
  site: Site,
): Writer {
  const token = tokenOf(ctx, binding)!;
  const read = readBinding(ctx, binding, root).run;
  const put = storeInto(ctx, binding);
  const pathOf = (indices: readonly Value[]): PathStep[] => {
    let next = 0;
    return steps.map((step) =>
      typeof step === "string" ? { name: step } : { index: indices[next++] as Value },
    );
  };
  const change = op === undefined ? undefined : compoundChange(ctx, op, site);
  const only = steps.length === 1 ? steps[0] : undefined;
  return (f, indices, value) => {
    const home = token.at ?? f;
    home[token.slot] ??= {};
    const owner = home[token.slot] as object;
    const container = read(f) as Value;
    try {
      const path = only === undefined || change !== undefined ? pathOf(indices) : undefined;
      const given = change === undefined ? value : change(readPath(container, path!), value);
      const written =
        only === undefined
          ? writePath(container, owner, path!, given)
          : typeof only === "string"
            ? writeProperty(container, owner, only, given)
            : writeIndex(container, owner, indices[0] as Value, given);
      if (written !== container) put(f, written);
    } catch (error) {
      throw located(error, site);
    }
    return undefined;
  };
}

function readPath(container: Value, path: readonly PathStep[]): Value {
  let at = container;
  for (const step of path) at = "name" in step ? getProperty(at, step.name) : getIndex(at, step.index);
  return at;
}

/** `x.f += v`: the operator over two values at hand. */
function compoundChange(ctx: Ctx, op: BinaryOp, site: Site): (old: Value, value: Value) => Value {
  const holder: { old: Value; value: Value } = { old: null, value: null };
  const { run } = combine(
    ctx,
    op,
    ex(() => holder.old),
    ex(() => holder.value),
    site,
  );
  return (old, value) => {
    holder.old = old;
    holder.value = value;
    return run([]) as Value;
  };
}
