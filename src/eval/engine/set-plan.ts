/**
 * The rows of a set: what its plan asks for beside what is there. Trials that exist are kept, what is missing is added, rows that
 * are gone are retired, and finished trials that were made of something else are stale.
 */

import type { EvalSampleRow, EvalSetRow, EvalTrialRow, EvalVariantRow } from "../../durable/index.ts";
import { Dict, jsonParse } from "../../values/index.ts";
import { evalError } from "../eval-error.ts";
import { canonicalJson } from "../plan/canonical-json.ts";
import {
  type Sample,
  shuffledBySeed,
  type TaskSpec,
  type TrialKey,
  type TrialKind,
  trialIdentity,
  type Variant,
} from "../plan/index.ts";
import { observationName } from "../report/race.ts";
import type { TrialState } from "../report/recorded-set.ts";
import { type EvalStore, type NewRow, Pieces } from "../sets/eval-store.ts";
import { storedSpec, storedTask } from "../sets/set-spec.ts";

export interface PlannedTask {
  readonly spec: TaskSpec;
  readonly samples: readonly Sample[];
}

/** A trial in the planned order, with what it needs to begin. */
export interface PlannedTrial {
  /** Of its row. */
  readonly id: number;
  /** Of its row, also while that is not at hand. */
  readonly state: string;
  row: EvalTrialRow;
  /** Its row is as the store has it, and is read there when it is asked for again: a set may have a million. */
  rest(): void;
  readonly spec: TaskSpec;
  readonly key: TrialKey;
  /** `TASK/VARIANT/SAMPLE.EPOCH` */
  readonly path: string;
  sample(): Sample;
  /** Of the sample. */
  readonly cluster: string | null;
  readonly variant: Variant;
}

export type StaleChoice = "ask" | "keep" | "redo" | "follow";
export type RedoChoice = "errored" | "failed" | "unscored" | "all";

export interface PlanRequest {
  readonly tasks: readonly PlannedTask[];
  /** Digest of the program's modules. */
  readonly program: string;
  readonly stale: StaleChoice;
  readonly redo: RedoChoice | null;
  /** Names of files that have changed since, for a person. */
  readonly changed: readonly string[];
}

export interface PlanResult {
  /** Trials that are to be followed under the new program before anything of them is run. */
  readonly follow: ReadonlySet<number>;
  readonly kept: number;
  readonly added: number;
  /** Stale and kept as they are. */
  readonly stale: number;
}

interface PlanRow {
  readonly trial: EvalTrialRow;
  readonly sample: EvalSampleRow;
}

/** Writes the rows of a plan. Throws HARN-EVL-013 when trials are stale and nobody said what then. */
export function writePlan(store: EvalStore, set: EvalSetRow, request: PlanRequest): PlanResult {
  return new SetPlan(store, set, request).write();
}

/** Finished trials of a set that were made of something else than the tasks are now, each with what it is made of now. */
export function staleTrials(
  store: EvalStore,
  set: EvalSetRow,
  plan: Pick<PlanRequest, "tasks" | "program">,
): {
  readonly stale: readonly PlannedTrial[];
  readonly same: readonly PlannedTrial[];
  readonly missing: number;
} {
  return new SetPlan(store, set, { ...plan, stale: "keep", redo: null, changed: [] }).look();
}

class SetPlan {
  private readonly store: EvalStore;
  private readonly set: EvalSetRow;
  private readonly request: PlanRequest;
  private readonly follow = new Set<number>();
  private readonly known = new Map<string, PlanRow>();
  private kept = 0;
  private added = 0;
  private stale = 0;

  constructor(store: EvalStore, set: EvalSetRow, request: PlanRequest) {
    this.store = store;
    this.set = set;
    this.request = request;
  }

  /** What is there of what is planned; nothing is written. */
  look(): ReturnType<typeof staleTrials> {
    this.storedRows();
    const [stale, same]: [PlannedTrial[], PlannedTrial[]] = [[], []];
    let missing = 0;
    for (const { spec, sample, variant, epoch } of this.planned()) {
      const path = pathOf(spec, sample, variant, epoch);
      const known = this.known.get(path);
      if (known?.trial.state !== "done") {
        missing++;
        continue;
      }
      const key = { task: spec.name, variant: variant.name, sample: sample.key, epoch };
      const trial: PlannedTrial = {
        id: known.trial.id,
        state: known.trial.state,
        row: known.trial,
        rest: () => {},
        spec,
        key,
        path,
        sample: () => sample,
        cluster: sample.cluster,
        variant,
      };
      (known.trial.digest === this.identity(spec, sample, variant, epoch) ? same : stale).push(trial);
    }
    return { stale, same, missing };
  }

