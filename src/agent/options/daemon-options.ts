/**
 * What makes a loop a daemon (agents.md §18). `persist_path` and `resume_path`
 * hold for every loop; the others say how a daemon idles and are refused where nothing would ever idle.
 */
import { at, inside, type Read, refusal, row, rows } from "../../table/index.ts";

export const daemonRows = rows(() => ({
  daemon: row.bool("Idle after a turn without tool calls, where other loops end.", false),
  persist_path: row.filled("Where snapshots are written, on idle and at the end."),
  resume_path: row.filled("The snapshot that the loop goes on from.").with({ sets: ["brings a contract"] }),
  wake_interval_ms: row
    .duration("An idle loop looks around so often.", null, { min: 1 })
    .to((ms) => Math.ceil(ms)),
  watch_paths: row
    .texts("Files and folders whose changes wake it.")
    .where("a path or a list of paths", (paths) => !paths.includes("")),
  consolidate_on_idle: row.bool("Compact when it idles.", false),
  idle_watchdog_attempts: row
    .duration("Empty ticks in a row after which it ends.", null, { min: 1 })
    .to((ms) => Math.ceil(ms))
    .bounds(),
}));

export type DaemonOptions = Read<typeof daemonRows>;

/** `null`: a plain loop that nobody persists. */
export function daemonIn(read: DaemonOptions, caller: string): DaemonOptions | null {
  if (read.daemon) return read;
  const idle = {
    wake_interval_ms: read.wakeIntervalMs !== null,
    watch_paths: read.watchPaths.length > 0,
    consolidate_on_idle: read.consolidateOnIdle,
    idle_watchdog_attempts: read.idleWatchdogAttempts !== null,
  };
  const lost = Object.entries(idle).find(([, given]) => given);
  if (lost !== undefined)
    throw refusal(inside(at(caller), "daemon"), `true for \`${lost[0]}\``, read.daemon, {
      help: "other loops never idle",
    });
  return read.persistPath === null && read.resumePath === null ? null : read;
}
