/**
 * Of what is long (`// long: WHY` in a test file), `npm test` runs every tenth case, and every tenth point of those that walk over
 * points themselves. The property tests' seed chooses which; `npm run test:long`, and a file that is run by its name, runs all.
 */
import { crc32 } from "node:zlib";
import { suiteSeed } from "./property-seed.ts";

/** The part of a whole that is run: `smoke` in `npm test`, `long` in `npm run test:long`, otherwise everything. */
export const suiteRun = process.env.HARN_TEST_RUN;

/** Every tenth, and one of less than ten. `of` names what they are, so that each has places of its own. */
export function everyTenth<T>(all: readonly T[], of: string, seed = suiteSeed): T[] {
  const first = crc32(`${seed}\n${of}`) % Math.max(1, Math.min(10, all.length));
  return all.filter((_, at) => at % 10 === first);
}

/** Only every tenth of what is long is run. What judges a walk as a whole looks away then: `test.skipIf(isSmoke)`. */
export const isSmoke = suiteRun === "smoke";

/** The points of a walk that are looked at. */
export const walked = <T>(points: readonly T[], of: string): readonly T[] =>
  isSmoke ? everyTenth(points, of) : points;

/** How often something is done that is done at random. */
export const tenthOf = (count: number): number => (isSmoke ? Math.ceil(count / 10) : count);
