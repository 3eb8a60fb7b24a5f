/** A run as a job: what a worker looks at before it takes it, what its child is told, how it is known that it has ended. */
import { setTimeout as pause } from "node:timers/promises";
import { type EndRecord, History, type Journal, validRecords } from "../effects/index.ts";
import type { PoolJob } from "../host/index.ts";
import { notOffered } from "../run/setup/index.ts";
import type { CommandTask } from "../server/local/pool/index.ts";
import { takeCarriedRun } from "../store/copies/index.ts";
import type { KeptQuestion, Store } from "../store/index.ts";
import type { Json } from "../values/index.ts";
import type { EndedJob, JobWork } from "./attempt.ts";
import { type LentByWorker, type PermissionFlags, permittedFlags } from "./permissions.ts";
import { type ClusterSettings, type Job, JobFailed, type TakenJob } from "./ports.ts";
import { type LentFlags, orderIn, type RunOrder } from "./run-order.ts";
import { refusedSignature, type Signers } from "./signed-runs.ts";

/** What a child is given of a run (`job-child.ts`). */
export interface RunTask {
  readonly kind: "run";
  readonly run: string;
  readonly flags: LentFlags;
  /** What the worker may do. */
  readonly permissions: PermissionFlags;
  readonly copy: CopyPlace;
}

/** Where a child writes the copy of its runs to, and under which fence. */
export interface CopyPlace extends Pick<ClusterSettings, "journals" | "project"> {
  readonly job: string;
  readonly fence: number;
}

export interface RunWorkOptions extends LentByWorker {
  /** The worker's own. */
  readonly store: Store;
  readonly signers?: Signers | undefined;
  readonly copy: CopyPlace;
  readonly report: (text: string) => void;
}

/** A request of whoever had the run before may still be on its way to a server. */
const onTheWayMs = 2000;
/** Ends that somebody who took the run away from its process has made: the job goes on. Who asks has not asked here. */
const passingEnds: readonly EndRecord["reason"][] = ["terminate", "hangup", "parked"];

export class RunWork implements JobWork {
  private readonly name: string;
  private readonly taken: TakenJob;
  private readonly options: RunWorkOptions;
  private readonly flags: Json;

  constructor(job: Job, taken: TakenJob, options: RunWorkOptions) {
    this.name = job.name;
    this.taken = taken;
    this.options = options;
    this.flags = job.flags;
  }

  async begin(): Promise<{ readonly child: PoolJob } | { readonly ended: EndedJob }> {
    const { taken } = this;
    const order = orderIn(this.flags);
    const { store, cwd, permissions, copy, report } = this.options;
    const [run] = taken.runs;
    if (run === undefined || run.journal.header.run !== this.name)
      throw new JobFailed(`the database has no journal of ${this.name}`);
    await this.mustBeSigned(run.journal, order);
    const { stale } = takeCarriedRun(store, run, { isOurs: true });
    if (stale !== undefined) report(`what ${this.name} had done here and nowhere else is kept as ${stale}`);
    store.runs.questions.replace(this.name, Object.values(taken.answers ?? {}) as unknown as KeptQuestion[]);
    const journal = store.runs.read(this.name);
    const end = endOfJob(journal, order);
    if (end !== undefined) return { ended: { exitCode: end.code, records: journal.records.length } };
    mustBeOfNoProgram(journal);
    const flags = permittedFlags(journal.header, order.flags, this.options);
    if (taken.fence > 1 && hasOpenWrite(journal)) await pause(onTheWayMs);
    const task: RunTask = {
      kind: "run",
      run: this.name,
      flags,
      permissions,
      copy,
    };
    const command: CommandTask = { kind: "cluster", job: task as unknown as Json };
    return { child: { cwd, env: { HARN_STATE_DIR: store.folder }, task: command } };
  }

  records(): number {
    return validRecords(this.journal().records).length;
  }

  end(exitCode: number): EndedJob | undefined {
    const journal = this.journal();
    const last = journal.records.at(-1);
    if (last?.t !== "end" || (passingEnds.includes(last.reason) && last.reason !== "parked"))
      return undefined;
    const asked = this.options.store.runs.questions.kept(this.name);
    const result = new TextEncoder().encode(JSON.stringify(asked));
    return { exitCode, records: journal.records.length, result };
  }

  /** The copy in the database is what counts; this one has served. */
  close(isOver: boolean): void {
    const { runs } = this.options.store;
    if (isOver && runs.has(this.name)) runs.delete(this.name);
  }

  private journal(): Journal {
    return this.options.store.runs.read(this.name);
  }

  private async mustBeSigned(journal: Journal, order: RunOrder): Promise<void> {
    const { signers } = this.options;
    const refused = signers === undefined ? undefined : await refusedSignature(signers, journal, order);
    if (refused !== undefined) throw new JobFailed(refused);
  }
}

/** Tools of a program are given by no worker. */
function mustBeOfNoProgram({ header }: Journal): void {
  const lacking = notOffered(header, {});
  if (lacking.length > 0)
    throw new JobFailed(`the run needs tools of the program that began it: ${lacking.join(", ")}`);
}

/** How the job has ended already, in an earlier attempt that could not note it. */
function endOfJob({ records }: Journal, { ends }: RunOrder): EndRecord | undefined {
  const last = records.at(-1);
  if (last?.t !== "end" || passingEnds.includes(last.reason)) return undefined;
  return records.filter(({ t }) => t === "end").length > ends ? last : undefined;
}

function hasOpenWrite(journal: Journal): boolean {
  const history = new History(journal);
  return history.records.some(
    (record) =>
      record.t === "intent" && record.c === "write" && history.at(record.p, record.n)?.result === undefined,
  );
}
