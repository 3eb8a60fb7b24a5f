/**
 * A stored set as reports see it. What is large (rows, outcomes, reasons) is read when somebody asks for it: figures and
 * comparisons of fifty thousand trials touch none of it.
 */
import type {
  EvalLimitRow,
  EvalSampleRow,
  EvalScoreRow,
  EvalSetRow,
  EvalTaskRow,
  EvalTrialRow,
  EvalVariantRow,
} from "../../durable/index.ts";
import { Dict, fromJson, isJsonObject, type Json, jsonParse, type Value } from "../../values/index.ts";
import {
  type Blame,
  decodePart,
  type Fault,
  type LimitName,
  type OutcomeError,
  type Sample,
  type Score,
  type ScoreError,
  type TaskSpec,
  type TrialKind,
} from "../plan/index.ts";
import type {
  RecordedSet,
  RecordedTask,
  RecordedTrial,
  SetState,
  TrialState,
} from "../report/recorded-set.ts";
import { storedSpec } from "./set-spec.ts";

/** What is read of the store; sets are named by the numbers of their rows. */
export interface EvalRows {
  tasks(set: number): readonly EvalTaskRow[];
  samples(set: number): readonly EvalSampleRow[];
  variants(set: number): readonly EvalVariantRow[];
  trials(set: number): readonly EvalTrialRow[];
  scores(set: number): readonly EvalScoreRow[];
  limits(set: number): readonly EvalLimitRow[];
  pieces(ids: readonly number[]): readonly (string | null)[];
}

/** A trial in the store: the report's view of it, and what only commands about a single one read. */
export interface StoredTrial extends RecordedTrial {
  readonly row: EvalTrialRow;
  /** What it left, as JSON; null when it left nothing. */
  readonly outcome: Json;
}

export interface StoredTask extends RecordedTask {
  readonly spec: TaskSpec;
  readonly trials: readonly StoredTrial[];
}

export interface StoredSet extends RecordedSet {
  readonly row: EvalSetRow;
  readonly tasks: readonly StoredTask[];
}

/** `cross`, `fork`: trials of that kind in the place of its own. */
export function readSet(store: EvalRows, row: EvalSetRow, kind: TrialKind = "epoch"): StoredSet {
  const samples = Map.groupBy(store.samples(row.id), ({ task }) => task);
  const variants = Map.groupBy(store.variants(row.id), ({ task }) => task);
  const sampleOf = new Map([...samples.values()].flat().map((sample) => [sample.id, sample]));
  const all = store.trials(row.id);
  const ofKind = all.filter((trial) => trial.kind === kind);
  const oracles = all.reduce((sum, trial) => (trial.kind === "oracle" ? sum + trial.cost : sum), 0);
  const trials = Map.groupBy(
    ofKind.filter((trial) => sampleOf.get(trial.sample)?.retired === 0),
    ({ sample }) => sampleOf.get(sample)?.task ?? 0,
  );
  const ids = new Set(ofKind.map(({ id }) => id));
  const scores = scoresByTrial(
    store.scores(row.id).filter(({ trial }) => ids.has(trial)),
    store,
  );
  const tasks = store.tasks(row.id).map((task): StoredTask => {
    const own = variants.get(task.id) ?? [];
    const spec = storedSpec(task, own);
    const names = new Map(own.map(({ id }, at) => [id, spec.variants[at]?.name ?? ""]));
    const rows = (samples.get(task.id) ?? [])
      .filter(({ retired }) => retired === 0)
      .sort((a, b) => a.ord - b.ord);
    return {
      spec,
      samples: rows.map((sample) => new SampleView(store, sample)),
      trials: (trials.get(task.id) ?? [])
        .sort((a, b) => a.ord - b.ord)
        .map(
          (trial) =>
            new TrialView(store, trial, {
              sample: decodePart(sampleOf.get(trial.sample)?.key ?? ""),
              variant: names.get(trial.variant) ?? "",
              scores: scores.byTrial.get(trial.id) ?? [],
            }),
        ),
    };
  });
  const asked = setFields(row.spec);
  return {
    row,
    name: row.name,
    state: row.state as SetState,
    why: row.why,
    began: row.began,
    ended: row.ended,
    costUsd:
      scores.cost +
      (kind === "epoch" ? oracles : 0) +
      [...trials.values()].flat().reduce((sum, { cost }) => sum + cost, 0),
    costLimit: asked.costLimit,
    receipt: row.receipt,
    stale: asked.stale,
    tasks,
    limits: store
      .limits(row.id)
      .map(({ at, provider, old, new: to, reason }) => ({ at, provider, from: old, to, reason })),
  };
}

/** What reports show of a set's own options. */
function setFields(spec: string): { readonly costLimit: number | null; readonly stale: number } {
  const json = JSON.parse(spec) as Json;
  const { options, stale } = isJsonObject(json) ? json : {};
  const cost = isJsonObject(options) ? options.costUsd : null;
  return { costLimit: typeof cost === "number" ? cost : null, stale: typeof stale === "number" ? stale : 0 };
}

/** The newest version of each scorer's, in the order of draws; and what all of them cost. */
function scoresByTrial(
  rows: readonly EvalScoreRow[],
  store: EvalRows,
): { readonly byTrial: ReadonlyMap<number, readonly Score[]>; readonly cost: number } {
  const newest = new Map<number, EvalScoreRow[]>();
  let cost = 0;
  for (const row of rows) {
    cost += row.cost;
    const known = newest.get(row.trial);
    if (known === undefined) {
      newest.set(row.trial, [row]);
      continue;
    }
    const others = known.filter(({ scorer }) => scorer === row.scorer);
    const version = others[0]?.version ?? row.version;
    if (version > row.version) continue;
    if (version < row.version)
      newest.set(row.trial, [...known.filter(({ scorer }) => scorer !== row.scorer), row]);
    else known.push(row);
  }
  const views = [...newest].map(
    ([trial, rows]) =>
      [trial, rows.sort((a, b) => a.draw - b.draw).map((row): Score => new ScoreView(store, row))] as const,
  );
  return { byTrial: new Map(views), cost };
}

