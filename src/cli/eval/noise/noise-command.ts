/** `harn eval noise`: where the noise of a set comes from, by crossed re-runs of a part of it. */

import { showOneLine } from "../../../diagnostics/index.ts";
import type { EvalSetRow } from "../../../durable/index.ts";
import {
  type EvalStore,
  type NoiseDesign,
  type NoiseEnd,
  type NoisyHarness,
  planNoise,
  runNoise,
  type SetOptions,
  type SetSpec,
} from "../../../eval/engine/index.ts";
import { evalMessage } from "../../../eval/index.ts";
import {
  asOwner,
  evalStoreOf,
  hasUsers,
  NodeTrialRuns,
  noiseReports,
  planAtHand,
  setRow,
} from "../../../eval/local/index.ts";
import {
  countedText,
  dollarText,
  noiseMetric,
  noiseMetricProblem,
  noiseText,
  type StoredSet,
  type StoredTask,
  type StoredTrial,
  storedSetOf,
} from "../../../eval/report/index.ts";
import type { FlagsOf } from "../../../host/command/flags.ts";
import {
  exitCode,
  ownStateFolder,
  print,
  reportError,
  reportFigures,
  UsageError,
} from "../../../host/command/index.ts";
import { openStore } from "../../../store/index.ts";
import { starMatches } from "../../../values/index.ts";
import type { noiseFlags } from "../../flags/eval.ts";
import { setOptions } from "../run-options.ts";
import { boundText, type SetWork, workOnSet } from "../set-command.ts";

export type NoiseFlags = FlagsOf<typeof noiseFlags>;

export function noiseCommand(name: string, flags: NoiseFlags): Promise<number> {
  return workOnSet(flags, (work) => noiseOfSet(name, flags, work));
}

async function noiseOfSet(name: string, flags: NoiseFlags, work: SetWork): Promise<number> {
  const files = openStore(ownStateFolder());
  const store = evalStoreOf(files);
  const set = setRow(store, name);
  const spec = JSON.parse(set.spec) as SetSpec;
  if (spec.plan === "")
    throw new UsageError(`${set.name} was imported: there is no program that could run its trials again`);
  const before = storedSetOf(store, set);
  const chosen = before.tasks.filter(
    ({ spec: own }) => flags.task === undefined || starMatches(flags.task, own.name),
  );
  if (chosen.length === 0)
    throw new UsageError(
      `no task of ${set.name} fits ${flags.task}; there are ${before.tasks.map((task) => task.spec.name).join(", ")}`,
      "HARN-CLI-003",
    );
  const metrics = new Map(chosen.map((task) => [task.spec.name, chosenMetric(task, flags.metric)]));
  const designs = designsOf(chosen, flags);
  const samples = flags.samples ?? 20;
  return await asOwner(files, set.name, async () => {
    const plan = planNoise(store, set, {
      samples,
      task: flags.task ?? null,
      design: (task) => designs.get(task) as NoiseDesign,
    });
    if (flags.quiet !== true)
      reportError(
        `${whatRuns(
          store,
          set.name,
          plan.trials.map(({ row }) => row.id),
          designs,
          flags,
        )}\n`,
      );
    work.onPlanned({ name: set.name, store, kind: "cross" });
    const at = await planAtHand(files, spec.plan, {
      at: spec.at,
      params: spec.params,
      onDoubt: spec.options.onDoubt,
      flags,
    });
    await work.stop.watch();
    const noise = await runNoise({
      runs: new NodeTrialRuns(files, store, at, work.stop),
      // The row of the set stays as it is.
      set: {
        ...set,
        spec: JSON.stringify({ ...spec, options: { ...spec.options, ...trialsAtOnce(flags) } }),
      },
      plan,
      judgements: Math.max(...[...designs.values()].map(({ judges }) => judges)),
      costUsd: setOptions(flags).costUsd ?? null,
      onProgress: work.onProgress,
      onWarning: work.onWarning,
      signal: work.stop.signal,
      random: Math.random,
    });
    const cells = new Set(plan.trials.map(({ row }) => row.id));
    const reports = noiseReports(store, set, { cells, designs, metrics });
    work.closed();
    if (flags.json === true)
      reportFigures({
        set: set.name,
        state: noise.end.state,
        why: noise.end.why,
        noise: reports,
        noisy: noise.noisy,
      });
    else
      print(
        `${noiseText(reports)}${noisyText(noise)}${noiseEndText(noise, setOptions(flags).costUsd ?? null, erroredOf(store, set, cells))}`,
      );
    return noise.end.exitCode;
  });
}

const erroredOf = (store: EvalStore, set: EvalSetRow, cells: ReadonlySet<number>): StoredTrial[] =>
  storedSetOf(store, set, "cross").tasks.flatMap(({ trials }) =>
    trials.filter(({ row, state }) => cells.has(row.id) && state === "errored"),
  );

