/** Attempts that could not say how they ended: what counts as a death of the job, and what was only the database's. */
import { join } from "node:path";
import pg from "pg";
import { afterAll, afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { DatabaseAway } from "../../../../src/cluster/journals/index.ts";
import { JobFailed } from "../../../../src/cluster/ports.ts";
import {
  beginRun,
  carried,
  type DatabaseSettings,
  type Machine,
  machineAt,
} from "../../../support/cluster-journals.ts";
import { startPostgres } from "../../../support/postgres-server.ts";
import { tempFolders } from "../../../support/temp-folder.ts";

const freshFolder = tempFolders("untold");
const server = await startPostgres();
afterAll(async () => {
  await server?.stop();
});

let project = 0;
let settings: DatabaseSettings;
let bob: Machine;
const open: Machine[] = [];

async function machine(patienceMs?: number): Promise<Machine> {
  const made = await machineAt(
    join(freshFolder(), "bob"),
    settings,
    patienceMs === undefined ? {} : { patienceMs },
  );
  open.push(made);
  return made;
}

/** The next COMMIT is made, and its answer lost. */
function loseAnswer(): void {
  const original = pg.Client.prototype.query as (this: pg.Client, ...given: unknown[]) => unknown;
  const spy = vi.spyOn(pg.Client.prototype, "query");
  spy.mockImplementation(async function (this: pg.Client, ...given: unknown[]) {
    const result = await original.apply(this, given);
    if (given[0] !== "COMMIT") return result;
    spy.mockRestore();
    throw Object.assign(new Error("read ECONNRESET"), { code: "ECONNRESET" });
  } as never);
}

// Without the server's programs for this platform there is nothing to test against.
describe.skipIf(server === undefined)("an attempt that could not say how it ended", () => {
  beforeEach(async () => {
    project += 1;
    settings = { journals: server?.url ?? "", project: `p${project}` };
    bob = await machine();
    beginRun(bob.store, "r1", bob.folder);
    await bob.journals.put({ name: "r1", kind: "run", runs: [carried(bob.store, "r1")] });
  });
  afterEach(async () => {
    for (const one of open.splice(0)) await one.close();
  });

  it("since the database was away: it is said before the next job is taken, and is no death", async () => {
    const brief = await machine(300);
    const { fence } = await brief.journals.take("r1", "w");
    await server?.crash();
    await expect(brief.journals.leave("r1", fence)).rejects.toThrow(DatabaseAway);
    await server?.restart();
    expect(await brief.journals.take("r1", "w")).toMatchObject({ fence: fence + 1, isAbandoned: false });
  });

  it("whose taking was committed, and the answer lost, is the same attempt", async () => {
    loseAnswer();
    expect(await bob.journals.take("r1", "w")).toMatchObject({ fence: 2, isAbandoned: false });
  });

  it("whose taking was committed, and nobody waited for the answer, is no death", async () => {
    const hasty = await machine(0);
    loseAnswer();
    await expect(hasty.journals.take("r1", "w")).rejects.toThrow(DatabaseAway);
    expect(await hasty.journals.take("r1", "w")).toMatchObject({ fence: 3, isAbandoned: false });
  });

  it("three times, since its worker died of reading it: it is not read once more", async () => {
    for (let n = 0; n < 3; n++) expect((await bob.journals.take("r1", "w")).unreadable).toBeUndefined();
    const last = await bob.journals.take("r1", "w");
    expect(last).toMatchObject({ fence: 5, isAbandoned: true, runs: [] });
    expect(last.unreadable).toBeInstanceOf(JobFailed);
  });
});
