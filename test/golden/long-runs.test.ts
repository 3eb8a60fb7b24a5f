/** The golden programs of the areas whose programs play long runs, one test each. */
// suite: slow
import { areasOfLongRuns, testGoldens } from "../support/golden-suite.ts";

testGoldens([...areasOfLongRuns]);
