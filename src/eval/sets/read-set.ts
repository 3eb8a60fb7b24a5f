/**
 * A stored set as reports see it. What is large (rows, outcomes, reasons) is read when somebody asks for it: figures and
 * comparisons of fifty thousand trials touch none of it.
 */
import type {
  Cells,
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
  type Gate,
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
import type { EvalCells } from "./eval-store.ts";
import { storedSpec } from "./set-spec.ts";
import { spentInAll, type TrialMoney, type UnsettledMoney } from "./unsettled-money.ts";

/** What is read of the store; sets are named by the numbers of their rows. */
export interface EvalRows {
  tasks(set: number): readonly EvalTaskRow[];
  variants(set: number): readonly EvalVariantRow[];
  /** What there may be many of: values in the order of the columns. */
  cells(
    table: "eval_sample" | "eval_trial" | "eval_score",
    where: Readonly<Record<string, string | number | null>>,
    page: EvalCells,
  ): readonly Cells[];
  trial(id: number): EvalTrialRow | undefined;
  limits(set: number): readonly EvalLimitRow[];
  unsettled(set: number): UnsettledMoney;
  piece(id: number | null): string | null;
}

/** Where the columns that are read of a table are among the cells of a row. */
const placesOf = <C extends string>(columns: readonly C[]) =>
  Object.fromEntries(columns.map((name, at) => [name, at])) as { readonly [name in C]: number };

const sampleColumns = ["id", "task", "key", "digest", "ord", "cluster", "body"] as const;
const ofSample = placesOf<(typeof sampleColumns)[number] & keyof EvalSampleRow>(sampleColumns);

const trialColumns = [
  "id",
  "sample",
  "variant",
  "epoch",
  "ord",
  "state",
  "outcome",
  "error",
  "category",
  "limit_hit",
  "faults",
  "blame",
  "input_tokens",
  "output_tokens",
  "cost",
  "doubtful",
  "turns",
  "working_ms",
  "wall_ms",
  "attempts",
] as const;
const ofTrial = placesOf<(typeof trialColumns)[number] & keyof EvalTrialRow>(trialColumns);

const scoreColumns = [
  "trial",
  "scorer",
  "version",
  "draw",
  "value",
  "pass",
  "label",
  "body",
  "cost",
] as const;
const ofScore = placesOf<(typeof scoreColumns)[number] & keyof EvalScoreRow>(scoreColumns);

/** Rows of trials that are in memory at once, beside the views that are made of them. */
const rowsAtOnce = 4096;

/** A trial in the store: the report's view of it, and what only commands about a single one read. */
export interface StoredTrial extends RecordedTrial {
  /** Number of its row. */
  readonly id: number;
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
export function storedSetOf(store: EvalRows, row: EvalSetRow, kind: TrialKind = "epoch"): StoredSet {
  const variants = Map.groupBy(store.variants(row.id), ({ task }) => task);
  const variantNames = new Map<number, string>();
  const rows = store.tasks(row.id);
  const asked = setFields(row.spec);
  const specs = rows.map((task) => {
    const own = variants.get(task.id) ?? [];
    const spec = withJudging(storedSpec(task, own), asked);
    for (const [at, { id }] of own.entries()) variantNames.set(id, spec.variants[at]?.name ?? "");
    return spec;
  });
  const samples = new Map<number, PlacedSample>();
  for (const cells of store.cells(
    "eval_sample",
    { eval_set: row.id, retired: 0 },
    { columns: sampleColumns },
  ))
    samples.set(cells[ofSample.id] as number, {
      task: cells[ofSample.task] as number,
      view: new SampleView(store, cells),
    });
  const trials = new Map<number, TrialView[]>(rows.map(({ id }) => [id, []]));
  const unsettled = store.unsettled(row.id);
  let spentUsd = 0;
  for (const { cells, scores } of scoredTrials(store, row.id, kind)) {
    const judged = scores.reduce((sum, score) => sum + (score[ofScore.cost] as number), 0);
    spentUsd += spentInAll(moneyCells(cells), judged, unsettled);
    const sample = samples.get(cells[ofTrial.sample] as number);
    if (sample === undefined) continue;
    const variant = variantNames.get(cells[ofTrial.variant] as number) ?? "";
    const own = newestCells(scores).map((score) => new ScoreView(store, score));
    trials
      .get(sample.task)
      ?.push(new TrialView(store, cells, { sample: sample.view.id, variant, scores: own }));
  }
  for (const own of trials.values()) own.sort((a, b) => a.ord - b.ord);
  const inOrder = Map.groupBy(samples.values(), ({ task }) => task);
  const tasks = rows.map(
    ({ id }, at): StoredTask => ({
      spec: specs[at] as TaskSpec,
      samples: (inOrder.get(id) ?? []).map(({ view }) => view).sort((a, b) => a.ord - b.ord),
      trials: trials.get(id) ?? [],
    }),
  );
  return {
    row,
    name: row.name,
    state: row.state as SetState,
    why: row.why,
    began: row.began,
    ended: row.ended,
    costUsd: spentUsd + (kind === "epoch" ? oraclesCost(store, row.id, unsettled) : 0),
    costLimit: asked.costLimit,
    receipt: row.receipt,
    program: asked.program,
    stale: asked.stale,
    tasks,
    limits: store
      .limits(row.id)
      .map(({ at, provider, old, new: to, reason }) => ({ at, provider, from: old, to, reason })),
  };
}

interface PlacedSample {
  /** Row of its task. */
  readonly task: number;
  readonly view: SampleView;
}

/** What reports show of a set's own options. */
export function setFields(spec: string): {
  readonly costLimit: number | null;
  readonly program: readonly string[];
  readonly stale: number;
  readonly gates: readonly Gate[];
  readonly baseline: string | null;
} {
  const json = JSON.parse(spec) as Json;
  const { options, modules, stale, gates, baseline } = isJsonObject(json) ? json : {};
  const cost = isJsonObject(options) ? options.costUsd : null;
  const paths = Object.keys(isJsonObject(modules) ? modules : {});
  return {
    costLimit: typeof cost === "number" ? cost : null,
    program: paths.map((path) => path.replace(/^.*[/\\]/u, "")),
    stale: typeof stale === "number" ? stale : 0,
    gates: Array.isArray(gates) ? (gates as unknown as readonly Gate[]) : [],
    baseline: typeof baseline === "string" ? baseline : null,
  };
}

/** What the command line asked of the set holds for each of its tasks. */
const withJudging = (
  spec: TaskSpec,
  { gates, baseline }: Pick<ReturnType<typeof setFields>, "gates" | "baseline">,
): TaskSpec => ({
  ...spec,
  gates: [...spec.gates, ...gates],
  baseline: baseline ?? spec.baseline,
});

interface ScoredRow {
  readonly cells: Cells;
  /** All versions, by scorer, version and draw. */
  readonly scores: readonly Cells[];
}

/** The trials of a set with their scores, some thousand rows at a time. */
function* scoredTrials(store: EvalRows, set: number, kind: TrialKind): Generator<ScoredRow> {
  const page = { columns: trialColumns, limit: rowsAtOnce };
  for (let after = 0; ; ) {
    const trials = store.cells("eval_trial", { eval_set: set, kind }, { ...page, after });
    const last = trials.at(-1);
    if (last === undefined) return;
    const upTo = last[ofTrial.id] as number;
    const scores = store.cells("eval_score", { eval_set: set }, { columns: scoreColumns, after, upTo });
    let at = 0;
    for (const cells of trials) {
      const id = cells[ofTrial.id] as number;
      // Trials of other kinds stand between.
      while (at < scores.length && (scores[at]?.[ofScore.trial] as number) < id) at++;
      const from = at;
      while (scores[at]?.[ofScore.trial] === id) at++;
      yield { cells, scores: from === at ? noRows : scores.slice(from, at) };
    }
    after = upTo;
  }
}

const noRows: readonly Cells[] = [];

const moneyCells = (cells: Cells): TrialMoney => ({
  id: cells[ofTrial.id] as number,
  state: cells[ofTrial.state] as string,
  cost: cells[ofTrial.cost] as number,
  doubtful: cells[ofTrial.doubtful] as number,
});

/** US dollars of oracles that were run to see whose failures are: the set pays for them. */
export const oraclesCost = (store: EvalRows, set: number, unsettled: UnsettledMoney): number =>
  store
    .cells("eval_trial", { eval_set: set, kind: "oracle" }, { columns: trialColumns })
    .reduce((sum, cells) => sum + spentInAll(moneyCells(cells), 0, unsettled), 0);

/** The newest version of each scorer's, in the order of draws. */
function newestCells(rows: readonly Cells[]): readonly Cells[] {
  if (rows.length < 2) return rows;
  let newest: Cells[] = [];
  for (const row of rows) {
    const last = newest.at(-1);
    const isNewer =
      last?.[ofScore.scorer] === row[ofScore.scorer] && last?.[ofScore.version] !== row[ofScore.version];
    if (isNewer) newest = newest.filter((one) => one[ofScore.scorer] !== row[ofScore.scorer]);
    newest.push(row);
  }
  return newest.sort((a, b) => (a[ofScore.draw] as number) - (b[ofScore.draw] as number));
}

/** One text in the place of many that are the same. */
function sharedText(text: string): string {
  const known = texts.get(text);
  if (known !== undefined) return known;
  texts.set(text, text);
  return text;
}
/** States of trials and names of scorers: few. */
const texts = new Map<string, string>();

const pieceOf = (store: EvalRows, id: number | null): Json => JSON.parse(store.piece(id) ?? "null") as Json;

class SampleView implements Sample {
  readonly id: string;
  readonly key: string;
  readonly digest: string;
  readonly ord: number;
  readonly cluster: string | null;
  readonly #store: EvalRows;
  readonly #piece: number | null;
  #body: Dict | undefined;

  constructor(store: EvalRows, cells: Cells) {
    this.key = cells[ofSample.key] as string;
    this.id = decodePart(this.key);
    this.digest = cells[ofSample.digest] as string;
    this.ord = cells[ofSample.ord] as number;
    this.cluster = cells[ofSample.cluster] as string | null;
    this.#store = store;
    this.#piece = cells[ofSample.body] as number | null;
  }

  get body(): Dict {
    if (this.#body === undefined) {
      const value = jsonParse(this.#store.piece(this.#piece) ?? "{}");
      this.#body = value instanceof Dict ? value : new Dict();
    }
    return this.#body;
  }
}

const noFaults: readonly Fault[] = [];

interface TrialPlace {
  readonly sample: string;
  readonly variant: string;
  readonly scores: readonly Score[];
}

class TrialView implements StoredTrial {
  readonly id: number;
  readonly sample: string;
  readonly variant: string;
  readonly epoch: number;
  readonly state: TrialState;
  readonly ord: number;
  readonly costUsd: number;
  readonly inputTokens: number;
  readonly outputTokens: number;
  readonly turns: number;
  readonly workingMs: number;
  readonly wallMs: number;
  readonly attempts: number;
  readonly limit: LimitName | null;
  readonly blame: Blame | null;
  readonly error: OutcomeError | null;
  readonly scores: readonly Score[];
  readonly #store: EvalRows;
  readonly #piece: number | null;
  readonly #faultsText: string | null;
  #faults: readonly Fault[] | undefined;
  #outcome: Json | undefined;

  constructor(store: EvalRows, cells: Cells, { sample, variant, scores }: TrialPlace) {
    this.id = cells[ofTrial.id] as number;
    this.sample = sample;
    this.variant = variant;
    this.epoch = cells[ofTrial.epoch] as number;
    this.state = sharedText(cells[ofTrial.state] as string) as TrialState;
    this.ord = cells[ofTrial.ord] as number;
    this.costUsd = cells[ofTrial.cost] as number;
    this.inputTokens = cells[ofTrial.input_tokens] as number;
    this.outputTokens = cells[ofTrial.output_tokens] as number;
    this.turns = cells[ofTrial.turns] as number;
    this.workingMs = cells[ofTrial.working_ms] as number;
    this.wallMs = cells[ofTrial.wall_ms] as number;
    this.attempts = cells[ofTrial.attempts] as number;
    this.limit = cells[ofTrial.limit_hit] as LimitName | null;
    this.blame = cells[ofTrial.blame] as Blame | null;
    const message = cells[ofTrial.error] as string | null;
    const category = (cells[ofTrial.category] ?? "harness") as OutcomeError["category"];
    this.error = message === null ? null : { category, message };
    this.scores = scores;
    this.#store = store;
    this.#piece = cells[ofTrial.outcome] as number | null;
    this.#faultsText = cells[ofTrial.faults] as string | null;
  }

  get row(): EvalTrialRow {
    const row = this.#store.trial(this.id);
    if (row === undefined) throw new Error(`trial ${this.id} is gone from the store`);
    return row;
  }

  get faults(): readonly Fault[] {
    const text = this.#faultsText;
    this.#faults ??= text === null ? noFaults : (JSON.parse(text) as Fault[]);
    return this.#faults;
  }

  get outcome(): Json {
    this.#outcome ??= pieceOf(this.#store, this.#piece);
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

  constructor(store: EvalRows, cells: Cells) {
    this.scorer = sharedText(cells[ofScore.scorer] as string);
    this.draw = cells[ofScore.draw] as number;
    this.value = cells[ofScore.value] as number | null;
    const pass = cells[ofScore.pass];
    this.pass = pass === null ? null : pass !== 0;
    this.label = cells[ofScore.label] as string | null;
    this.#store = store;
    this.#piece = cells[ofScore.body] as number | null;
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
