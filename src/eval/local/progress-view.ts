/** What a person sees while a set runs: a few lines redrawn in place on a terminal, single lines in a log. */
import { showOneLine } from "../../diagnostics/index.ts";
import { isTerminal, reportError, stderrWidth } from "../../host/command/index.ts";
import { ownProcess } from "../../process/index.ts";
import { firstLine } from "../../values/index.ts";
import type { EvalStore, PlannedTrial, SetProgress, TrialKind } from "../engine/index.ts";
import {
  clockText,
  countedText,
  liveLines,
  plainLine,
  type StoredSet,
  type StoredTask,
  type StoredTrial,
  storedSetOf,
  successOf,
  Tally,
  variantLabel,
} from "../report/index.ts";

export interface ProgressFlags {
  readonly plain?: boolean;
  readonly quiet?: boolean;
}

export interface ProgressView {
  onProgress(progress: SetProgress, ended: PlannedTrial | null): void;
  /** Once the set is planned: what is there of it already. */
  begin(store: EvalStore, name: string, kind?: TrialKind): void;
  close(): void;
}

/** A drawing takes at least so long until the next one. */
const redrawMs = 200;

export function progressView(flags: ProgressFlags): ProgressView {
  if (flags.quiet === true) return { onProgress: () => {}, begin: () => {}, close: () => {} };
  return new SetView(flags.plain !== true && isTerminal(2));
}

/** The scores of a trial without their explanations. */
const figuresOfScores = (store: EvalStore, trial: number) =>
  store.scoresOf(trial).map(({ scorer, pass, draw, value, label }) => ({
    scorer,
    draw,
    value,
    label,
    pass: pass === null ? null : pass !== 0,
    answer: null,
    why: null,
    parts: {},
    meta: null,
    error: null,
  }));

class SetView implements ProgressView {
  private readonly isLive: boolean;
  private tally = new Tally();
  private set: StoredSet | undefined;
  private store: EvalStore | undefined;
  private latest: SetProgress | undefined;
  private readonly began = Date.now();
  private ended = 0;
  private drawn = 0;
  private drawnAt = 0;
  private readonly counted = new Set<number>();
  /** The trials of the set by the numbers of their rows. */
  private readonly trials = new Map<number, { readonly task: StoredTask; readonly trial: StoredTrial }>();
  private isEnding = false;
  private timer: NodeJS.Timeout | undefined;
  /** Trials of a task at the last line in a log. */
  private readonly shown = new Map<string, number>();
  private readonly cuts = new Map<string, { readonly limit: number; readonly at?: number }>();

  constructor(isLive: boolean) {
    this.isLive = isLive;
  }

  begin(store: EvalStore, name: string, kind?: TrialKind): void {
    const row = store.set(name);
    if (row === undefined) return;
    this.store = store;
    this.set = storedSetOf(store, row, kind);
    this.tally = new Tally();
    this.trials.clear();
    for (const task of this.set.tasks) {
      const { spec, trials } = task;
      for (const trial of trials) this.trials.set(trial.id, { task, trial });
      for (const variant of spec.variants)
        this.tally.expect(
          spec.name,
          variant.name,
          trials.filter((trial) => trial.variant === variant.name).length,
        );
      for (const trial of trials) {
        if (trial.state !== "done") continue;
        this.counted.add(trial.id);
        const { variant, sample, costUsd } = trial;
        this.tally.add({
          task: spec.name,
          variant,
          sample,
          success: successOf(trial, spec),
          isErrored: false,
          costUsd: costUsd ?? 0,
          error: null,
        });
      }
    }
    if (this.isLive) {
      this.timer = setInterval(() => this.draw(), 1000);
      this.timer.unref();
    }
  }

  onProgress(progress: SetProgress, ended: PlannedTrial | null): void {
    this.latest = progress;
    for (const { provider, limit } of progress.connections) {
      const before = this.cuts.get(provider);
      if (before !== undefined && limit < before.limit) {
        this.cuts.set(provider, { limit, at: Date.now() });
        if (!this.isLive) this.line(`${provider}: ${before.limit} connections become ${limit}`);
      } else this.cuts.set(provider, { ...before, limit });
    }
    if (progress.ending !== undefined && !this.isEnding) {
      this.isEnding = true;
      const { calls, graceMs } = progress.ending;
      this.line(
        `stopping: ${countedText(calls, "model call")} in flight may end first, for ${graceMs / 1000} s; again, and they are cut off`,
      );
    }
    if (ended !== null) this.note(ended);
    if (!this.isLive) return;
    if (Date.now() - this.drawnAt >= redrawMs) this.draw();
  }