  /** What the set has. */
  private storedRows() {
    const { store, set } = this;
    const tasks = new Map(store.tasks(set.id).map((row) => [row.name, row]));
    const samples = Map.groupBy(store.samples(set.id), (row) => row.task);
    const variants = Map.groupBy(store.variants(set.id), (row) => row.task);
    this.findTrials(new Map([...tasks].map(([name, { id }]) => [id, name])), samples, variants);
    return { tasks, samples, variants };
  }

  write(): PlanResult {
    const { store, set, request } = this;
    const { tasks, samples, variants } = this.storedRows();
    this.askAboutStale();
    const orders = plannedOrder(request.tasks, set.seed, store.digest);
    const writes: { table: "eval_sample" | "eval_trial" | "eval_task"; row: NewRow }[] = [];
    const fresh: NewRow[] = [];
    for (const { spec, samples: planned } of request.tasks) {
      const before = tasks.get(spec.name);
      const text = storedTask(spec);
      const id =
        before?.id ??
        (store.insert("eval_task", [
          { eval_set: set.id, name: spec.name, spec: text, digest: store.digest(text) },
        ])[0] as number);
      if (before !== undefined && before.spec !== text)
        writes.push({
          table: "eval_task",
          row: { ...before, spec: text, digest: store.digest(text) } as unknown as NewRow,
        });
      const ofVariant = this.variantRows(id, spec, variants.get(id) ?? []);
      const ofSample = this.sampleRows(id, planned, samples.get(id) ?? [], spec, writes);
      this.trialRows(spec, planned, ofSample, ofVariant, orders, writes, fresh);
    }
    store.write(writes);
    for (let from = 0; from < fresh.length; from += batch)
      store.insert("eval_trial", fresh.slice(from, from + batch));
    this.added += fresh.length;
    return { follow: this.follow, kept: this.kept, added: this.added, stale: this.stale };
  }

  /** Trials by their address, those of rows that are still there before those of retired ones. */
  private findTrials(
    tasks: ReadonlyMap<number, string>,
    samples: ReadonlyMap<number, readonly EvalSampleRow[]>,
    variants: ReadonlyMap<number, readonly EvalVariantRow[]>,
  ): void {
    const sampleOf = new Map([...samples.values()].flat().map((row) => [row.id, row]));
    const variantOf = new Map([...variants.values()].flat().map((row) => [row.id, row]));
    for (const trial of this.store.trials(this.set.id)) {
      if (trial.kind !== "epoch") continue;
      const sample = sampleOf.get(trial.sample);
      const variant = variantOf.get(trial.variant);
      if (sample === undefined || variant === undefined) continue;
      const path = `${tasks.get(sample.task)}/${variant.key}/${sample.key}.${trial.epoch}`;
      const before = this.known.get(path);
      if (before === undefined || before.sample.retired > sample.retired)
        this.known.set(path, { trial, sample });
    }
  }

  private identity(spec: TaskSpec, sample: Sample, variant: Variant, epoch: number): string {
    return trialIdentity(this.store.digest, {
      task: spec.name,
      version: spec.version ?? this.request.program,
      sample: sample.digest,
      variant: variant.digest,
      epoch,
      streams: {},
    });
  }

  private *planned(): Generator<{ spec: TaskSpec; sample: Sample; variant: Variant; epoch: number }> {
    for (const { spec, samples } of this.request.tasks)
      for (let epoch = 1; epoch <= spec.epochs; epoch++)
        for (const sample of samples)
          for (const variant of spec.variants) yield { spec, sample, variant, epoch };
  }

  private askAboutStale(): void {
    if (this.request.stale !== "ask" || this.known.size === 0) return;
    let count = 0;
    for (const { spec, sample, variant, epoch } of this.planned()) {
      const known = this.known.get(pathOf(spec, sample, variant, epoch));
      if (known?.trial.state !== "done") continue;
      if (known.trial.digest !== this.identity(spec, sample, variant, epoch)) count++;
    }
    if (count === 0) return;
    const files = this.request.changed.length === 0 ? ["rows or variants"] : this.request.changed;
    throw evalError("HARN-EVL-013", { count, files });
  }

