/**
 * What the roles of a set's trials have drawn, by sample: a role whose stream exists answers from there as long as the requests are the
 * same. The journals of the trials have the draws; what is asked anew is remembered for the trials after it.
 */
import type { ModelResponse, RoleRules } from "../../../model/index.ts";
import { roleStreams, type TrialRole } from "../../plan/index.ts";
import type { EvalStore } from "../../sets/eval-store.ts";
import { asDrawn, drawRule } from "../draws.ts";
import { divergedAt } from "../replay-set.ts";
import type { PlannedTrial } from "../set-plan.ts";
import type { TrialJob } from "../trial-job.ts";

/** A trial whose first request is not the recorded one, although nothing that varies by stream was there before it. */
export interface NoisyHarness {
  readonly path: string;
  /** Some characters of both from shortly before they part. */
  readonly recorded: string;
  readonly now: string;
}

interface FirstRequest {
  readonly role: TrialRole;
  readonly stream: number;
  readonly request: string;
}

export class NoiseDraws {
  readonly noisy: NoisyHarness[] = [];
  /** Crossed trials that asked a model for something that was recorded under the same stream. */
  compared = 0;
  private readonly store: EvalStore;
  private readonly kept = new Map<string, ModelResponse>();
  /** First requests of the set's trials, by variant's and sample's row, role and stream. */
  private readonly firsts = new Map<string, FirstRequest>();

  constructor(store: EvalStore) {
    this.store = store;
  }

  /** For a trial of the set that is replayed: what it asked and drew is noted. */
  noting(trial: PlannedTrial, job: TrialJob): NonNullable<RoleRules["draw"]> {
    return this.rule(trial, job, (first) => {
      // The set's own trials come first.
      const name = this.nameOf(trial, first);
      if (!this.firsts.has(name)) this.firsts.set(name, first);
    });
  }

  /** For a crossed trial: what is there is drawn, and its first request is compared. */
  drawing(trial: PlannedTrial, job: TrialJob): NonNullable<RoleRules["draw"]> {
    return this.rule(trial, job, (first) => this.compare(trial, first));
  }

  private nameOf({ row }: PlannedTrial, { role, stream }: FirstRequest): string {
    return `${row.sample} ${row.variant} ${role} ${stream}`;
  }

  private rule(
    trial: PlannedTrial,
    job: TrialJob,
    first: (request: FirstRequest) => void,
  ): NonNullable<RoleRules["draw"]> {
    const scope = `${trial.row.sample} `;
    let isFirst = true;
    return drawRule(
      this.store.digest,
      job.stream,
      {
        kept: (key) => {
          const response = this.kept.get(scope + key);
          return response === undefined ? undefined : asDrawn(response);
        },
        keep: (key, response) => {
          if (!this.kept.has(scope + key)) this.kept.set(scope + key, response);
        },
      },
      (task, call) => {
        if (!isFirst || call.role === "judge") return;
        isFirst = false;
        // What another role made up before without a model may stand in the request.
        const others = [...task.runtime.state(roleStreams).stretches.keys()].some(
          (key) => key.split("/").at(-2) !== call.role,
        );
        if (!others) first(call);
      },
    );
  }

  private compare(trial: PlannedTrial, first: FirstRequest): void {
    const recorded = this.firsts.get(this.nameOf(trial, first));
    if (recorded === undefined) return;
    this.compared++;
    if (recorded.request === first.request) return;
    this.noisy.push({ path: trial.path, ...divergedAt(recorded.request, first.request) });
  }
}
