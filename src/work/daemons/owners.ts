/**
 * Which process runs the daemon of a folder. Whoever knows the project's store says it (`cli/`); in a program without one
 * only the run itself knows its daemons.
 */
import { stateKey, type Task } from "../../interp/index.ts";

export interface DaemonOwners {
  /** Takes the folder, or finds that it has it; else who has it, in words. */
  hold(folder: string): string | undefined;
  /** Gives it back. */
  letGo(folder: string): void;
}

const nobodyElse: DaemonOwners = { hold: () => undefined, letGo: () => {} };

/** `load` is set by whoever wires a store to runs. */
export const daemonOwners = stateKey<{ load: (() => Promise<DaemonOwners>) | null }>(
  "worker.daemon owners",
  () => ({ load: null }),
);

/** Loaded by the first daemon. */
export async function ownersOf(task: Task): Promise<DaemonOwners> {
  const { load } = task.runtime.state(daemonOwners);
  return load === null ? nobodyElse : await task.runtime.effects.turns.hold(load());
}
