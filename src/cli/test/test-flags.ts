/** The flags of `harn test`, declared for commander. */
import type { Command } from "commander";
import { UsageError } from "../../host/command/index.ts";
import type { TestFlags } from "./test-command.ts";

/** Adds `harn test`, and the hidden command that its child processes run. */
export function addTestCommands(program: Command, done: (code: number) => void): void {
  program
    .command("test")
    .description(
      "Runs tests: pipelines named test_… or marked @test, and programs with an .expected or .error file.",
    )
    .argument("[paths...]", "files or folders; the current folder when none is named")
    .option("--filter <text>", "only tests whose name or path contains this text")
    .option("--verbose", "a line for every test, with what it printed")
    .option("--timing", "show how long each test took, and the slowest")
    .option("--timeout <time>", "limit of one test, such as 500ms, 10s or 2m (30s)", parseTime)
    .option("--parallel", "run files at once, one process per processor")
    .option("--jobs <count>", "run files at once in this many processes", parseJobs)
    .option("--junit <file>", "write the results as JUnit XML")
    .option("--json", "one JSON object per test, then one with the totals")
    .option("--determinism", "run each test twice and compare output, model answers and effects")
    .option(
      "--hermetic",
      "fixed time, order and ids, files in memory, no programs, no network; sleeping costs nothing",
    )
    .option(
      "--llm-mock <file>",
      "answer model calls from this fixture file instead of the one beside each test",
    )
    .option("--record", "call real models and keep their answers in .harn-fixtures")
    .option("--replay", "answer model calls from .harn-fixtures")
    .option("--watch", "stay, and run again what a change touches")
    .option("--coverage", "count which lines run; writes an lcov file")
    .option("--lcov <file>", "where --coverage writes (coverage/lcov.info)")
    .option("--seed <text>", "seed of the tests' random numbers and ids")
    .action(async (paths: string[], options: TestFlags) => {
      const { testCommand } = await import("./test-command.ts");
      done(await testCommand(paths, options));
    });

  program.command("test-worker", { hidden: true }).action(async () => {
    const { testWorkerCommand } = await import("../../tools/local/index.ts");
    done(await testWorkerCommand());
  });
}

const units: ReadonlyMap<string, number> = new Map([
  ["ms", 1],
  ["s", 1000],
  ["m", 60_000],
]);

/** `500ms`, `10s`, `2m`; a bare number means seconds. */
export function parseTime(text: string): number {
  const match = /^(\d+(?:\.\d+)?)(ms|s|m)?$/.exec(text);
  const ms = match === null ? 0 : Number(match[1]) * units.get(match[2] ?? "s")!;
  if (!(ms > 0)) throw new UsageError(`--timeout: expected a time such as 500ms, 10s or 2m, got ${text}`);
  return ms;
}

function parseJobs(text: string): number {
  const count = Number(text);
  if (!Number.isSafeInteger(count) || count < 1 || count > 512)
    throw new UsageError(`--jobs: expected a whole number from 1 to 512, got ${text}`);
  return count;
}
