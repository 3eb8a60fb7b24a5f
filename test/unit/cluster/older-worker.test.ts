/** A worker beside workers of a newer harn: what only they can do is theirs, and nothing of it ends here. */
import { join } from "node:path";
import { afterAll, afterEach, beforeEach, describe, expect, it } from "vitest";
import { attemptJob } from "../../../src/cluster/attempt.ts";
import { type Job, type Journals, NewerWork } from "../../../src/cluster/index.ts";
import { RunWork } from "../../../src/cluster/run-work.ts";
import type { Json } from "../../../src/values/index.ts";
import {
  beginRun,
  carried,
  type DatabaseSettings,
  type Machine,
  machineAt,
} from "../../support/cluster-journals.ts";
import { startPostgres } from "../../support/postgres-server.ts";
import { tempFolders } from "../../support/temp-folder.ts";

const freshFolder = tempFolders("older-worker");
const server = await startPostgres();
afterAll(async () => {
  await server?.stop();
});

let project = 0;
let settings: DatabaseSettings;
let bob: Machine;

function attempt(flags: Json): ReturnType<typeof attemptJob> {
  const job: Job = { kind: "run", name: "r1", flags };
  const { signal } = new AbortController();
  return attemptJob(
    job,
    { number: 1, signal, before: undefined, progress: () => {} },
    {
      settings: { leaseMs: 5000 },
      journals: bob.journals,
      pool: { run: () => Promise.reject(new Error("a child was made")) },
      worker: "older",
      atWork: new Map(),
      report: () => {},
      work: (one, taken) =>
        new RunWork(one, taken, {
          store: bob.store,
          cwd: bob.folder,
          models: {},
          permissions: {},
          copy: { ...settings, job: one.name, fence: taken.fence },
        } as never),
    },
  );
}

/** As the next worker finds the job. */
async function next(): Promise<Awaited<ReturnType<Journals["take"]>>> {
  expect((await bob.journals.unfinished()).map(({ name }) => name)).toEqual(["r1"]);
  return await bob.journals.take("r1", "newer");
}

// Without the server's programs for this platform there is nothing to test against.
describe.skipIf(server === undefined)("an older worker leaves to newer ones", () => {
  beforeEach(async () => {
    project += 1;
    settings = { journals: server?.url ?? "", project: `p${project}` };
    bob = await machineAt(join(freshFolder(), "bob"), settings);
    beginRun(bob.store, "r1", bob.folder);
    await bob.journals.put({ name: "r1", kind: "run", runs: [carried(bob.store, "r1")] });
  });
  afterEach(() => bob.close());

  it("a journal of a newer format", async () => {
    const formatted = (from: number, to: number): Promise<unknown> | undefined =>
      server?.query(
        `UPDATE harn_p${project}.run SET header = convert_to(replace(convert_from(header, 'UTF8'), '"format":${from}', '"format":${to}'), 'UTF8')`,
      );
    await formatted(3, 99);
    const over = attempt({ flags: {}, ends: 0 });
    await expect(over).rejects.toThrow(NewerWork);
    await expect(over).rejects.toThrow(/has format 99, .*\n {2}it was written by harn 0: use that version/);
    await formatted(99, 3);
    expect(await next()).toMatchObject({ isAbandoned: false, runs: [{ isEnded: false }] });
  });

  it("an order that says more than it knows", async () => {
    await expect(attempt({ flags: { thinksAhead: true }, ends: 0 })).rejects.toThrow(NewerWork);
    await expect(attempt({ flags: {}, ends: 0, shape: 2 })).rejects.toThrow(NewerWork);
    expect((await next()).isAbandoned).toBe(false);
  });

  it("all of them, once the tables are newer than it", async () => {
    await server?.query(`UPDATE harn_p${project}.about SET version = 99`);
    await expect(attempt({ flags: {}, ends: 0 })).rejects.toThrow(NewerWork);
    await server?.query(`UPDATE harn_p${project}.about SET version = 1`);
    // Nobody has had it.
    expect(await next()).toMatchObject({ fence: 2, isAbandoned: false });
  });
});
