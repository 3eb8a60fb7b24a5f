/**
 * `harn eval check`: is the task itself right? Its oracle must succeed on every sample that has one, and whoever says and does
 * nothing on none. Both are sets in a store of their own, which is gone afterwards; scorers that need a model are left out.
 */
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { showOneLine } from "../../diagnostics/index.ts";
import { noOracle, type Solver } from "../../eval/engine/index.ts";
import { evaluate, planWarnings, replayedSet, replayedText, sourcesOf } from "../../eval/local/index.ts";
import {
  countedText,
  type StoredTask,
  type StoredTrial,
  storedSetOf,
  successOf,
} from "../../eval/report/index.ts";
import {
  exitCode,
  print,
  reportAsJson,
  reportError,
  reportFailure,
  reportFigures,
  setVariables,
  UsageError,
} from "../../host/command/index.ts";
import { isJsonObject } from "../../values/index.ts";
import { type EvalRunFlags, planChoice } from "./run-options.ts";
import { boundText, scriptTargets } from "./set-command.ts";

export async function checkEvalCommand(
  targets: readonly string[],
  args: readonly string[],
  flags: EvalRunFlags,
): Promise<number> {
  if (flags.set !== undefined) return await checkSet(flags.set, targets, args, flags);
  const checked: TaskCheck[] = [];
  for (const { path, task } of targets.flatMap(scriptTargets)) {
    if (!path.endsWith(".harn"))
      throw new UsageError(`${path} is not a script: \`check\` is for tasks that run`);
    const folder = mkdtempSync(join(tmpdir(), "harn-eval-check-"));
    const putBack = setVariables([["HARN_STATE_DIR", folder]]);
    try {
      const oracle = await checkedSet(path, task, args, flags, "oracle");
      const nop = await checkedSet(path, task, args, flags, "nop");
      if (typeof oracle === "number") return oracle;
      if (typeof nop === "number") return nop;
      if (flags.json !== true) print(`${oracle.bound}\n`);
      checked.push(...oracle.tasks.map((found, at) => ({ ...found, empty: nop.tasks[at]?.empty ?? [] })));
    } finally {
      putBack();
      rmSync(folder, { recursive: true, force: true });
    }
  }
  if (flags.json === true) reportAsJson(checked);
  else print(checked.map(checkedText).join(""));
  return checked.some(({ broken, empty }) => broken.length > 0 || empty.length > 0)
    ? exitCode.failed
    : exitCode.ok;
}

/** What the program as it is now would change of a set. */
async function checkSet(
  set: string,
  targets: readonly string[],
  args: readonly string[],
  flags: EvalRunFlags,
): Promise<number> {
  const [target, ...more] = targets.flatMap(scriptTargets);
  if (target === undefined || more.length > 0 || !target.path.endsWith(".harn"))
    throw new UsageError("--set: name the one script that the set is to be followed under", "HARN-CLI-003");
  const tasks = await replayedSet(set, {
    file: target.path,
    args,
    flags,
    params: flags.param ?? {},
    choice: planChoice(flags, target.task),
  });
  if (tasks === undefined) return exitCode.failed;
  if (flags.json === true) reportFigures(tasks);
  else print(tasks.map((task) => `${showOneLine(replayedText(task))}\n`).join(""));
  return exitCode.ok;
}

interface CheckedSet {
  readonly bound: string;
  readonly tasks: readonly TaskCheck[];
}

/** What a set of oracles, or of nobody, shows; a number is the exit code of a program without tasks. */
async function checkedSet(
  file: string,
  task: string | undefined,
  args: readonly string[],
  flags: EvalRunFlags,
  as: Solver,
): Promise<CheckedSet | number> {
  let bound = "";
  const done = await evaluate({
    file,
    args,
    flags,
    as,
    params: flags.param ?? {},
    choice: planChoice(flags, task),
    onTasks: (tasks, { program }) => {
      if (as === "oracle")
        for (const text of planWarnings(tasks, flags, sourcesOf(program)))
          reportError(`warning: ${showOneLine(text)}\n`);
    },
    onPlanned: ({ name, store, trials }) => {
      const row = store.set(name);
      if (row !== undefined) bound = boundText(storedSetOf(store, row), trials);
    },
  });
  if (done.kind === "no set") {
    return done.exitCode === exitCode.ok
      ? reportFailure(new UsageError(`${file} registers no task: there is nothing to check`, "HARN-CLI-003"))
      : done.exitCode;
  }
  const set = storedSetOf(done.store, done.end.set);
  return { bound: `${file}: ${bound}`, tasks: set.tasks.map((one) => checkedTask(one, as)) };
}

function checkedTask(task: StoredTask, as: Solver) {
  const own = task.trials.filter((trial) => trial.epoch === 1 && !hasNoOracle(trial));
  const judged = new Set(
    task.spec.scorers.filter(({ needs }) => !needs.includes("model")).map(({ name }) => name),
  );
  const rule = { ...task.spec, success: task.spec.success.filter((name) => judged.has(name)) };
  const wrong = own.flatMap((trial) => {
    const success = successOf(trial, rule);
    const isWrong = as === "oracle" ? success !== 1 : success === 1;
    return isWrong ? { sample: trial.sample, why: as === "oracle" ? whyNot(trial) : "" } : [];
  });
  const bySample = [...new Map(wrong.map((one) => [one.sample, one])).values()];
  return {
    task: task.spec.name,
    /** Samples that have an oracle, and those of them on which it does not succeed. */
    oracles: as === "oracle" ? new Set(own.map(({ sample }) => sample)).size : 0,
    broken: as === "oracle" ? bySample : [],
    /** Samples on which saying and doing nothing succeeds. */
    empty: as === "nop" ? bySample : [],
  };
}

type TaskCheck = Readonly<ReturnType<typeof checkedTask>>;

const hasNoOracle = ({ outcome }: StoredTrial): boolean =>
  isJsonObject(outcome) && isJsonObject(outcome.data) && outcome.data[noOracle] === true;

/** The error of the trial, or the first scorer that does not pass, with its reason. */
function whyNot(trial: StoredTrial): string {
  if (trial.error !== null) return trial.error.message.replace(/^Thrown: /u, "");
  const score = trial.scores.find(({ pass }) => pass !== true);
  if (score === undefined) return "it is unscored";
  return `${score.scorer}: ${score.error?.message ?? score.why ?? (score.pass === null ? "unscored" : "does not pass")}`;
}

function checkedText({ task, oracles, broken, empty }: TaskCheck): string {
  const oracle =
    oracles === 0
      ? "no sample has an oracle"
      : `the oracle succeeds on ${oracles - broken.length} of ${countedText(oracles, "sample")}`;
  const nobody =
    empty.length === 0
      ? "doing nothing succeeds on none"
      : `doing nothing succeeds on ${countedText(empty.length, "sample")}`;
  return [
    `${task}: ${oracle}; ${nobody}`,
    ...broken.map(({ sample, why }) => `  ${sample}  the oracle does not succeed: ${why}`),
    ...empty.map(({ sample }) => `  ${sample}  doing nothing succeeds: the sample tells nothing`),
  ]
    .map((line) => `${showOneLine(line)}\n`)
    .join("");
}
