/**
 * A chunk of trials as a job: the worker's side of it. What was taken lies in a folder of its own, in which a child runs the trials
 * (`trials-child.ts`); the set file that it leaves is the result. What no worker can do is a result, too: the set says why.
 */
import { existsSync, mkdirSync } from "node:fs";
import type { SetSpec } from "../../eval/engine/index.ts";
import { evalStoreOf } from "../../eval/local/index.ts";
import type { PoolJob } from "../../host/index.ts";
import { ownRoots } from "../../run/index.ts";
import type { CommandTask } from "../../server/local/pool/index.ts";
import { openStore } from "../../store/index.ts";
import type { Json } from "../../values/index.ts";
import type { EndedJob, JobWork } from "../attempt.ts";
import { mayReadEnvironment, type PermissionFlags, permittedFlags } from "../permissions.ts";
import { type Job, JobFailed, type TakenJob } from "../ports.ts";
import { type LentFlags, orderIn, type RunOrder } from "../run-order.ts";
import type { CopyPlace, RunWorkOptions } from "../run-work.ts";
import { chunkFolder, removeChunk } from "../worker-disk.ts";
import { chunkRecords, chunkResult } from "./perform-chunk.ts";
import { placeChunk } from "./place-chunk.ts";
import { refusalBytes } from "./refused-chunk.ts";
import { refusedChunk } from "./signed-chunks.ts";

/** What a child is given of a chunk. */
export interface TrialsTask {
  readonly kind: "trials";
  readonly folder: string;
  readonly flags: LentFlags;
  /** What the worker may do. */
  readonly permissions: PermissionFlags;
  readonly copy: CopyPlace;
}

type TrialsWorkOptions = Pick<RunWorkOptions, "cwd" | "models" | "permissions" | "signers" | "copy"> & {
  /** The worker's state folder. */
  readonly stateFolder: string;
};

export class TrialsWork implements JobWork {
  private readonly job: Job;
  private readonly taken: TakenJob;
  private readonly options: TrialsWorkOptions;
  private readonly folder: string;

  constructor(job: Job, taken: TakenJob, options: TrialsWorkOptions) {
    this.job = job;
    this.taken = taken;
    this.options = options;
    this.folder = chunkFolder(options.stateFolder, job.name);
  }

  async begin(): Promise<{ readonly child: PoolJob } | { readonly ended: EndedJob }> {
    try {
      return { child: await this.placed() };
    } catch (error) {
      if (!(error instanceof JobFailed)) throw error;
      return { ended: { exitCode: 2, records: 0, result: refusalBytes(error.message) } };
    }
  }

  private async placed(): Promise<PoolJob> {
    const { name, file, runs } = this.taken;
    const { permissions, copy, signers, cwd, stateFolder } = this.options;
    const order = orderIn(this.job.flags);
    if (file === undefined) throw new JobFailed(`the database has no file of ${name}`);
    const { flags, signature } = order;
    const refused =
      signers === undefined ? undefined : await refusedChunk(signers, { name, file, flags }, signature);
    if (refused !== undefined) throw new JobFailed(refused);
    mkdirSync(this.folder, { recursive: true, mode: 0o700 });
    const mayReveal = mayReadEnvironment(permissions);
    placeChunk({ name, file, runs, mayReveal }, this.folder, ownRoots());
    const task: TrialsTask = {
      kind: "trials",
      folder: this.folder,
      flags: this.permitted(flags),
      permissions,
      copy,
    };
    const command: CommandTask = { kind: "cluster", job: task as unknown as Json };
    return { cwd, env: { HARN_STATE_DIR: stateFolder }, task: command };
  }

  /** The flags that the trials run with. Throws when they ask for more than the worker may do. */
  private permitted(flags: RunOrder["flags"]): LentFlags {
    const files = openStore(this.folder);
    try {
      const [set] = evalStoreOf(files).sets();
      const { plan } = JSON.parse(set?.spec ?? "{}") as SetSpec;
      return permittedFlags(files.runs.read(plan).header, flags, this.options);
    } finally {
      files.close();
    }
  }

  records(): number {
    return existsSync(this.folder) ? chunkRecords(this.folder) : 0;
  }

  end(exitCode: number): EndedJob | undefined {
    const result = chunkResult(this.folder);
    return result === undefined ? undefined : { exitCode, records: this.records(), result };
  }

  /** Sandboxes of trials that go on stay for another attempt here. */
  async close(isOver: boolean): Promise<void> {
    if (isOver) await removeChunk(this.folder);
  }
}
