/** The order of numeric keys agrees with a stable sort by comparator. */
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { numberOrder } from "../../../src/interp/methods/list-build.ts";

describe("numberOrder", () => {
  it("is the stable ascending order", () => {
    const key = fc.oneof(fc.integer({ min: -5, max: 5 }), fc.maxSafeInteger());
    fc.assert(
      fc.property(fc.array(key, { maxLength: 200 }), (keys) => {
        const expected = keys.map((_key, i) => i).sort((a, b) => keys[a]! - keys[b]! || a - b);
        expect([...numberOrder(keys)]).toEqual(expected);
      }),
    );
  });
});
