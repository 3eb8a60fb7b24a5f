/** Tools on this machine's files: the test runner, linting, the REPL's runner and history. */
export * from "./lint-file.ts";
export * from "./repl-runner.ts";
export { shortPath } from "./test-bench.ts";
export { TestPool } from "./test-pool.ts";
export { testFiles, watchTests } from "./test-watch.ts";
export { testWorkerCommand } from "./test-worker.ts";
