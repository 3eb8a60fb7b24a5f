/** A stored set as logs of Inspect AI: one for each task and variant. */
import { fromJson, isJsonObject, type Json, toJson } from "../../../values/index.ts";
import { canonicalJson } from "../../plan/canonical-json.ts";
import type { Sample, Score } from "../../plan/index.ts";
import { clusterNames } from "../../report/metrics/selection.ts";
import type { AskedModel } from "../../report/task-facts.ts";
import { combinedScore } from "../../report/trial-facts.ts";
import type { StoredSet, StoredTask, StoredTrial } from "../../sets/read-set.ts";
import { meanInterval } from "../../stats/index.ts";
import type { ImportedScore } from "../imported-set.ts";
import { unscored } from "./json.ts";
import { type LoggedTrial, sampleRows } from "./sample-table.ts";

interface InspectSample {
  readonly id: string;
  readonly epoch: number;
  readonly json: { readonly [field: string]: Json };
}

interface InspectOptions {
  /** `provider/model` of calls that name neither, for the whole set. */
  readonly usualModel: { readonly provider: string | null; readonly model: string | null };
  /** The provider that serves a model where only that is named. */
  readonly providerOf: (model: string) => string;
  /** What trials of a variant asked, as it is recorded; null: it is not. */
  readonly asked: AskedModel;
}

export function inspectLogs(set: StoredSet, options: InspectOptions): InspectLog[] {
  return set.tasks.flatMap((task) =>
    task.spec.variants.map((variant) => inspectLog(set, task, variant, options)),
  );
}

type SpecVariant = StoredTask["spec"]["variants"][number];

const inspectSample = ({ trial, logged }: OutTrial): InspectSample => ({
  id: trial.sample,
  epoch: trial.epoch,
  json: {
    ...Object.fromEntries(
      sampleRows.flatMap(({ field, write }) => {
        const value = write(logged);
        return value === undefined ? [] : [[field, value]];
      }),
    ),
    uuid: trial.row.digest.slice(0, 22),
    events: [],
    attachments: {},
  },
});

function inspectLog(set: StoredSet, task: StoredTask, variant: SpecVariant, options: InspectOptions) {
  const model = modelOf(task, variant, options);
  const ended = task.trials.filter(
    ({ variant: name, state }) => name === variant.name && (state === "done" || state === "errored"),
  );
  const samples = new Map(task.samples.map((sample) => [sample.id, sample]));
  const trials = ended.flatMap((trial): OutTrial[] => {
    const sample = samples.get(trial.sample);
    return sample === undefined ? [] : [{ trial, logged: loggedTrial(task, trial, sample, model) }];
  });
  const started = new Date(set.began ?? 0).toISOString();
  const completed = new Date(set.ended ?? set.began ?? 0).toISOString();
  return {
    task: task.spec.name,
    variant: variant.name,
    /** `{version, status, eval, plan, results, stats}` */
    header: {
      version: 2,
      status: statusOf(set),
      eval: evalOf(set, task, variant, model, started),
      plan: { name: "plan", steps: [], config: {} },
      results: resultsOf(task, trials),
      stats: {
        started_at: started,
        completed_at: completed,
        model_usage: { [model]: totalUsage(trials.map(({ logged }) => logged)) },
      },
      ...(set.state === "failed" ? { error: errorOf(set.why ?? "it failed") } : {}),
    },
    samples: trials.map(inspectSample),
    reductions: reductionsOf(task, trials),
  };
}

export type InspectLog = Readonly<ReturnType<typeof inspectLog>>;

const errorOf = (message: string): Json => ({ message, traceback: message, traceback_ansi: message });

function statusOf({ state }: StoredSet): string {
  if (state === "done" || state === "incomplete") return "success";
  if (state === "running") return "started";
  return state === "failed" ? "error" : "cancelled";
}

