/**
 * `harn eval run` and `harn eval resume`: sets of trials, from the program to the summary; `harn eval score`: finished trials
 * scored again, without asking the agent.
 */

import { spawn } from "node:child_process";
import { closeSync, openSync, readdirSync, statSync, writeSync } from "node:fs";
import { join } from "node:path";
import { showOneLine } from "../../diagnostics/index.ts";
import type { EvalStore, TrialKind } from "../../eval/engine/index.ts";
import {
  checkGateFlags,
  checkSetName,
  type EvaluateRequest,
  type EvaluationEnd,
  evaluate,
  hasBaselineGate,
  inEvalStore,
  type MadePlan,
  NothingChosen,
  newSetName,
  noBaselineGate,
  type PlannedSet,
  planWarnings,
  progressView,
  reportExitCode,
  resumeEvaluation,
  SetStop,
  scoreEvaluation,
  setRow,
  sourcesOf,
  storedReport,
} from "../../eval/local/index.ts";
import {
  countedText,
  dollarText,
  type StoredSet,
  setAsJson,
  storedSetOf,
  summaryText,
} from "../../eval/report/index.ts";
import type { FlagsOf } from "../../host/command/flags.ts";
import {
  exitCode,
  ownFile,
  ownStateFolder,
  print,
  reportAsJson,
  reportError,
  UsageError,
} from "../../host/command/index.ts";
import { ownCommand } from "../../host/index.ts";
import { ownPath, ownProcess } from "../../process/index.ts";
import { makeFolders } from "../../store/folders.ts";
import type { scoreFlags } from "../flags/eval.ts";
import { type EvalFlags, evalCommand, scriptNotes } from "./eval-command.ts";
import { worstCode, writeForms } from "./report-command.ts";
import { type EvalRunFlags, planChoice, type ResumeFlags, type SetFlags, setOptions } from "./run-options.ts";

export async function runSetsCommand(
  targets: readonly string[],
  args: readonly string[],
  flags: EvalRunFlags,
): Promise<number> {
  const scripts = targets.flatMap(scriptTargets);
  if (flags.set !== undefined && scripts.length > 1)
    throw new UsageError("--set names one set: name one script");
  sayEndOfDetached();
  if (flags.detach === true) {
    if (scripts.length > 1) throw new UsageError("--detach is for one set: name one script");
    checkSetName(flags.set);
    const name = flags.set ?? newSetName();
    return detached(name, flags.set === undefined ? ["--set", name] : []);
  }
  const codes: number[] = [];
  const asked = new AskedOfScripts(flags, scripts.length);
  let missed: NothingChosen | undefined;
  for (const target of scripts) {
    try {
      codes.push(await runTarget(target, args, flags, asked));
    } catch (error) {
      if (!(error instanceof NothingChosen)) throw error;
      missed = error;
    }
  }
  if (codes.length === 0 && missed !== undefined) throw missed;
  asked.atEnd();
  return worstCode(codes);
}

/**
 * Flags that nothing takes up: of one script they are refused before anything is paid for. Of several scripts each may be for
 * another one, so what none has taken up is said at the end.
 */
class AskedOfScripts {
  private readonly flags: EvalRunFlags;
  private readonly scripts: number;
  private hasBaseline = false;
  private readonly taken = new Set<string>();
  private readonly known = new Set<string>();
  private seen = 0;

  constructor(flags: EvalRunFlags, scripts: number) {
    this.flags = flags;
    this.scripts = scripts;
  }

  see(path: string, hasBaseline: boolean, unasked: MadePlan["unasked"]): void {
    this.seen++;
    this.hasBaseline ||= hasBaseline;
    for (const name of Object.keys(this.flags.param ?? {}))
      if (unasked?.passed.includes(name) !== true) this.taken.add(name);
    for (const name of unasked?.known ?? []) this.known.add(name);
    const [problem] = this.problems(path);
    if (this.scripts === 1 && problem !== undefined) throw new UsageError(problem);
  }

  atEnd(): void {
    if (this.scripts === 1 || this.seen === 0) return;
    for (const problem of this.problems("these scripts")) reportError(`harn: warning: ${problem}\n`);
  }

  private problems(where: string): string[] {
    const { baseline, param } = this.flags;
    const known = [...this.known];
    const missing = Object.keys(param ?? {}).filter((name) => !this.taken.has(name));
    return [
      ...missing.map((name) => {
        const there = known.length === 0 ? "it asks for none" : `there are ${known.join(", ")}`;
        return `--param ${showOneLine(name)}: no eval_param of ${where} asks for it; ${there}`;
      }),
      ...(baseline === undefined || this.hasBaseline ? [] : [noBaselineGate(baseline)]),
    ];
  }
}

/** Whether a set that grows has a gate of an earlier command that compares with a baseline. */
const comparesAlready = (set: string | undefined): boolean =>
  set !== undefined &&
  inEvalStore((store) => {
    const row = store.set(set);
    return row !== undefined && hasBaselineGate(storedSetOf(store, row).tasks, {});
  });

interface RunTarget {
  readonly path: string;
  /** `file.harn::TASK` */
  readonly task: string | undefined;
}

