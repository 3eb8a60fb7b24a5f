/** `harn eval check --set NAME FILE`: what a changed program changes of a set, before anything is paid for. */

import { ownStateFolder, UsageError } from "../../host/command/index.ts";
import { flagsOf } from "../../run/setup/index.ts";
import { openStore } from "../../store/index.ts";
import { type ReplayedTask, replayTasks, type SetSpec } from "../engine/index.ts";
import { countedText, dollarText } from "../report/index.ts";
import { atOf, evalStoreOf } from "./evaluate.ts";
import { type PlanRunRequest, planAtHand } from "./plan-at-hand.ts";
import { runPlan } from "./plan-run.ts";
import { plannedRow } from "./stored-sets.ts";
import { NodeTrialRuns } from "./trial-runs.ts";

/** Undefined when the program does not compile, which has been reported. */
export async function replayedSet(
  name: string,
  request: PlanRunRequest,
): Promise<readonly ReplayedTask[] | undefined> {
  const files = openStore(ownStateFolder());
  const store = evalStoreOf(files);
  const set = plannedRow(store, name);
  const spec = JSON.parse(set.spec) as SetSpec;
  if (spec.plan === "")
    throw new UsageError(`${set.name} was imported without journals: there is nothing to follow`);
  // Which model was asked then is part of what is followed.
  const flags = flagsOf(files.runs.read(spec.plan).header, request.flags);
  const plan = await runPlan({ ...request, flags });
  if (plan === undefined) return undefined;
  try {
    if (plan.tasks.length === 0)
      throw new UsageError(`${request.file} registers no task: there is nothing to check`, "HARN-CLI-003");
    const at = await planAtHand(files, plan.run, {
      ...atOf(spec),
      at: plan.at ?? null,
      params: request.params,
      flags,
      program: plan.program,
    });
    return await replayTasks(new NodeTrialRuns(files, store, at), set, {
      tasks: plan.tasks,
      program: plan.digest,
    });
  } finally {
    // It was only looked at: no set has this plan.
    if (plan.run !== "" && files.runs.find(plan.run) !== undefined) files.runs.delete(plan.run);
  }
}

const kinds: Readonly<Record<string, string>> = { "llm.call": "a model call" };

/** `25 of 30 trials unchanged; 5 differ first at a model call (step 3 to 9); bound $11.20` */
export function replayedText({
  task,
  trials,
  unchanged,
  rescored,
  otherwise,
  diverged,
  missing,
  boundUsd,
}: ReplayedTask): string {
  const parts = [
    `${unchanged.toLocaleString("en-US")} of ${countedText(trials, "trial")} unchanged`,
    ...(rescored === 0 ? [] : [`${rescored} scored otherwise without a call`]),
    ...(otherwise === 0 ? [] : [`${otherwise} come out otherwise without a call`]),
    ...diverged.map(({ kind, judging, trials: count, from, to }) => {
      const where = kind === null ? "an end of its own" : (kinds[kind] ?? kind);
      const steps = kind === null ? "" : ` (step ${from === to ? from : `${from} to ${to}`})`;
      return `${count} ${count === 1 ? "differs" : "differ"} first at ${where}${judging ? " of a judge" : ""}${steps}`;
    }),
    ...(missing === 0 ? [] : [`${missing} to run`]),
    boundUsd === null ? "no bound: set limits.cost_usd or --cost" : `bound ${dollarText(boundUsd)}`,
  ];
  return `${task}: ${parts.join("; ")}`;
}
