/**
 * A daemon on disk: `daemon.json` is its loop's snapshot, `daemon.meta.json` the rest: who it is, what it was asked for, the
 * events that wait. Whoever writes must be the one process that runs the daemon of the folder.
 */

import { hostPathOf, readDaemonFile } from "../../agent/index.ts";
import { type Json, shape } from "../../effects/index.ts";
import { HostError } from "../../host/index.ts";
import type { Task } from "../../interp/index.ts";
import { keptFiles } from "../../interp/index.ts";
import { Dict, display, fromJson, jsonPretty, List, thrown, type Value } from "../../values/index.ts";
import type { Daemon } from "./daemon.ts";
import { daemonEventDict } from "./daemon-handle.ts";
import { folderKey, storedConfig } from "./daemon-plan.ts";
import type { DaemonEvent } from "./event-queue.ts";
import { ownersOf } from "./owners.ts";

export const metaFile = (folder: string): string => `${folder}/daemon.meta.json`;
export const snapshotFile = (folder: string): string => `${folder}/daemon.json`;

function metaOf(daemon: Daemon): Dict {
  const { plan, events } = daemon;
  return Dict.of({
    _type: "daemon_meta",
    version: 1,
    id: daemon.id,
    name: plan.name,
    status: daemon.statusWord,
    session_id: daemon.session,
    last_seq: events.lastSeq,
    pending_events: new List(events.pending.map(daemonEventDict)),
    inflight_event: events.claimed === null ? null : daemonEventDict(events.claimed),
    config: storedConfig(plan),
  });
}

/** What the journal gets of it: the same run makes the same file again. */
function outlineDaemonFile({ plan, statusWord, events }: Daemon): Json {
  return {
    folder: plan.folder,
    status: statusWord,
    last_seq: events.lastSeq,
    inflight: events.claimed?.seq ?? null,
    pending: events.pending.length,
  };
}

/** Takes the folder for this process, or throws who has it. */
export async function ownerGuard(task: Task, folder: string, caller: string): Promise<() => void> {
  const owners = await ownersOf(task);
  const key = folderKey(task, folder);
  return () => {
    const other = owners.hold(key);
    if (other !== undefined) throw thrown(`${caller}: the daemon in ${folder} is run by ${other} already`);
  };
}

/** Writes what changed. A second process that runs a daemon of this folder is refused here. */
export async function saveMeta(task: Task, daemon: Daemon, caller: string): Promise<void> {
  const { folder } = daemon.plan;
  const owners = await ownersOf(task);
  const mustOwn = await ownerGuard(task, folder, caller);
  const meta = metaOf(daemon);
  daemon.savedAt = await task.perform<string>({
    effect: "write",
    kind: "daemon.meta",
    inDoubt: "repeat",
    args: () => outlineDaemonFile(daemon),
    run: () => {
      const { clock } = task.runtime.host;
      const files = keptFiles(task.runtime);
      mustOwn();
      const savedAt = String(Math.floor(clock.now() / 1000));
      try {
        files.makeDir(hostPathOf(task, folder));
        const text = `${jsonPretty(meta.with("saved_at", savedAt))}\n`;
        files.write(hostPathOf(task, metaFile(folder)), text);
      } catch (error) {
        if (!(error instanceof HostError)) throw error;
        throw thrown(`${caller}: cannot write ${metaFile(folder)}: ${error.message}`);
      }
      if (!daemon.isPending) owners.letGo(folderKey(task, folder));
      return savedAt;
    },
    result: shape.text,
  });
}

/** What `daemon.meta.json` says. */
export interface StoredDaemon {
  readonly id: string;
  readonly session: string;
  readonly lastSeq: number;
  readonly pending: readonly DaemonEvent[];
  readonly inflight: DaemonEvent | null;
  readonly config: Dict;
}

/** Reads and checks it. */
export async function loadMeta(task: Task, folder: string): Promise<StoredDaemon> {
  const path = metaFile(folder);
  const unreadable = `daemon_resume: daemon snapshot read error: ${path}`;
  const bad = (why: string): never => {
    throw thrown(`${unreadable}${why}`);
  };
  const text = await readDaemonFile(task, "daemon.load_meta", path, unreadable);
  let value: Value;
  try {
    value = fromJson(JSON.parse(text));
  } catch {
    return bad(" is not JSON: it is damaged or was cut off");
  }
  if (!(value instanceof Dict) || value.get("_type") !== "daemon_meta")
    return bad(" is not what a daemon wrote (its `_type` is not `daemon_meta`)");
  if (value.get("version") !== 1)
    return bad(` has version ${display(value.get("version") ?? null)}; this version of harn reads version 1`);
  const [id, session, lastSeq] = [value.get("id"), value.get("session_id"), value.get("last_seq")];
  const config = value.get("config");
  const pending = value.get("pending_events");
  if (typeof id !== "string" || typeof session !== "string" || typeof lastSeq !== "number")
    return bad(" lacks `id`, `session_id` or `last_seq`: was it edited?");
  if (!(config instanceof Dict) || !(pending instanceof List))
    return bad(" lacks `config` or `pending_events`: was it edited?");
  const inflight = value.get("inflight_event") ?? null;
  const read = (item: Value): DaemonEvent =>
    eventFrom(item) ?? bad(" holds an event without `seq`, `enqueued_at` and `payload`: was it edited?");
  return {
    id,
    session,
    lastSeq,
    pending: pending.toArray().map(read),
    inflight: inflight === null ? null : read(inflight),
    config,
  };
}

function eventFrom(item: Value): DaemonEvent | undefined {
  if (!(item instanceof Dict)) return undefined;
  const [seq, enqueuedAt] = [item.get("seq"), item.get("enqueued_at")];
  if (typeof seq !== "number" || typeof enqueuedAt !== "string" || !item.has("payload")) return undefined;
  return { seq, enqueuedAt, payload: item.get("payload") ?? null };
}
