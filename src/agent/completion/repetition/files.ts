/**
 * What a loop's calls make of files, followed without looking at one: a content is its digest, a change is the pair of
 * what was replaced by what. A change and its opposite cancel each other, so a file that was put back is known again.
 */
import type { FileHistory, ProgressState } from "../../state/repetition-state.ts";

/** What a writing call does to a file. */
export interface CallFileChange {
  readonly path: string;
  /** Given as a whole, or a change of a part. */
  readonly content: string | null;
  readonly replaced: readonly [old: string, next: string] | null;
}

const wholeKeys = ["content", "contents", "text", "file_text", "new_content", "data"];
const pairKeys = [
  ["old", "new"],
  ["old_text", "new_text"],
  ["old_string", "new_string"],
  ["old_str", "new_str"],
  ["search", "replace"],
  ["find", "replace"],
  ["find", "replacement"],
] as const;

/** Reads the change out of a call's arguments by the names that tools use for them; null: they do not say. */
export function fileChange(path: string, args: Readonly<Record<string, unknown>>): CallFileChange | null {
  const text = (key: string): string | null => (typeof args[key] === "string" ? args[key] : null);
  for (const [old, next] of pairKeys) {
    const [from, to] = [text(old), text(next)];
    if (from !== null && to !== null) return { path, content: null, replaced: [from, to] };
  }
  for (const key of wholeKeys) {
    const content = text(key);
    if (content !== null) return { path, content, replaced: null };
  }
  return null;
}

/** Beyond so many changes of one file they become its content. */
const maxChanges = 100;

/** Notes a change; true when the file has come back to what it was before. */
export function noteChange(
  { files }: Pick<ProgressState, "files">,
  change: CallFileChange,
  digest: (text: string) => string,
): boolean {
  const { path, content, replaced } = change;
  let file = files.get(path);
  if (file === undefined) {
    file = { seen: new Set(["as found"]), base: "as found", changes: [] };
    files.set(path, file);
  }
  const before = historyDigest(file, digest);
  if (content !== null) {
    file.base = digest(content);
    file.changes.length = 0;
  } else if (replaced !== null) replacePart(file, [digest(replaced[0]), digest(replaced[1])], digest);
  const after = historyDigest(file, digest);
  if (after === before) return false;
  const back = file.seen.has(after);
  file.seen.add(after);
  return back;
}

function replacePart(
  file: FileHistory,
  [old, next]: readonly [string, string],
  digest: (text: string) => string,
): void {
  const last = file.changes.at(-1);
  if (last !== undefined && last[0] === next && last[1] === old) {
    file.changes.pop();
    return;
  }
  if (file.changes.length === maxChanges) {
    file.base = historyDigest(file, digest);
    file.changes.length = 0;
  }
  file.changes.push([old, next]);
}

function historyDigest({ base, changes }: FileHistory, digest: (text: string) => string): string {
  return changes.length === 0 ? base : digest(`${base} ${changes.map((pair) => pair.join(">")).join(" ")}`);
}
