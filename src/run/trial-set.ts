/** The trial of a set of evaluations that a run is, by what its header says; and the trial that somebody means. */
import { existsSync } from "node:fs";
import type { Journal } from "../effects/index.ts";
import { inStoreOr } from "../host/command/index.ts";
import { ownPath } from "../process/index.ts";
import { isJsonObject } from "../values/index.ts";

/** Its address, `SET:TASK/VARIANT/SAMPLE.EPOCH`; undefined for a run of its own. */
export function trialOfRun({ options }: Journal["header"]): string | undefined {
  const trial = isJsonObject(options) ? options.trial : undefined;
  return typeof trial === "string" ? trial : undefined;
}

/** The name of its set, in which it goes on; undefined for a run of its own. */
export const setOfTrial = (header: Journal["header"]): string | undefined =>
  trialOfRun(header)?.split(":")[0];

/** The address of the trial that a name means: the address itself, or the name of a run of a trial. Undefined: a run or a file. */
export function trialMeant(named: string): string | undefined {
  if (existsSync(ownPath(named))) return undefined;
  if (named.includes(":")) return named;
  return inStoreOr(
    () => undefined,
    ({ runs }) => (runs.has(named) ? trialOfRun(runs.read(named).header) : undefined),
  );
}

/** A trial is a part of its set's program. */
export const noOtherScript =
  "--script: a trial is followed with the program of its set; `harn eval check --set SET FILE` shows what another one changes";
