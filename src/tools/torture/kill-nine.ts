/**
 * Real kills: the command line runs the script in a copy of its folder, is killed with SIGKILL at some moment, and is
 * resumed until it ends. Together the processes must have done and printed what one would have: only what the clock says
 * may differ, so numbers are left out of what is compared.
 */
import { spawn } from "node:child_process";
import { cpSync, existsSync, mkdtempSync, readdirSync, readFileSync, realpathSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { basename, dirname, join, relative } from "node:path";
import { type LoopPhase, loopPhases } from "../../agent/index.ts";
import { resumePoint, stepsOf } from "../../effects/index.ts";
import { UsageError } from "../../host/command/index.ts";
import { ownCommand } from "../../host/index.ts";
import { existingStore } from "../../store/index.ts";
import { type ChildOrders, ordersVariable } from "./in-child.ts";

export interface KillNine {
  /** Canonical path of the script. */
  readonly path: string;
  readonly args: readonly string[];
  /** What stands before the script: flags of `harn run`. Paths in them are absolute. */
  readonly flags: readonly string[];
  readonly kills: readonly KillMoment[];
  /** What the script ended with in memory. */
  readonly exitCode: number;
}

/** When a run is killed: after a part of the time that the whole takes, or by itself in a phase of one of its agents. */
export type KillMoment =
  | { readonly part: number }
  | { readonly phase: LoopPhase; readonly nth: number; readonly of: number };

export interface KilledRun {
  /** `after 120 ms`, `in model (154 of 308)` */
  readonly when: string;
  /** Processes that were started until the run had ended. */
  readonly processes: number;
  readonly differences: readonly string[];
}

interface KilledProcess {
  readonly stdout: string;
  readonly stderr: string;
  /** `null`: it was killed. */
  readonly code: number | null;
  readonly ms: number;
}

/** Everything that a run left behind. */
interface KillOutcome extends KilledProcess {
  readonly processes: number;
  /** Place and kind of each effect. */
  readonly effects: ReadonlySet<string>;
  readonly files: ReadonlyMap<string, string>;
  /** What its sessions were in the end, as JSON; "" when nobody wrote it down. */
  readonly sessions: string;
}

export async function killNine(options: KillNine): Promise<KilledRun[]> {
  const whole = await inCopy(options, undefined);
  // A script that starts processes ends well only here: in memory it has none.
  if (whole.code !== 0 && whole.code !== options.exitCode) {
    const why = whole.stderr.trim().split("\n")[0] ?? "";
    const advice = "real runs happen in a copy of the script's folder: start `harn torture` there";
    throw new UsageError(
      `in a copy of its folder the script ends with ${whole.code}: ${why}; ${advice}`,
      "HARN-CLI-008",
    );
  }
  const runs: KilledRun[] = [];
  for (const kill of options.kills) {
    const ms = "part" in kill ? whole.ms * kill.part : undefined;
    const cut = await inCopy(options, "part" in kill ? { afterMs: whole.ms * kill.part } : { kill });
    runs.push({
      when:
        "part" in kill ? `after ${Math.round(ms ?? 0)} ms` : `in ${kill.phase} (${kill.nth} of ${kill.of})`,
      processes: cut.processes,
      differences: compareRuns(whole, cut),
    });
  }
  return runs;
}

/** `times` kills, spread evenly over the time that the whole run takes. */
export const spreadKills = (times: number): KillMoment[] =>
  Array.from({ length: times }, (_, at) => ({ part: (at + 0.5) / times }));

/** One kill in each phase that the script reaches, in the middle of the run. */
export const phaseKills = (phases: ReadonlyMap<LoopPhase, number>): KillMoment[] =>
  loopPhases.flatMap((phase) => {
    const of = phases.get(phase) ?? 0;
    return of === 0 ? [] : [{ phase, nth: Math.ceil(of / 2), of }];
  });

/** How one process of a run is killed; empty: it is not. */
interface Cut {
  readonly afterMs?: number;
  readonly kill?: ChildOrders["kill"];
}

async function inCopy(options: KillNine, cut: Cut | undefined): Promise<KillOutcome> {
  // The name as the system knows it: a script that asks for its folder is told this one.
  const folder = realpathSync(mkdtempSync(join(tmpdir(), "harn-torture-")));
  try {
    cpSync(dirname(options.path), folder, {
      recursive: true,
      filter: (path) => !skipped.has(basename(path)),
    });
    const ended = await untilEnd(options, folder, cut ?? {});
    return { ...ended, effects: effectsIn(folder), files: filesIn(folder), sessions: sessionsIn(folder) };
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

const sessionsFile = (folder: string): string => join(stateOf(folder), "sessions.json");

function sessionsIn(folder: string): string {
  const file = sessionsFile(folder);
  if (!existsSync(file)) return "";
  return masked(readFileSync(file, "utf8").replaceAll(folder, "").replaceAll(timed, "ID"));
}

const skipped = new Set([".git", ".harn", "node_modules"]);

/** More processes than that mean that a resume does not get further. */
const maxProcesses = 5;

async function untilEnd(
  options: KillNine,
  folder: string,
  cut: Cut,
): Promise<KilledProcess & { readonly processes: number }> {
  const script = join(folder, relative(dirname(options.path), options.path));
  const own = options.args.length === 0 ? [] : ["--", ...options.args];
  // One seed: what the script makes of chance is no difference.
  const anew = ["run", "--seed", "torture", ...options.flags, script, ...own];
  let ended = await run(anew, folder, cut);
  let processes = 1;
  for (; ended.code === null && processes < maxProcesses; processes++) {
    const left = whatIsLeft(stateOf(folder));
    // Killed when its run had ended already: nothing was lost.
    if (left.kind === "ended") return { ...ended, code: left.exitCode, processes };
    // Killed before its first effect: there is nothing to resume, so it begins anew.
    const begun = left.kind === "begun";
    const next = await run(begun ? ["run", "--resume", "last", "--on-doubt", "redo"] : anew, folder, {});
    ended = { ...next, stdout: begun ? ended.stdout + next.stdout : next.stdout };
  }
  return { ...ended, processes };
}

const stateOf = (folder: string): string => join(folder, ".harn");

export type Left =
  | { readonly kind: "nothing" }
  | { readonly kind: "begun" }
  | { readonly kind: "ended"; readonly exitCode: number };

/**
 * What a killed process left of its run in a state folder. The journal decides whether the run had ended, as it does for
 * `--resume`: the store's own column can't tell a run whose process is still being taken down from one that goes on.
 */
export function whatIsLeft(folder: string): Left {
  const store = existingStore(folder);
  try {
    const newest = store?.runs.list()[0];
    if (store === undefined || newest === undefined) return { kind: "nothing" };
    const { exitCode } = newest;
    if (exitCode === undefined) return { kind: "begun" };
    const { because } = resumePoint(store.runs.read(newest.name));
    const hasEnded = because === "ended" || because === "failed";
    return hasEnded ? { kind: "ended", exitCode } : { kind: "begun" };
  } finally {
    store?.close();
  }
}

function effectsIn(folder: string): Set<string> {
  const store = existingStore(stateOf(folder));
  try {
    const [newest] = store?.runs.list() ?? [];
    if (store === undefined || newest === undefined) return new Set();
    const { history } = resumePoint(store.runs.read(newest.name));
    return new Set(stepsOf(history).map(({ place, kind }) => `${place} ${kind}`));
  } finally {
    store?.close();
  }
}

/** Files by name, with the name of their folder and numbers left out. */
function filesIn(folder: string): Map<string, string> {
  const files = new Map<string, string>();
  for (const entry of readdirSync(folder, { recursive: true, withFileTypes: true })) {
    const path = join(entry.parentPath, entry.name);
    const name = relative(folder, path);
    if (!entry.isFile() || name.startsWith(".harn")) continue;
    files.set(name, masked(readFileSync(path, "latin1").replaceAll(folder, "")));
  }
  return files;
}

/** Ids that begin with the time. */
const timed = /[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}/g;

const masked = (text: string): string => text.replaceAll(/\d+(?:[.,:]\d+)*/g, "#");

function run(args: readonly string[], folder: string, { afterMs, kill }: Cut): Promise<KilledProcess> {
  const began = performance.now();
  const own = ownCommand(args);
  const child = spawn(own.program, own.args, {
    cwd: folder,
    env: {
      ...process.env,
      HARN_STATE_DIR: stateOf(folder),
      [ordersVariable]: JSON.stringify({
        ...(kill === undefined ? {} : { kill }),
        sessions: sessionsFile(folder),
      }),
    },
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
  const timer = afterMs === undefined ? undefined : setTimeout(() => child.kill("SIGKILL"), afterMs);
  return new Promise((resolve, reject) => {
    child.on("error", reject);
    child.on("close", (code) => {
      clearTimeout(timer);
      resolve({ stdout: stdout.replaceAll(folder, ""), stderr, code, ms: performance.now() - began });
    });
  });
}

function compareRuns(whole: KillOutcome, cut: KillOutcome): string[] {
  const found: string[] = [];
  if (cut.code !== whole.code) found.push(`exit code ${cut.code}, not ${whole.code}: ${cut.stderr.trim()}`);
  const line = firstOther(masked(whole.stdout).split("\n"), masked(cut.stdout).split("\n"));
  if (line !== undefined) found.push(`output: line ${line + 1} differs`);
  for (const effect of whole.effects)
    if (!cut.effects.has(effect)) found.push(`effects: ${effect} is missing`);
  for (const effect of cut.effects) if (!whole.effects.has(effect)) found.push(`effects: ${effect} came up`);
  for (const [name, text] of whole.files) {
    if (cut.files.get(name) !== text) found.push(`files: ${name} has another content`);
  }
  if (cut.sessions !== "" && cut.sessions !== whole.sessions)
    found.push(otherSessions(whole.sessions, cut.sessions));
  for (const name of cut.files.keys()) if (!whole.files.has(name)) found.push(`files: ${name} was written`);
  return found;
}

/** Where two descriptions of the same sessions part, with what stands there. */
function otherSessions(expected: string, found: string): string {
  let at = 0;
  while (expected[at] === found[at]) at++;
  const around = (text: string): string => text.slice(Math.max(0, at - 60), at + 60);
  return `sessions: ${around(found)} instead of ${around(expected)}`;
}

function firstOther(expected: readonly string[], found: readonly string[]): number | undefined {
  const at = expected.findIndex((line, index) => line !== found[index]);
  if (at >= 0) return at;
  return expected.length === found.length ? undefined : expected.length;
}
