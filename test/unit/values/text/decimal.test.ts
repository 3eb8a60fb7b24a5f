/** Decimals: texts, arithmetic at 28 digits, and agreement of equality, order and hash keys with ints and floats. */
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import {
  add,
  atScale,
  compare,
  Decimal,
  decodeValue,
  display,
  divide,
  encodeValue,
  equals,
  Float,
  hashKey,
  multiply,
  parseDecimal,
  subtract,
  type Value,
} from "../../../../src/values/index.ts";

const of = (text: string): Decimal => parseDecimal(text)!;
const decimal = fc
  .tuple(fc.bigInt({ min: -(10n ** 12n), max: 10n ** 12n }), fc.nat(8))
  .map(([unscaled, scale]) => new Decimal(unscaled, scale));
const number: fc.Arbitrary<Value> = fc.oneof(
  decimal,
  fc.integer({ min: -1000, max: 1000 }),
  fc.constantFrom(0.5, 0.1, 2, -0.25, 1e300, 5e-324, Number.POSITIVE_INFINITY).map((n) => new Float(n)),
);

describe("texts", () => {
  it.each(["1.50", "-0.05", "0", "123456789012345678901234567890.12"])("%s comes back", (text) => {
    expect(display(of(text))).toBe(text);
    expect(display(decodeValue(encodeValue(of(text))))).toBe(text);
  });

  it.each(["", ".", "-", "+", "1e5", "1,5", " 1", "0x10", "١", "9".repeat(500)])("%j is none", (text) => {
    expect(parseDecimal(text)).toBeUndefined();
  });
});

describe("arithmetic", () => {
  it.each([
    ["1", "3", "0.3333333333333333333333333333"],
    ["-2", "3", "-0.6666666666666666666666666667"],
    ["10.00", "4", "2.50"],
    ["12345678901234567890123456789012345", "7", "1763668414462081127160493827000000"],
  ])("%s / %s", (a, b, quotient) => {
    expect(display(divide(of(a), of(b)))).toBe(quotient);
  });

  it("sums and products are exact", () => {
    fc.assert(
      fc.property(decimal, decimal, (a, b) => {
        expect(equals(subtract(add(a, b), b), a)).toBe(true);
        const { unscaled, scale } = multiply(a, b) as Decimal;
        expect([unscaled, scale]).toEqual([a.unscaled * b.unscaled, a.scale + b.scale]);
        if (b.unscaled !== 0n) expect(equals(divide(multiply(a, b), b), a)).toBe(true);
      }),
    );
  });

  it("rounding to a scale moves a value by half a unit at most", () => {
    fc.assert(
      fc.property(decimal, fc.nat(6), (a, scale) => {
        const moved = subtract(atScale(a, scale), a) as Decimal;
        const half = new Decimal(5n, scale + 1);
        expect(compare(moved, half) <= 0 && compare(moved, new Decimal(-5n, scale + 1)) >= 0).toBe(true);
      }),
    );
  });
});

it("equality, order and hash keys agree", () => {
  fc.assert(
    fc.property(number, number, (a, b) => {
      expect(equals(a, b)).toBe(equals(b, a));
      expect(equals(a, b)).toBe(compare(a, b) === 0);
      expect(hashKey(a) === hashKey(b)).toBe(equals(a, b));
      expect(Math.sign(compare(a, b)) + 0).toBe(0 - Math.sign(compare(b, a)));
    }),
    { numRuns: 2000 },
  );
});
