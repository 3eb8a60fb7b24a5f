/** Snapshots on disk, as effects. A snapshot is written whole, so writing it twice is writing it once. */

import { type Json, shape } from "../../effects/index.ts";
import { HostError } from "../../host/index.ts";
import { keptFiles, type Task } from "../../interp/index.ts";
import { type Dict, jsonPretty, List, thrown, toJson } from "../../values/index.ts";
import { hostPathOf } from "../checks/files.ts";
import { parseSnapshot } from "./snapshot.ts";

/** Writes a snapshot with the time at which that was; gives it. `guard` throws when this process may not. */
export async function saveSnapshot(
  task: Task,
  path: string,
  snapshot: Dict,
  guard?: () => void,
): Promise<Dict> {
  const savedAt = await task.perform<string>({
    effect: "write",
    kind: "daemon.save",
    inDoubt: "repeat",
    args: () => ({ path, ...outline(snapshot) }),
    run: () => {
      guard?.();
      const { clock } = task.runtime.host;
      const files = keptFiles(task.runtime);
      const time = String(Math.floor(clock.now() / 1000));
      const full = hostPathOf(task, path);
      try {
        files.makeDir(full.slice(0, Math.max(1, full.lastIndexOf("/"))));
        files.write(full, `${jsonPretty(stamped(snapshot, time))}\n`);
      } catch (error) {
        if (!(error instanceof HostError)) throw error;
        throw thrown(`daemon snapshot write error: ${path}: ${error.message}`);
      }
      return time;
    },
    result: shape.text,
  });
  return stamped(snapshot, savedAt);
}

/** What the journal gets of it: the same run makes the same file again. */
function outline(snapshot: Dict): { readonly [name: string]: Json } {
  const messages = snapshot.get("recorded_messages");
  return {
    state: toJson(snapshot.get("daemon_state") ?? null) as Json,
    iterations: toJson(snapshot.get("total_iterations") ?? null) as Json,
    messages: messages instanceof List ? messages.length : 0,
  };
}

const stamped = (snapshot: Dict, savedAt: string): Dict => snapshot.with("saved_at", savedAt);

/** Reads and checks a snapshot. */
export async function loadSnapshot(task: Task, path: string): Promise<Dict> {
  const unreadable = `daemon snapshot read error: ${path}`;
  return parseSnapshot(await readDaemonFile(task, "daemon.load", path, unreadable), path);
}

/** The text of a daemon's file, recorded under this kind; `unreadable` begins the error when it can't be read. */
export async function readDaemonFile(
  task: Task,
  kind: string,
  path: string,
  unreadable: string,
): Promise<string> {
  return await task.perform<string>({
    effect: "read",
    kind,
    args: () => ({ path }),
    run: () => {
      try {
        return keptFiles(task.runtime).readText(hostPathOf(task, path));
      } catch (error) {
        if (!(error instanceof HostError)) throw error;
        throw thrown(`${unreadable}: ${error.message}`);
      }
    },
    result: shape.text,
  });
}