/** Scripts, and every `*.eval.harn` of a folder that has some; anything else is a matter of records. */
export function scriptTargets(named: string): RunTarget[] {
  const [path = "", task] = named.split("::", 2);
  if (statSync(ownPath(path), { throwIfNoEntry: false })?.isDirectory() === true) {
    const found = readdirSync(ownPath(path), { recursive: true, encoding: "utf8" })
      .filter((name) => name.endsWith(".eval.harn"))
      .sort();
    if (found.length > 0) return found.map((name) => ({ path: join(path, name), task }));
  }
  return [{ path, task }];
}

async function runTarget(
  { path, task }: RunTarget,
  args: readonly string[],
  flags: EvalRunFlags,
  asked: AskedOfScripts,
): Promise<number> {
  const old: EvalFlags = flags;
  if (!path.endsWith(".harn") || flags.structuralExperiment !== undefined) {
    if (flags.workers === true)
      throw new UsageError(
        `--workers is for scripts with tasks: ${flags.structuralExperiment === undefined ? path : "--structural-experiment"} is judged here`,
      );
    return await evalCommand(path, args, old);
  }
  checkSetName(flags.set);
  return await workOnSet(flags, async ({ onPlanned, ...work }, run) => {
    const done = await evaluate({
      file: path,
      args,
      flags,
      params: flags.param ?? {},
      choice: planChoice(flags, task),
      set: flags.set,
      options: setOptions(flags),
      redo: flags.redo ?? null,
      ...(flags.stale === undefined ? {} : { stale: flags.stale }),
      judged: flags,
      ...work,
      ...run,
      onTasks: (tasks, { unasked, program }) => {
        checkGateFlags(tasks, flags);
        for (const text of planWarnings(tasks, flags, sourcesOf(program))) work.onWarning(text);
        asked.see(path, hasBaselineGate(tasks, flags) || comparesAlready(flags.set), unasked);
      },
      onPlanned: (planned) => {
        const { name, store, trials } = planned;
        if (flags.quiet !== true) reportError(`${boundText(storedOf(store, name), trials)}\n`);
        onPlanned(planned);
      },
    });
    if (done.kind === "no set") return scriptNotes(path, { ...done.notes, exitCode: done.exitCode }, old);
    return done;
  });
}

export function resumeSetCommand(name: string | undefined, flags: ResumeFlags): Promise<number> {
  const { redo } = flags;
  sayEndOfDetached();
  if (flags.detach === true) {
    const found = inEvalStore((store) => setRow(store, name ?? "last").name);
    return Promise.resolve(detached(found, []));
  }
  return workOnSet(flags, async ({ onPlanned, ...work }, run) => {
    const done = await resumeEvaluation({
      set: name ?? "last",
      flags,
      options: setOptions(flags),
      judged: flags,
      ...(redo === undefined ? {} : { redo }),
      race: flags.race !== "off",
      choice: { task: flags.task, samples: flags.sample },
      onChosen: ({ asked, all }) => {
        if (flags.quiet !== true && asked < all) reportError(`${leftOpenText(asked, all)}\n`);
      },
      ...work,
      ...run,
      onPlanned: (planned) => {
        const { tasks } = storedOf(planned.store, planned.name);
        checkGateFlags(tasks, flags);
        if (flags.baseline !== undefined && !hasBaselineGate(tasks, flags))
          throw new UsageError(noBaselineGate(flags.baseline));
        onPlanned(planned);
      },
    });
    return done;
  });
}

/** What a choice of trials leaves as it is. */
const leftOpenText = (asked: number, all: number): string =>
  `${countedText(asked, "trial")} of the ${all.toLocaleString("en-US")} open ones; the others stay open`;

/** What every command that works on a set hands to it: signals, the view, warnings. */
export interface SetWork {
  readonly stop: SetStop;
  readonly onWarning: (text: string) => void;
  readonly onProgress: NonNullable<EvaluateRequest["onProgress"]>;
  /** `cross`: what is worked on are crossed trials beside the set's own. */
  readonly onPlanned: (planned: Pick<PlannedSet, "name" | "store"> & { readonly kind?: TrialKind }) => void;
  /** The view is gone: from now on the command may tell. */
  readonly closed: () => void;
}

type WorkedSet = Extract<EvaluationEnd, { kind: "set" }>;

/** Runs `body` under a view of the set and the signals that stop it; then the summary of what it worked on, or the exit code that it gives. */
export async function workOnSet(
  flags: ScoreFlags & Pick<SetFlags, "workers" | "sign">,
  body: (work: SetWork, run: Pick<EvaluateRequest, "run">) => Promise<WorkedSet | number>,
): Promise<number> {
  const view = progressView(flags);
  const warnings: string[] = [];
  const stop = new SetStop();
  const printed = (): void => {
    for (const text of warnings.splice(0)) reportError(`warning: ${showOneLine(text)}\n`);
  };
  // The view is gone before anything else is told.
  const closed = (): void => {
    view.close();
    printed();
  };
  const work: SetWork = {
    stop,
    onWarning: (text) => void warnings.push(text),
    onProgress: (progress, ended) => view.onProgress(progress, ended),
    onPlanned: ({ name, store, kind }) => {
      // What is likely wrong with the plan is told before it is paid for.
      printed();
      view.begin(store, name, kind);
    },
    closed,
  };
  try {
    const done = await onWorkers(flags, work, body);
    closed();
    return typeof done === "number" ? done : emitSet(done, flags);
  } finally {
    closed();
    stop.close();
  }
}

