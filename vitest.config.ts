/**
 * The suite: unit, property, golden, diagnostics, replay and example tests. None needs network, key or real time.
 *
 * Three parts, `test/support/suites.ts` says which file is where: `fast` (`npm run test:fast`), `slow`, `processes`.
 * `npm test` runs all files, of those that are long every tenth case; `npm run test:long` runs these alone, whole.
 * Files share a worker process and its modules: tests keep nothing in module state of `src/` (all state of a run is its
 * `Runtime`'s), so that loading the sources once for each worker is enough. One worker a core: vitest's own number leaves
 * one core idle. Tests of processes spend half their time waiting for these, which read, sleep, are killed: two workers a core.
 */
import { availableParallelism } from "node:os";
import { defineConfig } from "vitest/config";
import { LongFirst } from "./test/support/long-first.ts";
import { suiteRun } from "./test/support/smoke.ts";
import { longFiles, type Suite, suites } from "./test/support/suites.ts";

const files = suiteRun === "long" ? longFiles() : suites();
const cores = Math.max(2, availableParallelism());

const parts = ["processes", "slow", "fast"] as const;

const part = (name: Suite) => ({
  test: {
    name,
    include: [...files[name]],
    isolate: false,
    pool: "forks" as const,
    // Parts with another number of workers run one after the other.
    ...(name === "processes"
      ? { maxWorkers: 2 * cores, sequence: { groupOrder: 0 } }
      : { maxWorkers: cores, sequence: { groupOrder: 1 } }),
    ...(suiteRun === "smoke" ? { runner: "test/support/smoke-runner.ts" } : {}),
    setupFiles: ["test/support/property-seed.ts"],
    // Only what hangs ends by these: on a busy machine starting the command line alone takes seconds, and some tests do it
    // thirty times.
    testTimeout: 600_000,
    hookTimeout: 600_000,
    expect: { poll: { timeout: 300_000 } },
  },
});

export default defineConfig({
  test: {
    projects: parts.filter((name) => files[name].length > 0).map(part),
    globalSetup: ["test/support/clean-run.ts"],
    sequence: { sequencer: LongFirst },
    reporters: ["default"],
    // Of `npm test`, which asks for it.
    outputFile: { json: ".ci/results.json" },
  },
});
