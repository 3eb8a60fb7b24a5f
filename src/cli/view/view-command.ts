/** `harn view`: a recorded run in a browser, as one file, or as the lines of its log. */

import { statSync, writeFileSync } from "node:fs";
import type { FlagsOf } from "../../host/command/flags.ts";
import {
  exitCode,
  explained,
  exportedText,
  inStoreOr,
  ownStateFolder,
  print,
  reportAsJson,
  reportError,
  reportFailure,
  runNamed,
  UsageError,
} from "../../host/command/index.ts";
import { ownPath } from "../../process/index.ts";
import { reportHtml } from "../../server/index.ts";
import {
  type RecordedEvents,
  type RunSeen,
  recordedEvents,
  seenRun,
  showInBrowser,
  viewerFiles,
} from "../../server/local/index.ts";
import { existingStore, stateWords } from "../../store/index.ts";
import type { viewFlags } from "../flags/running.ts";

export type ViewFlags = FlagsOf<typeof viewFlags>;

export async function viewCommand(named: string | undefined, flags: ViewFlags): Promise<number> {
  if (flags.html !== undefined && flags.json === true)
    throw new UsageError("--html and --json are two forms: name one");
  const recorded = await recordedRun(named ?? "last");
  if (recorded === undefined) return exitCode.failed;
  if (named === undefined) reportError(`harn view: the newest run, ${recorded.run} (${recorded.title})\n`);
  if (recorded.problem !== undefined) reportFailure(recorded.problem);
  if (recorded.isAtWork)
    reportError(`harn view: ${recorded.run} is ${whereNow(recorded.run)}: this is what it has done so far\n`);
  if (flags.json === true) {
    for (const event of recorded.events) reportAsJson(event);
    return recorded.problem === undefined ? exitCode.ok : exitCode.failed;
  }
  if (flags.html !== undefined) return writeReport(recorded, flags.html);
  return await showInBrowser(runReportPage(recorded), flags.open === true);
}

/** The events of a run of the store or of a file; `undefined` when its script does not compile, which has been reported. */
export const recordedRun = (which: string): Promise<RecordedEvents | undefined> =>
  recordedEvents(which, seenNow(which));

/** As one page. */
export const runReportPage = ({ run, title, events }: RecordedEvents): string =>
  reportHtml(
    JSON.parse(exportedText(JSON.stringify({ id: run, title: `${title} · ${run}`, events }))) as Parameters<
      typeof reportHtml
    >[0],
    viewerFiles(),
  );

function writeReport(recorded: RecordedEvents, file: string): number {
  const html = runReportPage(recorded);
  try {
    writeFileSync(ownPath(file), html);
  } catch (error) {
    throw new UsageError(`${file} can't be written: ${(error as Error).message}`, "HARN-CLI-007");
  }
  print(`${file}: ${recorded.events.length} events, ${(html.length / 1_048_576).toFixed(1)} MiB\n`);
  return recorded.problem === undefined ? exitCode.ok : exitCode.failed;
}

function whereNow(run: string): string {
  const found = inStoreOr(
    () => undefined,
    (store) => store.runs.find(run),
  );
  return found?.isOnWorkers === true ? stateWords(found) : "at work";
}

/** Of a file only is known when it was written. */
function seenNow(which: string): RunSeen {
  const file = statSync(ownPath(which), { throwIfNoEntry: false });
  if (file !== undefined) return { began: Math.round(file.mtimeMs), isAtWork: false };
  const store = explained(() => existingStore(ownStateFolder()));
  const found = store === undefined ? undefined : store.runs.find(explained(() => runNamed(store, which)));
  return found === undefined ? { began: 0, isAtWork: false } : seenRun(found);
}
