/** The golden programs of the areas whose programs start programs, one test each. */
// suite: processes
import { areasWithPrograms, testGoldens } from "../support/golden-suite.ts";

testGoldens([...areasWithPrograms]);
