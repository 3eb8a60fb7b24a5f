/** Resuming a run is for one process at a time. */

import { reportFailure, UsageError } from "../host/command/index.ts";
import { type RunWriter, type Store, StoreError } from "../store/index.ts";

/**
 * The run, so that nobody else resumes it at the same time; `undefined` when somebody does, which is said. Before
 * anything is read: what another has added meanwhile would be done again.
 */
export function takeOver(store: Store, name: string): RunWriter | undefined {
  try {
    return store.runs.take(name);
  } catch (error) {
    if (!(error instanceof StoreError) || error.fault !== "taken") throw error;
    reportFailure(
      new UsageError(`${error.message}, and goes on there; this one leaves it alone`, "HARN-CLI-026"),
    );
    return undefined;
  }
}
