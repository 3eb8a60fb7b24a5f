/**
 * A worker on disk (agents.md §17.3): `.harn/workers/ID.json`, written anew at every change of status. What JSON has no
 * form for (functions) is null in it, and named under `closures`. The journal gets the event, not the file: the same run
 * makes the same file again.
 *
 * `cold_start` is what a later process needs: the run and the place in its journal where the loop stands still, and who is
 * at work on it. `digest` tells a file that was edited from one that was written here.
 */

import { guardsAround } from "../../../agent/index.ts";
import { isPending, type WorkStatus } from "../../../durable/index.ts";
import { type Json, shape } from "../../../effects/index.ts";
import { type Crypto, HostError } from "../../../host/index.ts";
import type { Runtime, Task } from "../../../interp/index.ts";
import { notifyPerson } from "../../../interp/index.ts";
import { conversations } from "../../../model/index.ts";
import {
  Callable,
  Dict,
  fromJson,
  jsonParse,
  jsonPretty,
  jsonStringify,
  List,
  sha256Hex,
  toJson,
  type Value,
} from "../../../values/index.ts";
import type { Worker } from "../worker.ts";
import { auditOf, common, executionOf, suspensionOf } from "../worker-handle.ts";

/** Raised when a reader of the older form would misread the newer one. */
export const snapshotVersion = 1;

/** What the file holds. */
export function workerSnapshotOf(worker: Worker, runtime: Runtime, status: WorkStatus): Dict {
  const { plan } = worker;
  const config = plan.spec.with("mode", plan.mode);
  const plain = fromJson(
    toJson(
      Dict.of({
        _type: "worker_snapshot",
        version: snapshotVersion,
        ...common(worker, status),
        history: new List([...worker.history]),
        config,
        closures: new List([...closuresIn(config, "config"), ...guardsOf(worker)]),
        request: plan.request,
        latest_payload: worker.result,
        latest_error: worker.error,
        last_text: worker.lastText,
        transcript: worker.transcript,
        streak: status === "suspended" && worker.streak !== null ? fromJson(worker.streak) : undefined,
        open_calls: openCallsOfSnapshot(worker, runtime, status),
        artifacts: new List([...worker.artifacts]),
        execution: executionOf(worker),
        audit: auditOf(worker),
        carry_policy: carryPolicy(worker),
        suspension: suspensionOf(worker),
        cold_start: coldStart(worker, runtime, status),
      }),
    ),
  ) as Dict;
  // Secrets go before the digest is made: whoever checks it need not have them.
  const hidden = jsonParse(runtime.secrets.hide(jsonStringify(plain))) as Dict;
  return hidden.with("digest", snapshotDigestOf(hidden, runtime.host.crypto));
}

/** What its loop has not dispatched: whoever resumes it begins there. */
function openCallsOfSnapshot(worker: Worker, runtime: Runtime, status: WorkStatus): Value | undefined {
  if (status !== "suspended") return undefined;
  const batch = runtime.state(conversations).get(worker.session)?.openBatch ?? null;
  return batch === null ? undefined : fromJson(batch as unknown as Json);
}

/** Over everything but itself. */
export function snapshotDigestOf(snapshot: Dict, crypto: Crypto): string {
  const text = jsonStringify(snapshot.without("digest"));
  return `sha256:${sha256Hex(crypto, text)}`;
}

/** Paths of functions: nobody can call them from another process. */
function closuresIn(value: Value, path: string): string[] {
  if (value instanceof Callable) return [path];
  if (value instanceof List)
    return [...value].flatMap((item, index) => closuresIn(item, `${path}[${index}]`));
  if (!(value instanceof Dict)) return [];
  return [...value.entries()].flatMap(([key, item]) => closuresIn(item, `${path}.${key}`));
}

/** Functions of the agents that it works for: they guard what it does, and live in this run. */
function guardsOf({ cycle, home }: Worker): string[] {
  const task = cycle ?? home;
  return task === null ? [] : guardsAround(task).map((name) => `config.around.${name}`);
}

function coldStart(worker: Worker, runtime: Runtime, status: WorkStatus): Dict {
  const { hostName, pid } = runtime.host;
  return Dict.of({
    run: runtime.recordedAs?.() ?? null,
    script: runtime.entry === "" ? null : runtime.entry,
    place: status === "suspended" ? worker.journalPlace : null,
    process: isPending(status) ? Dict.of({ host: hostName, pid }) : null,
  });
}

function carryPolicy({ plan: { carry, spec } }: Worker): Dict {
  return Dict.of({
    artifact_mode: carry.artifactMode,
    transcript_mode: carry.transcriptMode,
    context_policy: null,
    resume_workflow: carry.resumeWorkflow,
    persist_state: carry.persistState,
    retriggerable: carry.retriggerable,
    policy: spec.get("policy") ?? null,
  });
}

/**
 * Writes the file, as one recorded effect of the task; `persist_state: false` keeps it off the disk. A folder that can't be
 * written costs the file, not the worker: one line says so.
 */
export async function saveWorkerSnapshot(task: Task, worker: Worker): Promise<void> {
  if (!worker.plan.carry.persistState) return;
  const problem = await task.perform<string | null>({
    effect: "write",
    kind: "worker.snapshot",
    inDoubt: "repeat",
    args: () => ({ id: worker.id, status: worker.statusWord, cycle: worker.history.length }),
    run: () => writeWorkerSnapshot(worker, task.runtime),
    result: shape.orNull(shape.text),
  });
  if (problem === null || worker.isUnkept) return;
  worker.isUnkept = true;
  notifyPerson(
    task.runtime,
    `warning: the state of worker ${worker.id} can't be kept, so nobody can go on with it later: ${problem}\n`,
  );
}

/** Call it inside an effect, or when there are none any more. Gives what was wrong, `null` when all went well. */
export function writeWorkerSnapshot(
  worker: Worker,
  runtime: Runtime,
  status: WorkStatus = worker.status,
): string | null {
  // The runtime's own book-keeping, like the journal: limits on what the program may write do not mean it.
  const { files } = runtime.host.own ?? runtime.host;
  const path = worker.snapshotPath;
  try {
    files.makeDir(path.slice(0, path.lastIndexOf("/")));
    files.write(path, `${jsonPretty(workerSnapshotOf(worker, runtime, status))}\n`, 0o600);
    return null;
  } catch (error) {
    if (error instanceof HostError) return `${error.message} (${path})`;
    throw error;
  }
}
