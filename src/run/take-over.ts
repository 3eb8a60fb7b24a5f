/** Resuming a run is for one process at a time. */

import { exitCode, UsageError } from "../host/command/index.ts";
import { type RunWriter, type Store, StoreError } from "../store/index.ts";

/**
 * The run, so that nobody else resumes it at the same time; refused when somebody does. Before anything is read: what another has
 * added meanwhile would be done again.
 */
export function takeOver(store: Store, name: string): RunWriter {
  try {
    return store.runs.take(name);
  } catch (error) {
    if (!(error instanceof StoreError) || error.fault !== "taken") throw error;
    const what = [`${error.message}, and goes on there; this one leaves it alone`];
    if (store.runs.elsewhere.noteOf(name) !== undefined) what.push(...error.advice);
    throw new UsageError(what.join("\n  "), "HARN-CLI-026", exitCode.parked);
  }
}