const trialsAtOnce = (flags: NoiseFlags): Pick<SetOptions, "trials"> | undefined => {
  const { trials } = setOptions(flags);
  return trials === undefined ? undefined : { trials };
};

function chosenMetric(task: StoredTask, asked: string | undefined): string {
  const metric = asked ?? noiseMetric(task);
  if (metric === undefined)
    throw new UsageError(
      `${task.spec.name} has no figure of single trials: name one with --metric`,
      "HARN-CLI-002",
    );
  const problem = noiseMetricProblem(task, metric);
  if (problem !== undefined) throw new UsageError(`--metric: ${problem}`, "HARN-CLI-003");
  return metric;
}

/** Without a user there is one stream of it, and without a judge one judgement, unless they are asked for. */
function designsOf(tasks: readonly StoredTask[], flags: NoiseFlags): Map<string, NoiseDesign> {
  const { users, judges, agents = 2, environments = 1 } = flags;
  const found = tasks.map((task): [string, NoiseDesign] => {
    const hasUser = users === undefined ? hasUsers(task) : users > 1 || hasUsers(task);
    return [
      task.spec.name,
      {
        agents,
        users: users ?? (hasUser ? 2 : 1),
        environments,
        judges: judges ?? (task.spec.scorers.some(({ needs }) => needs.includes("model")) ? 2 : 1),
        hasUser,
      },
    ];
  });
  // All scorers of a set judge equally often.
  const maxJudges = Math.max(...found.map(([, design]) => design.judges));
  const designs = new Map(found.map(([name, design]) => [name, { ...design, judges: maxJudges }]));
  for (const [name, { agents: a, users: u, environments: r, judges: j }] of designs)
    if (a * u * r * j === 1)
      throw new UsageError(
        `${name}: one agent, one user, one re-run and one judgement tell nothing of noise; give more of one of them`,
      );
  return designs;
}

/** `40 of 80 trials to run, at most $8.00 (40 × $0.20); each judged 2 times` */
function whatRuns(
  store: EvalStore,
  name: string,
  ids: readonly number[],
  designs: ReadonlyMap<string, NoiseDesign>,
  flags: NoiseFlags,
): string {
  const row = setRow(store, name);
  const known = new Set(ids);
  const crossed = storedSetOf(store, row, "cross");
  const set: StoredSet = {
    ...crossed,
    costLimit: setOptions(flags).costUsd ?? null,
    tasks: crossed.tasks.map((task) => ({
      ...task,
      trials: task.trials.filter((trial) => known.has(trial.id)),
    })),
  };
  const judges = Math.max(...[...designs.values()].map((design) => design.judges));
  const judged = judges === 1 ? "" : `; each judged ${judges} times, which is not in the bound`;
  return `${boundText(set, ids.length)}${judged}`;
}

/** What of the harness itself is different each time. */
function noisyText({ noisy, compared }: Pick<NoiseEnd, "noisy" | "compared">): string {
  const [first] = noisy;
  if (first === undefined) return "";
  const { path, recorded, now }: NoisyHarness = first;
  return [
    `the harness itself is noisy: the first request of ${countedText(noisy.length, "trial")} (of ${compared} that could be compared) differs from its recording, such as ${path}:`,
    `  recorded  …${showOneLine(recorded)}`,
    `  now       …${showOneLine(now)}`,
  ]
    .map((line) => `${line}\n`)
    .join("");
}

function noiseEndText({ end }: NoiseEnd, cost: number | null, errored: readonly StoredTrial[]): string {
  if (end.exitCode === exitCode.ok) return "";
  const isBudget = end.why === "budget";
  const why = isBudget ? evalMessage("HARN-EVL-022", { cost: dollarText(cost) }) : (end.why ?? "");
  const head = `${end.state}${why === "" ? "" : `: ${showOneLine(why)}`}`;
  if (end.state === "failed") return `${head}; make a new set with \`harn eval run\`\n`;
  const [first] = errored;
  if (end.state !== "incomplete" || first?.error == null)
    return `${head}; the same command goes on${isBudget ? " with a higher --cost" : ""}\n`;
  // The set's own program is run again: one that throws throws again, so the command would never come to an end.
  const isProgram = errored.every(({ error }) => error?.category === "harness");
  const whatToDo = isProgram
    ? "the program of the set threw, and would again: mend it and make a new set with `harn eval run`"
    : "the same command runs again what errored";
  return `${head}; ${whatToDo}\n  such as ${pathOf(first)}: ${showOneLine(first.error.message).slice(0, maxError)}\n`;
}

const pathOf = ({ variant, sample, epoch }: StoredTrial): string => `${variant}/${sample}.${epoch}`;

const maxError = 200;
