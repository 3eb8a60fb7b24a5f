/** The small value classes. `type` sits on the prototype: it costs nothing per value. */
import { compareTexts } from "./text/text-order.ts";
import type { Value } from "./value.ts";

declare module "./value.ts" {
  interface ValueClasses {
    readonly float: Float;
    readonly bytes: Bytes;
    readonly duration: Duration;
    readonly range: Range;
    readonly pair: Pair;
    readonly enumValue: EnumValue;
    readonly structValue: StructValue;
    readonly atomic: Atomic;
  }
}

/** A float. Arithmetic makes new ones; V8 removes most of them by escape analysis. */
export class Float {
  declare readonly type: "float";
  readonly value: number;
  constructor(value: number) {
    this.value = value;
  }
}

/** Raw bytes. The array is never written after construction. */
export class Bytes {
  declare readonly type: "bytes";
  readonly data: Uint8Array;
  constructor(data: Uint8Array) {
    this.data = data;
  }
}

/** A time span in whole milliseconds, possibly negative. */
export class Duration {
  declare readonly type: "duration";
  readonly ms: number;
  constructor(ms: number) {
    this.ms = ms;
  }
}

/** `from to to` or `from to to exclusive`; lazy. */
export class Range {
  declare readonly type: "range";
  readonly from: number;
  readonly to: number;
  readonly exclusive: boolean;
  constructor(from: number, to: number, exclusive: boolean) {
    this.from = from;
    this.to = to;
    this.exclusive = exclusive;
  }
  /** Of two script values; a bound that is not a number counts as 0 (language.md §6.3). */
  static between(from: Value, to: Value, exclusive: boolean): Range {
    return new Range(boundOf(from), boundOf(to), exclusive);
  }
  /** One past the last element; `from` when empty. */
  get end(): number {
    return Math.max(this.from, this.exclusive ? this.to : this.to + 1);
  }
  get length(): number {
    return this.end - this.from;
  }
}

/** Bounds past the safe integers are clamped to them: a range that long can't be walked anyway. */
function boundOf(value: Value): number {
  const n = value instanceof Float ? Math.trunc(value.value) : Number(typeof value === "bigint" ? value : 0);
  if (typeof value === "number") return value;
  if (Number.isNaN(n)) return 0;
  return Math.min(Math.max(n, Number.MIN_SAFE_INTEGER), Number.MAX_SAFE_INTEGER) + 0;
}

export class Pair {
  declare readonly type: "pair";
  readonly first: Value;
  readonly second: Value;
  constructor(first: Value, second: Value) {
    this.first = first;
    this.second = second;
  }
}

/** A value of an enum, `Result` included. */
export class EnumValue {
  declare readonly type: "enum";
  readonly enumName: string;
  readonly variant: string;
  readonly fields: readonly Value[];
  constructor(enumName: string, variant: string, fields: readonly Value[]) {
    this.enumName = enumName;
    this.variant = variant;
    this.fields = fields;
  }
}

/** The declared shape of a struct, shared by all its instances: field order and methods. */
export interface StructType {
  readonly name: string;
  /** Declared field names in source order; a field's slot is its position here. */
  readonly fields: readonly string[];
  readonly slots: ReadonlyMap<string, number>;
  /** `impl` methods. Another table after each `impl` block that has run; a table itself never changes. */
  methods: ReadonlyMap<string, Value>;
}

/** A struct instance. `undefined` in a slot: the field is absent (reads as nil, is not displayed). */
export class StructValue {
  declare readonly type: "struct";
  readonly struct: StructType;
  readonly slots: readonly (Value | undefined)[];
  /** Fields set by `p.x = …` that were never declared. Rare. */
  readonly extra: ReadonlyMap<string, Value> | undefined;
  constructor(struct: StructType, slots: readonly (Value | undefined)[], extra?: ReadonlyMap<string, Value>) {
    this.struct = struct;
    this.slots = slots;
    this.extra = extra;
  }

  /** The field's value; `undefined` when absent. */
  get(name: string): Value | undefined {
    const slot = this.struct.slots.get(name);
    return slot === undefined ? this.extra?.get(name) : this.slots[slot];
  }

  /** A copy with one field set, declared or not. */
  with(name: string, value: Value): StructValue {
    const slot = this.struct.slots.get(name);
    if (slot === undefined)
      return new StructValue(this.struct, this.slots, new Map(this.extra).set(name, value));
    const slots = this.slots.slice();
    slots[slot] = value;
    return new StructValue(this.struct, slots, this.extra);
  }

  /** Present fields, sorted by name. */
  entries(): [string, Value][] {
    const found: [string, Value][] = [];
    for (const [name, slot] of this.struct.slots) {
      const value = this.slots[slot];
      if (value !== undefined) found.push([name, value]);
    }
    if (this.extra !== undefined) for (const entry of this.extra) found.push(entry);
    return found.sort((a, b) => compareTexts(a[0], b[0]));
  }
}

/** A struct type from its declared field names. */
export function structType(name: string, fields: readonly string[]): StructType {
  return { name, fields, slots: new Map(fields.map((field, slot) => [field, slot])), methods: new Map() };
}

/** Shared mutable int cell. */
export class Atomic {
  declare readonly type: "atomic";
  value: number | bigint;
  constructor(value: number | bigint) {
    this.value = value;
  }
}

for (const [valueClass, type] of [
  [Float, "float"],
  [Bytes, "bytes"],
  [Duration, "duration"],
  [Range, "range"],
  [Pair, "pair"],
  [EnumValue, "enum"],
  [StructValue, "struct"],
  [Atomic, "atomic"],
] as const) {
  Object.defineProperty(valueClass.prototype, "type", { value: type });
}

/** A number of JavaScript as a value: an int when whole. */
export function numberValue(value: number): Value {
  return Number.isSafeInteger(value) ? (value === 0 ? 0 : value) : new Float(value);
}
