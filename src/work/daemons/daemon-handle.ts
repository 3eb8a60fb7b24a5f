/** A daemon as scripts see it: dicts that were true when they were made (agents.md §18), and which daemon of the run a value means. */

import { stateKey, type Task } from "../../interp/index.ts";
import { Dict, display, List, thrown, type Value } from "../../values/index.ts";
import { idOf, WorkTable } from "../work.ts";
import type { Daemon } from "./daemon.ts";
import { folderKey } from "./daemon-plan.ts";
import type { DaemonEvent } from "./event-queue.ts";

export function daemonEventDict({ seq, enqueuedAt, payload }: DaemonEvent): Dict {
  return Dict.of({ seq, enqueued_at: enqueuedAt, payload });
}

export function daemonHandle(daemon: Daemon): Dict {
  const { plan, events } = daemon;
  return Dict.of({
    _type: "daemon_handle",
    id: daemon.id,
    name: plan.name,
    status: daemon.statusWord,
    daemon_state: daemon.daemonState,
    saved_at: daemon.savedAt,
    session_id: daemon.session,
    persist_path: plan.folder,
    snapshot_path: `${plan.folder}/daemon.json`,
    pending_event_count: events.pending.length,
    queued_event_count: events.size,
    event_queue_capacity: plan.capacity,
    inflight_event: events.claimed === null ? undefined : daemonEventDict(events.claimed),
    result: daemon.result ?? undefined,
    error: daemon.error ?? undefined,
  });
}

/** `daemon_snapshot`: what the loop has come to, with the handle and the events. */
export function fullSnapshot(daemon: Daemon): Dict {
  const { pending, claimed } = daemon.events;
  return daemon.snapshot.merge(daemonHandle(daemon)).merge(
    Dict.of({
      _type: "daemon_snapshot",
      pending_events: new List(pending.map(daemonEventDict)),
      inflight_event: claimed === null ? null : daemonEventDict(claimed),
    }),
  );
}

/** The daemons of a run. */
class DaemonTable extends WorkTable<Daemon> {
  private readonly byFolder = new Map<string, Daemon>();

  enter(task: Task, daemon: Daemon): void {
    this.add(daemon);
    this.byFolder.set(folderKey(task, daemon.plan.folder), daemon);
  }

  /** The newest daemon of a folder. */
  in(task: Task, folder: string): Daemon | undefined {
    return this.byFolder.get(folderKey(task, folder));
  }

  /** By handle or id. */
  need(value: Value): Daemon {
    const found = this.find(value);
    if (found !== undefined) return found;
    throw thrown(`unknown daemon '${display(idOf(value) ?? null)}'`);
  }
}

/** `task.runtime.state(daemons)` */
export const daemons = stateKey<DaemonTable>("daemons", () => new DaemonTable());
