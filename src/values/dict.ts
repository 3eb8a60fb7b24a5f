/**
 * Dicts: string keys in a Map (so `__proto__` is just a key), iterated in ascending code-point order. The order is
 * computed when first asked for and remembered; inserting and reading never sort.
 */
import { compareText } from "./text-order.ts";
import type { Value } from "./value.ts";

export class Dict {
  declare readonly type: "dict";
  /** Never write to it from outside: go through `with`, `without`, `mutableCopy`. */
  readonly map: Map<string, Value>;
  private sorted: readonly string[] | undefined = undefined;
  /** See `List.owner`. */
  owner: object | null = null;

  /** Takes the map over: the caller must not touch it afterwards. */
  constructor(map: Map<string, Value> = new Map()) {
    this.map = map;
  }

  /** From native code: `Dict.of({ ok: true })`. Own enumerable keys only; `undefined` entries are left out. */
  static of(entries: Readonly<Record<string, Value | undefined>>): Dict {
    const map = new Map<string, Value>();
    for (const key of Object.keys(entries)) {
      const value = entries[key];
      if (value !== undefined) map.set(key, value);
    }
    return new Dict(map);
  }

  get size(): number {
    return this.map.size;
  }
  /** `undefined` when absent. */
  get(key: string): Value | undefined {
    return this.map.get(key);
  }
  has(key: string): boolean {
    return this.map.has(key);
  }

  /** Keys in ascending code-point order. */
  keys(): readonly string[] {
    this.sorted ??= [...this.map.keys()].sort(compareText);
    return this.sorted;
  }

  /** Entries in key order. */
  *entries(): IterableIterator<[string, Value]> {
    for (const key of this.keys()) yield [key, this.map.get(key) as Value];
  }

  /** A copy with one entry set. */
  with(key: string, value: Value): Dict {
    const map = new Map(this.map);
    map.set(key, value);
    return new Dict(map);
  }

  /** A copy without a key; itself when the key is absent. */
  without(key: string): Dict {
    if (!this.map.has(key)) return this;
    const map = new Map(this.map);
    map.delete(key);
    return new Dict(map);
  }

  /** A copy with another dict's entries, which win. */
  merge(other: Dict): Dict {
    if (other.size === 0) return this;
    const map = new Map(this.map);
    for (const [key, value] of other.map) map.set(key, value);
    return new Dict(map);
  }

  /** In-place write by the owner of this copy only (see `List.owner`). */
  ownedSet(key: string, value: Value): void {
    if (this.sorted !== undefined && !this.map.has(key)) this.sorted = undefined;
    this.map.set(key, value);
  }
}

Object.defineProperty(Dict.prototype, "type", { value: "dict" });
