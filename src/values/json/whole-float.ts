/**
 * A float that is whole, for programs in JavaScript, whose numbers do not tell `1.0` from `1`: `float(1)`. Light, and known by its
 * mark, since the module may be loaded twice in a process.
 */
const mark: unique symbol = Symbol.for("harn.float") as never;

/** A number that scripts get as a float, whole or not. */
export interface WholeFloat {
  readonly [mark]: number;
  valueOf(): number;
  toJSON(): number;
}

export function float(value: number): WholeFloat {
  if (typeof value !== "number") throw new TypeError(`float: expected a number, got ${typeof value}`);
  return Object.freeze({ [mark]: value, valueOf: () => value, toJSON: () => value });
}

/** The number of a `float`; undefined for everything else. */
export const numberOfFloat = (data: object): number | undefined => {
  const value = (data as Partial<WholeFloat>)[mark];
  return typeof value === "number" ? value : undefined;
};
