/** What a trial of a running set is asked to do: its job, the run that it goes on in, and the sandbox that it works in. */
import { type Dict, toJson } from "../../../values/index.ts";
import { taskAt } from "../../eval-error.ts";
import { sampleFiles, sandboxFor } from "../../plan/index.ts";
import type { SetOptions } from "../../sets/set-spec.ts";
import type { SandboxFile, SandboxRequest, TrialRuns } from "../ports.ts";
import type { PlannedTrial } from "../set-plan.ts";
import { judgements, type TrialJob } from "../trial-job.ts";
import { judgeStreamOf, storedFaults, streamsOf } from "../trial-streams.ts";
import type { RunSetRequest } from "./request.ts";

export class TrialJobs {
  private readonly request: RunSetRequest;
  private readonly runs: TrialRuns;
  private readonly options: () => SetOptions;

  constructor(request: RunSetRequest, options: () => SetOptions) {
    this.request = request;
    this.runs = request.runs;
    this.options = options;
  }

  of(trial: PlannedTrial, resume: TrialJob["resume"], attempt: number): TrialJob {
    const { row } = trial;
    const { beside, set, as } = this.request;
    // What goes on has the name that it began with.
    const run = this.runNameOf(trial, resume === "no" ? attempt : 1);
    return {
      id: row.id,
      set: set.id,
      run,
      ...(beside?.fork === undefined ? {} : { fork: beside.fork(trial).start }),
      ...(beside?.judgements === undefined
        ? {}
        : {
            scorings: judgements({ run }, trial.spec.scorers, beside.judgements),
            judgeStream: judgeStreamOf(row),
          }),
      address: `${set.name}:${trial.path}`,
      spec: trial.spec,
      sample: trial.sample(),
      variant: trial.variant,
      epoch: row.epoch,
      stream: streamsOf(row),
      seed: set.seed,
      resume,
      withScores: this.options().withScores,
      draws: this.options().draws ?? {},
      as: as ?? "solver",
      folder: null,
    };
  }

  /** With the sandbox that it works in. What goes on without it would go on with other files: it begins anew. */
  async inSandbox(trial: PlannedTrial, job: TrialJob): Promise<TrialJob> {
    const request = this.sandboxRequest(trial);
    if (request === null) return job;
    const { sandboxes } = this.runs;
    // Nothing happens any more in one whose journal has its end: what it came to was lost with its machine.
    if (job.resume === "where it stopped" && this.runs.hasEnded(job.run))
      return this.workingIn(job, job.run, request);
    const isThere = job.resume !== "no" && sandboxes.isThere(job.run);
    const fresh = isThere ? job : this.of(trial, "no", trial.row.attempts + 1);
    // What was begun before is given up.
    if (!isThere && fresh.run !== job.run) await sandboxes.remove(job.run);
    await (isThere ? sandboxes.wake(job.run, request.task) : sandboxes.make(fresh.run, request));
    return this.workingIn(fresh, fresh.run, request);
  }

  /** With a sandbox of that name as the trial left its own; without one where not all of it was kept. */
  async inLeftSandbox(trial: PlannedTrial, job: TrialJob, name: string, outcome: Dict): Promise<TrialJob> {
    const request = this.sandboxRequest(trial);
    if (request === null) return job;
    const left = toJson(outcome.get("files") ?? null) as unknown as readonly SandboxFile[] | null;
    if (!(await this.runs.sandboxes.rebuild(name, request, left ?? []))) return job;
    return this.workingIn(job, name, request);
  }

  private workingIn(job: TrialJob, run: string, { spec }: SandboxRequest): TrialJob {
    return { ...job, folder: { run, cwd: this.runs.sandboxes.place(run), env: spec.env, keep: spec.keep } };
  }

  private sandboxRequest(trial: PlannedTrial): SandboxRequest | null {
    const { name, sandbox } = trial.spec;
    const spec = sandbox === null ? null : sandboxFor(trial.spec, trial.sample().body);
    if (spec === null) return null;
    const files = sampleFiles(trial.sample().body.get("files"), taskAt(name, "files"));
    return { set: this.ownName, task: name, spec, files };
  }

  /** What runs and sandboxes are named after. */
  private get ownName(): string {
    return (this.request.part ?? this.request.set).name;
  }

  /** The run that a trial goes on in: the newest of it that there is. */
  private runNameOf(trial: PlannedTrial, attempt: number): string {
    const base = `${this.ownName}.${trial.row.id}`;
    const { attempts } = trial.row;
    if (attempts === 0) return base;
    const known = this.runs.newestOf(trial.row.id);
    // The attempt that was begun after one that was given up may have died before its first effect.
    if (attempt === 1 && known !== undefined && storedFaults(trial.row).length > 0 && attempts > 1)
      return numberIn(known) < attempts && this.isGivenUp(trial, numberIn(known))
        ? `${base}~${attempts}`
        : known;
    if (attempt === 1 && known !== undefined) return known;
    return attempt === 1 ? base : `${base}~${attempt}`;
  }

  private isGivenUp({ row }: PlannedTrial, attempt: number): boolean {
    return this.runs.store.attempts(row.id).some(({ n, state }) => n === attempt && state === "redone");
  }
}

/** The number of the attempt that a run's name tells. */
const numberIn = (run: string): number => Number(/~(\d+)$/u.exec(run)?.[1] ?? 1);