  private note(ended: PlannedTrial): void {
    const { store } = this;
    const row = store?.trial(ended.row.id) ?? ended.row;
    const known = this.trials.get(row.id);
    if (store === undefined || known === undefined) return;
    const { task, trial } = known;
    const isErrored = row.state === "errored";
    // One that was done and is scored again.
    if (this.counted.has(row.id)) return;
    if (row.state !== "done" && !isErrored) return;
    this.ended += 1;
    const scores = figuresOfScores(store, row.id);
    const faults = row.faults === null ? [] : (JSON.parse(row.faults) as []);
    const success = successOf(
      { ...plain(trial), state: isErrored ? "errored" : "done", scores, faults },
      task.spec,
    );
    const error = isErrored ? `${row.category ?? "error"}: ${firstLine(row.error ?? "")}` : null;
    const { variant, sample } = trial;
    const isNew = this.tally.add({
      task: task.spec.name,
      variant,
      sample,
      success,
      isErrored,
      costUsd: row.cost,
      error,
    });
    if (this.isLive) return;
    if (isNew && error !== null) this.line(`${ended.path} errored: ${error}`);
    this.emitTenth(task.spec.name);
  }

  /** Every tenth of a task's trials, and its last one. */
  private emitTenth(task: string): void {
    const { done, errored, total } = this.tally.ofTask(task);
    const now = done + errored;
    const step = Math.max(1, Math.ceil(total / 10));
    const before = this.shown.get(task) ?? 0;
    if (now < total && Math.floor(now / step) === Math.floor(before / step)) return;
    this.shown.set(task, now);
    if (this.latest !== undefined)
      reportError(`${plainLine(task, this.tally, this.figures(this.latest), Date.now())}\n`);
  }

  private figures(progress: SetProgress) {
    return {
      ...progress,
      connections: progress.connections.map((one) => ({ ...one, cutAt: this.cuts.get(one.provider)?.at })),
      ended: this.ended,
      began: this.began,
      left: progress.total - progress.done - progress.errored,
    };
  }

  /** Above what is drawn. */
  private line(text: string): void {
    if (this.isLive) ownProcess().stderr.write(this.erased());
    this.drawn = 0;
    reportError(`${clockText(Date.now())} ${showOneLine(text)}\n`);
  }

  private draw(): void {
    const { latest, set } = this;
    if (latest === undefined || set === undefined) return;
    const width = Math.max(20, stderrWidth() - 1);
    const lines = liveLines(this.tally, this.figures(latest), Date.now(), ({ task, variant }) => {
      const owner = set.tasks.find(({ spec }) => spec.name === task);
      return owner === undefined ? variant : variantLabel(owner, variant);
    }).map((line) => showOneLine([...line].slice(0, width).join("")));
    // Only these codes are ours.
    ownProcess().stderr.write(`${this.erased()}${lines.map((line) => `${line}\n`).join("")}`);
    this.drawn = lines.length;
    this.drawnAt = Date.now();
  }

  /** Back to the first line of the last drawing, and everything below it cleared. */
  private erased(): string {
    return this.drawn === 0 ? "" : `\u001b[${this.drawn}A\u001b[J`;
  }

  close(): void {
    clearInterval(this.timer);
    if (this.isLive && this.drawn > 0) ownProcess().stderr.write(this.erased());
    this.drawn = 0;
    this.latest = undefined;
  }
}

/** What success is made of; the view of the store is not copied with its large parts. */
const plain = ({ sample, variant, epoch }: { sample: string; variant: string; epoch: number }) => ({
  sample,
  variant,
  epoch,
  state: "done" as const,
  error: null,
  limit: null,
  stopReason: null,
  faults: [],
  blame: null,
  inputTokens: 0,
  outputTokens: 0,
  costUsd: 0,
  turns: 0,
  workingMs: 0,
  wallMs: 0,
  attempts: 1,
  metrics: {},
  failedTool: null,
  scores: [],
});
