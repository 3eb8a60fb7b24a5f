/** The process in which tests run: takes files from its parent, one at a time, and tells about each test. */

import { exitCode, UsageError } from "../../host/command/index.ts";
import {
  type FileReport,
  loadTestRunner,
  type TestCase,
  type TestOptions,
  type TestResult,
} from "../index.ts";
import { testBench } from "./test-bench.ts";

/** Parent to worker. */
export interface FileJob {
  readonly file: string;
  readonly options: TestOptions;
  readonly cwd: string;
  readonly temp: string;
  /** Tests that ended already, in a process that did not survive. */
  readonly skip: readonly string[];
}

/** Worker to parent. */
export type WorkerMessage =
  | { readonly type: "started"; readonly test: TestCase }
  | { readonly type: "ended"; readonly result: TestResult }
  | { readonly type: "file"; readonly report: Omit<FileReport, "results"> };

/** Serves until the parent lets go. */
export async function testWorkerCommand(): Promise<number> {
  if (process.send === undefined)
    throw new UsageError("this command is for `harn test` itself: run `harn test PATH`");
  // Ctrl-C reaches the whole group; the parent ends its workers when it wants to.
  process.on("SIGINT", () => {});
  const jobs: FileJob[] = [];
  let wake: (() => void) | undefined;
  let over = false;
  process.on("message", (job: FileJob) => {
    jobs.push(job);
    wake?.();
  });
  process.on("disconnect", () => {
    over = true;
    wake?.();
    // The parent is gone, and nobody wants to know how the test ends.
    process.exit(exitCode.terminated);
  });
  while (!over) {
    const job = jobs.shift();
    if (job !== undefined) await serveTests(job);
    else
      await new Promise<void>((resolve) => {
        wake = resolve;
      });
  }
  return exitCode.ok;
}

async function serveTests(job: FileJob): Promise<void> {
  const { runTestFile } = await loadTestRunner();
  const send = (message: WorkerMessage): void => {
    process.send?.(message);
  };
  const { results: _sent, ...report } = await runTestFile(await testBench(job), job.file, job.options, {
    started: (test) => send({ type: "started", test }),
    ended: (result) => send({ type: "ended", result }),
    skip: new Set(job.skip),
  });
  send({ type: "file", report });
}