  private variantRows(
    task: number,
    spec: TaskSpec,
    known: readonly EvalVariantRow[],
  ): ReadonlyMap<string, number> {
    const ids = new Map(known.map((row) => [row.key, row.id]));
    const changed = spec.variants.filter(
      ({ key, digest }) => known.find((row) => row.key === key)?.digest !== digest && ids.has(key),
    );
    this.store.write(
      changed.map(({ key, digest, body }) => ({
        table: "eval_variant",
        row: {
          id: ids.get(key) as number,
          eval_set: this.set.id,
          task,
          key,
          digest,
          body: variantText(spec, key, body),
        },
      })),
    );
    const missing = spec.variants.filter(({ key }) => !ids.has(key));
    const made = this.store.insert(
      "eval_variant",
      missing.map(({ key, digest, body }) => ({
        eval_set: this.set.id,
        task,
        key,
        digest,
        body: variantText(spec, key, body),
      })),
    );
    for (const [at, { key }] of missing.entries()) ids.set(key, made[at] as number);
    return ids;
  }

  /** Rows of samples by key and digest; a row that is gone is retired, one that came back counts again. */
  private sampleRows(
    task: number,
    planned: readonly Sample[],
    known: readonly EvalSampleRow[],
    spec: TaskSpec,
    writes: { table: "eval_sample" | "eval_trial" | "eval_task"; row: NewRow }[],
  ): ReadonlyMap<string, number> {
    const ids = new Map(known.map((row) => [sampleName(row), row.id]));
    const wanted = new Map(planned.map((sample) => [sampleName(sample), sample]));
    const keepsOld = this.keepsOld(spec, planned);
    for (const row of known) {
      const now = wanted.get(sampleName(row));
      const retired = now === undefined && !keepsOld.has(row.key) ? 1 : 0;
      const ord = now?.ord ?? row.ord;
      if (retired === row.retired && ord === row.ord) continue;
      writes.push({ table: "eval_sample", row: { ...row, retired, ord } as unknown as NewRow });
    }
    const missing = planned.filter((sample) => !ids.has(sampleName(sample)) && !keepsOld.has(sample.key));
    for (let from = 0; from < missing.length; from += batch) {
      const part = missing.slice(from, from + batch);
      const pieces = new Pieces(this.store.digest);
      const rows = part.map((sample) => ({
        eval_set: this.set.id,
        task,
        key: sample.key,
        digest: sample.digest,
        ord: sample.ord,
        cluster: sample.cluster,
        retired: 0,
        body: pieces.keep(canonicalJson(sample.body)),
      }));
      const made = this.store.insert("eval_sample", rows, pieces);
      for (const [at, sample] of part.entries()) ids.set(sampleName(sample), made[at] as number);
    }
    return ids;
  }

  /** Keys of samples whose row has changed and whose finished trials are kept as they were. */
  private keepsOld(spec: TaskSpec, planned: readonly Sample[]): ReadonlySet<string> {
    if (this.request.stale !== "keep") return new Set();
    const digests = new Map(planned.map((sample) => [sample.key, sample.digest]));
    const kept = [...this.known].filter(
      ([path, { sample, trial }]) =>
        path.startsWith(`${spec.name}/`) &&
        sample.retired === 0 &&
        trial.state === "done" &&
        digests.has(sample.key) &&
        digests.get(sample.key) !== sample.digest,
    );
    return new Set(kept.map(([, { sample }]) => sample.key));
  }

  private trialRows(
    spec: TaskSpec,
    planned: readonly Sample[],
    samples: ReadonlyMap<string, number>,
    variants: ReadonlyMap<string, number>,
    orders: ReadonlyMap<string, number>,
    writes: { table: "eval_sample" | "eval_trial" | "eval_task"; row: NewRow }[],
    fresh: NewRow[],
  ): void {
    for (let epoch = 1; epoch <= spec.epochs; epoch++)
      for (const sample of planned)
        for (const variant of spec.variants) {
          const path = pathOf(spec, sample, variant, epoch);
          const ord = orders.get(path) ?? 0;
          const digest = this.identity(spec, sample, variant, epoch);
          const known = this.known.get(path);
          const id = samples.get(sampleName(sample));
          if (known === undefined) {
            fresh.push(newTrial(this.set.id, id ?? 0, variants.get(variant.key) ?? 0, epoch, ord, digest));
            continue;
          }
          const row = this.renewed(known, spec, digest, id ?? known.sample.id);
          if (row.ord !== ord || row !== known.trial)
            writes.push({ table: "eval_trial", row: { ...row, ord } as unknown as NewRow });
        }
  }

