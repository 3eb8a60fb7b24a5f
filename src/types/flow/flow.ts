/**
 * What is known about variables at one point of the program beyond their declarations (language.md §17.7). A branch
 * works on a fork; where branches meet, only what both know remains.
 *
 * `narrowed` comes from tests and from what assignments made uncertain. `weak` is what was last assigned to a variable
 * declared as a union: it never reports anything, it only excuses uses that the declared type would not allow.
 */
import type { Binding } from "../../resolve/index.ts";
import { same, type Type, union, widened } from "../model/type.ts";

export class Flow {
  // Made when there is something to hold: most points of a program know nothing.
  private narrowed: Map<Binding, Type> | undefined;
  private weak: Map<Binding, Type> | undefined;

  constructor(narrowed?: Map<Binding, Type>, weak?: Map<Binding, Type>) {
    this.narrowed = narrowed;
    this.weak = weak;
  }

  fork(): Flow {
    return new Flow(copyOf(this.narrowed), copyOf(this.weak));
  }

  get(binding: Binding): Type | undefined {
    return this.narrowed?.get(binding);
  }

  set(binding: Binding, type: Type): void {
    this.narrowed ??= new Map();
    this.narrowed.set(binding, type);
    this.weak?.delete(binding);
  }

  lastAssigned(binding: Binding): Type | undefined {
    return this.weak?.get(binding);
  }

  /** A new value: everything that tests found out is void. */
  assign(binding: Binding, type: Type | undefined): void {
    this.narrowed?.delete(binding);
    if (type === undefined) {
      this.weak?.delete(binding);
      return;
    }
    this.weak ??= new Map();
    this.weak.set(binding, type);
  }

  entries(): Iterable<[Binding, Type]> {
    return this.narrowed ?? [];
  }

  /** Keeps what this and the other flow agree on. */
  meet(other: Flow): void {
    const excused = this.excusedWith(other);
    this.narrowed = commonOf(this.narrowed, other.narrowed);
    this.weak = commonOf(this.weak, other.weak);
    for (const [binding, type] of excused) this.assign(binding, type);
  }

  /** `if x == nil { x = "" }`: one side was assigned something, the other assigned or found to be something. */
  private excusedWith(other: Flow): [Binding, Type][] {
    const agreed: [Binding, Type][] = [];
    for (const [one, two] of [[this, other] as const, [other, this] as const])
      for (const [binding, type] of one.weak ?? []) {
        const there = two.weak?.get(binding) ?? two.narrowed?.get(binding);
        if (there !== undefined && there.kind !== "hole")
          agreed.push([binding, union([widened(type), widened(there)])]);
      }
    return agreed;
  }
}

type FlowTypes = Map<Binding, Type> | undefined;

const copyOf = (known: FlowTypes): FlowTypes =>
  known === undefined || known.size === 0 ? undefined : new Map(known);

/** What is uncertain (a hole) on one side is uncertain afterwards. Changes the first. */
function commonOf(own: FlowTypes, other: FlowTypes): FlowTypes {
  if (own !== undefined)
    for (const [binding, type] of own) {
      const there = other?.get(binding);
      if (type.kind !== "hole" && (there === undefined || !same(type, there))) {
        if (there?.kind === "hole") own.set(binding, there);
        else own.delete(binding);
      }
    }
  let common = own;
  if (other !== undefined)
    for (const [binding, type] of other) {
      if (type.kind !== "hole") continue;
      common ??= new Map();
      common.set(binding, type);
    }
  return common;
}
