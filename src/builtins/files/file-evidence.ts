/**
 * How a resumed run finds out whether a change of a file happened that was in progress when its process ended
 * (docs/resume.md): by what was there before.
 */
import type { Json } from "../../effects/index.ts";
import type { Task } from "../../interp/index.ts";
import type { BuiltinSpec } from "../../table/index.ts";
import { Bytes, type Value } from "../../values/index.ts";
import { hostPath, textOf } from "../arguments.ts";

type WriteEvidence = NonNullable<BuiltinSpec["evidence"]>;
type EvidenceVerdict = "done" | "undone" | "unknown";

/** `null` when nothing is there, or it can't be looked at. */
function evidenceSizeOf(task: Task, path: Value | undefined): number | null {
  try {
    return task.runtime.host.files.stat(hostPath(task, path))?.size ?? null;
  } catch {
    return null;
  }
}

function bytesOf(text: Value | undefined): number {
  return text instanceof Bytes ? text.data.length : new TextEncoder().encode(textOf(text)).length;
}

/** The file has grown by just what was to be added, or not at all. */
export const appended: WriteEvidence = {
  before: (task, path) => evidenceSizeOf(task, path),
  after: (before, task, path, text): EvidenceVerdict => {
    const now = evidenceSizeOf(task, path);
    if (now === before) return "undone";
    return now === Number(before ?? 0) + bytesOf(text) ? "done" : "unknown";
  },
};

/** What was there is gone. */
export const deleted: WriteEvidence = {
  before: (task, path) => evidenceSizeOf(task, path) !== null,
  after: (before, task, path): EvidenceVerdict => {
    if (before !== true) return "undone";
    return evidenceSizeOf(task, path) === null ? "done" : "undone";
  },
};

/** What was at the one place is at the other. */
export const moved: WriteEvidence = {
  before: (task, from, to): Json => [evidenceSizeOf(task, from) !== null, evidenceSizeOf(task, to) !== null],
  after: (before, task, from, to): EvidenceVerdict => {
    const [had] = before as readonly boolean[];
    if (had !== true || evidenceSizeOf(task, from) !== null) return "undone";
    return evidenceSizeOf(task, to) === null ? "unknown" : "done";
  },
};
