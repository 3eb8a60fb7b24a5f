/** A harn for tests, with what stands in place of the world. Apart from `testHarn`, whose types are public. */
import { calledBy } from "../handles/call-site.ts";
import { HarnHandle } from "../handles/harn-handle.ts";
import { checkHarn } from "../option-tables.ts";
import type { Bench } from "../orders.ts";
import { ownFolders } from "../own-folders.ts";
import type { Harn, HarnOptions } from "../types.ts";

/** `called`: by the program; it is named where an option is wrong. */
export function benchHarn(
  called: (...args: never[]) => unknown,
  caller: string,
  options: HarnOptions,
  bench: Bench,
): Harn {
  return calledBy(called, () => {
    checkHarn(caller, options);
    const { env = {}, store = "memory" } = options;
    return new HarnHandle({ ...options, env, store, ...ownFolders(caller, options), bench });
  });
}
