/**
 * Real kills: the command line runs the script in a copy of its folder, is killed with SIGKILL at some moment, and is
 * resumed until it ends. Together the processes must print what one would have printed.
 */
import { spawn } from "node:child_process";
import { cpSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { basename, dirname, join, relative } from "node:path";

export interface KillNine {
  /** Canonical path of the script. */
  readonly path: string;
  readonly args: readonly string[];
  /** What stands before the script: flags of `harn run`. */
  readonly flags: readonly string[];
  readonly times: number;
}

export interface KilledRun {
  readonly afterMs: number;
  readonly differences: readonly string[];
}

interface Ended {
  readonly stdout: string;
  readonly stderr: string;
  readonly code: number | null;
  readonly ms: number;
}

export async function killNine(options: KillNine): Promise<KilledRun[]> {
  const whole = await inCopy(options, (start) => start([], undefined));
  const runs: KilledRun[] = [];
  for (let at = 0; at < options.times; at++) {
    // Spread evenly over the time that the whole run took.
    const afterMs = (whole.ms * (at + 0.5)) / options.times;
    const cut = await inCopy(options, (start) => untilEnd(start, afterMs));
    runs.push({ afterMs: Math.round(afterMs), differences: compare(whole, cut) });
  }
  return runs;
}

type Start = (resume: readonly string[], killAfter: number | undefined) => Promise<Ended>;

async function untilEnd(start: Start, killAfter: number): Promise<Ended> {
  let { stdout, stderr, code, ms } = await start([], killAfter);
  // Killed before its first effect: there is nothing to go on with, so it begins anew.
  for (let tries = 0; code === null && tries < 3; tries++) {
    const next = await start(["--resume", "last"], undefined);
    const anew = next.code === 1 && next.stdout === "" && next.ms >= 0;
    const after = anew ? await start([], undefined) : next;
    stdout = anew && after.stdout !== "" ? after.stdout : stdout + after.stdout;
    ({ code, ms, stderr } = after);
  }
  return { stdout, stderr, code, ms };
}

async function inCopy<T>(options: KillNine, work: (start: Start) => Promise<T>): Promise<T> {
  const folder = mkdtempSync(join(tmpdir(), "harn-torture-"));
  const from = dirname(options.path);
  try {
    cpSync(from, folder, { recursive: true, filter: (path) => !skipped.has(basename(path)) });
    const script = join(folder, relative(from, options.path));
    return await work((resume, killAfter) => {
      const what = resume.length > 0 ? resume : [...options.flags, script];
      const own = resume.length > 0 || options.args.length === 0 ? [] : ["--", ...options.args];
      return run(["run", ...what, ...own], folder, killAfter);
    });
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

const skipped = new Set([".git", ".harn", "node_modules"]);

function run(args: readonly string[], folder: string, killAfter: number | undefined): Promise<Ended> {
  const began = performance.now();
  const [entry = ""] = process.argv.slice(1);
  const child = spawn(process.execPath, [...process.execArgv, entry, ...args], {
    cwd: folder,
    env: { ...process.env, HARN_STATE_DIR: join(folder, ".harn") },
    stdio: ["ignore", "pipe", "pipe"],
  });
  let stdout = "";
  child.stdout.setEncoding("utf8").on("data", (text: string) => {
    stdout += text;
  });
  let stderr = "";
  child.stderr.setEncoding("utf8").on("data", (text: string) => {
    stderr += text;
  });
  const timer = killAfter === undefined ? undefined : setTimeout(() => child.kill("SIGKILL"), killAfter);
  return new Promise((resolve, reject) => {
    child.on("error", reject);
    child.on("close", (code) => {
      clearTimeout(timer);
      resolve({ stdout, stderr, code, ms: performance.now() - began });
    });
  });
}

/** Times and ids differ between two real runs; lengths and exit codes need not. */
function compare(whole: Ended, cut: Ended): string[] {
  const found: string[] = [];
  if (cut.code !== whole.code) found.push(`exit code ${cut.code}, not ${whole.code}: ${cut.stderr.trim()}`);
  const [a, b] = [whole.stdout.split("\n"), cut.stdout.split("\n")];
  if (a.length !== b.length) found.push(`output: ${b.length - 1} lines, not ${a.length - 1}`);
  return found;
}
