/** A workflow's run record names the recorded run that it was made in: commands about runs take it in that run's place. */
import { closeSync, openSync, readSync } from "node:fs";
import { readJsonFile } from "../eval/local/index.ts";
import { exitCode, UsageError } from "../host/command/index.ts";
import { ownPath } from "../process/index.ts";
import { Dict } from "../values/index.ts";
import { field } from "../work/index.ts";

/** The run's name; `undefined` when the file is no run record. */
export function runOfRecord(path: string): string | undefined {
  if (!/"_type":\s*"run_record"/.test(recordHeadOf(path))) return undefined;
  const record = readJsonFile(path);
  const metadata = record instanceof Dict ? field(record, "metadata") : null;
  const name = metadata instanceof Dict ? field(metadata, "recorded_as") : null;
  if (typeof name === "string") return name;
  throw new UsageError(
    `${path} names no recorded run: it was made with --no-record, into a file (--record), or by hand`,
    exitCode.failed,
  );
}

/** Keys of a record are sorted, so its type stands near the top; a journal may be far too big to look through. */
const headBytes = 4096;

/** "" for what can't be read: whoever reads it next says so. */
function recordHeadOf(path: string): string {
  try {
    const file = openSync(ownPath(path), "r");
    try {
      const head = Buffer.alloc(headBytes);
      return head.toString("utf8", 0, readSync(file, head, 0, headBytes, 0));
    } finally {
      closeSync(file);
    }
  } catch {
    return "";
  }
}
