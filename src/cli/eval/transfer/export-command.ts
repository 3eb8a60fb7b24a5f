/** `harn eval export`: a set whole with its journals, as rows of scores, or as logs for Inspect AI. */

import { showOneLine } from "../../../diagnostics/index.ts";
import { askedModel, evalStoreOf, plannedRow, storedSet } from "../../../eval/local/index.ts";
import { writeInspectArchive, writeInspectJson, writeSetFile } from "../../../eval/local/transfer/index.ts";
import { type InspectLog, inspectLogs, setAsCsv, setAsLines } from "../../../eval/report/index.ts";
import type { FlagsOf } from "../../../host/command/flags.ts";
import {
  exitCode,
  exportedText,
  inStore,
  print,
  reportError,
  UsageError,
  writing,
} from "../../../host/command/index.ts";
import { nodeFiles } from "../../../host/index.ts";
import { Catalogue } from "../../../model/index.ts";
import { ownPath } from "../../../process/index.ts";
import { flagsOf } from "../../../run/setup/index.ts";
import type { Store } from "../../../store/index.ts";
import type { exportFlags } from "../../flags/eval.ts";

export type ExportFlags = FlagsOf<typeof exportFlags>;

type Format = (files: Store, set: string, path: string) => readonly string[];

/** By the ending of the file; `.json` may be several things, so it needs `--as`. */
const formats: Readonly<Record<string, Format>> = {
  jsonl: (files, set, path) => writeOneFile(path, setAsLines(storedSet(evalStoreOf(files), set))),
  csv: (files, set, path) => writeOneFile(path, setAsCsv(storedSet(evalStoreOf(files), set))),
  harneval: (files, set, path) => {
    const store = evalStoreOf(files);
    for (const line of writeSetFile(files, store, plannedRow(store, set), path))
      reportError(`warning: ${showOneLine(line)}\n`);
    return [path];
  },
  eval: (files, set, path) => asLogs(files, set, path, writeInspectArchive),
  inspect: (files, set, path) => asLogs(files, set, path, writeInspectJson),
};

export function exportSetCommand(name: string, path: string, { as }: ExportFlags): number {
  const format = formats[formatOf(path, as)] as Format;
  const paths = inStore((files) => {
    return writing(path, () => format(files, name, path));
  });
  for (const written of paths) print(`${written}\n`);
  return exitCode.ok;
}

function formatOf(path: string, as: string | undefined): string {
  const ending = /\.([a-z]+)$/u.exec(path)?.[1] ?? "";
  if (as === "inspect") {
    if (ending === "eval") return "eval";
    if (ending === "json") return "inspect";
    throw new UsageError("--as inspect writes logs: name a file .eval or .json");
  }
  if (ending !== "inspect" && Object.hasOwn(formats, ending)) return ending;
  throw new UsageError(
    "export writes by the ending of the file: rows of scores (.jsonl, .csv), a log of Inspect AI (.eval; .json with --as inspect), or the whole set with its journals (.harneval)",
  );
}

function writeOneFile(path: string, text: string): string[] {
  nodeFiles.write(ownPath(path), exportedText(text));
  return [path];
}

/** A log for each task and variant; several have the name of the file with theirs in it. */
function asLogs(
  files: Store,
  name: string,
  path: string,
  write: (path: string, log: InspectLog) => void,
): string[] {
  const set = storedSet(evalStoreOf(files), name);
  const catalogue = new Catalogue();
  const run = set.row.plan === null ? undefined : files.runs.nameOf(set.row.plan);
  const flags = run === undefined ? {} : flagsOf(files.runs.read(run).header, {});
  const logs = inspectLogs(set, {
    usualModel: { provider: flags.provider ?? null, model: flags.model ?? null },
    providerOf: (model) => catalogue.inferProvider(model),
    asked: (task, variant) => askedModel(files, set, task.spec.name, variant),
  });
  const [base = path, ending = ""] = /^(.*)\.([a-z]+)$/su.exec(path)?.slice(1) ?? [];
  const tasks = new Set(logs.map(({ task }) => task)).size;
  const variants = Math.max(...set.tasks.map(({ spec }) => spec.variants.length));
  const names = logs.map((log) => {
    const parts = [...(tasks > 1 ? [log.task] : []), ...(variants > 1 ? [log.variant] : [])];
    return [base, ...parts.map((part) => part.replace(/[^\w=,-]+/gu, "_")), ending].join(".");
  });
  const twice = names.find((one, at) => names.indexOf(one) !== at);
  if (twice !== undefined)
    throw new UsageError(`two variants of ${set.name} would be written to ${twice}`, "HARN-CLI-008");
  for (const [at, log] of logs.entries()) write(names[at] as string, log);
  return names;
}
