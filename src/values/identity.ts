/** Which values are compared by identity and which are equal to nothing (language.md §4.3). */
import type { Value } from "./value.ts";

const NEVER_EQUAL: ReadonlySet<string> = new Set([
  "closure",
  "channel",
  "generator",
  "stream",
  "rng",
  "duration",
]);

/** For values that have no structure to compare: handles are equal to themselves, except those that never are. */
export const sameByIdentity = (value: Exclude<Value, null | boolean | number | bigint | string>): boolean =>
  !NEVER_EQUAL.has(value.type);