function modelOf(task: StoredTask, { name, body }: SpecVariant, options: InspectOptions): string {
  const { usualModel, providerOf } = options;
  const asked = options.asked(task, name);
  if (asked !== null) return asked;
  const role = task.spec.roles?.agent ?? {};
  const text = (value: unknown): string | null => (typeof value === "string" && value !== "" ? value : null);
  const model = text(body.get("model")) ?? text(role.model) ?? usualModel.model;
  const provider =
    text(body.get("provider")) ??
    text(role.provider) ??
    usualModel.provider ??
    (model === null ? null : providerOf(model));
  if (provider === "mock") return "mockllm/model";
  return provider === null ? "none/none" : `${provider}/${model ?? "default"}`;
}

function evalOf(
  set: StoredSet,
  task: StoredTask,
  variant: SpecVariant,
  model: string,
  created: string,
): Json {
  const ids = task.samples.map(({ id }) => id);
  return {
    eval_set_id: set.name,
    eval_id: `${set.name}.${variant.key}`,
    run_id: set.name,
    created,
    task: task.spec.name,
    task_id: task.spec.name,
    task_version: 0,
    task_file: set.program?.[0] ?? null,
    task_args: toJson(variant.body),
    dataset: {
      name: task.spec.name,
      location: task.spec.dataset?.kind === "path" ? task.spec.dataset.path : null,
      samples: ids.length,
      sample_ids: ids,
      shuffled: (task.spec.shuffle ?? null) !== null,
    },
    model,
    model_args: {},
    config: { epochs: task.spec.epochs, epochs_reducer: ["mean"] },
    packages: {},
    scorers: task.spec.scorers.map(({ name }) => ({
      name,
      options: {},
      metrics: [{ name: "mean" }, { name: "stderr" }],
    })),
    metadata: { harn_set: set.name, harn_variant: variant.name, harn_success: [...task.spec.success] },
  };
}

interface OutTrial {
  readonly trial: StoredTrial;
  readonly logged: LoggedTrial;
}

function loggedTrial(task: StoredTask, trial: StoredTrial, sample: Sample, model: string): LoggedTrial {
  const { row } = trial;
  const outcome = isJsonObject(trial.outcome) ? trial.outcome : {};
  const body = toJson(sample.body) as { readonly [name: string]: Json };
  const text = canonicalJson(sample.body);
  return {
    model,
    sample: trial.sample,
    epoch: trial.epoch,
    variant: trial.variant,
    cluster: sample.cluster,
    body,
    ...(isRestored(body, text, trial.sample) ? {} : { sampleText: text }),
    text: typeof outcome.text === "string" ? outcome.text : "",
    messages: outcome.messages ?? null,
    tools: outcome.tools ?? null,
    world: outcome.world ?? null,
    stopReason: trial.stopReason,
    limit: trial.limit,
    turns: trial.turns,
    error: trial.error?.message ?? null,
    inputTokens: trial.inputTokens,
    outputTokens: trial.outputTokens,
    costUsd: row.cost,
    workingMs: trial.workingMs,
    wallMs: trial.wallMs,
    ...(row.began === null ? {} : { began: row.began }),
    ...(row.ended === null ? {} : { ended: row.ended }),
    scores: trial.state === "done" ? task.spec.scorers.flatMap(({ name }) => scoresOf(trial, name)) : [],
  };
}

/** Whether a reader makes the same sample of the fields that Inspect has. */
function isRestored(body: { readonly [name: string]: Json }, text: string, sample: string): boolean {
  const { id: _id, input = null, target = null, choices, ...rest } = body;
  const isPlain =
    typeof input === "string" &&
    (typeof target === "string" ||
      (Array.isArray(target) && target.length > 0 && target.every((one) => typeof one === "string")));
  if (!isPlain || Object.hasOwn(rest, "harn")) return false;
  const again = { ...rest, input, target, ...(choices === undefined ? {} : { choices }), id: sample };
  return canonicalJson(fromJson(again)) === text;
}