const pieceOf = (store: EvalRows, id: number | null): Json =>
  id === null ? null : (JSON.parse(store.pieces([id])[0] ?? "null") as Json);

class SampleView implements Sample {
  readonly id: string;
  readonly key: string;
  readonly digest: string;
  readonly ord: number;
  readonly cluster: string | null;
  readonly #store: EvalRows;
  readonly #piece: number | null;
  #body: Dict | undefined;

  constructor(store: EvalRows, row: EvalSampleRow) {
    this.id = decodePart(row.key);
    this.key = row.key;
    this.digest = row.digest;
    this.ord = row.ord;
    this.cluster = row.cluster;
    this.#store = store;
    this.#piece = row.body;
  }

  get body(): Dict {
    if (this.#body === undefined) {
      const text = this.#piece === null ? null : this.#store.pieces([this.#piece])[0];
      const value = jsonParse(text ?? "{}");
      this.#body = value instanceof Dict ? value : new Dict();
    }
    return this.#body;
  }
}

interface TrialPlace {
  readonly sample: string;
  readonly variant: string;
  readonly scores: readonly Score[];
}

class TrialView implements StoredTrial {
  readonly row: EvalTrialRow;
  readonly sample: string;
  readonly variant: string;
  readonly epoch: number;
  readonly state: TrialState;
  readonly error: OutcomeError | null;
  readonly limit: LimitName | null;
  readonly blame: Blame | null;
  readonly inputTokens: number;
  readonly outputTokens: number;
  readonly costUsd: number;
  readonly turns: number;
  readonly workingMs: number;
  readonly wallMs: number;
  readonly attempts: number;
  readonly faults: readonly Fault[];
  readonly scores: readonly Score[];
  readonly #store: EvalRows;
  #outcome: Json | undefined;

  constructor(store: EvalRows, row: EvalTrialRow, { sample, variant, scores }: TrialPlace) {
    this.row = row;
    this.sample = sample;
    this.variant = variant;
    this.epoch = row.epoch;
    this.state = row.state as TrialState;
    this.error = row.error === null ? null : { category: row.category ?? "harness", message: row.error };
    this.limit = row.limit_hit as LimitName | null;
    this.blame = row.blame as Blame | null;
    this.inputTokens = row.input_tokens;
    this.outputTokens = row.output_tokens;
    this.costUsd = row.cost;
    this.turns = row.turns;
    this.workingMs = row.working_ms;
    this.wallMs = row.wall_ms;
    this.attempts = row.attempts;
    this.faults = row.faults === null ? [] : (JSON.parse(row.faults) as Fault[]);
    this.scores = scores;
    this.#store = store;
  }

  get outcome(): Json {
    this.#outcome ??= pieceOf(this.#store, this.row.outcome);
    return this.#outcome;
  }

  get stopReason(): string | null {
    const { outcome } = this;
    const reason = isJsonObject(outcome) ? outcome.stop_reason : null;
    return typeof reason === "string" ? reason : null;
  }

  get metrics(): Readonly<Record<string, number>> {
    const { outcome } = this;
    const metrics = isJsonObject(outcome) && isJsonObject(outcome.metrics) ? outcome.metrics : {};
    return Object.fromEntries(
      Object.entries(metrics).filter((entry): entry is [string, number] => typeof entry[1] === "number"),
    );
  }

  get failedTool(): string | null {
    const { outcome } = this;
    const tools =
      isJsonObject(outcome) && Array.isArray(outcome.tools) ? (outcome.tools as readonly Json[]) : [];
    const failed = tools.findLast((tool) => isJsonObject(tool) && tool.ok === false);
    return isJsonObject(failed) && typeof failed.name === "string" ? failed.name : null;
  }
}

class ScoreView implements Score {
  readonly scorer: string;
  readonly draw: number;
  readonly value: number | null;
  readonly pass: boolean | null;
  readonly label: string | null;
  readonly #store: EvalRows;
  readonly #piece: number | null;
  #body: Json | undefined;

  constructor(store: EvalRows, row: EvalScoreRow) {
    this.scorer = row.scorer;
    this.draw = row.draw;
    this.value = row.value;
    this.pass = row.pass === null ? null : row.pass !== 0;
    this.label = row.label;
    this.#store = store;
    this.#piece = row.body;
  }

  #said(name: string): Json {
    this.#body ??= pieceOf(this.#store, this.#piece);
    return (isJsonObject(this.#body) ? this.#body[name] : null) ?? null;
  }

  get answer(): Value {
    return fromJson(this.#said("answer"));
  }

  get why(): string | null {
    const why = this.#said("why");
    return typeof why === "string" ? why : null;
  }

  get parts(): Readonly<Record<string, number>> {
    const parts = this.#said("parts");
    return (isJsonObject(parts) ? parts : {}) as Readonly<Record<string, number>>;
  }

  get meta(): Dict | null {
    const meta = fromJson(this.#said("meta"));
    return meta instanceof Dict ? meta : null;
  }

  get error(): ScoreError | null {
    const error = this.#said("error");
    if (!isJsonObject(error)) return null;
    return {
      code: typeof error.code === "string" ? error.code : null,
      message: typeof error.message === "string" ? error.message : "",
    };
  }
}
