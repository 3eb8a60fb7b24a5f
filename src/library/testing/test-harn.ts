/** `testHarn()`: `harn()` in a world of its own. */
import type { Harn, HarnOptions } from "../types.ts";
import { benchHarn } from "./bench-harn.ts";

/**
 * A harn for tests. What its runs do is the same each time, and nothing leaves the process:
 *
 * - time is virtual: it begins at 2026-01-01, and waiting costs nothing; what is random comes from a fixed seed
 * - files are read from `cwd` and written in memory, for all of its runs; programs are not started
 * - there is no network, also none to models: give answers with `mock` or `tape`, or a `fetch` that answers
 * - scripts see no variables but those of `env`; runs are stored in a folder that is gone with `close`, unless `store` names one
 *
 * Tools are functions of the test, and do what they do.
 */
export const testHarn = (options: HarnOptions = {}): Harn => benchHarn(testHarn, "testHarn", options, {});
