/** The small value classes. `type` sits on the prototype: it costs nothing per value. */
import type { Value } from "./value.ts";

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
  /** One past the last element; `from` when empty. */
  get end(): number {
    return Math.max(this.from, this.exclusive ? this.to : this.to + 1);
  }
  get length(): number {
    return this.end - this.from;
  }
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
  /** `impl` methods, filled in when `impl` blocks run. */
  readonly methods: Map<string, Value>;
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
}

/** Shared mutable int cell. */
export class Atomic {
  declare readonly type: "atomic";
  value: number | bigint;
  constructor(value: number | bigint) {
    this.value = value;
  }
}

for (const [constructor, type] of [
  [Float, "float"],
  [Bytes, "bytes"],
  [Duration, "duration"],
  [Range, "range"],
  [Pair, "pair"],
  [EnumValue, "enum"],
  [StructValue, "struct"],
  [Atomic, "atomic"],
] as const) {
  Object.defineProperty(constructor.prototype, "type", { value: type });
}
