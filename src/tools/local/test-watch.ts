/**
 * `harn test --watch`: runs everything once, then what a change touches: the tests whose files were compiled from it,
 * or, for data and templates, the tests of the folder in which it lies.
 */

import { dirname, sep } from "node:path";
import { print } from "../../host/command/index.ts";
import type { FileReport } from "../index.ts";
import { FileChanges } from "./file-changes.ts";

/** What runs the tests. */
interface WatchedSession {
  run(files: readonly string[], onReport: (report: FileReport) => void): Promise<unknown>;
}

/** Runs until the process is interrupted. */
export async function watchTests(
  session: WatchedSession,
  places: readonly string[],
  find: () => string[],
): Promise<never> {
  const inputs = new Map<string, readonly string[]>();
  const changes = new FileChanges(places);
  const run = async (files: readonly string[]): Promise<void> => {
    await session.run(files, (report) => inputs.set(report.file, report.inputs));
    // Tests write files too: what changed during a run counts only when tests are made from it.
    const known = new Set([...inputs.values()].flat());
    await changes.forget((path) => !known.has(path));
  };
  await run(find());
  for (;;) {
    print("\nwatching for changes; Ctrl-C ends\n");
    const affected = touched(await changes.next(), find(), inputs);
    if (affected.length > 0) await run(affected);
  }
}

/** The test files that have to run again. */
export function touched(
  changed: readonly string[],
  files: readonly string[],
  inputs: ReadonlyMap<string, readonly string[]>,
): string[] {
  const known = new Set([...inputs.values()].flat());
  return files.filter((file) => {
    const from = inputs.get(file);
    if (from === undefined) return true;
    return changed.some((path) =>
      known.has(path) ? from.includes(path) : path.startsWith(dirname(file) + sep),
    );
  });
}
