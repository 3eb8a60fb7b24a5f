/** Type parameters learn what they stand for from the values that are passed (language.md §17.3, generics). */
import { fits } from "./fits.ts";
import { hole, type Type, type TypeVar, union, widened } from "./type.ts";
import { choices, resolvedAlias, substitute } from "./type-scope.ts";

export interface Conflict {
  readonly name: string;
  readonly first: Type;
  readonly second: Type;
}

const maxDepth = 20;
/** Parts of types that one call may compare: types built by doubling have more than anybody could. */
const maxSteps = 10_000;

export class Unification {
  private readonly vars: ReadonlySet<TypeVar>;
  private readonly values = new Map<TypeVar, Type>();
  private conflict: Conflict | undefined;
  private steps = maxSteps;

  constructor(vars: readonly TypeVar[]) {
    this.vars = new Set(vars);
  }

  fix(variable: TypeVar, type: Type): void {
    this.values.set(variable, type);
  }

  valueOf(variable: TypeVar): Type | undefined {
    return this.values.get(variable);
  }

  /** A type with what was learnt put in; what nothing was learnt about is a hole. */
  apply(type: Type): Type {
    const all = new Map<TypeVar, Type>();
    for (const variable of this.vars) all.set(variable, this.values.get(variable) ?? hole);
    return substitute(type, all);
  }

  /** Learns from one value; gives the contradiction that it brings, if any. */
  learn(pattern: Type, actual: Type): Conflict | undefined {
    this.conflict = undefined;
    this.match(pattern, actual, 0);
    return this.conflict;
  }

  private match(pattern: Type, value: Type, depth: number): void {
    if (
      --this.steps < 0 ||
      depth > maxDepth ||
      value.kind === "hole" ||
      value.kind === "any" ||
      value.kind === "never"
    )
      return;
    if (pattern.kind === "var") {
      if (this.vars.has(pattern)) this.bind(pattern, widened(value));
      return;
    }
    const wanted = pattern.kind === "alias" ? resolvedAlias(pattern) : pattern;
    const actual = resolvedAlias(value);
    switch (wanted.kind) {
      case "union":
        this.matchUnion(wanted.members, actual, depth);
        return;
      case "name":
        if (actual.kind === "name" && actual.name === wanted.name)
          wanted.args.forEach((arg, index) => {
            const own = actual.args[index];
            if (own !== undefined) this.match(arg, own, depth + 1);
          });
        else if (actual.kind === "shape" && wanted.name === "dict" && wanted.args[1] !== undefined)
          this.match(
            wanted.args[1],
            union([...actual.fields.values()].map((field) => field.type)),
            depth + 1,
          );
        return;
      case "shape":
        if (actual.kind !== "shape") return;
        for (const field of wanted.fields.values()) {
          const own = actual.fields.get(field.name);
          if (own !== undefined) this.match(field.type, own.type, depth + 1);
        }
        return;
      case "fn":
        if (actual.kind !== "fn") return;
        wanted.params.forEach((param, index) => {
          const own = actual.params[index];
          if (own !== undefined) this.match(param, own, depth + 1);
        });
        this.match(wanted.returns, actual.returns, depth + 1);
        return;
      default:
        return;
    }
  }

  /** `T | nil` against `int | nil`: what the fixed members accept is theirs, the rest is for the parameter. */
  private matchUnion(members: readonly Type[], actual: Type, depth: number): void {
    const fixed = members.filter((member) => member.kind !== "var");
    const rest = choices(actual).filter((part) => !fixed.some((member) => fits(part, member)));
    if (rest.length === 0) return;
    for (const member of members)
      if (member.kind === "var" || rest.length === 1) this.match(member, union(rest), depth + 1);
  }

  private bind(variable: TypeVar, type: Type): void {
    const before = this.values.get(variable);
    if (before === undefined || (fits(before, type) && !fits(type, before))) this.values.set(variable, type);
    else if (!fits(type, before)) this.conflict ??= { name: variable.name, first: before, second: type };
  }
}
