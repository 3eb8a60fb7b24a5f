/**
 * Running the tests of one file. Each test is compiled for itself (the pipeline that runs decides what its names mean)
 * from a tree that is parsed once, and runs in a fresh Runtime on a machine of its own; so nothing of one test reaches
 * another one.
 */
import { builtinGlobals, builtinTable } from "../../builtins/index.ts";
import { type Diagnostic, renderDiagnostics } from "../../diagnostics/index.ts";
import { HostError } from "../../host/index.ts";
import { type Compiled, compileProgram } from "../../lower/index.ts";
import { LlmUsageError } from "../../model/index.ts";
import { SourceFile } from "../../source/index.ts";
import type { Program } from "../../syntax/index.ts";
import { typeChecker } from "../../types/index.ts";
import { type Attempt, attemptTest, folderOf } from "./attempt.ts";
import type { TestBench } from "./bench.ts";
import type { FileReport, TestCase, TestOptions, TestResult } from "./contract.ts";
import { CoverageSum } from "./coverage-sum.ts";
import { renderDiff } from "./diff.ts";
import {
  errorDifference,
  outputDifference,
  outputMismatch,
  staticErrorText,
  withoutTimerTimes,
  withWarnings,
} from "./expectation.ts";
import { expectationCase, isWanted, mentionsTests, pipelineCases } from "./find-tests.ts";
import { testVerdict, type Verdict } from "./verdict.ts";

export interface FileRun {
  /** Called before a test starts and after it has ended. */
  started?(test: TestCase): void;
  ended?(result: TestResult): void;
  /** Tests that are left out (they ended with an earlier process). */
  readonly skip?: ReadonlySet<string>;
}

/** Names a test among those of its file. */
export const testKey = (test: TestCase): string => `${test.kind} ${test.name}`;

/** Runs all wanted tests of a file, one after the other. */
export async function runTestFile(
  bench: TestBench,
  file: string,
  options: TestOptions,
  run: FileRun = {},
): Promise<FileReport> {
  return new TestFile(bench, file, options, run).report();
}

class TestFile {
  private readonly bench: TestBench;
  private readonly file: string;
  private readonly options: TestOptions;
  private readonly run: FileRun;
  private readonly source: SourceFile;
  private readonly results: TestResult[] = [];
  private readonly inputs = new Set<string>();
  private readonly coverage = new CoverageSum();

  constructor(bench: TestBench, file: string, options: TestOptions, run: FileRun) {
    this.bench = bench;
    this.file = file;
    this.options = options;
    this.run = run;
    this.source = new SourceFile(bench.shown(file), read(bench, file), file);
  }

  async report(): Promise<FileReport> {
    const { file, bench } = this;
    const base = file.replace(/\.harn$/, "");
    for (const path of [file, `${base}.expected`, `${base}.error`, `${base}.llm-mock.jsonl`])
      this.inputs.add(path);
    if (mentionsTests(this.source.text)) await this.runPipelines();
    for (const kind of ["error", "expected"] as const) {
      if (bench.host.files.stat(`${base}.${kind}`)?.kind !== "file") continue;
      await this.runCase(expectationCase(file, kind), (test) =>
        this.runExpectation(test, read(bench, `${base}.${kind}`)),
      );
      break;
    }
    return {
      file,
      results: this.results,
      inputs: [...this.inputs],
      coverage: this.coverage.report(),
    };
  }

  private async runPipelines(): Promise<void> {
    const { program, diagnostics } = this.bench.parse(this.source);
    if (diagnostics.some((one) => one.severity === "error")) {
      // A program with an `.error` beside it may be one that does not parse.
      if (this.bench.host.files.stat(this.file.replace(/\.harn$/, ".error")) === undefined)
        await this.runCase({ file: this.file, name: "(file)", kind: "pipeline", line: 1 }, async () =>
          this.refused(diagnostics),
        );
      return;
    }
    for (const test of pipelineCases(this.file, this.source, program as Program))
      await this.runCase(test, (test) => this.runPipeline(test));
  }

  /** Frames one test: filter, announcements, failures of the machinery itself. */
  private async runCase(test: TestCase, body: (test: TestCase) => Promise<Verdict>): Promise<void> {
    if (!isWanted(test, this.source.name, this.options.filter) || this.run.skip?.has(testKey(test)) === true)
      return;
    this.run.started?.(test);
    let verdict: Verdict;
    try {
      verdict = await body(test);
    } catch (error) {
      verdict = brokenFile(error);
    }
    const result: TestResult = { ...test, ...verdict, seed: this.seedOf(test) };
    this.results.push(result);
    this.run.ended?.(result);
  }

  private async runPipeline(test: TestCase): Promise<Verdict> {
    const compiled = this.compile(test);
    if (compiled.program === undefined) return this.refused(compiled.diagnostics);
    const first = await this.attempt(test, compiled);
    const verdict = testVerdict(first, this.bench, this.options);
    return verdict.status === "passed" ? await this.again(test, first, verdict) : verdict;
  }

