/** Runs a fuzzer in a process of its own and watches it: findings are confirmed, cut down and written to a folder. */
import { type ChildProcess, fork } from "node:child_process";
import {
  mkdirSync,
  mkdtempSync,
  openSync,
  readFileSync,
  rmSync,
  statSync,
  truncateSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { cleanEnvironment } from "../support/command-environment.ts";
import { keepCompiled } from "../support/compiled-sources.ts";
import { Dice } from "../support/fuzz-text.ts";
import type { Case, Verdict } from "./child.ts";
import type { Fault, Finding, Input } from "./fuzzer.ts";
import { fuzzerNamed } from "./fuzzers/index.ts";
import { minimized } from "./minimize.ts";

export interface CampaignOptions {
  readonly name: string;
  /** The first case's seed; the following ones count up. */
  readonly seed: number;
  /** Ends after so many cases … */
  readonly cases?: number;
  /** … or so many milliseconds. */
  readonly ms?: number;
  /** Where findings are written; none are written without it. */
  readonly folder?: string;
  readonly emit?: (line: string) => void;
  /** A process that is there; it is left to whoever made it. */
  readonly runner?: Runner;
}

export interface CampaignResult {
  readonly cases: number;
  readonly findings: readonly Finding[];
}

/** A case that takes longer is taken for one that hangs … */
const PATIENCE = 10_000;
/** … when it takes this long in a second process too: a busy machine is not a defect. */
const SECOND_PATIENCE = 30_000;
/** A new process after so many cases, so that what the process gathers is not taken for a case's own. */
const CASES_PER_PROCESS = 400;
const ENOUGH_FINDINGS = 40;

/** Runs the cases of seeds one after the other. */
export async function fuzz(options: CampaignOptions): Promise<CampaignResult> {
  const { name, seed, emit = () => {} } = options;
  const until = options.ms === undefined ? Number.POSITIVE_INFINITY : Date.now() + options.ms;
  const findings: Finding[] = [];
  const runner = options.runner ?? new Runner(name);
  const fuzzer = fuzzerNamed(name);
  let cases = 0;
  while (
    cases < (options.cases ?? Number.POSITIVE_INFINITY) &&
    Date.now() < until &&
    findings.length < ENOUGH_FINDINGS
  ) {
    const at = seed + cases++;
    const fault = await runner.judge({ seed: at });
    if (fault === undefined || findings.some((known) => known.what === fault.what)) continue;
    emit(`seed ${at}: ${fault.kind}: ${fault.what}`);
    const input = fuzzer.make(new Dice(at));
    const same = async (smaller: Input): Promise<boolean> => {
      const again = await runner.judge({ seed: at, input: smaller });
      return again?.kind === fault.kind && again.what === fault.what;
    };
    const slow = fault.kind === "hang" || options.folder === undefined;
    const finding = { fuzzer: name, seed: at, ...fault, input: slow ? input : await minimized(input, same) };
    findings.push(finding);
    if (options.folder !== undefined) emit(`  written to ${write(options.folder, finding)}`);
  }
  if (options.runner === undefined) await runner.end();
  return { cases, findings };
}

export const readFinding = (path: string): Finding => JSON.parse(readFileSync(path, "utf8")) as Finding;

function write(folder: string, finding: Finding): string {
  mkdirSync(folder, { recursive: true });
  const path = join(folder, `${finding.fuzzer}-${finding.seed}.json`);
  writeFileSync(path, `${JSON.stringify(finding, null, 2)}\n`);
  return path;
}

const childPath = join(dirname(fileURLToPath(import.meta.url)), "child.ts");

/** The process that runs cases, started anew when it died, hung or has run many. */
export class Runner {
  private readonly name: string;
  private readonly place = mkdtempSync(join(tmpdir(), "harn-fuzz-out-"));
  private child: ChildProcess | undefined;
  private done = 0;

  constructor(name: string) {
    this.name = name;
  }

  /** Undefined when nothing is wrong. */
  async judge(one: Case): Promise<Fault | undefined> {
    const first = await this.attempt(one, PATIENCE);
    return first?.kind === "hang" ? await this.attempt(one, SECOND_PATIENCE) : first;
  }

  async end(): Promise<void> {
    await this.retire();
    rmSync(this.place, { recursive: true, force: true });
  }

  private get output(): string {
    return join(this.place, "output");
  }

  private async attempt(one: Case, patience: number): Promise<Fault | undefined> {
    if (this.done >= CASES_PER_PROCESS) await this.retire();
    this.child ??= await this.start();
    this.done++;
    const child = this.child;
    const ended = await new Promise<Verdict | "hang" | number | string>((resolve) => {
      const timer = setTimeout(() => resolve("hang"), patience);
      const settle = (value: Verdict | number | string): void => {
        clearTimeout(timer);
        child.removeAllListeners("message").removeAllListeners("exit");
        resolve(value);
      };
      child.once("message", (verdict: Verdict) => settle(verdict));
      child.once("exit", (code, signal) => settle(code ?? signal ?? "gone"));
      child.send(one, () => {});
    });
    if (typeof ended === "object") return ended.fault;
    const said = this.tail();
    child.removeAllListeners();
    child.kill("SIGKILL");
    this.child = undefined;
    if (ended === "hang") return { kind: "hang", what: `no end within ${PATIENCE / 1000} s`, said };
    const why = /^.*(?:Error|heap out of memory).*$/m.exec(said)?.[0] ?? "";
    return { kind: "crash", what: `the process ended (${ended}) ${why}`.trim(), said };
  }

  private async start(): Promise<ChildProcess> {
    const output = openSync(this.output, "a");
    const child = fork(childPath, [this.name, this.output], {
      execArgv: ["--max-old-space-size=1024", "--disable-warning=ExperimentalWarning"],
      env: { ...cleanEnvironment(keepCompiled()), HARN_HISTORY: "" },
      stdio: ["ignore", output, output, "ipc"],
    });
    this.done = 0;
    await new Promise<void>((resolve, reject) => {
      child.once("message", () => resolve());
      child.once("exit", (code) =>
        reject(new Error(`the fuzzer could not start (${code}):\n${this.tail()}`)),
      );
    });
    child.removeAllListeners("exit");
    return child;
  }

  private async retire(): Promise<void> {
    const child = this.child;
    this.child = undefined;
    if (child === undefined) return;
    const gone = new Promise<void>((resolve) => child.once("exit", () => resolve()));
    child.send("end", () => {});
    const timer = setTimeout(() => child.kill("SIGKILL"), 5000);
    await gone;
    clearTimeout(timer);
    truncateSync(this.output, 0);
  }

  /** The end of what was printed. */
  private tail(): string {
    const { size } = statSync(this.output);
    return readFileSync(this.output, "utf8").slice(-Math.min(size, 8000));
  }
}
