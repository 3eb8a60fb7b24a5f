/**
 * Dicts: string keys (`__proto__` is just a key), iterated in ascending code-point order. The order is computed when
 * first asked for and remembered; inserting and reading never sort.
 *
 * Two representations behind one interface:
 *
 * - *shaped*, for small dicts: a shared `Shape` and an array of slots (see shape.ts);
 * - *table*, for large ones or keys that are data: a hash table that successive versions share. The newest version
 *   (the table's `head`) reads it directly; `with`, `without` and `merge` change it in place, note the old value in
 *   an undo log and become the head. An older version that is read again copies the table and rolls the log back.
 *   So `d = d + {k: v}` in a loop is O(1) each, and the log is cut when it outgrows the table, which bounds what an
 *   old version can keep alive.
 *
 * While native code iterates, a callback may make the dict old. Iterate over `keys()` with `get`, or over
 * `sortedValues()`: both are safe.
 */
import { Shape } from "../schema/shape.ts";
import { sortTexts } from "../text/text-order.ts";
import type { Value } from "../value.ts";

declare module "../value.ts" {
  interface ValueClasses {
    readonly dict: Dict;
  }
}

/** Tables below this size are copied rather than shared: cheaper than bookkeeping. */
const SHARE_FROM = 16;

interface HashTable {
  readonly map: Map<string, Value>;
  /** The version that `map` shows. */
  head: Dict | null;
  /** Key and former value (`undefined`: absent) of each change since version 0, alternating. */
  readonly undo: (string | Value | undefined)[];
  sorted: readonly string[] | undefined;
}

const NO_SLOTS: readonly Value[] = [];
const newTable = (map: Map<string, Value>): HashTable => ({ map, head: null, undo: [], sorted: undefined });

export class Dict {
  declare readonly type: "dict";
  /** Set for shaped dicts. A read site may cache `shape` and read `slots[n]`. */
  shape: Shape | null;
  /** Values by slot of `shape`. Never write to it from outside. */
  slots: readonly Value[];
  private table: HashTable | null;
  private version = 0;
  /** See `List.owner`. */
  owner: object | null = null;

  /** Takes the map over: the caller must not touch it afterwards. Without one, the empty dict. */
  constructor(map?: Map<string, Value>) {
    if (map === undefined) {
      this.shape = Shape.empty;
      this.slots = NO_SLOTS;
      this.table = null;
    } else {
      this.shape = null;
      this.slots = NO_SLOTS;
      this.table = newTable(map);
      this.table.head = this;
    }
  }

  /** A shaped dict. Takes the array over; one value per key of the shape. */
  static shaped(shape: Shape, slots: Value[]): Dict {
    const dict = new Dict();
    dict.shape = shape;
    dict.slots = slots;
    return dict;
  }

  /** From native code: `Dict.of({ ok: true })`. Own enumerable keys only; `undefined` entries are left out. */
  static of(entries: Readonly<Record<string, Value | undefined>>): Dict {
    const keys: string[] = [];
    const values: Value[] = [];
    for (const key of Object.keys(entries)) {
      const value = entries[key];
      if (value === undefined) continue;
      keys.push(key);
      values.push(value);
    }
    return Dict.fromArrays(keys, values);
  }

  /** From distinct keys and their values; takes both arrays over. */
  static fromArrays(keys: readonly string[], values: Value[]): Dict {
    const shape = Shape.of(keys);
    if (shape !== undefined) return Dict.shaped(shape, values);
    const map = new Map<string, Value>();
    for (let i = 0; i < keys.length; i++) map.set(keys[i] as string, values[i] as Value);
    return new Dict(map);
  }

  /** From entries in any order; a later one wins. */
  static from(entries: Iterable<readonly [string, Value]>): Dict {
    const map = new Map(entries);
    return Dict.fromArrays([...map.keys()], [...map.values()]);
  }

  get size(): number {
    return this.shape !== null ? this.slots.length : this.current().map.size;
  }

  /** `undefined` when absent. */
  get(key: string): Value | undefined {
    if (this.shape !== null) {
      const slot = this.shape.index.get(key);
      return slot === undefined ? undefined : this.slots[slot];
    }
    return this.current().map.get(key);
  }

  has(key: string): boolean {
    return this.shape !== null ? this.shape.index.has(key) : this.current().map.has(key);
  }

  /** Keys in ascending code-point order. */
  keys(): readonly string[] {
    if (this.shape !== null) return this.shape.sortedKeys;
    const table = this.current();
    table.sorted ??= sortTexts([...table.map.keys()]);
    return table.sorted;
  }

  /** Values in the order of `keys()`, as a fresh array. */
  sortedValues(): Value[] {
    if (this.shape !== null) {
      const { slots } = this;
      return this.shape.sortedSlots.map((slot) => slots[slot] as Value);
    }
    const { map } = this.current();
    return this.keys().map((key) => map.get(key) as Value);
  }

  /** Entries in key order. */
  *entries(): IterableIterator<[string, Value]> {
    for (const key of this.keys()) yield [key, this.get(key) as Value];
  }

  /** The entries as a fresh Map in unspecified order; the caller owns it. */
  toMap(): Map<string, Value> {
    if (this.shape === null) return new Map(this.current().map);
    const map = new Map<string, Value>();
    const { keys } = this.shape;
    for (let i = 0; i < keys.length; i++) map.set(keys[i] as string, this.slots[i] as Value);
    return map;
  }

