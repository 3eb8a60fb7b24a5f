/**
 * Lists: immutable for scripts, persistent at the end. Versions share one buffer; a version sees its first `length`
 * elements, and only the newest version (whose length is the buffer's) may grow it in place. So `xs = xs + [x]` in a
 * loop is amortised O(1), and old versions stay what they were.
 */
import { checkItems } from "../sizes.ts";
import type { Value } from "../value.ts";

declare module "../value.ts" {
  interface ValueClasses {
    readonly list: List;
  }
}

export class List {
  declare readonly type: "list";
  /** Shared; read only through `length`. */
  readonly buffer: Value[];
  readonly length: number;
  /**
   * Who may write elements in place: the token of the variable that made this copy (see owned-write.ts), or null.
   * A token is dropped when the variable's value escapes, so a write can never be seen through another name.
   */
  owner: object | null = null;

  /** Takes the array over: the caller must not touch it afterwards. */
  constructor(buffer: Value[], length: number = buffer.length) {
    this.buffer = buffer;
    this.length = length;
  }

  /** Element at a non-negative index, or `undefined` past the end. */
  at(index: number): Value | undefined {
    return index < this.length ? this.buffer[index] : undefined;
  }

  /** The elements as a fresh array that the caller owns. */
  toArray(): Value[] {
    return this.buffer.slice(0, this.length);
  }

  /** A new version with one more element. */
  push(value: Value): List {
    if (this.buffer.length === this.length) {
      this.buffer.push(value);
      return new List(this.buffer, this.length + 1);
    }
    const copy = this.toArray();
    copy.push(value);
    return new List(copy);
  }

  /** A new version with another list's elements after. */
  concat(other: List): List {
    const count = other.length;
    if (count === 0) return this;
    if (this.length === 0) return other;
    checkItems(this.length + count);
    const grow = this.buffer.length === this.length ? this.buffer : this.toArray();
    const source = other.buffer;
    for (let i = 0; i < count; i++) grow.push(source[i] as Value);
    return new List(grow, this.length + count);
  }

  /** A copy with one element replaced; `index` must exist. */
  with(index: number, value: Value): List {
    const copy = this.toArray();
    copy[index] = value;
    return new List(copy);
  }

  /**
   * The half-open part between two positions that are already clamped. A long part from the start shares the buffer
   * (`xs = xs.pop()` in a loop); a short one is copied, so that it keeps nothing large alive.
   */
  part(start: number, end: number): List {
    if (end <= start) return new List([]);
    if (start === 0 && end * 2 >= this.buffer.length) return new List(this.buffer, end);
    return new List(this.buffer.slice(start, end));
  }

  /** A copy that shares nothing and that the caller may `ownedSet` and `ownedPush`. */
  ownedCopy(owner: object): List {
    const copy = new List(this.toArray());
    copy.owner = owner;
    return copy;
  }

  /** One more element in place, by the owner of this copy only; gives the list itself. */
  ownedPush(value: Value): this {
    this.buffer.push(value);
    (this as { length: number }).length++;
    return this;
  }

  /** In-place write by the owner of this copy only. */
  ownedSet(index: number, value: Value): void {
    this.buffer[index] = value;
  }

  *[Symbol.iterator](): IterableIterator<Value> {
    for (let i = 0; i < this.length; i++) yield this.buffer[i] as Value;
  }
}

Object.defineProperty(List.prototype, "type", { value: "list" });

/** The empty list is made anew each time: `push` may grow its buffer. */
export const emptyList = (): List => new List([]);
