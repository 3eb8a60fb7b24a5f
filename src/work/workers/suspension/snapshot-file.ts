/**
 * Reading the file of a worker, which may be anything by now: cut off, edited, of another version, of a worker that is at
 * work elsewhere. Each is one clear error (HARN-SUS-004).
 */
import { shape } from "../../../effects/index.ts";
import { type Crypto, HostError } from "../../../host/index.ts";
import type { Task } from "../../../interp/index.ts";
import { Dict, display, jsonParse, List, ScriptError, type Value } from "../../../values/index.ts";
import { suspensionError } from "./suspension-error.ts";
import { snapshotDigestOf, snapshotVersion } from "./worker-snapshot.ts";

/** A snapshot as it was written, and where it lies. */
export interface ReadSnapshot {
  readonly path: string | null;
  readonly snapshot: Dict;
}

/** Reads and checks the file at a path, once in a run. */
export async function workerSnapshotAt(task: Task, path: string): Promise<ReadSnapshot> {
  const { cwd, files } = task.runtime.host;
  const full = path.startsWith("/") ? path : `${cwd}/${path}`;
  const { text, own } = await task.perform<SnapshotText>({
    effect: "observe",
    kind: "worker.read_snapshot",
    args: () => path,
    run: () => {
      try {
        return { text: files.readText(full), own: ((files.stat(full)?.mode ?? 0o777) & 0o077) === 0 };
      } catch (error) {
        if (error instanceof HostError) throw unreadable(path, error.message);
        throw error;
      }
    },
    result: snapshotTextShape,
  });
  const stored = checkedSnapshot(task.runtime.host.crypto, path, parsedSnapshot(path, text));
  const snapshot = own ? (parsedSnapshot(path, task.runtime.secrets.revealInJson(text)) as Dict) : stored;
  return { path: full, snapshot };
}

interface SnapshotText {
  readonly text: string;
  /** Nobody else could have written it: names of secrets in it are meant. */
  readonly own: boolean;
}

/** The text, in a list where it is our own. */
const snapshotTextShape = shape.either(shape.text, shape.listOf(shape.text)).as<SnapshotText>(
  ({ text, own }) => (own ? [text] : text),
  (stored) =>
    typeof stored === "string" ? { text: stored, own: false } : { text: stored[0] ?? "", own: true },
);

/** The text of such a file as a value. */
export function parsedSnapshot(path: string, text: string): Value {
  try {
    return jsonParse(text);
  } catch (error) {
    if (!(error instanceof ScriptError)) throw error;
    throw unreadable(path, "it is no JSON; it may have been cut off");
  }
}

/** A worker's snapshot that nobody has changed. `name` is what errors call it. */
export function checkedSnapshot(crypto: Crypto, name: string, value: Value): Dict {
  if (!(value instanceof Dict) || value.get("_type") !== "worker_snapshot")
    throw unreadable(name, "it is no worker snapshot");
  const version = value.get("version") ?? null;
  if (version !== snapshotVersion)
    throw unreadable(
      name,
      `it has version ${display(version)}, and this harn reads version ${snapshotVersion}; use the harn that wrote it`,
    );
  if (value.get("digest") !== snapshotDigestOf(value, crypto))
    throw unreadable(name, "it was changed since it was written: its digest does not match");
  for (const field of ["id", "status", "task", "mode", "snapshot_path"] as const)
    if (typeof value.get(field) !== "string") throw unreadable(name, `its \`${field}\` is no string`);
  if (!(value.get("config") instanceof Dict && value.get("audit") instanceof Dict))
    throw unreadable(name, "it lacks `config` or `audit`");
  if (typeof (value.get("audit") as Dict).get("session_id") !== "string")
    throw unreadable(name, "its `audit.session_id` is no string");
  return value;
}

export const closuresOf = (snapshot: Dict): string[] => {
  const paths = snapshot.get("closures");
  return paths instanceof List ? [...paths].filter((path) => typeof path === "string") : [];
};

export function unreadable(name: string, why: string): ScriptError {
  return suspensionError(
    "HARN-SUS-004",
    `resume_agent: failed to load snapshot \`${name}\`: worker snapshot read error: ${why}`,
  );
}