  private async runExpectation(test: TestCase, expected: string): Promise<Verdict> {
    const compiled = this.compile(test);
    const { colour } = this.options;
    if (test.kind === "error") {
      const text = staticErrorText(compiled.diagnostics);
      if (text !== undefined || compiled.program === undefined)
        return expectError(expected, text ?? "", undefined);
      const first = await this.attempt(test, compiled);
      if (first.timedOut || first.problem !== undefined) return testVerdict(first, this.bench, this.options);
      const { error, internal } = first.outcome ?? {};
      return this.again(test, first, expectError(expected, error?.text ?? internal?.message ?? "", first));
    }
    if (compiled.program === undefined) return this.refused(compiled.diagnostics);
    const first = await this.attempt(test, compiled);
    const verdict = testVerdict(first, this.bench, this.options);
    const { outcome } = first;
    // What a program returns or exits with is its own affair here; only its output counts.
    if (verdict.status !== "passed" && (outcome === undefined || outcome.error || outcome.internal))
      return verdict;
    const detail = outputDifference(expected, withWarnings(compiled.diagnostics, first.stdout), colour);
    if (detail === undefined)
      return this.again(test, first, { ...verdict, status: "passed", message: undefined, detail: undefined });
    return { ...verdict, status: "failed", message: outputMismatch, detail };
  }

  /** `--determinism`: the same test once more, and both compared. */
  private async again(test: TestCase, first: Attempt, verdict: Verdict): Promise<Verdict> {
    if (!this.options.determinism || verdict.status !== "passed") return verdict;
    const compiled = this.compile(test);
    const second = await this.attempt(test, compiled, this.options.hasSeed ? "" : "#2");
    const detail = answersDifference(first, second, this.options.colour);
    const durationMs = first.durationMs + second.durationMs;
    if (detail === undefined) return { ...verdict, durationMs };
    const message = "two runs of this test differ";
    return { ...verdict, status: "failed", message, detail, durationMs };
  }

  private compile(test: TestCase): Compiled {
    const { bench, source, file } = this;
    const compiled = compileProgram(source, {
      builtins: builtinTable(),
      globals: builtinGlobals,
      parse: bench.parse,
      loader: bench.loader(folderOf(file)),
      path: file,
      check: typeChecker({ builtins: builtinTable() }),
      ...(test.kind === "pipeline" ? { pipeline: test.name } : {}),
      ...(this.options.coverage ? { coverage: true } : {}),
    });
    for (const module of compiled.program?.resolved.modules ?? []) this.inputs.add(module.path);
    return compiled;
  }

  private async attempt(test: TestCase, compiled: Compiled, salt = ""): Promise<Attempt> {
    const { file, options, bench } = this;
    const program = compiled.program!;
    const seed = `${this.seedOf(test)}${salt}`;
    const expectation = test.kind !== "pipeline";
    const done = await attemptTest(bench, { program, file, seed, options, expectation });
    if (program.coverage !== undefined)
      this.coverage.add(program.coverage.files, test.kind === "pipeline" ? undefined : file);
    return done;
  }

  /** Of the file's name, not its path: the same wherever the project lies and the tests are started. */
  private seedOf(test: TestCase): string {
    return `${this.options.seed}/${this.file.replace(/^.*[\\/]/, "")}/${test.name}`;
  }

  private refused(diagnostics: readonly Diagnostic[]): Verdict {
    const errors = diagnostics.filter((one) => one.severity === "error");
    return {
      status: "failed",
      durationMs: 0,
      message: errors[0]?.message ?? "the file could not be compiled",
      detail: renderDiagnostics(errors, { colour: this.options.colour }),
      stdout: "",
      stderr: "",
    };
  }
}

function read(bench: TestBench, path: string): string {
  return bench.host.files.readText(path).replace(/^\uFEFF/, "");
}

function expectError(expected: string, actual: string, ran: Attempt | undefined): Verdict {
  const detail = errorDifference(expected, actual);
  return {
    status: detail === undefined ? "passed" : "failed",
    durationMs: ran?.durationMs ?? 0,
    message: detail === undefined ? undefined : "the error is not the expected one",
    detail,
    stdout: ran?.stdout ?? "",
    stderr: ran?.stderr ?? "",
  };
}

/** A fixture file that cannot be used, a file that went away, a bug of ours. */
function brokenFile(error: unknown): Verdict {
  const known = error instanceof LlmUsageError || error instanceof HostError;
  const message = error instanceof Error || error instanceof HostError ? error.message : String(error);
  return {
    status: "failed",
    durationMs: 0,
    message: known ? message : `internal error, please report it: ${message}`,
    detail: known || !(error instanceof Error) ? undefined : error.stack,
    stdout: "",
    stderr: "",
  };
}

/** `undefined` when the runs agree; else the first aspect in which they differ. */
function answersDifference(first: Attempt, second: Attempt, colour: boolean): string | undefined {
  const output = (ran: Attempt): string[] => withoutTimerTimes(ran.stdout).split("\n");
  const aspects: readonly (readonly [string, (ran: Attempt) => readonly string[]])[] = [
    ["standard output", output],
    ["answers of models", (ran) => ran.answers],
    ["effects (path, number, kind)", (ran) => ran.effects],
    ["ways to end", (ran) => [endOfAttempt(ran)]],
  ];
  for (const [name, of] of aspects) {
    const a = of(first);
    const b = of(second);
    if (a.length === b.length && a.every((line, i) => line === b[i])) continue;
    return `${name}, first run (-) and second run (+):\n${renderDiff(a, b, colour).split("\n").slice(2).join("\n")}`;
  }
  return undefined;
}

function endOfAttempt(ran: Attempt): string {
  if (ran.timedOut) return "stopped at its limit";
  return ran.outcome?.error?.text ?? `exit code ${ran.outcome?.exitCode ?? 0}`;
}
