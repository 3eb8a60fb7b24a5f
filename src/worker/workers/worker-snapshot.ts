/**
 * A worker on disk (agents.md §17.3): `.harn/workers/ID.json`, written anew at every change of status. What JSON has no
 * form for (functions) is null in it. The journal gets the event, not the file: the same run makes the same file again.
 */
import { HostError } from "../../host/index.ts";
import type { Task } from "../../interp/index.ts";
import {
  Dict,
  fromJson,
  jsonParse,
  jsonPretty,
  List,
  ScriptError,
  toJson,
  type Value,
} from "../../values/index.ts";
import type { Worker } from "./worker.ts";
import { auditOf, common, suspensionOf } from "./worker-handle.ts";

export function snapshotOf(worker: Worker): Dict {
  const { plan } = worker;
  return fromJson(
    toJson(
      Dict.of({
        _type: "worker_snapshot",
        ...common(worker),
        history: new List([...worker.history]),
        config: plan.spec.with("mode", plan.mode),
        request: plan.request,
        latest_payload: worker.result,
        latest_error: worker.error,
        transcript: worker.transcript,
        artifacts: new List([...worker.artifacts]),
        execution: Dict.of({ cwd: null, env: new Dict(), worktree: null }),
        audit: auditOf(worker),
        carry_policy: carryPolicy(worker),
        suspension: suspensionOf(worker),
      }),
    ),
  ) as Dict;
}

function carryPolicy({ plan: { carry, spec } }: Worker): Dict {
  return Dict.of({
    artifact_mode: carry.artifactMode,
    transcript_mode: carry.transcriptMode,
    context_policy: null,
    resume_workflow: false,
    persist_state: carry.persistState,
    retriggerable: carry.retriggerable,
    policy: spec.get("policy") ?? null,
  });
}

/** Writes the file, as one recorded effect of the task; `persist_state: false` keeps it off the disk. */
export async function saveSnapshot(task: Task, worker: Worker): Promise<void> {
  if (!worker.plan.carry.persistState) return;
  const { files } = task.runtime.host;
  const path = worker.snapshotPath;
  await task.perform<Value>({
    effect: "write",
    kind: "worker.snapshot",
    doubtful: "repeat",
    args: () => ({ id: worker.id, status: worker.status, cycle: worker.history.length }),
    run: () => {
      files.makeDir(path.slice(0, path.lastIndexOf("/")));
      files.write(path, `${jsonPretty(snapshotOf(worker))}\n`);
      return null;
    },
    encode: () => null,
    decode: () => null,
  });
}

/** The id in the snapshot at a path. */
export async function snapshotId(task: Task, path: string): Promise<string> {
  const { cwd, files } = task.runtime.host;
  const full = path.startsWith("/") ? path : `${cwd}/${path}`;
  const text = await task.perform<string>({
    effect: "observe",
    kind: "worker.read_snapshot",
    args: () => path,
    run: () => {
      try {
        return files.readText(full);
      } catch (error) {
        if (error instanceof HostError) throw unreadable(path, error.message);
        throw error;
      }
    },
    encode: (result) => result,
    decode: (stored) => String(stored),
  });
  let value: Value;
  try {
    value = jsonParse(text);
  } catch {
    throw unreadable(path, "it is no JSON");
  }
  const id = value instanceof Dict && value.get("_type") === "worker_snapshot" ? value.get("id") : null;
  if (typeof id !== "string") throw unreadable(path, "it is no worker snapshot");
  return id;
}

function unreadable(path: string, why: string): ScriptError {
  const code = "HARN-SUS-004";
  const text = `${code}: resume_agent: failed to load snapshot \`${path}\`: worker snapshot read error: ${why}`;
  return new ScriptError("thrown", text, { code });
}