  /** A dict with one entry set. */
  with(key: string, value: Value): Dict {
    if (this.shape !== null) {
      const slot = this.shape.index.get(key);
      const shape = slot === undefined ? this.shape.child(key) : this.shape;
      if (shape !== undefined) {
        const slots = this.slots.slice();
        if (slot === undefined) slots.push(value);
        else slots[slot] = value;
        return Dict.shaped(shape, slots);
      }
      return new Dict(this.toMap().set(key, value));
    }
    const next = this.successor();
    next.put(key, value);
    return next;
  }

  /** A dict without a key; itself when the key is absent. */
  without(key: string): Dict {
    if (!this.has(key)) return this;
    if (this.shape !== null) {
      const removed = this.shape.index.get(key) as number;
      return Dict.fromArrays(this.shape.keys.toSpliced(removed, 1), this.slots.toSpliced(removed, 1));
    }
    const next = this.successor();
    next.put(key, undefined);
    return next;
  }

  /** A dict with another's entries, which win. */
  merge(other: Dict): Dict {
    if (other.size === 0) return this;
    if (this.size === 0) return other;
    if (other.shape === null) return this.mergeTable(other.current().map);
    const keys = other.shape.keys;
    if (this.shape !== null && keys.length > 1) return this.mergeShaped(other.shape, other.slots);
    let result: Dict = this;
    for (let i = 0; i < keys.length; i++) result = result.with(keys[i] as string, other.slots[i] as Value);
    return result;
  }

  /** A copy that shares nothing and that the caller may `ownedSet`. */
  ownedCopy(owner: object): Dict {
    const copy = this.shape !== null ? Dict.shaped(this.shape, this.slots.slice()) : new Dict(this.toMap());
    copy.owner = owner;
    return copy;
  }

  /** In-place write by the owner of this copy only (see `ownedCopy`). */
  ownedSet(key: string, value: Value): void {
    if (this.shape !== null) {
      const slot = this.shape.index.get(key);
      if (slot !== undefined) {
        (this.slots as Value[])[slot] = value;
        return;
      }
      const shape = this.shape.child(key);
      if (shape !== undefined) {
        (this.slots as Value[]).push(value);
        this.shape = shape;
        return;
      }
      this.table = newTable(this.toMap());
      this.table.head = this;
      this.shape = null;
      this.slots = NO_SLOTS;
    }
    const table = this.current();
    const before = table.map.size;
    table.map.set(key, value);
    if (table.map.size !== before) table.sorted = undefined;
  }

  private mergeTable(entries: ReadonlyMap<string, Value>): Dict {
    if (this.shape !== null) {
      const map = this.toMap();
      for (const [key, value] of entries) map.set(key, value);
      return new Dict(map);
    }
    const next = this.successor();
    for (const [key, value] of entries) next.put(key, value);
    return next;
  }

  private mergeShaped(from: Shape, values: readonly Value[]): Dict {
    let shape = this.shape as Shape;
    const slots = this.slots.slice();
    for (let i = 0; i < from.keys.length; i++) {
      const key = from.keys[i] as string;
      const slot = shape.index.get(key);
      if (slot !== undefined) {
        slots[slot] = values[i] as Value;
        continue;
      }
      const grown = shape.child(key);
      if (grown === undefined) {
        const map = this.toMap();
        for (let j = 0; j < from.keys.length; j++) map.set(from.keys[j] as string, values[j] as Value);
        return new Dict(map);
      }
      shape = grown;
      slots.push(values[i] as Value);
    }
    return Dict.shaped(shape, slots);
  }

  /** The table as this version sees it. */
  private current(): HashTable {
    const table = this.table as HashTable;
    return table.head === this ? table : this.detach(table);
  }

  /** This version is old: it gets a table of its own. */
  private detach(table: HashTable): HashTable {
    const map = new Map(table.map);
    for (let i = table.undo.length - 2; i >= this.version * 2; i -= 2) {
      const key = table.undo[i] as string;
      const value = table.undo[i + 1];
      if (value === undefined) map.delete(key);
      else map.set(key, value as Value);
    }
    const own = newTable(map);
    own.head = this;
    this.table = own;
    this.version = 0;
    return own;
  }

  /** A newer version, not yet changed; it takes the table over, or a copy where sharing does not pay. */
  private successor(): Dict {
    const table = this.current();
    const next = new Dict();
    next.shape = null;
    const size = table.map.size;
    if (size >= SHARE_FROM && table.undo.length <= size * 2) {
      next.table = table;
      next.version = this.version;
      table.head = next;
    } else {
      next.table = newTable(new Map(table.map));
      next.table.sorted = table.sorted;
      next.table.head = next;
    }
    return next;
  }

  /** Changes the table of a successor under construction; `undefined` removes. */
  private put(key: string, value: Value | undefined): void {
    const table = this.table as HashTable;
    table.undo.push(key, table.map.get(key));
    this.version++;
    const before = table.map.size;
    if (value === undefined) table.map.delete(key);
    else table.map.set(key, value);
    if (table.map.size !== before) table.sorted = undefined;
  }
}

Object.defineProperty(Dict.prototype, "type", { value: "dict" });