  /** The row of a trial that is there, as the plan wants it now. */
  private renewed({ trial }: PlanRow, spec: TaskSpec, digest: string, sample: number): EvalTrialRow {
    const { stale, redo } = this.request;
    if (trial.state === "skipped" && spec.race === null) return unskipped({ ...trial, digest, sample });
    if (redo !== null && isRedone(trial, redo, this.store)) return begunAnew({ ...trial, digest, sample });
    if (trial.state !== "done") return { ...trial, digest, sample };
    if (trial.digest === digest) {
      this.kept++;
      return trial;
    }
    if (stale === "redo") return begunAnew({ ...trial, digest, sample });
    if (stale === "follow") {
      this.follow.add(trial.id);
      return { ...trial, state: "pending", digest, sample };
    }
    this.kept++;
    this.stale++;
    return trial;
  }
}

/** Rows that are written at once. */
const batch = 2000;

const sampleName = ({ key, digest }: { readonly key: string; readonly digest: string }): string =>
  `${key}\n${digest}`;

const pathOf = (spec: TaskSpec, sample: Pick<Sample, "key">, variant: Variant, epoch: number): string =>
  `${spec.name}/${variant.key}/${sample.key}.${epoch}`;

/** A variant's name is not its key: the row has both. */
const variantText = (spec: TaskSpec, key: string, body: Dict): string =>
  canonicalJson(Dict.of({ name: spec.variants.find((one) => one.key === key)?.name ?? key, body }));

function isRedone(trial: EvalTrialRow, redo: RedoChoice, store: EvalStore): boolean {
  if (redo === "all") return true;
  if (redo === "errored") return trial.state === "errored";
  if (trial.state !== "done") return false;
  const scores = store.scoresOf(trial.id);
  return redo === "failed"
    ? scores.some(({ pass }) => pass === 0)
    : scores.length === 0 || scores.some(({ value, label }) => value === null && label === null);
}

/** Trials that a choice names begin anew, those among them that are asked for. */
export function redoTrials(
  store: EvalStore,
  set: EvalSetRow,
  redo: RedoChoice,
  isAsked: (trial: PlannedTrial) => boolean = () => true,
): void {
  const again = plannedTrials(store, set).filter(
    (trial) => isAsked(trial) && isRedone(trial.row, redo, store),
  );
  store.write(again.map(({ row }) => ({ table: "eval_trial", row: { ...begunAnew(row) } })));
}

/** A trial that a race did not need, as it was before: one that had ended is done. */
export const unskipped = (trial: EvalTrialRow): EvalTrialRow => ({
  ...trial,
  state: trial.outcome === null ? "pending" : "done",
});

/** Races are off from now on: what they did not need is run. */
export function endRaces(store: EvalStore, set: EvalSetRow): void {
  const tasks = store.tasks(set.id).map((row) => {
    const spec = JSON.stringify({ ...(JSON.parse(row.spec) as TaskSpec), race: null });
    return { table: "eval_task" as const, row: { ...row, spec, digest: store.digest(spec) } };
  });
  const trials = store
    .trials(set.id)
    .filter(({ state }) => state === "skipped")
    .map((trial) => ({ table: "eval_trial" as const, row: { ...unskipped(trial) } }));
  store.write([...tasks, ...trials]);
}

/** Attempts stay; the next one begins from the start. */
export const begunAnew = (trial: EvalTrialRow): EvalTrialRow => ({
  ...trial,
  state: "pending",
  run: null,
  outcome: null,
  error: null,
  category: null,
  limit_hit: null,
  faults: null,
  blame: null,
});

function newTrial(
  set: number,
  sample: number,
  variant: number,
  epoch: number,
  ord: number,
  digest: string,
): NewRow {
  return {
    eval_set: set,
    sample,
    variant,
    epoch,
    streams: "{}",
    kind: "epoch",
    ord,
    state: "pending",
    digest,
  };
}

/**
 * Epoch by epoch; within an epoch the samples of every task in the order of the set's seed, all variants of a sample beside each
 * other.
 */
