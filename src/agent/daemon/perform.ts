/** What the loop of a daemon asks the driver for, done; and the beginning and the end of a loop that is persisted. */

import type { Task } from "../../interp/index.ts";
import type { Dict, MaybePromise } from "../../values/index.ts";
import { publishRepairs, repairOptions } from "../context/repair/in-loop.ts";
import { repairConversation } from "../context/repair/repair.ts";
import type { LoopCall } from "../state/loop-call.ts";
import type { Loop } from "../state/loop-state.ts";
import type { DaemonAsk } from "../state/requests.ts";
import { loadSnapshot, saveSnapshot } from "./files.ts";
import { restoreLoop, snapshotOf } from "./snapshot.ts";
import { lookAtFiles, waitForWake } from "./wait.ts";

export function performDaemon(task: Task, loop: Loop, ask: DaemonAsk): MaybePromise<unknown> {
  switch (ask.kind) {
    case "daemon_event":
      return loop.mailbox === null ? null : loop.mailbox.take(task);
    case "daemon_idled":
      return idled(task, loop);
    case "daemon_wait":
      return waitForWake(task, {
        ms: ask.ms,
        paths: loop.options.daemon?.watchPaths ?? [],
        seen: loop.state.slots.daemon.watchState,
        onArrival: (wake) => arrivals(loop, wake),
      });
  }
}

function arrivals({ mailbox, conversation }: Loop, wake: () => void): () => void {
  const endArrivals = mailbox?.onArrival(wake);
  conversation.arrivals.add(wake);
  return () => {
    endArrivals?.();
    conversation.arrivals.delete(wake);
  };
}

async function idled(task: Task, loop: Loop): Promise<null> {
  const { daemon } = loop.state.slots;
  const paths = loop.options.daemon?.watchPaths ?? [];
  daemon.phase = "idle";
  // Of what changed while the loop worked, much is its own doing: only what changes from here on wakes it.
  if (paths.length > 0) daemon.watchState ??= await lookAtFiles(task, paths);
  const snapshot = await save(task, loop, "idle");
  await loop.mailbox?.idled(task, snapshot);
  return null;
}

async function save(task: Task, loop: Loop, state: string): Promise<ReturnType<typeof snapshotOf>> {
  const snapshot = snapshotOf(loop, state);
  const path = loop.options.daemon?.persistPath ?? null;
  if (path === null) return snapshot;
  return await saveSnapshot(task, path, snapshot, await loop.mailbox?.guard(task));
}

/** Before the first turn: what an earlier loop has left. Gives its snapshot, `null` when this one begins anew. */
export async function openDaemon(task: Task, loop: Loop, call: LoopCall): Promise<Dict | null> {
  const { daemon } = loop.options;
  let snapshot: Dict | null = null;
  loop.state.slots.daemon.startsIdle = call.isResumed === true;
  if (daemon !== null && daemon.resumePath !== null) {
    snapshot = await loadSnapshot(task, daemon.resumePath);
    // A conversation of this run that the daemon goes on in is what the snapshot says it is.
    if (call.isResumed === true) loop.conversation.forgetMessages();
    restoreLoop(loop, snapshot, daemon.resumePath);
    await publishRepairs(task, loop, repairConversation(loop.conversation, repairOptions(loop)));
  }
  loop.mailbox?.opened(() => snapshotOf(loop, loop.state.slots.daemon.phase));
  return snapshot;
}

/** After the last turn: the snapshot with its final state. */
export async function closeDaemon(task: Task, loop: Loop, status: string): Promise<void> {
  const { slots } = loop.state;
  slots.daemon.phase = status;
  if (loop.options.daemon?.persistPath != null) await save(task, loop, status);
}
