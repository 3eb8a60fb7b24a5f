/**
 * In which order the files of a part begin: those that take long first, so that at the end no worker is alone with one. In a fresh
 * clone nothing is known of earlier runs, and the size of a file says little: one with all golden programs has thirty lines.
 */
import { relative } from "node:path";
import type { TestSpecification } from "vitest/node";
import { BaseSequencer } from "vitest/node";
import { projectRoot } from "./project.ts";

/** The longest first. About: what takes over 15 s on two quiet cores, and of the fast ones what takes over 3. */
export const longFiles: readonly string[] = [
  "test/browser/viewer.test.ts",
  "test/unit/cli/eval/sets.test.ts",
  "test/unit/cli/phases.test.ts",
  "test/unit/cli/run/resume-worker.test.ts",
  "test/unit/cli/torture.test.ts",
  "test/property/fuzzers.test.ts",
  "test/unit/cli/serve.test.ts",
  "test/unit/server/supervise/conversations.test.ts",
  "test/unit/cli/bombs.test.ts",
  "test/unit/cli/daemon.test.ts",
  "test/unit/cli/eval/asked-wrongly.test.ts",
  "test/examples.test.ts",
  "test/unit/cli/eval/kills.test.ts",
  "test/unit/cli/eval/containers.test.ts",
  "test/browser/scenarios.test.ts",
  "test/unit/threads/message-run.test.ts",
  "test/unit/server/supervise/kills.test.ts",
  "test/golden/with-programs.test.ts",
  "test/unit/cli/eval/minimise.test.ts",
  "test/unit/cli/session-kills.test.ts",
  "test/unit/cli/test.test.ts",
  "test/unit/cli/init.test.ts",
  "test/browser/served.test.ts",
  "test/unit/cli/eval/noise.test.ts",
  "test/unit/cli/view/view.test.ts",
  "test/unit/cli/streaming-memory.test.ts",

  "test/replay/golden-programs.test.ts",
  "test/property/fuzz-programs.test.ts",
  "test/unit/agent/observed/observed.test.ts",
  "test/property/format.test.ts",
  "test/golden/long-runs.test.ts",
  "test/replay/misfits.test.ts",
  "test/property/lint-fix.test.ts",

  "test/golden/golden.test.ts",
  "test/unit/table/name-lists.test.ts",
  "test/unit/durable/embedded.test.ts",
  "test/unit/llm/live.test.ts",
  "test/unit/server/sockets.test.ts",
  "test/unit/cli/every-flag.test.ts",
];

const parts = ["processes", "slow", "fast"];

/** Within its part, each of `longFiles` before the others; these as vitest has them, by earlier times or by size. */
export class LongFirst extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    return inOrder(await super.sort(files), (file) => ({
      part: file.project.name,
      path: relative(projectRoot, file.moduleId),
    }));
  }
}

/** Workers are of one part: they go from part to part, not back and forth. */
export function inOrder<T>(files: readonly T[], of: (file: T) => { part: string; path: string }): T[] {
  const place = (file: T): number => {
    const { part, path } = of(file);
    const at = longFiles.indexOf(path.replaceAll("\\", "/"));
    return parts.indexOf(part) * (longFiles.length + 1) + (at < 0 ? longFiles.length : at);
  };
  return files.toSorted((a, b) => place(a) - place(b));
}