/** The verdict of a scorer, and its parts as scorers of their own. */
function scoresOf(trial: StoredTrial, name: string): ImportedScore[] {
  const draws = trial.scores.filter(({ scorer }) => scorer === name);
  const combined = combinedScore(trial, name);
  if (combined === undefined) return [];
  const only: Score | undefined = draws.length === 1 ? draws[0] : undefined;
  const why = draws.flatMap((score) => score.why ?? score.error?.message ?? []).join("\n");
  return [
    {
      scorer: name,
      value: combined.value,
      pass: combined.pass,
      label: only?.label ?? null,
      why: why === "" ? null : why,
    },
    ...Object.entries(combined.parts).map(([part, value]) => ({
      scorer: `${name}.${part}`,
      value,
      pass: null,
      label: null,
      why: null,
    })),
  ];
}

const totalUsage = (trials: readonly LoggedTrial[]): Json => {
  const sum = (of: (trial: LoggedTrial) => number): number => trials.reduce((all, one) => all + of(one), 0);
  const [input, output] = [sum(({ inputTokens }) => inputTokens), sum(({ outputTokens }) => outputTokens)];
  return { input_tokens: input, output_tokens: output, total_tokens: input + output };
};

/** Values of a scorer by sample, in the order of the samples. */
function valuesBySample(scorer: string, trials: readonly OutTrial[]): Map<string, number[]> {
  const found = new Map<string, number[]>();
  for (const { logged } of trials)
    for (const score of logged.scores)
      if (score.scorer === scorer && score.value !== null)
        found.set(logged.sample, [...(found.get(logged.sample) ?? []), score.value]);
  return found;
}

const meanScore = (values: readonly number[]): number =>
  values.length === 0 ? unscored : values.reduce((sum, value) => sum + value, 0) / values.length;

function resultsOf(task: StoredTask, trials: readonly OutTrial[]): Json {
  return {
    total_samples: trials.length,
    completed_samples: trials.filter(({ trial }) => trial.state === "done").length,
    scores: task.spec.scorers.map(({ name }) => {
      const samples = valuesBySample(name, trials);
      const value = meanScore([...samples.values()].map(meanScore));
      const scored = task.samples.filter(({ id }) => samples.has(id));
      const { se } = meanInterval(
        scored.map(({ id }) => meanScore(samples.get(id) ?? [])),
        { clusters: clusterNames(scored), method: "t" },
      );
      return {
        name,
        scorer: name,
        reducer: "mean",
        scored_samples: samples.size,
        unscored_samples: new Set(trials.map(({ trial }) => trial.sample)).size - samples.size,
        params: {},
        metrics: {
          mean: { name: "mean", value, params: {} },
          stderr: { name: "stderr", value: se ?? unscored, params: {} },
        },
      };
    }),
  };
}

const reductionsOf = (task: StoredTask, trials: readonly OutTrial[]): Json =>
  task.spec.scorers.map(({ name }) => ({
    scorer: name,
    reducer: "mean",
    samples: [...valuesBySample(name, trials)].map(([sample, values]) => ({
      sample_id: sample,
      value: meanScore(values),
      answer: null,
      explanation: null,
    })),
  }));

/** What a listing shows of a sample without reading it. */
export function summaryOf({ json }: InspectSample): Json {
  const { id, epoch, input, target, choices, scores, model_usage, error, limit, uuid } = json;
  const times = ["started_at", "completed_at", "total_time", "working_time"] as const;
  return {
    id: id as Json,
    epoch: epoch as Json,
    input: input as Json,
    ...(choices === undefined ? {} : { choices }),
    target: target as Json,
    metadata: {},
    scores: scores as Json,
    model_usage: model_usage as Json,
    ...Object.fromEntries(times.flatMap((name) => (json[name] === undefined ? [] : [[name, json[name]]]))),
    uuid: uuid as Json,
    ...(isJsonObject(error) ? { error: error.message ?? "" } : {}),
    ...(isJsonObject(limit) ? { limit: limit.type ?? "" } : {}),
    retries: 0,
    completed: true,
  } as Json;
}
