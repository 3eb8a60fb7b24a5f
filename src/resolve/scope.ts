/** Lexical scopes: names of blocks inside blocks. The resolver's know functions before their declaration, the linter's do not. */
import type { Binding, FunctionInfo } from "./model.ts";

/** A block: the names declared so far, in text order, and the function whose body it belongs to. */
export class Scope<Named, Owner> {
  readonly parent: Scope<Named, Owner> | undefined;
  readonly fn: Owner;
  readonly names = new Map<string, Named>();

  constructor(parent: Scope<Named, Owner> | undefined, fn: Owner) {
    this.parent = parent;
    this.fn = fn;
  }

  /** What a name means as seen from here. */
  find(name: string): Named | undefined {
    for (let scope: Scope<Named, Owner> | undefined = this; scope !== undefined; scope = scope.parent) {
      const found = scope.own(name);
      if (found !== undefined) return found;
    }
    return undefined;
  }

  /** What a name means in this block alone. */
  protected own(name: string): Named | undefined {
    return this.names.get(name);
  }
}

/** A block while resolving: the functions that it declares anywhere count from its beginning on (language.md §8.3). */
export class HoistingScope extends Scope<Binding, FunctionInfo> {
  declare readonly parent: HoistingScope | undefined;
  readonly hoisted = new Map<string, Binding>();

  constructor(parent: HoistingScope | undefined, fn: FunctionInfo) {
    super(parent, fn);
  }

  protected override own(name: string): Binding | undefined {
    return this.names.get(name) ?? this.hoisted.get(name);
  }

  /** The nearest function of that name, past variables that hide it: calls ignore variables that hold no closure. */
  findFunction(name: string): Binding | undefined {
    for (let scope: HoistingScope | undefined = this; scope !== undefined; scope = scope.parent) {
      const named = scope.names.get(name);
      if (named?.fn !== undefined) return named;
      const hoisted = scope.hoisted.get(name);
      if (hoisted !== undefined) return hoisted;
    }
    return undefined;
  }

  /** Every visible name, for suggestions. */
  *visible(): Iterable<string> {
    for (let scope: HoistingScope | undefined = this; scope !== undefined; scope = scope.parent) {
      yield* scope.names.keys();
      yield* scope.hoisted.keys();
    }
  }
}