/** With who does the trials. */
async function onWorkers<T>(
  flags: Parameters<typeof workOnSet>[0],
  work: SetWork,
  body: (work: SetWork, run: Pick<EvaluateRequest, "run">) => Promise<T>,
): Promise<T> {
  if (flags.workers !== true) {
    if (flags.sign !== undefined) throw new UsageError("--sign is for trials on workers: add --workers");
    return await body(work, {});
  }
  const { withWorkers } = await import("./set-on-workers.ts");
  return await withWorkers(flags, work.onWarning, (run) => body(work, { run }));
}

const storedOf = (store: EvalStore, name: string): StoredSet => {
  const row = store.set(name);
  if (row === undefined) throw new UsageError(`the set ${name} is gone`, "HARN-CLI-003");
  return storedSetOf(store, row);
};

/** `400 trials, at most $80.00 (400 × $0.20)`, or that nothing bounds it. */
export function boundText(set: StoredSet, trials: number): string {
  const open = set.tasks.map(({ spec, trials: own }) => ({
    each: spec.limits.costUsd,
    count: own.filter(({ state }) => state !== "done" && state !== "skipped").length,
  }));
  const count = `${trials.toLocaleString("en-US")} ${trials === 1 ? "trial" : "trials"}`;
  const left = open.reduce((sum, one) => sum + one.count, 0);
  const begun = left === trials ? count : `${count}, ${left.toLocaleString("en-US")} of them to run`;
  const parts = open.filter((one) => one.count > 0);
  const sums = parts.map(({ each, count: own }) => (each === null ? null : each * own));
  if (sums.every((sum) => sum !== null)) {
    const bound = sums.reduce<number>((sum, one) => sum + (one ?? 0), 0);
    const how = parts.map(({ each, count: own }) => `${own} × ${dollarText(each)}`).join(" + ");
    return parts.length === 0 ? begun : `${begun}, at most ${dollarText(bound)} (${how})`;
  }
  if (set.costLimit !== null) return `${begun}, at most ${dollarText(set.costLimit)} (--cost)`;
  return `${begun}, no bound: set limits.cost_usd or --cost`;
}

/** Summary, forms and gates of a set that has been worked on; the code of a signal or of a wrong task outranks the report's. */
function emitSet({ end, store }: WorkedSet, flags: SetFlags): number {
  const set = storedOf(store, end.set.name);
  const report = storedReport(store, set, flags);
  writeForms(store, set, report, flags);
  if (flags.json === true) reportAsJson(setAsJson(report, flags.strict === true));
  else print(summaryText(report));
  const own: readonly number[] = [exitCode.ok, exitCode.incomplete, exitCode.parked];
  return own.includes(end.exitCode) ? reportExitCode(report, flags.strict === true) : end.exitCode;
}

/** Tells the process in the background which set it works on. */
const variable = "HARN_EVAL_DETACHED";

/**
 * `--detach`: starts this command again, with `more` arguments, in a process of its own that outlives the terminal; prints
 * `{set, pid, log}`. What it says goes into a log beside the store, whose last line says that it has ended, and how.
 */
function detached(set: string, more: readonly string[]): number {
  const folder = join(ownStateFolder(), "logs");
  const log = ownFile(join(folder, `${set}.log`));
  makeFolders(folder, 0o700);
  const output = openSync(log, "a", 0o600);
  const args = process.argv.slice(2).filter((text) => text !== "--detach");
  const again = ownCommand([...args, ...more, "--plain"]);
  const child = spawn(again.program, again.args, {
    detached: true,
    stdio: ["ignore", output, output],
    env: { ...ownProcess().env, [variable]: set },
  });
  closeSync(output);
  child.unref();
  reportAsJson({ set, pid: child.pid ?? null, log });
  return exitCode.ok;
}

/** In that process: the last line of its log. */
function sayEndOfDetached(): void {
  const set = ownProcess().env[variable];
  if (set === undefined) return;
  delete ownProcess().env[variable];
  process.on(
    "exit",
    (code) => void writeSync(1, `${JSON.stringify({ done: true, exit_code: code, set })}\n`),
  );
}

type ScoreFlags = FlagsOf<typeof scoreFlags>;

export function scoreSetCommand(name: string, args: readonly string[], flags: ScoreFlags): Promise<number> {
  return workOnSet(flags, async (work) => {
    const done = await scoreEvaluation({
      set: name,
      script: flags.script,
      args,
      scorers: flags.scorer ?? null,
      draws: flags.draws,
      flags,
      options: setOptions(flags),
      ...work,
    });
    return done ?? exitCode.failed;
  });
}
