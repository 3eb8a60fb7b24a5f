/**
 * Sets: insertion-ordered, unique by script equality. Like lists, versions share a buffer and an index from hash key
 * to position, and only the newest version grows them, so `s = s.add(x)` in a loop is amortised O(1).
 */
import { hashKey } from "../hash.ts";
import type { Value } from "../value.ts";

declare module "../value.ts" {
  interface ValueClasses {
    readonly set: SetValue;
  }
}

export class SetValue {
  declare readonly type: "set";
  /** Shared; read only up to `size`. */
  readonly buffer: Value[];
  readonly size: number;
  /** Position by hash key, for all versions of the buffer; made when first needed. */
  private index: Map<unknown, number> | undefined = undefined;

  /** Takes over an array whose elements are known to be different; `SetValue.from` finds out. */
  constructor(items: Value[], size: number = items.length) {
    this.buffer = items;
    this.size = size;
  }

  /** The different elements among some values, first occurrence first. */
  static from(values: Iterable<Value>): SetValue {
    const items: Value[] = [];
    const index = new Map<unknown, number>();
    for (const value of values) {
      const key = hashKey(value);
      if (key !== undefined) {
        if (index.has(key)) continue;
        index.set(key, items.length);
      }
      items.push(value);
    }
    const set = new SetValue(items);
    set.index = index;
    return set;
  }

  /** The elements; not to be changed. */
  get items(): readonly Value[] {
    return this.buffer.length === this.size ? this.buffer : this.buffer.slice(0, this.size);
  }

  /** The elements as a fresh array that the caller owns. */
  toArray(): Value[] {
    return this.buffer.slice(0, this.size);
  }

  has(value: Value): boolean {
    return this.hasKey(hashKey(value));
  }

  /** Whether an element with this hash key is in. */
  hasKey(key: unknown): boolean {
    if (key === undefined) return false;
    const at = this.positions().get(key);
    return at !== undefined && at < this.size;
  }

  /** A set with one more element; itself when it is in already. */
  with(value: Value): SetValue {
    const key = hashKey(value);
    if (this.hasKey(key)) return this;
    if (this.buffer.length !== this.size) return SetValue.from([...this.items, value]);
    const index = this.positions();
    if (key !== undefined) index.set(key, this.size);
    this.buffer.push(value);
    const next = new SetValue(this.buffer, this.size + 1);
    next.index = index;
    return next;
  }

  /** A set without an element. */
  without(value: Value): SetValue {
    const key = hashKey(value);
    if (!this.hasKey(key)) return this;
    const at = this.positions().get(key) as number;
    return new SetValue(this.toArray().toSpliced(at, 1));
  }

  private positions(): Map<unknown, number> {
    if (this.index !== undefined) return this.index;
    const index = new Map<unknown, number>();
    for (let i = 0; i < this.size; i++) {
      const key = hashKey(this.buffer[i] as Value);
      if (key !== undefined) index.set(key, i);
    }
    this.index = index;
    return index;
  }

  *[Symbol.iterator](): IterableIterator<Value> {
    for (let i = 0; i < this.size; i++) yield this.buffer[i] as Value;
  }
}

Object.defineProperty(SetValue.prototype, "type", { value: "set" });
