/** `harn()`: runs in this process. */
import { calledBy } from "./handles/call-site.ts";
import { HarnHandle } from "./handles/harn-handle.ts";
import { checkHarn } from "./option-tables.ts";
import { ownFolders } from "./own-folders.ts";
import type { Harn, HarnOptions } from "./types.ts";

/** Runs scripts and agents in this process; each run is recorded, and can be resumed, replayed and forked. */
export function harn(options: HarnOptions = {}): Harn {
  return calledBy(harn, () => {
    checkHarn("harn", options);
    return new HarnHandle({ ...options, ...ownFolders("harn", options) });
  });
}
