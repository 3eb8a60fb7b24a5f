/** `harn eval report`: sets as a page, JUnit, CSV, JSON, or for GitHub. */

import { createHash } from "node:crypto";
import { appendFileSync, mkdirSync, writeFileSync } from "node:fs";
import { basename, dirname, join } from "node:path";
import { gzipSync } from "node:zlib";
import type { EvalStore } from "../../eval/engine/index.ts";
import {
  calibrationsOf,
  inEvalStore,
  measuredNoise,
  recordedConversation,
  reportExitCode,
  storedReport,
  storedSet,
} from "../../eval/local/index.ts";
import {
  comparedJson,
  compareSets,
  compareText,
  githubAnnotations,
  type PageOptions,
  type PagePort,
  type SetReport,
  type StoredSet,
  type StoredTrial,
  setAsCsv,
  setAsJson,
  setAsJunit,
  setAsMarkdown,
  setPage,
  summaryText,
} from "../../eval/report/index.ts";
import type { FlagsOf } from "../../host/command/flags.ts";
import {
  exitCode,
  exportedText,
  inStore,
  print,
  reportAsJson,
  reportError,
  UsageError,
  writing,
} from "../../host/command/index.ts";
import { ownPath, ownProcess } from "../../process/index.ts";
import type { Store } from "../../store/index.ts";
import type { evalReportFlags, formFlags } from "../flags/eval.ts";

/** Where the forms of a set go; `run`, `resume` and `report` have them. */
export type FormFlags = FlagsOf<typeof formFlags>;

export type EvalReportFlags = FlagsOf<typeof evalReportFlags>;

export function reportSetsCommand(names: readonly string[], flags: EvalReportFlags): number {
  const single = [flags.junit, flags.html, flags.csv].filter((file) => file !== undefined);
  if (names.length > 1 && single.length > 0)
    throw new UsageError("--html, --junit and --csv write one set: name one");
  const codes = inEvalStore((store) => {
    const sets = names.map((name) => storedSet(store, name));
    const ends = sets.map((set) => {
      const report = storedReport(store, set, flags);
      writeForms(store, set, report, flags);
      if (flags.json === true) reportAsJson(setAsJson(report, flags.strict === true));
      else print(`${summaryText(report, { setName: report.set.name })}${names.length > 1 ? "\n" : ""}`);
      return reportExitCode(report, flags.strict === true);
    });
    if (sets.length > 1) printCompared(sets, flags);
    return ends;
  });
  return worstCode(codes);
}

/** Every other set with the first, as `harn eval compare` does it with two. */
function printCompared([first, ...others]: readonly StoredSet[], flags: EvalReportFlags): void {
  if (first === undefined) return;
  const { margin } = flags;
  for (const other of others) {
    const all = compareSets(first, other, { margin });
    if (flags.json === true) reportAsJson(all.map((one) => comparedJson(one)));
    else print(compareText(all));
  }
}

const order = [exitCode.usage, exitCode.incomplete, exitCode.parked, exitCode.failed];

/** Of several sets the code that outranks the others. */
export const worstCode = (codes: readonly number[]): number =>
  order.find((code) => codes.includes(code)) ?? codes.find((code) => code !== exitCode.ok) ?? exitCode.ok;

/** Files and lines that flags ask for. What can't be written is said at once: a build must not believe in an old file. */
export function writeForms(
  store: EvalStore,
  set: StoredSet,
  report: SetReport,
  flags: FormFlags & { readonly strict?: boolean },
): void {
  const strict = flags.strict === true;
  if (flags.junit !== undefined) write(flags.junit, setAsJunit(report, strict));
  if (flags.csv !== undefined) write(flags.csv, setAsCsv(report.set));
  if (flags.html !== undefined)
    writePage(report, flags.html, {
      transcripts: flags.transcripts ?? "failed",
      noise: measuredNoise(store, set),
      calibrations: calibrationsOf(store, set),
    });
  if (flags.github === true) toGithub(report, strict);
}

function write(path: string, text: string): void {
  writing(path, () => {
    mkdirSync(ownPath(dirname(path)), { recursive: true });
    writeFileSync(ownPath(path), exportedText(text));
  });
}

const pagePort = (files: Store): PagePort => ({
  digest: (text) => createHash("sha256").update(exportedText(text)).digest("base64"),
  packed: (text) => gzipSync(exportedText(text)).toString("base64"),
  conversation: (task, trial) => recordedConversation(files, task, trial as StoredTrial),
});

function writePage(report: SetReport, path: string, options: Omit<PageOptions, "folder">): void {
  const folder = `${path}.d`;
  const page = inStore((files) => setPage(report, pagePort(files), { ...options, folder: basename(folder) }));
  write(path, page.html);
  for (const { name, text } of page.beside) write(join(folder, name), text);
}

function toGithub(report: SetReport, strict: boolean): void {
  const path = ownProcess().env.GITHUB_STEP_SUMMARY;
  if (path === undefined || path === "") {
    reportError(
      "--github: GITHUB_STEP_SUMMARY is not set, so nothing is appended to the page of the build\n",
    );
  } else {
    writing(path, () => appendFileSync(ownPath(path), setAsMarkdown(report)));
  }
  for (const line of githubAnnotations(report, strict)) print(`${line}\n`);
}
