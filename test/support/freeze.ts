/** Processes that stand still, as on a machine that sleeps. */
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";

/**
 * Stops the processes with SIGSTOP, none of them in the middle of a write: one that holds the store of `stateFolder` goes on
 * for a moment and is stopped again. Nobody else may be writing there all the time.
 */
export async function freeze(pids: readonly number[], stateFolder: string): Promise<void> {
  for (let tries = 0; ; tries++) {
    for (const pid of pids) process.kill(pid, "SIGSTOP");
    // The signal is under way: a process on another core takes its last step.
    await new Promise((resolve) => setTimeout(resolve, 20));
    const db = new DatabaseSync(join(stateFolder, "state.db"), { timeout: 500 });
    try {
      db.exec("BEGIN IMMEDIATE; ROLLBACK");
      return;
    } catch (error) {
      if (tries === 50) throw error;
      for (const pid of pids) process.kill(pid, "SIGCONT");
      await new Promise((resolve) => setTimeout(resolve, 20));
    } finally {
      db.close();
    }
  }
}
