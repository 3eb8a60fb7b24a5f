/** Where things of the project lie. Imports nothing that starts processes. */
import { dirname, join, resolve } from "node:path";
import { fileURLToPath } from "node:url";

export const projectRoot = resolve(dirname(fileURLToPath(import.meta.url)), "../..");
export const launcher = join(projectRoot, "bin/harn.cjs");

/** Where in the temporary folder the records of programs lie that tests start in the project's own folder. */
export const sharedState = "harn-suite-state";
