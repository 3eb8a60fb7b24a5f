/** The set of evaluations that a run is a trial of: it goes on there. */
import type { Journal } from "../../effects/index.ts";
import { isJsonObject } from "../../values/index.ts";

/** Its name; undefined for a run of its own. */
export function setOfTrial({ options }: Journal["header"]): string | undefined {
  const trial = isJsonObject(options) ? options.trial : undefined;
  return typeof trial === "string" ? trial.split(":")[0] : undefined;
}
