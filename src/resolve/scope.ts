/** Lexical scopes while resolving: what is declared so far, and the functions that the block declares anywhere. */
import type { Binding, FunctionInfo } from "./model.ts";

export class Scope {
  readonly parent: Scope | undefined;
  readonly fn: FunctionInfo;
  /** Declared so far, in text order. */
  readonly names = new Map<string, Binding>();
  /** Functions of this block, visible before their declaration (language.md §8.3). */
  readonly hoisted = new Map<string, Binding>();

  constructor(parent: Scope | undefined, fn: FunctionInfo) {
    this.parent = parent;
    this.fn = fn;
  }

  /** The binding of a name as seen from here. */
  find(name: string): Binding | undefined {
    for (let scope: Scope | undefined = this; scope !== undefined; scope = scope.parent) {
      const found = scope.names.get(name) ?? scope.hoisted.get(name);
      if (found !== undefined) return found;
    }
    return undefined;
  }

  /** The nearest function of that name, past variables that hide it: calls ignore variables that hold no closure. */
  findFunction(name: string): Binding | undefined {
    for (let scope: Scope | undefined = this; scope !== undefined; scope = scope.parent) {
      const named = scope.names.get(name);
      if (named?.fn !== undefined) return named;
      const hoisted = scope.hoisted.get(name);
      if (hoisted !== undefined) return hoisted;
    }
    return undefined;
  }

  /** Every visible name, for suggestions. */
  *visible(): Iterable<string> {
    for (let scope: Scope | undefined = this; scope !== undefined; scope = scope.parent) {
      yield* scope.names.keys();
      yield* scope.hoisted.keys();
    }
  }
}
