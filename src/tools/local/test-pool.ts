/**
 * Test processes, seen from the parent. Each takes one file after the other. A test that does not even notice its own
 * limit (it is stuck inside native code) is ended with its process; a process that dies under a test costs that test,
 * and the rest of its file goes on in a new one.
 */
import { type ChildProcess, spawn } from "node:child_process";
import { randomBytes } from "node:crypto";
import { showText } from "../../diagnostics/index.ts";
import { killMarked, ownCommand } from "../../host/index.ts";
import type { FileCoverage, FileReport, TestCase, TestOptions, TestResult } from "../index.ts";
import { workerMark } from "./test-bench.ts";
import type { FileJob, WorkerMessage } from "./test-worker.ts";

/** How much longer than its limit a test may take to unwind, before its process is ended. */
const patienceMs = 5000;
/** How long a process may take to begin with a file: it loads the runtime and parses. */
const startMs = 60_000;
/** How long a process may take to leave when it is no longer needed. */
const farewellMs = 2000;
/** Kept of what a dying process says. */
const lastWords = 4000;

export interface TestPoolOptions {
  readonly size: number;
  readonly cwd: string;
  readonly temp: string;
  readonly options: TestOptions;
}

export class TestPool {
  private readonly pool: TestPoolOptions;
  private readonly workers = new Set<TestWorker>();

  constructor(pool: TestPoolOptions) {
    this.pool = pool;
  }

  /** Runs all files; `done` is called in their order, each as soon as it and all before it are there. */
  async run(files: readonly string[], done: (report: FileReport) => void): Promise<FileReport[]> {
    const reports: (FileReport | undefined)[] = files.map(() => undefined);
    let next = 0;
    let reported = 0;
    const serve = async (): Promise<void> => {
      const worker = new TestWorker(this.pool);
      this.workers.add(worker);
      while (next < files.length) {
        const at = next++;
        reports[at] = await worker.runFile(files[at]!);
        while (reported < files.length && reports[reported] !== undefined) done(reports[reported++]!);
      }
      worker.close();
      this.workers.delete(worker);
    };
    await Promise.all(Array.from({ length: Math.min(this.pool.size, files.length) }, serve));
    return reports as FileReport[];
  }

  /** Ends everything at once. */
  kill(): void {
    for (const worker of this.workers) worker.kill();
  }
}

interface Job {
  readonly file: string;
  readonly results: TestResult[];
  readonly inputs: string[];
  readonly coverage: FileCoverage[];
  readonly finished: Promise<void>;
  finish(): void;
}

class TestWorker {
  private readonly pool: TestPoolOptions;
  private child: ChildProcess | undefined;
  private mark = "";
  private said = "";
  private job: Job | undefined;
  private test: TestCase | undefined;
  private testBegan = 0;
  private watchdog: NodeJS.Timeout | undefined;
  private hung = false;
  private closed = false;

  constructor(pool: TestPoolOptions) {
    this.pool = pool;
  }

  async runFile(file: string): Promise<FileReport> {
    const { promise: finished, resolve: finish } = Promise.withResolvers<void>();
    const job: Job = { file, results: [], inputs: [file], coverage: [], finished, finish };
    this.job = job;
    this.send(job);
    await finished;
    this.job = undefined;
    const { results, inputs, coverage } = job;
    return { file, results, inputs, coverage };
  }

  close(): void {
    this.closed = true;
    const { child } = this;
    if (child === undefined) return;
    if (child.connected) child.disconnect();
    const late = setTimeout(() => child.kill("SIGKILL"), farewellMs);
    child.once("exit", () => clearTimeout(late));
  }

  kill(): void {
    this.closed = true;
    clearTimeout(this.watchdog);
    this.child?.kill("SIGKILL");
    if (this.mark !== "") killMarked(this.mark, workerMark);
  }

  private send(job: Job): void {
    this.child ??= this.start();
    const { options, cwd, temp } = this.pool;
    const skip = job.results.map((result) => `${result.kind} ${result.name}`);
    const message: FileJob = { file: job.file, options, cwd, temp, skip };
    this.watch(startMs);
    // A process that is gone already is noticed by its exit.
    this.child.send(message, () => {});
  }

  private start(): ChildProcess {
    this.mark = `${process.pid}-${randomBytes(6).toString("hex")}`;
    this.said = "";
    this.hung = false;
    const worker = ownCommand(["test-worker"]);
    const child = spawn(worker.program, worker.args, {
      env: { ...process.env, [workerMark]: this.mark },
      stdio: ["ignore", "ignore", "pipe", "ipc"],
    });
    child.stderr?.setEncoding("utf8").on("data", (text: string) => {
      this.said = (this.said + text).slice(-lastWords);
    });
    child.on("message", (message: WorkerMessage) => this.receive(message));
    child.once("exit", (code, signal) => this.died(code, signal));
    child.on("error", () => {});
    return child;
  }

  private receive(message: WorkerMessage): void {
    const { job } = this;
    if (job === undefined) return;
    switch (message.type) {
      case "started":
        this.test = message.test;
        this.testBegan = performance.now();
        this.watch((this.pool.options.determinism ? 2 : 1) * this.pool.options.timeoutMs + patienceMs);
        break;
      case "ended":
        this.watch(startMs);
        this.test = undefined;
        job.results.push(message.result);
        break;
      case "file":
        clearTimeout(this.watchdog);
        job.inputs.push(...message.report.inputs);
        job.coverage.push(...message.report.coverage);
        job.finish();
        break;
    }
  }

  private watch(maxLength: number): void {
    clearTimeout(this.watchdog);
    this.watchdog = setTimeout(
      () => {
        this.hung = true;
        this.child?.kill("SIGKILL");
      },
      Math.min(maxLength, 0x7fff_ffff),
    );
  }

  private died(code: number | null, signal: string | null): void {
    clearTimeout(this.watchdog);
    this.child = undefined;
    killMarked(this.mark, workerMark);
    const { job, test } = this;
    if (this.closed) job?.finish();
    if (this.closed || job === undefined) return;
    this.test = undefined;
    job.results.push(
      this.epitaph(test ?? { file: job.file, name: "(file)", kind: "pipeline", line: 1 }, code, signal),
    );
    // Without a test in progress the file itself is what the process cannot stand.
    if (test === undefined) job.finish();
    else this.send(job);
  }

  private epitaph(test: TestCase, code: number | null, signal: string | null): TestResult {
    const end = signal === null ? `exit code ${code}` : signal;
    const said = this.said.trim();
    return {
      ...test,
      status: this.hung ? "timeout" : "crashed",
      durationMs: performance.now() - this.testBegan,
      message: this.hung
        ? `${test.name === "(file)" ? "could not be begun in time" : "did not stop at its limit"}; its process was ended`
        : `its process ended under it (${end})`,
      detail: said === "" ? undefined : said.split("\n").map(showText).join("\n"),
      stdout: "",
      stderr: "",
      seed: this.pool.options.seed,
    };
  }
}
