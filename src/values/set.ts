/** Sets: insertion-ordered, unique by script equality. Elements are found through a hash key (`hashKey` in equality.ts). */
import type { Value } from "./value.ts";

export class SetValue {
  declare readonly type: "set";
  /** Hash key to the elements that share it; insertion order is the order of `items`. */
  readonly items: readonly Value[];
  constructor(items: readonly Value[]) {
    this.items = items;
  }
}

Object.defineProperty(SetValue.prototype, "type", { value: "set" });
