/**
 * A stored set as reports see it. What is large (rows, outcomes, reasons) is read when somebody asks for it: figures and
 * comparisons of fifty thousand trials touch none of it.
 */
import {
  type Cells,
  type EvalLimitRow,
  type EvalSampleRow,
  type EvalScoreRow,
  type EvalSetRow,
  type EvalTaskRow,
  type EvalTrialRow,
  type EvalVariantRow,
  evalShapes,
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
  variants(set: number): readonly EvalVariantRow[];
  /** What there may be many of: values in the order of the declared columns. */
  cells(table: "eval_sample" | "eval_trial" | "eval_score", set: number): readonly Cells[];
  limits(set: number): readonly EvalLimitRow[];
  pieces(ids: readonly number[]): readonly (string | null)[];
}

/** Where the columns of a table are among the cells of a row. */
const placesOf = <R extends object>(table: keyof typeof evalShapes) =>
  Object.fromEntries(evalShapes[table].columns.map((name, at) => [name, at])) as {
    readonly [C in keyof R]-?: number;
  };

const ofSample = placesOf<EvalSampleRow>("eval_sample");
const ofTrial = placesOf<EvalTrialRow>("eval_trial");
const ofScore = placesOf<EvalScoreRow>("eval_score");

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
export function readSet(store: EvalRows, row: EvalSetRow, kind: TrialKind = "epoch"): StoredSet {
  const variants = Map.groupBy(store.variants(row.id), ({ task }) => task);
  const variantNames = new Map<number, string>();
  const rows = store.tasks(row.id);
  const specs = rows.map((task) => {
    const own = variants.get(task.id) ?? [];
    const spec = storedSpec(task, own);
    for (const [at, { id }] of own.entries()) variantNames.set(id, spec.variants[at]?.name ?? "");
    return spec;
  });
  const samples = new Map<number, PlacedSample>();
  for (const cells of store.cells("eval_sample", row.id)) {
    if (cells[ofSample.retired] !== 0) continue;
    samples.set(cells[ofSample.id] as number, {
      task: cells[ofSample.task] as number,
      view: new SampleView(store, cells),
    });
  }
  const scores = new ScoreTable(store, store.cells("eval_score", row.id));
  const trials = new Map<number, TrialView[]>(rows.map(({ id }) => [id, []]));
  const ids = new Set<number>();
  let oracles = 0;
  for (const cells of store.cells("eval_trial", row.id)) {
    const own = cells[ofTrial.kind];
    if (own === "oracle") oracles += cells[ofTrial.cost] as number;
    if (own !== kind) continue;
    ids.add(cells[ofTrial.id] as number);
    const sample = samples.get(cells[ofTrial.sample] as number);
    if (sample === undefined) continue;
    const variant = variantNames.get(cells[ofTrial.variant] as number) ?? "";
    trials.get(sample.task)?.push(new TrialView(store, cells, { sample: sample.view.id, variant, scores }));
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
  const asked = setFields(row.spec);
  return {
    row,
    name: row.name,
    state: row.state as SetState,
    why: row.why,
    began: row.began,
    ended: row.ended,
    costUsd:
      scores.costOf(ids) +
      (kind === "epoch" ? oracles : 0) +
      [...trials.values()].flat().reduce((sum, { costUsd }) => sum + costUsd, 0),
    costLimit: asked.costLimit,
    receipt: row.receipt,
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
function setFields(spec: string): { readonly costLimit: number | null; readonly stale: number } {
  const json = JSON.parse(spec) as Json;
  const { options, stale } = isJsonObject(json) ? json : {};
  const cost = isJsonObject(options) ? options.costUsd : null;
  return { costLimit: typeof cost === "number" ? cost : null, stale: typeof stale === "number" ? stale : 0 };
}

/** The scores of a set by trial; views of them are made for the trials that are asked for. */
class ScoreTable {
  readonly #store: EvalRows;
  /** By trial, scorer, version and draw. */
  readonly #rows: readonly Cells[];
  #first: Map<number, number> | undefined;

  constructor(store: EvalRows, rows: readonly Cells[]) {
    this.#store = store;
    this.#rows = rows;
  }

  /** US dollars of all versions of these trials' scores. */
  costOf(trials: ReadonlySet<number>): number {
    let sum = 0;
    for (const row of this.#rows)
      if (trials.has(row[ofScore.trial] as number)) sum += row[ofScore.cost] as number;
    return sum;
  }

  /** The newest version of each scorer's, in the order of draws. */
  of(trial: number): readonly Score[] {
    const from = this.#firsts().get(trial);
    if (from === undefined) return none;
    let newest: Cells[] = [];
    for (let at = from; this.#rows[at]?.[ofScore.trial] === trial; at++) {
      const row = this.#rows[at] as Cells;
      const last = newest.at(-1);
      const isNewer =
        last?.[ofScore.scorer] === row[ofScore.scorer] && last?.[ofScore.version] !== row[ofScore.version];
      if (isNewer) newest = newest.filter((one) => one[ofScore.scorer] !== row[ofScore.scorer]);
      newest.push(row);
    }
    if (newest.length > 1) newest.sort((a, b) => (a[ofScore.draw] as number) - (b[ofScore.draw] as number));
    return newest.map((row) => new ScoreView(this.#store, row));
  }

  /** Where the rows of each trial begin. */
  #firsts(): Map<number, number> {
    if (this.#first !== undefined) return this.#first;
    const first = new Map<number, number>();
    let before: unknown;
    for (const [at, row] of this.#rows.entries()) {
      const trial = row[ofScore.trial] as number;
      if (trial !== before) first.set(trial, at);
      before = trial;
    }
    this.#first = first;
    return first;
  }
}

const none: readonly Score[] = [];

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
      const text = this.#piece === null ? null : this.#store.pieces([this.#piece])[0];
      const value = jsonParse(text ?? "{}");
      this.#body = value instanceof Dict ? value : new Dict();
    }
    return this.#body;
  }
}

const noFaults: readonly Fault[] = [];

interface TrialPlace {
  readonly sample: string;
  readonly variant: string;
  readonly scores: ScoreTable;
}

class TrialView implements StoredTrial {
  readonly id: number;
  readonly sample: string;
  readonly variant: string;
  readonly epoch: number;
  readonly state: TrialState;
  readonly ord: number;
  readonly costUsd: number;
  readonly #store: EvalRows;
  readonly #cells: Cells;
  readonly #table: ScoreTable;
  #scores: readonly Score[] | undefined;
  #faults: readonly Fault[] | undefined;
  #outcome: Json | undefined;

  constructor(store: EvalRows, cells: Cells, { sample, variant, scores }: TrialPlace) {
    this.id = cells[ofTrial.id] as number;
    this.sample = sample;
    this.variant = variant;
    this.epoch = cells[ofTrial.epoch] as number;
    this.state = cells[ofTrial.state] as TrialState;
    this.ord = cells[ofTrial.ord] as number;
    this.costUsd = cells[ofTrial.cost] as number;
    this.#store = store;
    this.#cells = cells;
    this.#table = scores;
  }

  get row(): EvalTrialRow {
    const { columns } = evalShapes.eval_trial;
    return Object.fromEntries(columns.map((name, at) => [name, this.#cells[at]])) as unknown as EvalTrialRow;
  }

  get scores(): readonly Score[] {
    this.#scores ??= this.#table.of(this.id);
    return this.#scores;
  }

  get error(): OutcomeError | null {
    const message = this.#cells[ofTrial.error] as string | null;
    const category = (this.#cells[ofTrial.category] ?? "harness") as OutcomeError["category"];
    return message === null ? null : { category, message };
  }

  get limit(): LimitName | null {
    return this.#cells[ofTrial.limit_hit] as LimitName | null;
  }

  get blame(): Blame | null {
    return this.#cells[ofTrial.blame] as Blame | null;
  }

  get inputTokens(): number {
    return this.#cells[ofTrial.input_tokens] as number;
  }

  get outputTokens(): number {
    return this.#cells[ofTrial.output_tokens] as number;
  }

  get turns(): number {
    return this.#cells[ofTrial.turns] as number;
  }

  get workingMs(): number {
    return this.#cells[ofTrial.working_ms] as number;
  }

  get wallMs(): number {
    return this.#cells[ofTrial.wall_ms] as number;
  }

  get attempts(): number {
    return this.#cells[ofTrial.attempts] as number;
  }

  get faults(): readonly Fault[] {
    const text = this.#cells[ofTrial.faults];
    this.#faults ??= text === null ? noFaults : (JSON.parse(text as string) as Fault[]);
    return this.#faults;
  }

  get outcome(): Json {
    this.#outcome ??= pieceOf(this.#store, this.#cells[ofTrial.outcome] as number | null);
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
    this.scorer = cells[ofScore.scorer] as string;
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
