/** Tools on this machine's files: the test runner, linting, the REPL's runner and history. */
export { inertImports, lintCompiled, lintForCheck, lintOptions, replaceFile } from "./lint-file.ts";
export { benchFigures, benchTimeText, type RunTimes } from "./measure.ts";
export { historyFile, historySize, readReplHistory, writeHistory } from "./repl-history.ts";
export { completePaths } from "./repl-paths.ts";
export { ReplRunner } from "./repl-runner.ts";
export { shortPath } from "./test-bench.ts";
export { testFiles } from "./test-files.ts";
export { TestPool } from "./test-pool.ts";
export { watchTests } from "./test-watch.ts";
export { testWorkerCommand } from "./test-worker.ts";
