/** A worker's child that does a chunk of trials: in the folder that the worker has filled, with the copy of their journals in the database. */
import { join } from "node:path";
import { SetStop } from "../../eval/local/index.ts";
import { reportError, UsageError } from "../../host/command/index.ts";
import { ownRoots } from "../../run/index.ts";
import type { RunMirror } from "../../store/copies/index.ts";
import { replaceContent } from "../../store/files/whole-files.ts";
import { notTooOften } from "../child-words.ts";
import { permittedHost } from "../permissions.ts";
import type { JobProgress } from "../ports.ts";
import { performChunk } from "./perform-chunk.ts";
import { resultFile } from "./place-chunk.ts";
import { chunkProgressLine } from "./progress-line.ts";
import { refusalBytes } from "./refused-chunk.ts";
import type { TrialsTask } from "./trials-work.ts";

interface TrialsChildPorts {
  readonly mirror: RunMirror;
  /** Aborted when another attempt goes on with it. */
  readonly rest: AbortSignal;
  readonly report: (progress: JobProgress) => void;
}

/** Gives the exit code of the trials. What it prints are lines about how far it is. */
export async function performTrials(
  { folder, flags, permissions }: TrialsTask,
  { mirror, rest, report }: TrialsChildPorts,
): Promise<number> {
  let records = 0;
  const counted: RunMirror = {
    recordsOf: (run) => mirror.recordsOf(run),
    append: (write, durable) => {
      records += write.records.length;
      mirror.append(write, durable);
    },
    settle: () => mirror.settle(),
  };
  const stop = new SetStop();
  try {
    return await performChunk({
      folder,
      mirror: counted,
      flags,
      lent: (machine) => permittedHost(permissions, machine, folder),
      stop,
      rest,
      roots: ownRoots(),
      onProgress: notTooOften((progress) => {
        reportError(chunkProgressLine(progress));
        report({ records, costUsd: progress.spentUsd });
      }),
    });
  } catch (error) {
    if (!(error instanceof UsageError)) throw error;
    // Every worker would come to the same.
    replaceContent(join(folder, resultFile), refusalBytes(error.text), 0o600);
    return 2;
  } finally {
    stop.close();
  }
}
