/**
 * In which order the files of a part begin: those that take long first, so that at the end no worker is alone with one. In a fresh
 * clone nothing is known of earlier runs, and the size of a file says little: one with all golden programs has thirty lines.
 */
import { relative } from "node:path";
import type { TestSpecification } from "vitest/node";
import { BaseSequencer } from "vitest/node";
import { projectRoot } from "./project.ts";

/** The longest of each part first: in `npm test`, then those that are long in `npm run test:long` only. */
export const longFiles: readonly string[] = [
  "test/golden/with-programs.test.ts",
  "test/unit/server/supervise/conversations.test.ts",
  "test/unit/cli/resume.test.ts",
  "test/unit/cluster/faults.test.ts",
  "test/unit/cluster/engine/temporal.test.ts",
  "test/unit/cluster/sets-on-workers.test.ts",
  "test/unit/cluster/chunks/paid-trials.test.ts",
  "test/unit/cli/daemon.test.ts",
  "test/unit/cli/serve.test.ts",
  "test/unit/cli/run/resume-worker.test.ts",
  "test/unit/docs/site.test.ts",
  "test/examples.test.ts",
  "test/unit/cli/eval/kills.test.ts",
  "test/unit/cli/test.test.ts",
  "test/unit/cli/serve-sessions.test.ts",
  "test/unit/cli/session.test.ts",
  "test/unit/agent/skills/git-skills.test.ts",
  "test/unit/cli/eval/asked-wrongly.test.ts",
  "test/unit/cli/phases.test.ts",
  "test/unit/cli/eval/containers.test.ts",
  "test/unit/cli/bad-store.test.ts",
  "test/unit/cli/store-processes.test.ts",
  "test/browser/viewer.test.ts",
  "test/unit/threads/message-run.test.ts",
  "test/unit/cli/streaming-memory.test.ts",
  "test/unit/cluster/engine/temporal-faults.test.ts",
  "test/unit/cli/torture.test.ts",
  "test/unit/cli/package.test.ts",
  "test/unit/cli/eval/sets.test.ts",
  "test/unit/writing/text/latex-compile.test.ts",
  "test/property/fuzzers.test.ts",
  "test/unit/server/supervise/kills.test.ts",
  "test/browser/scenarios.test.ts",
  "test/unit/cli/eval/money-over-kills.test.ts",
  "test/unit/security/canary.test.ts",
  "test/browser/served.test.ts",
  "test/unit/cli/session-kills.test.ts",
  "test/unit/cli/interrupt.test.ts",
  "test/unit/cli/bombs.test.ts",

  "test/replay/golden-programs.test.ts",
  "test/property/fuzz-programs.test.ts",
  "test/unit/agent/observed/observed.test.ts",
  "test/property/lint-fix.test.ts",
  "test/golden/long-runs.test.ts",
  "test/property/mutated-programs.test.ts",
  "test/property/format.test.ts",
  "test/replay/misfits.test.ts",
  "test/property/syntax-print.test.ts",
  "test/property/builtins.test.ts",
  "test/unit/eval/stats/simulation.test.ts",
  "test/unit/types/no-false-alarms.test.ts",
  "test/unit/durable/embedded.test.ts",
  "test/unit/table/name-lists.test.ts",

  "test/golden/golden.test.ts",
  "test/unit/types/infer.test.ts",
  "test/unit/cli/every-flag.test.ts",
  "test/unit/tools/format.test.ts",
  "test/unit/llm/live.test.ts",
  "test/unit/server/sockets.test.ts",
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
