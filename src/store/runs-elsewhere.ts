/**
 * Runs that were handed over to other machines (docs/cluster.md): as long as that is noted, nobody goes on with them here. What the
 * note says is its writer's.
 */
import type { Json } from "../effects/index.ts";
import type { Database } from "./database.ts";
import { Entries } from "./entries.ts";
import type { KeptJson } from "./kept-json.ts";
import { StoreError } from "./store-error.ts";

const space = "run.on_workers";

/** SQL: whether the row of `run` is one of them. */
export const isElsewhere = `EXISTS (SELECT 1 FROM entry WHERE space = '${space}' AND key = run.name)`;

export class RunsElsewhere {
  private readonly entries: Entries;
  constructor(db: Database, now: () => number, json: KeptJson) {
    this.entries = new Entries(db, now, json);
  }

  /** What was noted; `undefined`: the run is not elsewhere. */
  noteOf(run: string): Json | undefined {
    return this.entries.get(space, run);
  }

  note(run: string, note: Json): void {
    this.entries.set(space, run, note);
  }

  /** It is here again. */
  forget(run: string): void {
    this.entries.delete(space, run);
  }

  mustBeHere(run: string): void {
    if (this.noteOf(run) === undefined) return;
    throw new StoreError("taken", `the run ${run} is on workers`, [
      `\`harn run --resume ${run} --workers\` follows it, \`harn runs stop ${run}\` stops it`,
    ]);
  }
}
