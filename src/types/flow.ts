/**
 * What is known about variables at one point of the program beyond their declarations (language.md §17.7). A branch
 * works on a fork; where branches meet, only what both know remains.
 *
 * `narrowed` comes from tests and from what assignments made uncertain. `weak` is what was last assigned to a variable
 * declared as a union: it never reports anything, it only excuses uses that the declared type would not allow.
 */
import type { Binding } from "../resolve/index.ts";
import { same, type Type } from "./type.ts";

export class Flow {
  private narrowed: Map<Binding, Type>;
  private weak: Map<Binding, Type>;

  constructor(narrowed = new Map<Binding, Type>(), weak = new Map<Binding, Type>()) {
    this.narrowed = narrowed;
    this.weak = weak;
  }

  fork(): Flow {
    return new Flow(new Map(this.narrowed), new Map(this.weak));
  }

  get(binding: Binding): Type | undefined {
    return this.narrowed.get(binding);
  }

  set(binding: Binding, type: Type): void {
    this.narrowed.set(binding, type);
    this.weak.delete(binding);
  }

  lastAssigned(binding: Binding): Type | undefined {
    return this.weak.get(binding);
  }

  /** A new value: everything that tests found out is void. */
  assign(binding: Binding, type: Type | undefined): void {
    this.narrowed.delete(binding);
    if (type === undefined) this.weak.delete(binding);
    else this.weak.set(binding, type);
  }

  entries(): Iterable<[Binding, Type]> {
    return this.narrowed;
  }

  /** Keeps what this and the other flow agree on. */
  meet(other: Flow): void {
    keepCommon(this.narrowed, other.narrowed);
    keepCommon(this.weak, other.weak);
  }
}

/** What is uncertain (a hole) on one side is uncertain afterwards. */
function keepCommon(own: Map<Binding, Type>, other: Map<Binding, Type>): void {
  for (const [binding, type] of own) {
    const there = other.get(binding);
    if (type.kind !== "hole" && (there === undefined || !same(type, there))) {
      if (there?.kind === "hole") own.set(binding, there);
      else own.delete(binding);
    }
  }
  for (const [binding, type] of other) if (type.kind === "hole") own.set(binding, type);
}
