/**
 * The file of a mailbox, `workflows/ID/state.json` in the state folder: read and changed by every program of the project,
 * one at a time. The lock is a folder that is renamed into place, which only one of several can do.
 */

import { HostError } from "../../../host/index.ts";
import type { Task } from "../../../interp/index.ts";
import { newId } from "../../../interp/index.ts";
import {
  Dict,
  decodeValue,
  encodeValue,
  type Given,
  thrown,
  typeOf,
  type Value,
} from "../../../values/index.ts";
import { joinPaths } from "../../files/path-text.ts";
import { readStateDict, stateFile, writeStateDict } from "../../files/state-files.ts";
import { type Changed, emptyState, once } from "./state.ts";

export interface Mailbox {
  readonly caller: string;
  readonly workflow: string;
}

/** A mailbox where it lies. Only effects know: a replay has no folders. */
interface Place extends Mailbox {
  readonly folder: string;
}

const placeOf = (task: Task, box: Mailbox): Place => ({
  ...box,
  folder: stateFile(task, "workflows", fileName(box.workflow)),
});

/** The workflow that is meant: its id, or something that says it. */
export function mailboxOf(caller: string, target: Given): Mailbox {
  const workflow = idOf(target);
  if (workflow === undefined)
    throw thrown(
      `${caller}: target must be a workflow id, {workflow_id}, a graph or a run; got ${typeOf(target ?? null)}`,
    );
  return { caller, workflow };
}

function idOf(target: Given): string | undefined {
  if (typeof target === "string") return target === "" ? undefined : target;
  if (!(target instanceof Dict)) return undefined;
  const run = target.get("run");
  const own = target.get("_type") === "workflow_graph" ? target.get("id") : target.get("workflow_id");
  return own === undefined && run instanceof Dict ? idOf(run) : idOf(own === target ? undefined : own);
}

/** An id may hold anything; a folder's name may not. */
const fileName = (id: string): string =>
  id.replace(/[^A-Za-z0-9._-]|^\.+/gu, (part) => encodeURIComponent(part).replaceAll(".", "%2E"));

const pathOf = ({ folder }: Place): string => joinPaths([folder, "state.json"]);

function readState(task: Task, place: Place): Dict {
  return emptyState(place.workflow).merge(readStateDict(task, place.caller, pathOf(place)));
}

/** Looks at the state, as an effect. */
export async function look(
  task: Task,
  box: Mailbox,
  about: Value,
  see: (state: Dict, folder: string) => Value,
): Promise<Value> {
  return await task.perform<Value>({
    effect: "read",
    kind: box.caller,
    args: () => encodeValue(about),
    run: () => {
      const place = placeOf(task, box);
      return see(readState(task, place), place.folder);
    },
    encode: encodeValue,
    decode: (stored) => decodeValue(stored, () => undefined),
  });
}

/** Changes the state, as one effect that may be repeated. */
export async function change(
  task: Task,
  box: Mailbox,
  about: Value,
  apply: (state: Dict, folder: string) => Changed,
): Promise<Value> {
  const operation = newId(task);
  return await task.perform<Value>({
    effect: "write",
    kind: box.caller,
    doubtful: "repeat",
    args: () => encodeValue(about),
    run: async (signal) => {
      const place = placeOf(task, box);
      const release = await lock(task, place, signal);
      try {
        const { state, result } = once(readState(task, place), operation, (before) =>
          apply(before, place.folder),
        );
        writeStateDict(task, box.caller, pathOf(place), state);
        return result;
      } finally {
        release();
      }
    },
    encode: encodeValue,
    decode: (stored) => decodeValue(stored, () => undefined),
  });
}

// ── one at a time ─────────────────────────────────────────────────────────────────────────────────────────────────

const retryMs = 5;
const patienceMs = 10_000;
/** A change takes a millisecond: a lock that is so old belongs to a process that was killed. */
const staleMs = 5000;

async function lock(task: Task, { caller, folder }: Place, signal: AbortSignal): Promise<() => void> {
  const { files, clock } = task.runtime.host;
  const path = joinPaths([folder, "lock"]);
  files.makeDir(folder);
  for (let waited = 0; ; waited += retryMs) {
    if (tryLock(task, folder, path)) return () => files.remove(path);
    const held = files.stat(path);
    if (held !== undefined && clock.now() - held.modified > staleMs) removeStale(task, path);
    else if (waited >= patienceMs) throw thrown(`${caller}: ${path} is held by another program`);
    else await clock.sleep(retryMs, signal);
  }
}

/** A folder with something in it can't be renamed onto another one: of several that try, one is first. */
function tryLock(task: Task, folder: string, path: string): boolean {
  const { files } = task.runtime.host;
  const own = files.makeTempDir(joinPaths([folder, "lock-"]));
  files.write(joinPaths([own, "held"]), "");
  try {
    if (files.stat(path) === undefined) {
      files.rename(own, path);
      return true;
    }
  } catch (error) {
    if (!(error instanceof HostError)) throw error;
  }
  files.remove(own);
  return false;
}

/** Another program may have removed it meanwhile. */
function removeStale(task: Task, path: string): void {
  try {
    task.runtime.host.files.remove(path);
  } catch (error) {
    if (!(error instanceof HostError)) throw error;
  }
}
