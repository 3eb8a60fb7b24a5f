/** The plan of a set: the run of the program that makes its tasks, recorded once. */

import { builtinTable } from "../../builtins/index.ts";
import { JournalledEffects, type Json } from "../../effects/index.ts";
import { colourOnStderr, reportPaintedError, UsageError } from "../../host/command/index.ts";
import { createNodeHost, nodeDigest, nodeInterrupts, nodeSeed } from "../../host/index.ts";
import { Runtime, runGuarded, Task } from "../../interp/index.ts";
import { type ExecutableProgram, type RunOutcome, runProgram } from "../../lower/index.ts";
import { ownProcess } from "../../process/index.ts";
import { canonicalPath, checked, NodeModuleLoader, NotingLoader, readProgram } from "../../program/index.ts";
import {
  endOfRun,
  granted,
  grantedLimitsOf,
  journalInStore,
  type RunFlags,
  type RunJournal,
  runLimits,
  showError,
} from "../../run/setup/index.ts";
import { wireModels } from "../../run/setup/wire-models.ts";
import { ScriptError } from "../../values/index.ts";
import { type PlanChoice, type PlannedTask, planTasks, registeredNames } from "../engine/index.ts";
import { evalMessage, evalNotes, evalRegistry, programSets } from "../index.ts";
import { type MadePlan, type PlanRunRequest, programDigest, sourcesOf } from "./plan-at-hand.ts";
import { checkSandboxSources } from "./sandboxes.ts";

/**
 * Runs the program and makes the samples of its tasks. What it prints goes to standard error. Undefined when it does not
 * compile, which has been reported. `onTasks` is called when there are tasks, before their rows are read.
 */
export async function runPlan(request: PlanRunRequest, onTasks?: () => void): Promise<MadePlan | undefined> {
  const { flags, args, params, choice } = request;
  const text = readProgram(request.file, undefined);
  const loader = new NotingLoader(new NodeModuleLoader());
  const path = canonicalPath(text);
  const program = await checked(text.source, path, loader);
  if (program === undefined) return undefined;
  const limited = grantedLimitsOf(flags);
  const machine = createNodeHost();
  const { host, builtins } =
    limited === undefined ? { host: machine, builtins: builtinTable() } : granted(limited, machine);
  const interrupts = nodeInterrupts();
  const seed = flags.seed ?? nodeSeed();
  const recorded = { program, modules: loader.found, path, args, host, options: recordedOptions(flags) };
  let journal: RunJournal | undefined;
  const begun = (): RunJournal => {
    journal ??= journalInStore(recorded, seed, undefined);
    return journal;
  };
  const effects = new JournalledEffects({
    atRest: interrupts.atRest,
    seed,
    open: () => begun().recorder,
    now: Date.now,
    attended: () => host.isTty("stdin"),
    onQuestion: (place, question) => journal?.question(place, question),
  });
  const toError = (piece: string): void => void ownProcess().stderr.write(piece);
  const console = { write: toError, writeError: toError };
  const runtime = new Runtime({
    effects,
    host,
    console,
    builtins,
    args,
    limits: runLimits(flags),
    recordedAs: () => journal?.run,
  });
  wireModels(runtime, flags);
  const sets = runtime.state(programSets);
  sets.run = async (set) => {
    const { runInProgram } = await import("./run-in-program.ts");
    return await runInProgram({ program, flags, name: () => journal?.run }, set);
  };
  for (const [name, value] of Object.entries(params)) runtime.state(evalRegistry).params.set(name, value);
  effects.begin();
  let tasks: PlannedTask[] = [];
  let problem: string | undefined;
  let missed: string | undefined;
  const ended = await runGuarded<RunOutcome>(
    runtime,
    async () => {
      const outcome = await runProgram(runtime, program);
      if (outcome.error !== undefined || outcome.internal !== undefined) return outcome;
      const task = new Task(runtime, undefined, "task_plan", effects.child(effects.root));
      try {
        const left = registeredNames(task).filter((name) => !sets.ran.has(name));
        if (left.length > 0) onTasks?.();
        tasks = await planTasks(task, left, choice, nodeDigest);
        checkSandboxSources(tasks);
        missed = missedBy(choice, left, tasks);
      } catch (error) {
        if (!(error instanceof ScriptError)) throw error;
        problem = showError(error, colourOnStderr());
      } finally {
        task.end();
      }
      return outcome;
    },
    {
      interrupts,
      end: (outcome) => ({
        reason: outcome.error !== undefined || problem !== undefined ? "error" : "done",
        exitCode: outcome.exitCode,
      }),
    },
  );
  if (problem !== undefined) {
    reportPaintedError(problem);
    throw nothingRun();
  }
  if (missed !== undefined) throw new NothingChosen(missed);
  const code = endOfRun(ended, runtime, { run: journal?.run });
  if (ended.kind === "ended" && isWrongTask(ended.outcome.error?.error)) throw nothingRun();
  return {
    run: journal?.run ?? "",
    program,
    tasks,
    ...programDigest(program),
    notes: runtime.state(evalNotes),
    unasked: unaskedOf(params, runtime.state(evalRegistry).asked, program),
    exitCode: code,
  };
}

