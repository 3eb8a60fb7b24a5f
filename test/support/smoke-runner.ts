/** Vitest's own runner, for `npm test`: of files that are long it leaves in every tenth test. */
import { readFileSync } from "node:fs";
import { relative } from "node:path";
import { type RunnerTestCase, type RunnerTestFile, type RunnerTestSuite, TestRunner } from "vitest";
import { projectRoot } from "./project.ts";
import { everyTenth } from "./smoke.ts";
import { longBecause } from "./suites.ts";

type Report = (files: RunnerTestFile[]) => unknown;

// biome-ignore lint/style/noDefaultExport: vitest takes a runner from it
export default class SmokeRunner extends TestRunner {
  private report: Report | undefined;

  /** Vitest puts what reports the collected tests here: what is left out is nothing that it should hear of. */
  set onCollected(report: Report | undefined) {
    this.report = report;
  }
  get onCollected(): Report | undefined {
    const { report } = this;
    if (report === undefined) return undefined;
    return (files) => {
      for (const file of files)
        if (longBecause(readFileSync(file.filepath, "utf8")) !== undefined) thin(file);
      return report.call(this, files);
    };
  }
}

function thin(file: RunnerTestFile): void {
  const kept = new Set(everyTenth(testsIn(file), relative(projectRoot, file.filepath).replaceAll("\\", "/")));
  leaveIn(file, kept);
}

const testsIn = (suite: RunnerTestSuite): RunnerTestCase[] =>
  suite.tasks.flatMap((task) => (task.type === "test" ? [task] : testsIn(task)));

function leaveIn(suite: RunnerTestSuite, kept: ReadonlySet<RunnerTestCase>): void {
  suite.tasks = suite.tasks.filter((task) => {
    if (task.type === "test") return kept.has(task);
    leaveIn(task, kept);
    return task.tasks.length > 0;
  });
}