export function plannedOrder(
  tasks: readonly PlannedTask[],
  seed: string,
  digest: EvalStore["digest"],
): ReadonlyMap<string, number> {
  const paths: string[] = [];
  const shuffled = tasks.map(({ spec, samples }) => ({
    spec,
    samples: shuffledBySeed(samples, seed, digest),
  }));
  const epochs = Math.max(0, ...tasks.map(({ spec }) => spec.epochs));
  for (let epoch = 1; epoch <= epochs; epoch++)
    for (const { spec, samples } of shuffled) {
      // A race is about samples with all their epochs, one after the other.
      const isRaced = spec.race !== null;
      if (epoch > spec.epochs || (isRaced && epoch > 1)) continue;
      for (const sample of isRaced ? clustersTogether(samples) : samples)
        for (let own = epoch; own <= (isRaced ? spec.epochs : epoch); own++)
          for (const variant of spec.variants) paths.push(pathOf(spec, sample, variant, own));
    }
  return new Map(paths.map((path, ord) => [path, ord]));
}

/** Samples of a cluster beside each other, where the first of them is. */
const clustersTogether = (samples: readonly Sample[]): Sample[] =>
  [...Map.groupBy(samples, ({ cluster, id }) => observationName(id, cluster)).values()].flat();

/** A trial of the store: what its rows say of it is made where somebody asks. */
class StoredPlannedTrial implements PlannedTrial {
  readonly id: number;
  state: string;
  readonly spec: TaskSpec;
  readonly variant: Variant;
  private readonly store: EvalStore;
  private readonly sampleRow: EvalSampleRow;
  private readonly epoch: number;
  private atHand: EvalTrialRow | undefined;

  constructor(
    store: EvalStore,
    row: EvalTrialRow,
    of: { readonly spec: TaskSpec; readonly variant: Variant; readonly sample: EvalSampleRow },
  ) {
    this.store = store;
    this.id = row.id;
    this.epoch = row.epoch;
    this.atHand = row;
    this.state = sharedState(row.state);
    this.spec = of.spec;
    this.variant = of.variant;
    this.sampleRow = of.sample;
  }

  get row(): EvalTrialRow {
    const row = this.atHand ?? this.store.trial(this.id);
    if (row === undefined) throw new Error(`the trial ${this.path} is gone from the store`);
    this.atHand = row;
    return row;
  }

  set row(row: EvalTrialRow) {
    this.atHand = row;
    this.state = sharedState(row.state);
  }

  rest(): void {
    this.atHand = undefined;
  }

  get key(): TrialKey {
    const { spec, variant, sampleRow, epoch } = this;
    return { task: spec.name, variant: variant.name, sample: sampleRow.key, epoch };
  }

  get path(): string {
    return pathOf(this.spec, this.sampleRow, this.variant, this.epoch);
  }

  get cluster(): string | null {
    return this.sampleRow.cluster;
  }

  /** The sample as its row has it, with its body. */
  sample(): Sample {
    const { key, digest, ord, cluster, body: piece } = this.sampleRow;
    const body = jsonParse(this.store.piece(piece) ?? "{}") as Dict;
    return { id: String(body.get("id") ?? key), key, digest, ord, cluster, body };
  }
}

/** One text for all trials in a state. */
const sharedState = (state: string): string => states.get(state) ?? state;
const states: ReadonlyMap<string, string> = new Map(
  (
    [
      "pending",
      "running",
      "waiting",
      "paused",
      "done",
      "errored",
      "skipped",
    ] as const satisfies readonly TrialState[]
  ).map((state) => [state, state]),
);

/** The trials of a set in the planned order, without those of retired rows; of another kind those beside them. */
export function plannedTrials(store: EvalStore, set: EvalSetRow, kind: TrialKind = "epoch"): PlannedTrial[] {
  const variants = Map.groupBy(store.variants(set.id), (row) => row.task);
  const specs = new Map(
    store.tasks(set.id).map((row) => [row.id, storedSpec(row, variants.get(row.id) ?? [])]),
  );
  const variantOf = new Map([...variants.values()].flat().map((row) => [row.id, row]));
  const sampleOf = new Map(store.samples(set.id).map((row) => [row.id, row]));
  const trials: PlannedTrial[] = [];
  for (const row of store.trials(set.id)) {
    const sample = sampleOf.get(row.sample);
    const variantRow = variantOf.get(row.variant);
    const spec = sample === undefined ? undefined : specs.get(sample.task);
    const variant = spec?.variants.find(({ key }) => key === variantRow?.key);
    if (sample === undefined || spec === undefined || variant === undefined) continue;
    if (row.kind !== kind || sample.retired === 1) continue;
    trials.push(new StoredPlannedTrial(store, row, { spec, variant, sample }));
  }
  return trials.sort((a, b) => a.row.ord - b.row.ord);
}
