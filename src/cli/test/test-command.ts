/** `harn test`: finds tests, has them run in processes of their own, reports (language.md §25). */

import { mkdirSync, mkdtempSync, realpathSync, rmSync, writeFileSync } from "node:fs";
import { availableParallelism, tmpdir } from "node:os";
import { dirname, join, resolve } from "node:path";
import { showJson, showText } from "../../diagnostics/index.ts";
import type { FlagsOf } from "../../host/command/flags.ts";
import { colourOnStdout, exitCode, print, reportPainted, UsageError } from "../../host/command/index.ts";
import { hermeticSeed, nodeSeed } from "../../host/index.ts";
import { refusedManifests } from "../../manifest/index.ts";
import { ownProcess } from "../../process/index.ts";
import { NodeModuleLoader, report } from "../../program/index.ts";
import { type FileReport, loadTestRunner, type ModelMode, type TestOptions } from "../../tools/index.ts";
import { shortPath, TestPool, testFiles } from "../../tools/local/index.ts";
import type { testFlags } from "../flags/checking.ts";

/** The flags of `harn test`, as commander names them. */
export type TestFlags = FlagsOf<typeof testFlags>;

const defaultTimeoutMs = 30_000;
const nothingFound = "No test pipelines found\n";

export async function testCommand(paths: readonly string[], flags: TestFlags): Promise<number> {
  const models = modelMode(flags);
  if (flags.hermetic === true && models === "record")
    throw new UsageError("--hermetic has no network, and --record needs one: leave one of them out");
  const places = paths.length === 0 ? ["."] : paths;
  const cwd = realpathSync(ownProcess().cwd());
  const temp = mkdtempSync(join(realpathSync(tmpdir()), "harn-test-"));
  const session = new TestSession(flags, models, cwd, temp);
  const stop = (code: number) => (): void => process.exit(code);
  const ends: Readonly<Record<string, () => void>> = {
    // Also when standard output goes away, which ends the process where it is.
    exit: () => {
      session.kill();
      rmSync(temp, { recursive: true, force: true });
    },
    SIGINT: stop(exitCode.interrupted),
    SIGTERM: stop(exitCode.terminated),
    SIGHUP: stop(exitCode.hungUp),
  };
  for (const [event, end] of Object.entries(ends)) process.once(event, end);
  try {
    const tools = await loadTestRunner();
    const find = (): string[] => testFiles(places, tools.mentionsTests);
    const files = find();
    if (await refusedManifests(files, report)) return exitCode.failed;
    if (flags.watch !== true) return await session.run(files);
    const { watchTests } = await import("../../tools/local/index.ts");
    return await watchTests(session, places, find);
  } finally {
    for (const [event, end] of Object.entries(ends)) process.off(event, end);
    ends.exit?.();
  }
}

function modelMode(flags: TestFlags): ModelMode {
  if (flags.record === true && flags.replay === true)
    throw new UsageError("give either --record or --replay, not both");
  return flags.record === true ? "record" : flags.replay === true ? "replay" : "mock";
}

/** One set of flags, run once or, under `--watch`, often. */
export class TestSession {
  private readonly flags: TestFlags;
  private readonly models: ModelMode;
  readonly cwd: string;
  private readonly temp: string;
  private pool: TestPool | undefined;

  constructor(flags: TestFlags, models: ModelMode, cwd: string, temp: string) {
    this.flags = flags;
    this.models = models;
    this.cwd = cwd;
    this.temp = temp;
  }

  kill(): void {
    this.pool?.kill();
  }

  /** Runs files and reports; gives the exit code. `seen` gets each file's report (what it was compiled from). */
  async run(files: readonly string[], seen: (report: FileReport) => void = () => {}): Promise<number> {
    const { flags } = this;
    const tools = await loadTestRunner();
    const shown = (path: string): string => shortPath(path, this.cwd);
    const text = {
      colour: colourOnStdout(),
      verbose: flags.verbose === true,
      timing: flags.timing === true,
      shown,
    };
    const options = this.options(text.colour && flags.json !== true);
    const began = performance.now();
    this.pool = new TestPool({ size: this.workers(), cwd: this.cwd, temp: this.temp, options });
    const reports = await this.pool.run(files, (report) => {
      seen(report);
      for (const result of flags.json === true ? report.results : [])
        reportPainted(`${showJson(tools.testJson(result, shown))}\n`);
      if (flags.json !== true) reportPainted(tools.fileText(report, text));
    });
    this.pool = undefined;
    const wallMs = performance.now() - began;
    const coverage = flags.coverage === true ? await this.coverage(reports, shown) : undefined;
    if (flags.junit !== undefined)
      writeTestOutput("--junit", flags.junit, tools.junitXml(reports, wallMs, shown));
    const { passed, failed, timedOut, crashed } = tools.totalsOf(reports);
    const bad = failed + timedOut + crashed;
    if (flags.json === true)
      reportPainted(`${showJson(tools.testSummaryJson(reports, wallMs, options.seed, coverage))}\n`);
    else if (passed + bad === 0) print(nothingFound);
    else reportPainted(tools.testSummaryText(reports, wallMs, options.seed, text));
    return bad > 0 || passed === 0 ? exitCode.failed : exitCode.ok;
  }

  private options(colour: boolean): TestOptions {
    const { flags } = this;
    const hermetic = flags.hermetic === true;
    return {
      timeoutMs: flags.timeout ?? defaultTimeoutMs,
      filter: flags.filter,
      seed: flags.seed ?? (hermetic ? hermeticSeed : nodeSeed()),
      hasSeed: flags.seed !== undefined || hermetic,
      determinism: flags.determinism === true,
      hermetic,
      coverage: flags.coverage === true,
      models: this.models,
      llmMock: flags.llmMock === undefined ? undefined : resolve(flags.llmMock),
      colour,
    };
  }

  private workers(): number {
    const { parallel, jobs } = this.flags;
    return jobs ?? (parallel === true ? availableParallelism() : 1);
  }

  /** Writes the lcov file and shows the summary. The library of the runtime itself is not the user's to cover. */
  private async coverage(reports: readonly FileReport[], shown: (path: string) => string) {
    const tools = await loadTestRunner();
    const sum = new tools.CoverageSum();
    for (const report of reports) sum.addReport(report.coverage);
    const library = new NodeModuleLoader();
    const files = sum.report().filter(({ path }) => shown(path) !== path || !library.isStandard(path));
    const target = this.flags.lcov ?? join("coverage", "lcov.info");
    writeTestOutput("--lcov", target, tools.lcovText(files, shown));
    if (this.flags.json !== true)
      reportPainted(`\n${tools.coverageText(files, shown)}  written to ${showText(target)}\n`);
    return tools.coverageTotals(files);
  }
}

function writeTestOutput(option: string, path: string, text: string): void {
  try {
    mkdirSync(dirname(path), { recursive: true });
    writeFileSync(path, text);
  } catch (error) {
    throw new UsageError(`${option}: cannot write ${path}: ${(error as Error).message}`, "HARN-CLI-007");
  }
}