/** What is wrong has been said. */
const nothingRun = (): UsageError => new UsageError(evalMessage("HARN-EVL-017", undefined));

/** Nothing of the script fits `--task`, `--sample` or `--limit`. Of several scripts some may have nothing that fits. */
export class NothingChosen extends UsageError {}

/** Why nothing is left of tasks that there are: a misspelt name must not be a set of nothing that passes. */
export function missedBy(
  choice: PlanChoice,
  names: readonly string[],
  tasks: readonly { readonly spec: { readonly name: string }; readonly samples: readonly unknown[] }[],
): string | undefined {
  if (names.length === 0) return undefined;
  if (tasks.length === 0) return `no task fits ${choice.task ?? ""}; there are ${names.join(", ")}`;
  if (tasks.some(({ samples }) => samples.length > 0)) return undefined;
  const flags = [
    ...(choice.samples === undefined ? [] : [`--sample ${choice.samples.join(",")}`]),
    ...(choice.limit === undefined ? [] : [`--limit ${choice.limit.join("-")}`]),
  ];
  return `no sample of ${tasks.map(({ spec }) => spec.name).join(", ")} fits ${flags.join(" and ")}`;
}

/** A solver asks for its own only when it runs: a name that a call in the program has, or may work out, is left to it. */
function unaskedOf(
  params: Readonly<Record<string, string>>,
  asked: ReadonlySet<string>,
  program: ExecutableProgram,
): MadePlan["unasked"] {
  const calls = sourcesOf(program).flatMap((text) =>
    [...text.matchAll(/\beval_param\(\s*(?:"([^"\\$]*)"|.)/gu)].map(([, name]) => name),
  );
  const known = new Set([...asked, ...calls.filter((name) => name !== undefined)]);
  const isWorkedOut = calls.includes(undefined);
  return {
    passed: isWorkedOut ? [] : Object.keys(params).filter((name) => !known.has(name)),
    known: [...known],
  };
}

/** HARN-EVL-001 to 019: what is wrong with a task ends the command like wrong flags do, wherever it was found out. */
const isWrongTask = (error: ScriptError | undefined): boolean =>
  error !== undefined && /^HARN-EVL-0[01]\d$/.test(error.code);

const recordedOptions = (flags: RunFlags): { [name: string]: Json } => {
  const { provider, model, baseUrl, tape, llmMock, maxDepth, maxSteps } = flags;
  const modelFlags = { provider, model, base_url: baseUrl, tape, llm_mock: llmMock };
  const options: { [name: string]: Json } = { max_depth: maxDepth ?? null, max_steps: maxSteps ?? null };
  for (const [name, value] of Object.entries(modelFlags)) if (value !== undefined) options[name] = value;
  const limits = grantedLimitsOf(flags);
  if (limits !== undefined)
    Object.assign(options, { allow: limits.allow ?? null, deny: limits.deny ?? null });
  return options;
};
