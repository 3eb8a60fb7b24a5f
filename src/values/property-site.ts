/**
 * Property reads that remember where they found the name last time. One reader per site in the source: most sites see
 * one shape of dict or one struct type all their life.
 */
import { getProperty } from "./access.ts";
import { Dict } from "./dict.ts";
import type { StructType } from "./scalars.ts";
import { StructValue } from "./scalars.ts";
import type { Shape } from "./shape.ts";
import type { Value } from "./value.ts";

/** A function that gives `value.name`, as `getProperty` does. */
export function propertyReader(name: string): (value: Value) => Value {
  let shape: Shape | undefined;
  let shapeSlot = 0;
  let struct: StructType | undefined;
  let structSlot = 0;
  return (value) => {
    if (value instanceof Dict) {
      const seen = value.shape;
      if (seen === null) return value.get(name) ?? null;
      if (seen !== shape) {
        const slot = seen.index.get(name);
        if (slot === undefined) return null;
        shape = seen;
        shapeSlot = slot;
      }
      return value.slots[shapeSlot] as Value;
    }
    if (value instanceof StructValue) {
      if (value.struct !== struct) {
        const slot = value.struct.slots.get(name);
        if (slot === undefined) return value.get(name) ?? null;
        struct = value.struct;
        structSlot = slot;
      }
      return value.slots[structSlot] ?? null;
    }
    return getProperty(value, name);
  };
}
