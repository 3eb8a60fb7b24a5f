/** The state of a loop as JSON data: shows that it holds nothing else. */
import type { LoopState } from "../../src/agent/state/loop-state.ts";

/** The state as JSON data: what a store would write. */
export function storeLoopState(state: LoopState): string {
  return JSON.stringify(state, (_key, value: unknown) =>
    value instanceof Set || value instanceof Map ? [...value] : value,
  );
}
